"""The metrics, in the order in which scores are shown. To add one: a file here and a row."""

from fa_jax.evaluation.metrics.bleu import bleu
from fa_jax.evaluation.metrics.bleu_char import bleu_char
from fa_jax.evaluation.metrics.bleu_word import bleu_word
from fa_jax.evaluation.metrics.ribes import ribes

METRICS = (
    bleu,
    bleu_char,
    bleu_word,
    ribes,
)
"""Each takes `ScoredTexts` and gives its scores by name; none where a language has none."""
