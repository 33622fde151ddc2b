"""RIBES, 0 to 1: are the reference's words in its order? (Isozaki et al. 2010); by nltk."""

from collections.abc import Sequence

from nltk.translate.ribes_score import sentence_ribes

from fa_jax.evaluation.metrics.scored_texts import ScoredTexts


def ribes(texts: ScoredTexts) -> dict[str, float | str]:
    """`ribes`, the mean over sentences."""
    scores = list(map(_of_sentence, texts.hypothesis_words, texts.reference_words))
    return {"ribes": sum(scores) / len(scores)}


def _of_sentence(hypothesis: Sequence[str], reference: Sequence[str]) -> float:
    """Nothing that was written cannot be ranked and scores 0."""
    return sentence_ribes([reference], hypothesis) if hypothesis and reference else 0.0
