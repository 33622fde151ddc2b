"""What a training that goes on keeps of the one before, and what ends with it."""

import math
from dataclasses import replace

import pytest

import fa_jax
from fa_jax.config_file import config_json
from fa_jax.finetuning_settings import BETA, THRESHOLD
from fa_jax.runs.folder import write_json
from tests.tiny import cli_call  # noqa: F401


def test_windows_are_learnt_from_the_first_step_on_and_their_threshold_is_chosen_anew():
    begun = fa_jax.preset("paper", "en-ja")
    begun = replace(begun, decoding=replace(begun.decoding, threshold=0.2, length_exponent=0.8))
    tuned = fa_jax.finetuning(begun)
    training = tuned.training
    assert (training.beta, training.threshold, training.windows_from) == (BETA, THRESHOLD, 0)
    assert training.epochs == begun.training.epochs / 3
    assert (training.optimizer, tuned.model, tuned.data) == ("adam", begun.model, begun.data)
    assert (tuned.decoding.threshold, tuned.decoding.length_exponent) == (math.inf, None)


@pytest.mark.parametrize(("span", "narrow"), [("flexible", True), ("global", False)])
def test_documents_are_translated_in_the_windows_that_they_are_learnt_in(span, narrow):
    name = "paper" if span == "flexible" else f"paper-{span}"
    config = fa_jax.learning_documents(fa_jax.preset(name, "en-ja"), 100)
    assert config.training.in_windows == narrow
    assert config.decoding.threshold == config.training.threshold
    assert fa_jax.finetuning(config).decoding.threshold == config.training.threshold


@pytest.mark.parametrize("option", [("--window", 0.3), ("--loss", 0.5)])
def test_windows_of_a_span_without_windows_are_refused(option, cli_call, tmp_path):  # noqa: F811
    write_json(tmp_path / "config.json", config_json(fa_jax.preset("small-global", "en-ja")))
    status, _, err = cli_call("finetune", tmp_path, *option)
    assert status == 2 and "such as flexible" in err
