"""Scores of a corpus of translations, by every metric."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from fa_jax.data.tokenizers import Words
from fa_jax.data.vocabulary import SPECIAL, UNKNOWN
from fa_jax.errors import UserError
from fa_jax.evaluation.metrics import Metric, ScoredTexts
from fa_jax.evaluation.metrics.ribes import ribes
from fa_jax.evaluation.metrics.sacrebleu import bleu, bleu_char, bleu_word, chrf, ter

METRICS = {
    "bleu": Metric("BLEU", bleu),
    "bleu_char": Metric("BLEU, characters", bleu_char),
    "bleu_word": Metric("BLEU, words", bleu_word),
    "ribes": Metric("RIBES", ribes, digits=3),
    "chrf": Metric("chrF", chrf),
    "ter": Metric("TER", ter, lower_is_better=True),
}
"""In the order in which their scores are shown."""
UNKNOWN_SYMBOL = "\ue000"
"""What stands for `<unk>`, of which tokenizers make three words: one token to every tokenizer, and
of Unicode's private use, so that no reference holds it."""


def score_translations(
    hypotheses: Sequence[str],
    references: Sequence[str],
    language: str,
    metrics: Iterable[str] | None = None,
) -> dict[str, float | str]:
    """Scores translations by `METRICS`.

    Args:
      hypotheses, references: one a sentence, as people write it; `<unk>` counts as one word.
      language: theirs, such as "ja".
      metrics: names of those to compute; default: all.

    Returns:
      A score by each metric's name, but for those that the language does not have (`bleu_char`);
      `NAME_signature` says how sacrebleu computed it.

    Raises:
      UserError: there is nothing to score, or no such metric. ValueError: the two sides differ in
        number.
    """
    metrics = checked_metrics(metrics)
    if not references:
        raise UserError("there is no sentence to score")
    if len(hypotheses) != len(references):
        raise ValueError(f"{len(hypotheses)} hypotheses for {len(references)} references")
    # Between spaces: 13a would not split it from letters that it touches.
    hypotheses = [text.replace(SPECIAL[UNKNOWN], f" {UNKNOWN_SYMBOL} ") for text in hypotheses]
    tokenize = Words(language).tokenize
    words = ([tokenize(text) for text in side] for side in (hypotheses, references))
    texts = ScoredTexts(language, hypotheses, references, *words)
    scores: dict[str, float | str] = {}
    for name in metrics:
        if (score := METRICS[name].score(texts)) is not None:
            scores[name] = score.value
            if score.signature:
                scores[f"{name}_signature"] = score.signature
    return scores


def checked_metrics(names: Iterable[str] | None) -> list[str]:
    """Names of metrics; None: all. Raises UserError for one that there is not."""
    names = [*METRICS] if names is None else [names] if isinstance(names, str) else [*names]
    if unknown := [name for name in names if name not in METRICS]:
        raise UserError(f"unknown metric {unknown[0]!r}: choose {', '.join(METRICS)}")
    return names


def shown_scores(scores: Mapping[str, Any]) -> dict[str, tuple[str, str]]:
    """Of each metric that these scores have, by the name that readers see: its score as a text, and
    its signature, which may be empty."""
    return {
        metric.label: (f"{scores[name]:.{metric.digits}f}", scores.get(f"{name}_signature", ""))
        for name, metric in METRICS.items()
        if name in scores
    }
