"""Corpus scores: BLEU by sacrebleu with its signature, RIBES by nltk."""

from collections.abc import Callable, Sequence

from nltk.translate.ribes_score import sentence_ribes
from sacrebleu.metrics import BLEU

from fa_jax.errors import UserError

BLEU_TOKENIZERS = {"ja": "ja-mecab", "zh": "zh", "ko": "char"}
"""sacrebleu's tokenizers for languages that 13a does not split."""
UNSPACED = ("ja", "zh", "ko")
"""Languages whose BLEU is also given on characters."""


def score_translations(
    hypotheses: Sequence[str],
    references: Sequence[str],
    language: str,
    word_tokenize: Callable[[str], list[str]],
) -> dict[str, float | str]:
    """Scores of translations, 0 to 100 for BLEU and 0 to 1 for RIBES.

    `bleu` with `bleu_signature` by sacrebleu's tokenizer for the language; for unspaced languages
    `bleu_char` beside it; `bleu_word` and `ribes` over the words of `word_tokenize`, the level at
    which the paper reports (VS 5.1; Isozaki et al. 2010).

    Raises:
      UserError: there is nothing to score. ValueError: the two sides differ in number.
    """
    if not references:
        raise UserError("there is no sentence to score")
    if len(hypotheses) != len(references):
        raise ValueError(f"{len(hypotheses)} hypotheses for {len(references)} references")
    scores = _bleu(hypotheses, references, "bleu", BLEU_TOKENIZERS.get(language, "13a"))
    if language in UNSPACED:
        scores |= _bleu(hypotheses, references, "bleu_char", "char")
    words = [[word_tokenize(text) for text in side] for side in (hypotheses, references)]
    joined = [[" ".join(sentence) for sentence in side] for side in words]
    scores |= _bleu(*joined, "bleu_word", "none")
    scores["ribes"] = sum(map(_ribes, *words)) / len(references)
    return scores


def _bleu(
    hypotheses: Sequence[str], references: Sequence[str], name: str, tokenizer: str
) -> dict[str, float | str]:
    metric = BLEU(tokenize=tokenizer, force=tokenizer == "none")
    score = metric.corpus_score(list(hypotheses), [list(references)]).score
    return {name: score, f"{name}_signature": str(metric.get_signature())}


def _ribes(hypothesis: list[str], reference: list[str]) -> float:
    """Of one sentence; nothing that was written cannot be ranked and scores 0."""
    return sentence_ribes([reference], hypothesis) if hypothesis and reference else 0.0
