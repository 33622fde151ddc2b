"""Which checkpoint is kept, also where training was stopped between."""

import os
import signal
from dataclasses import replace

import numpy as np
import pytest

from fa_jax.runs.begin import begin_run
from fa_jax.training import loop
from fa_jax.training.checkpoints import Checkpoints
from fa_jax.training.metrics import read_metrics
from tests.training.test_failures import setting  # noqa: F401

STEPS = 20


@pytest.fixture
def run(setting, tmp_path):  # noqa: F811
    """A run of twenty steps, with a validation after every fourth; the last two are in windows."""
    config, data = setting
    training = replace(
        config.training,
        steps=STEPS,
        validations=5,
        beta=0.1,
        threshold=0.8,
        windows_from=0.7,
        checkpoint_seconds=60.0,
    )
    config = replace(config, training=training)
    begin_run(tmp_path, config, data)
    return tmp_path, config, data


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


def test_the_best_is_of_those_in_windows(run, capsys):
    thresholds = train(run, [1.0, 5.0, 9.0, 6.0, 5.5])
    assert thresholds == [np.inf] * 5
    assert Checkpoints(run[0], "best").step() == 16
    assert Checkpoints(run[0], "latest").step() == STEPS
    said = capsys.readouterr().err
    assert "12 (epoch 1.20): validation score 9.00 (greedy" in said
    assert "16 (epoch 1.60): validation score 6.00 (greedy" in said


def test_without_windows_the_best_is_of_all(run):
    folder, config, data = run
    whole = replace(config.training, windows_from=1.0)
    train((folder, replace(config, training=whole), data), [1.0, 5.0, 9.0, 6.0, 5.5])
    assert Checkpoints(folder, "best").step() == 12


def test_documents_are_validated_in_windows(run, capsys):
    folder, config, data = run
    windows = replace(config.training, in_windows=True)
    thresholds = train((folder, replace(config, training=windows), data), [1.0] * 5)
    assert thresholds == [np.inf] * 3 + [0.8] * 2
    assert (
        "16 (epoch 1.60): validation score 1.00 in windows of τ = 0.8 (g" in capsys.readouterr().err
    )


def test_a_run_that_has_ended_stays_as_it_is(run):
    train(run, [1.0, 0.0, 0.0, 0.0, 0.0])
    before = read_metrics(run[0])
    train(run, [])
    assert read_metrics(run[0]) == before


@pytest.mark.parametrize(("stop_at", "stopped"), [(3, 12), (2, 16)])
def test_stopped_and_continued_it_keeps_the_same(run, stop_at, stopped):
    scores = [1.0, 5.0, 9.0, 6.0, 5.5]
    with pytest.raises(loop.Interrupted):
        train(run, scores, stop_at)
    assert Checkpoints(run[0], "latest").step() == stopped
    train(run, scores)
    assert Checkpoints(run[0], "best").step() == 16
    assert Checkpoints(run[0], "latest").step() == STEPS
