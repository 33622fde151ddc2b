"""BLEU on words, 0 to 100: the level at which Shu and Nakayama (2017, section 5.1) report."""

from fa_jax.evaluation.metrics.bleu import signed
from fa_jax.evaluation.metrics.scored_texts import ScoredTexts


def bleu_word(texts: ScoredTexts) -> dict[str, float | str]:
    """`bleu_word` and `bleu_word_signature`."""
    sides = texts.hypothesis_words, texts.reference_words
    return signed("bleu_word", *([" ".join(words) for words in side] for side in sides), "none")
