"""BLEU (Papineni et al. 2002), 0 to 100, by sacrebleu's tokenizer for the language."""

from collections.abc import Sequence

from sacrebleu.metrics import BLEU

from fa_jax.evaluation.metrics.scored_texts import ScoredTexts

BLEU_TOKENIZERS = {"ja": "ja-mecab", "zh": "zh", "ko": "char"}
"""sacrebleu's tokenizers for languages that 13a does not split."""


def bleu(texts: ScoredTexts) -> dict[str, float | str]:
    """`bleu`, and how sacrebleu computed it: `bleu_signature`."""
    return signed("bleu", texts.hypotheses, texts.references, bleu_tokenizer(texts.language))


def bleu_tokenizer(language: str) -> str:
    """The name of sacrebleu's tokenizer for a language such as "ja"."""
    return BLEU_TOKENIZERS.get(language, "13a")


def signed(
    name: str, hypotheses: Sequence[str], references: Sequence[str], tokenizer: str
) -> dict[str, float | str]:
    """A corpus's BLEU by this name, and its signature. tokenizer: "none" splits at spaces."""
    metric = BLEU(tokenize=tokenizer, force=tokenizer == "none")
    score = metric.corpus_score(list(hypotheses), [list(references)]).score
    return {name: score, f"{name}_signature": str(metric.get_signature())}
