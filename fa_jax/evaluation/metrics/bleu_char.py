"""BLEU on characters, 0 to 100."""

from fa_jax.evaluation.metrics.bleu import signed
from fa_jax.evaluation.metrics.scored_texts import ScoredTexts

SCORED_BY_CHARACTER = ("ja", "zh", "ko")
"""Languages whose words depend on who splits them."""


def bleu_char(texts: ScoredTexts) -> dict[str, float | str]:
    """`bleu_char` and `bleu_char_signature`; nothing for other languages."""
    if texts.language not in SCORED_BY_CHARACTER:
        return {}
    return signed("bleu_char", texts.hypotheses, texts.references, "char")
