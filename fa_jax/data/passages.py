"""Documents, cut anew every epoch into passages of consecutive sentences.

A model that has seen single sentences alone stops where a sentence ends. Between the sentences of a
passage stands the end of sentence, on both sides; but not always, so that a text whose lines hold
several sentences is no surprise.
"""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Int

from fa_jax.data.encoded import EncodedPairs, EncodedTexts
from fa_jax.data.learnt_from import learnt_from
from fa_jax.data.vocabulary import END


@dataclass(frozen=True)
class Passages:
    """pairs: a passage each. sentences: of each passage. first: its first one, as the corpus counts
    them."""

    pairs: EncodedPairs
    sentences: Int[np.ndarray, " passages"]
    first: Int[np.ndarray, " passages"]


def cut_passages(
    pairs: EncodedPairs,
    documents: Int[np.ndarray, " boundaries"],
    *,
    max_length: int,
    seed: int,
    epoch: int,
) -> Passages:
    """All documents as passages; a function of seed and epoch.

    How long a passage may be is drawn for each, up to `max_length`; it has one sentence at least.
    So is the share of its sentences behind which no end of sentence stands.

    Args:
      pairs: the corpus's sentences. documents: document i is the sentences from the i-th of these
        numbers up to the next one.
      max_length: in tokens, either side. Where a sentence is left out (`learnt_from`), a passage
        ends.
      seed, epoch: what is drawn.
    """
    random = np.random.default_rng((seed, epoch, 1))
    lengths, starts = pairs.lengths.max(0), {*documents.tolist()}
    groups, room = [], 0
    for row in np.flatnonzero(learnt_from(pairs.lengths, max_length)).tolist():
        room -= lengths[row] + 1
        if room < 0 or row in starts or groups[-1][-1] != row - 1:
            groups.append([])
            room = random.integers(max_length + 1) - lengths[row]
        groups[-1].append(row)
    sentences = np.array([len(group) for group in groups], np.int64)
    rows = np.array([row for group in groups for row in group], np.int64)
    ended = random.random(len(rows)) < np.repeat(random.random(len(groups)), sentences)
    ended[np.cumsum(sentences) - 1] = False  # what ends a passage is no part of it
    source = _joined(pairs.source.take(rows), sentences, ended)
    target = _joined(pairs.target.take(rows), sentences, ended)
    return Passages(EncodedPairs(source, target), sentences, rows[np.cumsum(sentences) - sentences])


def _joined(
    texts: EncodedTexts, sentences: Int[np.ndarray, " passages"], ended: np.ndarray
) -> EncodedTexts:
    """Passages of so many texts each. ended: texts behind which an end of sentence stands."""
    behind = texts.offsets[1:]
    tokens = np.insert(texts.tokens, behind[ended], END)
    offsets = behind + np.cumsum(ended)
    return EncodedTexts(tokens, np.append(0, offsets[np.cumsum(sentences) - 1]))
