"""What training says of its pace, and how often."""

import re

import jax.numpy as jnp
import numpy as np

from fa_jax.data.batches import Batch
from fa_jax.training import metrics
from fa_jax.training.checkpoints import Checkpoints
from fa_jax.training.loss import BatchSums
from fa_jax.training.metrics import Metrics, pace
from fa_jax.training.schedule import StepSettings
from fa_jax.training.step import replicate


def test_steps_that_were_compiled_hardly_count():
    usual, compiled = [0.5] * 88, [20.0] * 12
    np.testing.assert_allclose(pace(usual), 0.5)
    assert pace(compiled + usual) < 0.7


def test_whoever_waits_for_the_compiler_is_told(tmp_path, capsys):
    shown = Metrics(tmp_path, 100, 0, 50, Checkpoints(tmp_path, "latest"))
    for source, target in [(12, 15), (12, 15), (20, 15), (12, 15)]:
        lengths = np.ones(4, np.int32)
        sides = np.ones((4, source)), lengths, np.ones((4, target)), lengths
        batch = Batch(*sides, ids=lengths, sentences=lengths)
        shown.begins(batch, 2)
    shown.close()
    first, second = capsys.readouterr().err.splitlines()
    assert (
        first == "compiling for batches of 4 sentences, padded to 12 and 15 tokens (shape 1 of 2)"
    )
    assert second.endswith("padded to 20 and 15 tokens (shape 2 of 2)")


def test_a_line_has_the_newest_numbers_at_whatever_step_it_is_due(tmp_path, monkeypatch, capsys):
    """Ten seconds a step: a line is due at every second one, numbers come at every twentieth."""
    clock = iter(range(0, 10**6, 5))
    monkeypatch.setattr(metrics.time, "monotonic", lambda: float(next(clock)))
    monkeypatch.setattr(metrics, "SECONDS_BETWEEN_LINES", 40.0)
    ones = jnp.ones(())
    sums = replicate(BatchSums(*[ones] * 7).replace(words=4 * ones))  # not a sentence's loss
    shown = Metrics(tmp_path, 100, 0, 50, Checkpoints(tmp_path, "latest"))
    for step in range(1, 51):
        shown.add(step, sums, np.arange(1), StepSettings(1e-3))
    shown.catch_up()
    shown.close()
    lines = capsys.readouterr().err.splitlines()
    steps = [int(re.match(r"step (\d+)/50", line)[1]) for line in lines]
    assert steps[0] < 20 < steps[-1] and len(steps) > 5
    for step, line in zip(steps, lines, strict=True):
        assert ("loss 0.250 nats a token" in line and line.endswith(" left")) == (step >= 20), line
