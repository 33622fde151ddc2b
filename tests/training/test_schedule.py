"""How long a training is, and what changes on its way."""

import jax
import numpy as np
import pytest

from fa_jax.config import TrainingConfig
from fa_jax.errors import UserError
from fa_jax.presets import preset
from fa_jax.training.schedule import (
    WIDE,
    learning_rate,
    settings_of_step,
    threshold_of_sentences,
    total_steps,
    validation_steps,
)


def test_the_papers_learning_rate_is_halved_from_the_fourth_epoch_on():
    paper = preset("paper", "en-ja").training
    assert total_steps(paper, 10) == 60
    found = [learning_rate(paper, 60, step) for step in (0, 29, 30, 39, 40, 50, 59)]
    np.testing.assert_allclose(found, np.array([1, 1, 0.5, 0.5, 0.25, 0.125, 0.125]) * 1e-4)


@pytest.mark.parametrize(
    ("validations", "steps", "wanted"),
    [(3, 250, [83, 166, 250]), (4, 1500, [375, 750, 1125, 1500]), (8, 3, [1, 2, 3]), (1, 7, [7])],
)
def test_validations_are_as_many_as_were_asked_for(validations, steps, wanted):
    assert validation_steps(TrainingConfig(validations=validations), steps) == wanted


def test_the_learning_rate_falls_to_nothing():
    training = TrainingConfig(learning_rate=1.0, decay_from=0.5)
    found = [learning_rate(training, 8, step) for step in range(9)]
    np.testing.assert_allclose(found, [1, 1, 1, 1, 1, 0.75, 0.5, 0.25, 0])


def test_the_learning_rate_rises_first():
    training = TrainingConfig(learning_rate=1.0, warmup_steps=4)
    found = [learning_rate(training, 100, step) for step in (0, 1, 3, 4)]
    np.testing.assert_allclose(found, [0.25, 0.5, 1, 1])


def test_windows_and_their_reward_begin_behind_a_share_of_training_and_narrow():
    training = TrainingConfig(beta=1, threshold=2, windows_from=0.5)
    found = [settings_of_step(training, 10, step) for step in (0, 4, 5, 7, 9)]
    assert [one.beta for one in found] == [0, 0, 1, 1, 1]
    # After 0.4 of the 0.8 that they narrow in, τ is half of the way by factors: 8, 4, 2.
    np.testing.assert_allclose([one.threshold for one in found], [np.inf, np.inf, WIDE, 4, 2])
    # One program does for all of them.
    assert {type(x) for one in found for x in (one.rate, one.beta, one.threshold)} == {float}
    for wide in (WIDE, 20.0, np.inf):
        settings = settings_of_step(TrainingConfig(threshold=wide), 10, 3)
        assert settings.threshold == wide


@pytest.mark.parametrize(("in_windows", "wide"), [(False, np.inf), (True, WIDE)])
def test_some_sentences_are_read_whole(in_windows, wide):
    training = TrainingConfig(whole_sentences=0.3, in_windows=in_windows)
    keys = jax.random.split(jax.random.key(0), 2000)
    found = threshold_of_sentences(training, 0.5, keys)[:, 0]
    assert {*found.tolist()} == {0.5, wide}
    assert float((found == wide).mean()) == pytest.approx(0.3, abs=0.05)
    never = threshold_of_sentences(TrainingConfig(), 0.5, keys)
    assert (never == 0.5).all()


def test_a_run_takes_no_more_steps_than_either_bound_allows():
    assert total_steps(TrainingConfig(epochs=2, steps=7), 10) == 7
    assert total_steps(TrainingConfig(epochs=np.inf, steps=7), 10) == 7
    with pytest.raises(UserError, match=r"set training\.steps"):
        TrainingConfig(epochs=np.inf)
    assert total_steps(TrainingConfig(epochs=2, steps=70), 10) == 20
    assert total_steps(TrainingConfig(epochs=0.01), 10) == 1


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("learning_rate", 0),
        ("learning_rate", float("nan")),
        ("batch_size", 0),
        ("windows_from", 1.1),
    ],
)
def test_impossible_settings(field, value):
    with pytest.raises(UserError, match=f"training.{field} must be"):
        TrainingConfig(**{field: value})
