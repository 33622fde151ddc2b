"""Batches as in the paper: sorted by length, grouped, the groups shuffled (VS 5.1).

Every batch has one of few padded shapes: each is compiled once. Sentences have batches of so many
rows; passages of documents have batches of so many tokens, so that memory has a bound.
"""

import itertools
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np
from flax import struct
from jaxtyping import Array, Int

from fa_jax.data.encoded import EncodedPairs
from fa_jax.data.learnt_from import Lengths, learnt_from, left_out
from fa_jax.data.vocabulary import END
from fa_jax.errors import UserError

DISTINCT_SHAPES = 600
"""Shapes of batches that are merged exactly; time grows with the cube of their number."""
WORTH_COMPILING = 70_000
"""Padded positions of either side that a shape must save in the whole training: a CPU learns from
so many while it compiles a step (256 units: 67,000 to 78,000)."""
WORTH_COMPILING_ON_ACCELERATORS = 15_000_000
"""An H200 learns from 15 to 24 million (`small`)."""


@struct.dataclass
class Batch:
    """B sentence pairs, padded with 0. Rows that fill up the last batch have length 0, id -1 and 0
    sentences.

    target: words, then the end of sentence, which its length counts. ids: rows of the corpus.
    sentences: of each row, 1, or as many as a passage has.
    """

    source: Int[Array | np.ndarray, "B S"]
    source_lengths: Int[Array | np.ndarray, " B"]
    target: Int[Array | np.ndarray, "B T"]
    target_lengths: Int[Array | np.ndarray, " B"]
    ids: Int[Array | np.ndarray, " B"]
    sentences: Int[Array | np.ndarray, " B"]


@dataclass(frozen=True)
class BatchPlan:
    """Which rows go together. rows: of each batch; -1 where a place stays empty. shapes: each
    batch's (S, T)."""

    rows: Int[np.ndarray, "batches B"] | list[Int[np.ndarray, " _"]]
    shapes: Int[np.ndarray, "batches 2"]

    def __len__(self) -> int:
        return len(self.rows)


def plan_batches(
    lengths: Lengths,
    *,
    batch_size: int,
    max_length: int,
    padded_shapes: int,
    steps: Callable[[int], float],
    worth_compiling: float,
) -> BatchPlan:
    """Groups of sentences of like length, at most `padded_shapes` different shapes.

    Args:
      lengths: of each row of the corpus, without the end of sentence, which the shapes of targets
        count.
      batch_size: rows of each batch (B).
      max_length: which rows are left out (`learnt_from`).
      padded_shapes: each is compiled once.
      steps: how many the whole training has, as a function of those of an epoch. A short training
        has only the shapes that save more than their compilation costs.
      worth_compiling: padded positions that compilation costs.

    Raises:
      UserError: no sentence is left.
    """
    rows = np.flatnonzero(learnt_from(lengths, max_length))
    if len(rows) == 0:
        raise UserError(f"no training sentence is left: {left_out(lengths, max_length)}")
    lengths = lengths[:, rows].T + np.array([0, 1])
    # By the longer side, ties by the sum: measured to pad less than the sum or either side alone.
    order = np.lexsort((lengths.sum(1), lengths.max(1)))
    first = np.arange(0, len(rows), batch_size)
    needed = np.maximum.reduceat(lengths[order], first)
    placed = np.pad(rows[order], (0, -len(rows) % batch_size), constant_values=-1)
    worth = worth_compiling / (steps(len(first)) / len(first) * batch_size)
    return BatchPlan(placed.reshape(-1, batch_size), merge_shapes(needed, padded_shapes, worth))


LENGTHS_OF_PASSAGES = 6
"""Padded lengths of passages: the longest, and each shorter by a factor of √2 than the next."""


def plan_passages(
    lengths: Lengths, *, tokens: int, max_length: int, multiple: int = 1
) -> BatchPlan:
    """Groups of passages of like length, of about so many tokens a side.

    Args:
      lengths: as of `plan_batches`; at most max_length.
      tokens: rows × padded length of each batch.
      max_length: in tokens. It alone decides which shapes there are: passages that are cut anew
        need no new ones.
      multiple: rows of a batch are a multiple of this.
    """
    lengths = np.maximum(lengths[0], lengths[1] + 1)
    steps = 2.0 ** (-np.arange(LENGTHS_OF_PASSAGES) / 2)
    padded = np.unique(np.ceil((max_length + 1) * steps).astype(int))
    order = np.argsort(lengths, kind="stable")
    rows, shapes = [], []
    for shape, alike in zip(
        padded, np.split(order, np.searchsorted(lengths[order], padded, side="right")), strict=False
    ):
        size = multiple * max(1, tokens // (shape * multiple))
        placed = np.pad(alike, (0, -len(alike) % size), constant_values=-1)
        rows += [*placed.reshape(-1, size)]
        shapes += [(shape, shape)] * (len(rows) - len(shapes))
    return BatchPlan(rows, np.array(shapes))


def merge_shapes(
    needed: Int[np.ndarray, "batches 2"], count: int, worth: float = 0.0
) -> Int[np.ndarray, "batches 2"]:
    """For each batch one of at most `count` shapes that hold it, chosen to pad little.

    Starts from the batches' own shapes and merges, again and again, the two whose common shape
    adds the fewest padded positions, as long as there are too many or it adds too few. Where there
    are more than `DISTINCT_SHAPES` (and `count`), those that agree when lengths are rounded up to a
    step are merged before; the step is the smallest that leaves so few.

    Args:
      needed: each batch's lengths of source and target, in tokens.
      worth: a shape that saves fewer padded positions (of a row, over all batches) is merged, too.
    """
    for step in itertools.count(1):
        rounded = -(-needed // step) @ (needed.max() + 1, 1)  # one number for both lengths
        _, member, weights = np.unique(rounded, return_inverse=True, return_counts=True)
        if len(weights) <= max(count, DISTINCT_SHAPES):
            break
    shapes = np.zeros((len(weights), 2), needed.dtype)
    np.maximum.at(shapes, member, needed)
    while len(shapes) > 1:
        own = shapes.sum(1) * weights
        added = sum(np.maximum.outer(side, side) for side in shapes.T)
        added *= np.add.outer(weights, weights)
        added -= np.add.outer(own, own)
        np.fill_diagonal(added, np.iinfo(added.dtype).max)
        keep, drop = np.unravel_index(added.argmin(), added.shape)
        if len(shapes) <= count and added[keep, drop] >= worth:
            break
        shapes[keep] = np.maximum(shapes[keep], shapes[drop])
        weights[keep] += weights[drop]
        shapes, weights = np.delete(shapes, drop, 0), np.delete(weights, drop)
        member = np.where(member == drop, keep, member - (member > drop))
    return shapes[member]


def epoch_order(plan: BatchPlan, seed: int, epoch: int) -> Int[np.ndarray, " batches"]:
    """The order of the batches in an epoch (counted from 0): a function of seed and epoch alone."""
    return np.random.default_rng((seed, epoch)).permutation(len(plan))


def make_batch(
    pairs: EncodedPairs, plan: BatchPlan, index: int, sentences: Int[np.ndarray, " N"]
) -> Batch:
    """The plan's batch of this number. sentences: of each pair."""
    ids, (source_length, target_length) = plan.rows[index], plan.shapes[index].tolist()
    rows = ids[ids >= 0]
    source = pad([pairs.source[row] for row in rows], len(ids), source_length)
    target = pad([np.append(pairs.target[row], END) for row in rows], len(ids), target_length)
    numbers = np.where(ids >= 0, sentences[ids], 0).astype(np.int32)
    return Batch(*source, *target, ids.astype(np.int32), numbers)


def pad(
    sentences: Sequence[Sequence[int] | Int[np.ndarray, " _"]], rows: int, length: int
) -> tuple[Int[np.ndarray, "B S"], Int[np.ndarray, " B"]]:
    """Sentences and their lengths, filled up with 0 to so many rows and so many words a row."""
    padded, lengths = np.zeros((rows, length), np.int32), np.zeros(rows, np.int32)
    for row, sentence in enumerate(sentences):
        lengths[row] = len(sentence)
        padded[row, : len(sentence)] = sentence
    return padded, lengths


def prefetch(items: Iterable[Any]) -> Iterator[Any]:
    """The same items, two of them made ahead by a thread; its exceptions are raised here."""
    items, end = iter(items), object()
    with ThreadPoolExecutor(1) as thread:
        waiting = deque(thread.submit(next, items, end) for _ in range(2))
        while (item := waiting.popleft().result()) is not end:
            waiting.append(thread.submit(next, items, end))
            yield item
