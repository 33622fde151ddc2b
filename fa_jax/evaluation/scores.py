"""Scores of a corpus of translations, by every metric."""

from collections.abc import Sequence

from fa_jax.data.tokenizers import Words
from fa_jax.data.vocabulary import SPECIAL, UNKNOWN
from fa_jax.errors import UserError
from fa_jax.evaluation.metrics import ScoredTexts
from fa_jax.evaluation.metrics.bleu import bleu, bleu_char, bleu_word
from fa_jax.evaluation.metrics.ribes import ribes

METRICS = (
    bleu,
    bleu_char,
    bleu_word,
    ribes,
)
"""In the order in which their scores are shown."""
UNKNOWN_SYMBOL = "\ue000"
"""What stands for `<unk>`, of which tokenizers make three words: one token to every tokenizer, and
of Unicode's private use, so that no reference holds it."""


def score_translations(
    hypotheses: Sequence[str],
    references: Sequence[str],
    language: str,
) -> dict[str, float | str]:
    """Scores translations by each of `METRICS`: BLEU 0 to 100, RIBES 0 to 1.

    Args:
      hypotheses, references: one a sentence, as people write it; `<unk>` counts as one word.
      language: theirs, such as "ja".

    Returns:
      `bleu`, `bleu_char` (not of every language), `bleu_word` and `ribes`; `NAME_signature` says
      how sacrebleu computed a score.

    Raises:
      UserError: there is nothing to score. ValueError: the two sides differ in number.
    """
    if not references:
        raise UserError("there is no sentence to score")
    if len(hypotheses) != len(references):
        raise ValueError(f"{len(hypotheses)} hypotheses for {len(references)} references")
    # Between spaces: 13a would not split it from letters that it touches.
    hypotheses = [text.replace(SPECIAL[UNKNOWN], f" {UNKNOWN_SYMBOL} ") for text in hypotheses]
    tokenize = Words(language).tokenize
    words = ([tokenize(text) for text in side] for side in (hypotheses, references))
    texts = ScoredTexts(language, hypotheses, references, *words)
    return {name: score for metric in METRICS for name, score in metric(texts).items()}
