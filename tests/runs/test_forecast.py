"""What a training needs is said before it begins, and nothing of it is kept."""

import jax

import fa_jax
from fa_jax.runs.forecast import forecast
from tests.command import TINY, write_corpus


def test_a_forecast_is_of_the_training_that_would_begin(trained, tmp_path, monkeypatch, cli_call):
    monkeypatch.chdir(tmp_path)
    run = fa_jax.load_run(trained)
    found = forecast(run.config)
    assert found.parameters == sum(leaf.size for leaf in jax.tree.leaves(run.params))
    assert found.steps == run.config.training.steps
    rows, source, target = found.batch
    assert rows == run.config.training.batch_size and 0 < found.share <= 1
    assert max(source, target) <= run.config.data.max_length + 1
    # Parameters, at least one number for each by the optimizer, and both once more in a checkpoint.
    assert found.planned > 8 * found.parameters and found.disk >= 24 * found.parameters
    assert found.reached > found.planned and found.step > 0

    text = write_corpus(tmp_path / "text", train=40, rest=3)
    status, out, err = cli_call("train", "en-ja", "--corpus", text, *TINY, "--dry-run")
    assert status == 0, err
    named = [line.split("  ")[0] for line in out.splitlines()]
    assert named == ["largest batch", "parameters", "memory", "disk", "step", "training"]
    assert {path.name for path in tmp_path.iterdir()} == {"text"}
