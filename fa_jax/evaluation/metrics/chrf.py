"""chrF2, 0 to 100: F-score of n-grams of characters, up to six (Popović 2015); by sacrebleu."""

from sacrebleu.metrics import CHRF

from fa_jax.evaluation.metrics import Score, ScoredTexts, by_sacrebleu


def chrf(texts: ScoredTexts) -> Score:
    """It needs no words, so that it is the same whoever splits a language."""
    return by_sacrebleu(CHRF(), texts.hypotheses, texts.references)
