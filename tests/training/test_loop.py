"""Which checkpoint is kept, and that a training that was stopped goes on with the same bits."""

import io
import json
import os
import shutil
import signal
from contextlib import redirect_stderr
from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from fa_jax.runs.begin import begin_run
from fa_jax.training import loop
from fa_jax.training.checkpoints import Checkpoints
from fa_jax.training.metrics import read_metrics
from fa_jax.training.optimizer import make_optimizer
from tests.training.test_failures import setting  # noqa: F401

STEPS = 20
SCORES = (1.0, 5.0, 9.0, 6.0, 5.5)


@pytest.fixture(scope="module", autouse=True)
def traced_once():
    """Trainings share a step, which does not know when windows begin: each would trace it anew."""
    make = cache(lambda config: loop_step(config, make_optimizer(config.training)))
    loop_step = loop.make_train_step

    def shared(config, _):
        return make(replace(config, training=replace(config.training, windows_from=0.0)))

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(loop, "make_train_step", shared)
        yield


@pytest.fixture
def run(setting, tmp_path):  # noqa: F811
    return begun(setting, tmp_path)


def begun(setting, folder):  # noqa: F811
    """A run of twenty steps, with a validation after every fourth; the last two are behind steps in
    windows, of which the first comes behind the third."""
    config, data = setting
    training = replace(
        config.training,
        steps=STEPS,
        validations=5,
        beta=0.1,
        threshold=0.8,
        windows_from=0.6,
        checkpoint_seconds=60.0,
    )
    config = replace(config, training=training)
    begin_run(folder, config, data)
    return folder, config, data


@pytest.fixture(scope="module")
def unbroken(setting, tmp_path_factory):  # noqa: F811
    """A run's folder, the thresholds of its validations, and what it said."""
    run, said = begun(setting, tmp_path_factory.mktemp("unbroken")), io.StringIO()
    with redirect_stderr(said):
        thresholds = train(run, [*SCORES])
    return run[0], thresholds, said.getvalue()


def train(run, scores, stop_at=None):
    """Scores of the validations, one after the other; a signal comes with this one."""
    (folder, config, data), thresholds = run, []

    def validate(params, threshold):
        thresholds.append(threshold)
        if len(scores) == stop_at:
            os.kill(os.getpid(), signal.SIGTERM)
        return scores.pop(0)

    loop.train(folder, config, data, validate)
    return thresholds


def checksum_of(folder, step, name="latest"):
    """Of all that a checkpoint holds: parameters, the optimizer's state, the random key."""
    return note_of(folder, step, name)["checksum"]


def note_of(folder, step, name):
    path = folder / "checkpoints" / name / str(step) / "note" / "metadata"
    return json.loads(path.read_text(encoding="utf-8"))


def test_the_best_is_of_those_in_windows(unbroken):
    folder, thresholds, said = unbroken
    assert thresholds == [np.inf] * 5
    assert Checkpoints(folder, "best").step() == 16
    assert Checkpoints(folder, "latest").step() == STEPS
    assert "12 (epoch 1.20): validation score 9.00 (smoothed BLEU" in said
    assert "16 (epoch 1.60): validation score 6.00 (smoothed BLEU" in said


def test_without_windows_the_best_is_of_all(run):
    folder, config, data = run
    whole = replace(config.training, windows_from=1.0, best_by="chrf")
    train((folder, replace(config, training=whole), data), [*SCORES])
    assert Checkpoints(folder, "best").step() == 12
    assert note_of(folder, 12, "best")["validation_chrf"] == 9.0
    assert note_of(folder, STEPS, "latest")["best_chrf"] == 9.0


def test_documents_are_validated_in_windows(run, capsys):
    folder, config, data = run
    windows = replace(config.training, in_windows=True)
    thresholds = train((folder, replace(config, training=windows), data), [1.0] * 5)
    assert thresholds == [np.inf] * 3 + [0.8] * 2
    assert (
        "16 (epoch 1.60): validation score 1.00 in windows of τ = 0.8 (s" in capsys.readouterr().err
    )


def test_a_run_that_has_ended_stays_as_it_is(run, unbroken):
    shutil.copytree(unbroken[0], run[0], dirs_exist_ok=True)
    before = read_metrics(run[0])
    train(run, [])
    assert read_metrics(run[0]) == before


def test_stopped_and_continued_it_has_the_same_bits(run, unbroken, capfd):
    scores = [*SCORES]
    for stop_at, step in ((3, 12), (2, 16)):
        with pytest.raises(loop.Interrupted):
            train(run, scores, stop_at)
        assert "stopping: this step is finished and saved first" in capfd.readouterr().err
        assert Checkpoints(run[0], "latest").step() == step
    train(run, scores)
    assert Checkpoints(run[0], "best").step() == 16
    for name, step in (("latest", STEPS), ("best", 16)):
        assert checksum_of(run[0], step, name) == checksum_of(unbroken[0], step, name)
