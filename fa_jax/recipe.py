"""Settings that follow from how much text there is to learn from.

Sennrich and Zhang (2019), "Revisiting Low-Resource Neural Machine Translation", found that
recurrent models fail on little text only where they keep the settings of much text: little text
wants fewer subwords, more dropout, label smoothing and smaller batches. The directions and the
range, 0.1 to 3.2 million words, are theirs. The numbers between are this rule's own.
"""

import math
from dataclasses import dataclass, replace
from functools import cache

import numpy as np

from fa_jax.attention import Flexible
from fa_jax.config import Config
from fa_jax.counted import counted
from fa_jax.data.corpora import Corpus
from fa_jax.data.frame import is_ended
from fa_jax.data.tokenizers import Words
from fa_jax.data.tokenizers.subwords import letters_to_learn

SAMPLE = 2000
"""Sentences whose words are counted."""
LITTLE = 100_000
"""Words of the smallest set in the study."""
WORDS_FOR_A_TOKEN = {"subword": 100, "word": 30, "character": 1}
"""Of text, for each token of a vocabulary; what is rarer is hardly learnt. Tokens of other kinds
count as words."""
SMALLEST_VOCABULARY = 1000
"""Single letters not counted."""
STEPS_OF_AN_EPOCH = 100
"""At least: rows of a batch are halved until an epoch has so many."""
SMALLEST_BATCH = 64
MOST_EPOCHS = 20
"""Of little text, such as 5,000 pairs. More were not tried."""
LEARNT_IN = 1 / 3
"""Of a sentence: windows that are learnt in have so much of it at least, where g(t) is 1. In
narrower ones long sentences lose more than windows save."""


@dataclass(frozen=True)
class Amount:
    """Of text to learn from: sentence pairs, words of their target side, how many different letters
    either side has, source and target, how many characters of the source there are a word, the
    share of its lines that end with a mark, and how many words they have."""

    pairs: int
    words: int
    letters: tuple[int, int] = (0, 0)
    characters: float = 1.0
    ended: float = 1.0
    source_length: float = 0.0


@cache
def amount_of_text(corpus: Corpus) -> Amount:
    """Of a corpus's training set. Words and letters are counted in a sample, evenly spaced."""
    pairs = len(corpus.train)
    rows = np.unique(np.linspace(0, pairs - 1, SAMPLE).astype(int)).tolist()
    sources, targets = zip(*(corpus.train[row] for row in rows), strict=True)
    sides = (sources, corpus.source_language), (targets, corpus.target_language)
    of_source, of_target = (
        np.mean([len(words) for words in map(Words(language).tokenize, texts)])
        for texts, language in sides
    )
    return Amount(
        pairs,
        round(of_target * pairs),
        tuple(letters_to_learn(*side) for side in sides),
        float(np.mean([*map(len, sources)]) / max(of_source, 1)),
        float(np.mean([is_ended(source.strip()) for source in sources])),
        float(of_source),
    )


def fitted(config: Config, amount: Amount) -> Config:
    """A config whose settings suit an amount of text.

    Vocabularies, batches and steps are never more than the config's own. Dropout ends at 3.2
    million words; label smoothing is there for any amount.
    """
    doublings = math.log2(max(amount.words, 1) / LITTLE)
    data, training = config.data, config.training
    words = amount.words // WORDS_FOR_A_TOKEN.get(data.tokenizer, WORDS_FOR_A_TOKEN["word"])
    letters = amount.letters if data.tokenizer == "subword" else (0, 0)
    limits = [max(SMALLEST_VOCABULARY, words // 100 * 100) + count for count in letters]
    rows = 2 ** int(math.log2(max(1, amount.pairs / STEPS_OF_AN_EPOCH)))
    rows = min(training.batch_size, max(SMALLEST_BATCH, rows))
    steps = -(-MOST_EPOCHS * amount.pairs // rows)
    reach = LEARNT_IN * amount.source_length / 2
    penalty = round(reach**2 / (2 * Flexible().sigma ** 2), 1)
    return replace(
        config,
        data=replace(
            data,
            source_vocabulary=min(data.source_vocabulary, limits[0]),
            target_vocabulary=min(data.target_vocabulary, limits[1]),
        ),
        model=replace(config.model, dropout=round(min(0.5, max(0.0, 0.5 - doublings / 10)), 2)),
        training=replace(
            training,
            batch_size=rows,
            steps=min(training.steps or steps, steps),
            label_smoothing=0.1,
            threshold=max(training.threshold, penalty),
        ),
    )


def told(config: Config, amount: Amount) -> str:
    """What the rule came to, in a line for the user."""
    data, training = config.data, config.training
    an_epoch = max(1, amount.pairs / training.batch_size)
    steps = min(training.steps or math.inf, training.epochs * an_epoch)
    batch = counted(training.batch_size, "pair")
    if amount.pairs < training.batch_size:
        batch = f"{counted(amount.pairs, 'pair')}, padded to {training.batch_size:,}"
    by_rule = " (after Sennrich and Zhang 2019)" if fitted(config, amount) == config else ""
    return (
        f"{counted(amount.pairs, 'pair')}, {counted(amount.words, 'target word')}: at most "
        f"{data.source_vocabulary:,} and {data.target_vocabulary:,} {data.tokenizer}s, dropout "
        f"{config.model.dropout:g}, label smoothing {training.label_smoothing:g}, "
        f"{counted(math.ceil(steps), 'step')} of {batch}, "
        f"{steps / an_epoch:.3g} epochs{by_rule}"
    )
