"""The length exponent: training chooses the best for the validation set, where nobody did."""

from dataclasses import replace

import pytest

import fa_jax
from fa_jax.data.corpora import load_corpus
from fa_jax.runs import length
from tests.command import TINY


@pytest.mark.parametrize(
    ("peak", "chosen", "tried"),
    [
        (1.5, 1.0, {0.8, 1.0}),
        (0.895, 1.0, {0.8, 1.0}),  # a tenth of a point may be chance
        (0.4, 0.4, {0.2, 0.4, 0.6, 0.8, 1.0}),
        (0.0, 0.0, {0.0, 0.2, 0.4, 0.6, 0.8, 1.0}),
    ],
)
def test_it_goes_down_to_the_best_and_no_further(trained, monkeypatch, peak, chosen, tried):
    seen = set()

    def bleu(run, exponent):
        seen.add(exponent)
        return -10 * abs(exponent - peak)

    monkeypatch.setattr(length, "_bleu", bleu)
    assert length.best_length_exponent(fa_jax.load_run(trained)) == chosen
    assert seen == tried


def test_neither_the_mean_nor_a_smaller_one_is_better(monkeypatch):
    monkeypatch.setattr(length, "LINES", 8)
    run = fa_jax.load_run("en-ja")
    pairs = [*load_corpus("", "en-ja").validation][:8]
    chosen = length.best_length_exponent(run)

    def bleu(exponent):
        decoding = replace(run.config.decoding, length_exponent=exponent)
        return fa_jax.evaluate(run, decoding=decoding, pairs=pairs).scores["bleu"]

    assert bleu(chosen) >= bleu(1.0)
    assert bleu(chosen) > bleu(max(0.0, chosen - length.STEP)) - length.GAIN


def test_training_keeps_its_choice_and_a_users(trained, corpus, tmp_path, cli_call, unscored):
    assert fa_jax.load_run(trained).config.decoding.length_exponent == 1
    options = ("--corpus", corpus, "--steps", 2, *TINY, "--decoding.length-exponent", "None")
    status, _, err = cli_call("train", "en-ja", *options, "--run", tmp_path / "run")
    assert status == 0, err
    run = fa_jax.load_run(tmp_path / "run")
    chosen = run.config.decoding.length_exponent
    assert f"they compare by log p ÷ length^{chosen:g}" in err
    assert fa_jax.finetuning(run.config).decoding.length_exponent is None
    _, _, err = cli_call("train", "en-ja", *options, "--run", tmp_path / "run")
    assert "log p" not in err
    assert fa_jax.load_run(tmp_path / "run").config.decoding.length_exponent == chosen
