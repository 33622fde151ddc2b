"""Scores as a reader meets them."""

import pytest

from fa_jax.cli.scores import summary

SCORES = {
    "bleu": 30.25, "bleu_signature": "nrefs:1", "ribes": 0.75, "window": 3.0,
    "source_length": 12.0, "sentences": 1000, "threshold": 0.5, "beam_size": 5, "seconds": 2.0,
    "mean_source_tokens": 9.0,
}  # fmt: skip


@pytest.mark.parametrize(("own", "mark"), [(0.5, " (the run's own)"), (1.2, "")])
def test_the_row_of_the_runs_own_threshold_is_marked(own, mark):
    first, *rest = summary(SCORES, own).strip().splitlines()
    assert first == f"threshold 0.5{mark}, beam 5, 1,000 sentences in 2.0 s, compilation included"
    assert rest == summary(SCORES, 9.0).strip().splitlines()[1:]


def test_one_sentence_is_one_sentence():
    first, *_ = summary({**SCORES, "sentences": 1}, 0.5).strip().splitlines()
    assert ", 1 sentence in 2.0 s" in first


def test_scores_stand_beside_their_signatures():
    _, bleu, ribes, window, sentence = summary(SCORES, 0.5).strip().splitlines()
    assert bleu.split() == ["BLEU", "30.25", "nrefs:1"] and ribes.split() == ["RIBES", "0.750"]
    assert window.endswith("3.00   of 12.00 source tokens a step (75% not scored)")
    assert sentence.split()[:3] == ["sentence", "9.00", "source"]  # shorter than an average step's
