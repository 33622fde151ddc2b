"""Metrics that sacrebleu computes.

BLEU (Papineni et al. 2002), 0 to 100: on its own tokens, on characters, and on words. chrF2, 0 to
100: the F-score of n-grams of up to six characters (Popović 2015). TER, from 0: edits that lead to
the reference, in percent of its words (Snover et al. 2006).
"""

from collections.abc import Sequence
from functools import partial
from itertools import islice

from sacrebleu.metrics import BLEU, CHRF, TER
from sacrebleu.metrics.base import Metric

from fa_jax.evaluation.metrics import Score, ScoredTexts
from fa_jax.processes import on_all_cores

BLEU_TOKENIZERS = {"ja": "ja-mecab", "zh": "zh", "ko": "char"}
"""For languages that 13a does not split: their words depend on who does."""
SPLIT_AS_ASIAN = ("ja", "zh")
"""Languages without spaces whose letters tercom splits, if it is asked to."""
WORTH_PROCESSES = 2_000_000
"""Squares of sentences' words, summed: what TER takes some twenty seconds for. It takes 3
milliseconds for a sentence of 23 words, and 100 for one of 92."""
PART = 100
"""Sentences whose edits are counted together."""


def bleu(texts: ScoredTexts) -> Score:
    """By sacrebleu's tokenizer for the language."""
    return _by_texts(BLEU(tokenize=bleu_tokenizer(texts.language)), texts)


def bleu_char(texts: ScoredTexts) -> Score | None:
    """On characters; none for languages that 13a splits."""
    return _by_texts(BLEU(tokenize="char"), texts) if texts.language in BLEU_TOKENIZERS else None


def bleu_word(texts: ScoredTexts) -> Score:
    """On words: the level at which Shu and Nakayama (2017, section 5.1) report."""
    sides = texts.hypothesis_words, texts.reference_words
    metric = BLEU(tokenize="none", force=True)
    return _score(metric, *(list(map(" ".join, side)) for side in sides))


def chrf(texts: ScoredTexts) -> Score:
    """It needs no words, so that it is the same whoever splits a language."""
    return _by_texts(CHRF(), texts)


def ter(texts: ScoredTexts) -> Score:
    """By tercom's words. Lower is better; it may exceed 100. Much long text is counted by a process
    a core."""
    asian = texts.language in SPLIT_AS_ASIAN
    metric = TER(normalized=asian, asian_support=asian)
    if sum(len(words) ** 2 for words in texts.reference_words) < WORTH_PROCESSES:
        return _by_texts(metric, texts)
    sides = zip(texts.hypotheses, texts.references, strict=True)
    parts = [[*islice(sides, PART)] for _ in range(0, len(texts.references), PART)]
    found = on_all_cores(partial(_edits, metric), parts, worth=True)
    edits, words, signatures = zip(*found, strict=True)
    return Score(100 * (sum(edits) / sum(words)), signatures[0])


def _edits(metric: TER, pairs: Sequence[tuple[str, str]]) -> tuple[int, float, str]:
    """Edits, words of the references, and the signature."""
    hypotheses, references = map(list, zip(*pairs, strict=True))
    found = metric.corpus_score(hypotheses, [references])
    return found.num_edits, found.ref_length, str(metric.get_signature())


def bleu_tokenizer(language: str) -> str:
    """The name of sacrebleu's tokenizer for a language such as "ja"."""
    return BLEU_TOKENIZERS.get(language, "13a")


def _by_texts(metric: Metric, texts: ScoredTexts) -> Score:
    return _score(metric, texts.hypotheses, texts.references)


def _score(metric: Metric, hypotheses: Sequence[str], references: Sequence[str]) -> Score:
    value = metric.corpus_score(list(hypotheses), [list(references)]).score
    return Score(value, str(metric.get_signature()))
