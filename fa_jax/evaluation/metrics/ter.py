"""TER, from 0: edits that lead to the reference, in percent of its words (Snover et al. 2006).

By sacrebleu. Lower is better; it may exceed 100.
"""

from sacrebleu.metrics import TER

from fa_jax.evaluation.metrics import Score, ScoredTexts, by_sacrebleu

SPLIT_AS_ASIAN = ("ja", "zh")
"""Languages without spaces whose letters tercom splits, if it is asked to."""


def ter(texts: ScoredTexts) -> Score:
    """By tercom's words."""
    asian = texts.language in SPLIT_AS_ASIAN
    metric = TER(normalized=asian, asian_support=asian)
    return by_sacrebleu(metric, texts.hypotheses, texts.references)
