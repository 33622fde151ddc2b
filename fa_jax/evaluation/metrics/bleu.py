"""BLEU (Papineni et al. 2002), 0 to 100, by sacrebleu: on its own tokens, characters and words."""

from sacrebleu.metrics import BLEU

from fa_jax.evaluation.metrics import Score, ScoredTexts, by_sacrebleu

BLEU_TOKENIZERS = {"ja": "ja-mecab", "zh": "zh", "ko": "char"}
"""sacrebleu's tokenizers for languages that 13a does not split: their words depend on who does."""


def bleu(texts: ScoredTexts) -> Score:
    """By sacrebleu's tokenizer for the language."""
    metric = BLEU(tokenize=bleu_tokenizer(texts.language))
    return by_sacrebleu(metric, texts.hypotheses, texts.references)


def bleu_char(texts: ScoredTexts) -> Score | None:
    """On characters; none for languages that 13a splits."""
    if texts.language not in BLEU_TOKENIZERS:
        return None
    return by_sacrebleu(BLEU(tokenize="char"), texts.hypotheses, texts.references)


def bleu_word(texts: ScoredTexts) -> Score:
    """On words: the level at which Shu and Nakayama (2017, section 5.1) report."""
    sides = texts.hypothesis_words, texts.reference_words
    return by_sacrebleu(
        BLEU(tokenize="none", force=True), *(list(map(" ".join, side)) for side in sides)
    )


def bleu_tokenizer(language: str) -> str:
    """The name of sacrebleu's tokenizer for a language such as "ja"."""
    return BLEU_TOKENIZERS.get(language, "13a")
