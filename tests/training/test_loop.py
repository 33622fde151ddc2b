"""How long training goes on: until the score stops rising, also where it was stopped between."""

import os
import signal
from dataclasses import replace

import pytest

from fa_jax.runs.train import begin_run
from fa_jax.training import loop
from fa_jax.training.checkpoints import Checkpoints
from fa_jax.training.metrics import read_metrics
from tests.training.test_failures import setting  # noqa: F401

STEPS, PATIENCE, HALVINGS = 40, 1, 1


@pytest.fixture
def run(setting, tmp_path):  # noqa: F811
    """A run of at most forty steps, with a validation after every fourth."""
    config, data = setting
    training = replace(
        config.training,
        steps=STEPS,
        validations=10,
        patience=PATIENCE,
        halvings=HALVINGS,
        halve_from=1.0,
        checkpoint_seconds=60.0,
    )
    config = replace(config, training=training)
    begin_run(tmp_path, config, data)
    return tmp_path, config, data


def train(run, scores, stop_at=None):
    """Scores of the validations, one after the other; a signal comes with this one."""
    folder, config, data = run

    def validate(params, threshold):
        if len(scores) == stop_at:
            os.kill(os.getpid(), signal.SIGTERM)
        return scores.pop(0)

    loop.train(folder, config, data, validate)


def test_it_ends_when_a_smaller_rate_does_not_help(run, capsys):
    train(run, [1.0, 5.0, 4.0, 6.0, 6.0, 5.0, 9.9])
    steps = [row["step"] for row in read_metrics(run[0]) if "validation_bleu" in row]
    assert steps == [4, 8, 12, 16, 20]
    assert Checkpoints(run[0], "best").step() == 16
    assert Checkpoints(run[0], "latest").step() == 20
    said = capsys.readouterr().err
    assert "12 (epoch 1.20): validation score 4.00" in said
    assert said.count("the learning rate is halved") == 1
    assert said.count("training ends") == 1


def test_a_run_that_has_ended_stays_as_it_is(run):
    train(run, [1.0, 0.0, 0.0])
    before = read_metrics(run[0])
    train(run, [])
    assert read_metrics(run[0]) == before


def test_stopped_and_continued_it_ends_at_the_same_step(run):
    with pytest.raises(loop.Interrupted):
        train(run, [1.0, 5.0, 4.0, 6.0, 6.0], stop_at=3)
    assert Checkpoints(run[0], "latest").step() == 12
    train(run, [6.0, 6.0])
    assert Checkpoints(run[0], "best").step() == 16
    assert Checkpoints(run[0], "latest").step() == 20
