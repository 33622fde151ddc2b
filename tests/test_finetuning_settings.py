"""What a training that goes on keeps of the one before, and what ends with it."""

import math
from dataclasses import replace

import pytest

import fa_jax
from fa_jax.config_file import config_json
from fa_jax.runs.folder import write_json
from tests.tiny import cli_call  # noqa: F401

BEGUN = fa_jax.preset("small", "en-ja")


def orders(config):
    """What orders windows, or rewards them, and the thresholds of both."""
    training = config.training
    return training.window, training.threshold, training.beta, config.decoding.threshold


NONE = (0.0, math.inf, 0.0, math.inf)


def test_without_an_order_an_earlier_one_ends():
    ordered = fa_jax.finetuning(BEGUN, window=0.3)
    ordered = replace(ordered, decoding=fa_jax.DecodingConfig(threshold=0.2))
    assert orders(fa_jax.finetuning(ordered, window=0)) == NONE
    assert orders(fa_jax.learning_documents(ordered, 100, window=0)) == NONE
    assert orders(fa_jax.finetuning(ordered, beta=0.1)) == (0.0, math.inf, 0.1, math.inf)


def test_an_order_ends_the_papers_reward():
    rewarded = fa_jax.finetuning(BEGUN, beta=0.1)
    assert rewarded.training.span_teacher == "loss"
    again = fa_jax.finetuning(rewarded, window=0.3)
    assert orders(again)[:3] == (0.3, 1.2, 0.0)
    assert again.training.span_teacher == "attention"


def test_a_threshold_that_was_chosen_without_an_order_stays():
    chosen = replace(BEGUN, decoding=fa_jax.DecodingConfig(threshold=0.8))
    assert fa_jax.finetuning(chosen, window=0).decoding.threshold == 0.8


@pytest.mark.parametrize("option", [("--window", 0.3), ("--loss", 0.5), ("--beta", 0.1)])
def test_windows_of_a_span_without_windows_are_refused(option, cli_call, tmp_path):  # noqa: F811
    write_json(tmp_path / "config.json", config_json(fa_jax.preset("small-global", "en-ja")))
    status, _, err = cli_call("finetune", tmp_path, *option)
    assert status == 2 and "flexible span alone" in err
