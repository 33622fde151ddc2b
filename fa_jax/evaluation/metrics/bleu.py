"""BLEU (Papineni et al. 2002), 0 to 100, by sacrebleu: on its own tokens, characters and words.

`NAME_signature` says how sacrebleu computed the score of that name.
"""

from collections.abc import Sequence

from sacrebleu.metrics import BLEU

from fa_jax.evaluation.metrics import ScoredTexts

BLEU_TOKENIZERS = {"ja": "ja-mecab", "zh": "zh", "ko": "char"}
"""sacrebleu's tokenizers for languages that 13a does not split: their words depend on who does."""


def bleu(texts: ScoredTexts) -> dict[str, float | str]:
    """`bleu`, by sacrebleu's tokenizer for the language."""
    return _signed("bleu", texts.hypotheses, texts.references, bleu_tokenizer(texts.language))


def bleu_char(texts: ScoredTexts) -> dict[str, float | str]:
    """`bleu_char`; nothing for languages that 13a splits."""
    if texts.language not in BLEU_TOKENIZERS:
        return {}
    return _signed("bleu_char", texts.hypotheses, texts.references, "char")


def bleu_word(texts: ScoredTexts) -> dict[str, float | str]:
    """`bleu_word`: the level at which Shu and Nakayama (2017, section 5.1) report."""
    sides = texts.hypothesis_words, texts.reference_words
    return _signed("bleu_word", *(list(map(" ".join, side)) for side in sides), "none")


def bleu_tokenizer(language: str) -> str:
    """The name of sacrebleu's tokenizer for a language such as "ja"."""
    return BLEU_TOKENIZERS.get(language, "13a")


def _signed(
    name: str, hypotheses: Sequence[str], references: Sequence[str], tokenizer: str
) -> dict[str, float | str]:
    """A corpus's BLEU by this name, and its signature. tokenizer: "none" splits at spaces."""
    metric = BLEU(tokenize=tokenizer, force=tokenizer == "none")
    score = metric.corpus_score(list(hypotheses), [list(references)]).score
    return {name: score, f"{name}_signature": str(metric.get_signature())}
