"""What a training needs is said before it begins, and nothing of it is kept."""

from dataclasses import replace

import jax
import pytest

import fa_jax
from fa_jax.errors import UserError
from fa_jax.runs.forecast import forecast
from tests.command import TINY


def test_a_forecast_is_of_the_training_that_would_begin(
    trained, corpus, tmp_path, monkeypatch, cli_call
):
    monkeypatch.chdir(tmp_path)
    run = fa_jax.load_run(trained)
    plan, pace = parts = [*forecast(run.config)]
    assert plan.parameters == sum(leaf.size for leaf in jax.tree.leaves(run.params))
    assert plan.steps == run.config.training.steps
    rows, source, target = plan.batch
    assert rows == run.config.training.batch_size
    assert max(source, target) <= run.config.data.max_length + 1
    # Parameters, at least one number for each by the optimizer, and both once more in a checkpoint.
    assert plan.planned > 8 * plan.parameters and plan.disk >= 24 * plan.parameters
    assert plan.room > plan.needed > plan.planned
    assert pace.reached > plan.planned and pace.step > 0

    asked = []
    monkeypatch.setattr(
        "fa_jax.runs.forecast.forecast", lambda config: asked.append(config) or parts
    )
    status, out, err = cli_call("train", "en-ja", "--corpus", corpus, *TINY, "--dry-run")
    assert status == 0, err
    assert asked[0].model == run.config.model and asked[0].data == run.config.data
    named = [line.split("  ")[0] for line in out.splitlines()]
    planned = ["largest batch", "parameters", "memory", "disk", "steps"]
    assert named == [*planned, "reached", "step", "training"]
    assert not [*tmp_path.iterdir()]


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"batch_size": 12}, "12 cannot be shared evenly by 8 devices: choose a multiple of 8"),
        ({"best_by": "accuracy"}, "training.best_by must be bleu"),
    ],
)
def test_what_a_training_would_refuse_is_refused(trained, changes, words):
    config = fa_jax.load_run(trained).config
    config = replace(config, training=replace(config.training, **changes))
    with pytest.raises(UserError, match=words):
        next(forecast(config))


def test_what_does_not_fit_is_planned_and_not_tried(trained, monkeypatch):
    config = fa_jax.load_run(trained).config
    monkeypatch.setattr("os.sysconf", lambda name: 4096)  # pages, of so many bytes
    (plan,) = forecast(config)
    assert plan.planned > 0 and not plan.fits
    assert str(plan).splitlines()[-1] == "step           none was tried: here are 0 GB of memory"
