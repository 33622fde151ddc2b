"""Configs of older formats mean what they meant."""

import pytest

import fa_jax
from fa_jax.config_file import config_from_json, config_json
from fa_jax.training.optimizer import learning_rate


def test_format_2_counted_in_epochs():
    """Three epochs of ten steps, halved when the second begins and every half epoch later."""
    content = config_json(fa_jax.Config())
    training = {"epochs": 3.0, "halve_from": 2.0, "halve_every": 0.5, "validations": 2}
    content |= {"format": 2, "training": training | {"learning_rate": 1.0, "strength_rate": 0.05}}
    read = config_from_json(content).training
    assert (read.validations, read.span_rate, read.span_teacher) == (6, 0.05, "loss")
    found = [learning_rate(read, 30, step) for step in (0, 9, 10, 14, 15, 20, 25, 29)]
    assert found == pytest.approx([1, 1, 1 / 2, 1 / 2, 1 / 4, 1 / 8, 1 / 16, 1 / 16])


def test_a_config_is_read_as_it_was_written():
    config = fa_jax.preset("small-local-p", "de-en")
    assert config_from_json(config_json(config)) == config
