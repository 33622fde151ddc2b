"""RIBES, 0 to 1: are the reference's words in its order? (Isozaki et al. 2010); by nltk."""

from fa_jax.evaluation.metrics import Score, ScoredTexts


def ribes(texts: ScoredTexts) -> Score:
    """The mean over sentences; one of which nothing was written scores 0."""
    from nltk.translate.ribes_score import sentence_ribes  # with all of nltk: a second of a start

    pairs = zip(texts.hypothesis_words, texts.reference_words)
    scores = [
        sentence_ribes([wanted], words) if words and wanted else 0.0 for words, wanted in pairs
    ]
    return Score(sum(scores) / len(scores))
