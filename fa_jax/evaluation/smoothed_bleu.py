"""Smoothed BLEU of sentences, that of Lin and Och (2004, ORANGE)."""

from collections.abc import Sequence

from sacrebleu.metrics import BLEU

_ADD_ONE = BLEU(smooth_method="add-k", smooth_value=1, tokenize="none", effective_order=False)


def mean_smoothed_bleu(
    hypotheses: Sequence[Sequence[str]], references: Sequence[Sequence[str]]
) -> float:
    """Mean over sentences of `smoothed_sentence_bleu`, 0 to 100.

    Raises:
      ValueError: the two sides differ in number.
    """
    pairs = zip(hypotheses, references, strict=True)
    return sum(smoothed_sentence_bleu(*pair) for pair in pairs) / len(references)


def smoothed_sentence_bleu(hypothesis: Sequence[str], reference: Sequence[str]) -> float:
    """BLEU of a corpus of one sentence of tokens, 0 to 100; one is added to counts for n > 1."""
    return _ADD_ONE.corpus_score([" ".join(hypothesis)], [[" ".join(reference)]]).score
