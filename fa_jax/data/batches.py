"""Batches as in the paper: sorted by length, grouped, the groups shuffled (VS 5.1).

Every batch has the same number of rows and one of few padded shapes: each shape is compiled once.
"""

import queue
import threading
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from flax import struct
from jaxtyping import Array, Int

from fa_jax.data.encoded import EncodedPairs
from fa_jax.data.vocabulary import END
from fa_jax.errors import UserError

T = TypeVar("T")


@struct.dataclass
class Batch:
    """B sentence pairs, padded with 0. Rows that fill up the last batch have lengths 0 and id -1.

    target: words, then the end of sentence, which its length counts. ids: rows of the corpus.
    """

    source: Int[Array | np.ndarray, "B S"]
    source_lengths: Int[Array | np.ndarray, " B"]
    target: Int[Array | np.ndarray, "B T"]
    target_lengths: Int[Array | np.ndarray, " B"]
    ids: Int[Array | np.ndarray, " B"]


@dataclass(frozen=True)
class BatchPlan:
    """Which rows go together. rows: -1 where a place stays empty; shapes: each batch's (S, T)."""

    rows: Int[np.ndarray, "batches B"]
    shapes: Int[np.ndarray, "batches 2"]

    def __len__(self) -> int:
        return len(self.rows)


def plan_batches(
    source_lengths: Int[np.ndarray, " N"],
    target_lengths: Int[np.ndarray, " N"],
    *,
    batch_size: int,
    max_length: int,
    padded_shapes: int,
) -> BatchPlan:
    """Groups of sentences of like length, at most `padded_shapes` different shapes.

    Lengths are in tokens, without the end of sentence, which the shapes of targets count.
    Sentences without tokens or longer than `max_length` on either side are left out.

    Raises:
      UserError: no sentence is left.
    """
    longest = np.maximum(source_lengths, target_lengths)
    shortest = np.minimum(source_lengths, target_lengths)
    rows = np.flatnonzero((longest <= max_length) & (shortest > 0))
    if len(rows) == 0:
        raise UserError(
            f"no training sentence is left: of {len(longest)}, {(longest > max_length).sum()} have "
            f"more than data.max_length = {max_length} tokens and {(shortest == 0).sum()} have none"
        )
    lengths = np.stack([source_lengths[rows], target_lengths[rows] + 1], axis=1)
    # By the longer side, ties by the sum: measured to pad less than the sum or either side alone.
    order = np.lexsort((lengths.sum(1), lengths.max(1)))
    groups = -(-len(rows) // batch_size)
    placed = np.full(groups * batch_size, -1, np.int64)
    placed[: len(rows)] = rows[order]
    sizes = np.zeros((groups * batch_size, 2), np.int64)
    sizes[: len(rows)] = lengths[order]
    needed = sizes.reshape(groups, batch_size, 2).max(1)
    return BatchPlan(placed.reshape(groups, batch_size), merge_shapes(needed, padded_shapes))


def merge_shapes(needed: Int[np.ndarray, "batches 2"], count: int) -> Int[np.ndarray, "batches 2"]:
    """For each batch one of at most `count` shapes that hold it, chosen to pad little.

    Starts from the batches' own shapes and merges, again and again, the two whose common shape
    adds the fewest padded positions.
    """
    shapes, member, weight = np.unique(needed, axis=0, return_inverse=True, return_counts=True)
    member = member.reshape(-1)
    while len(shapes) > count:
        joint = np.maximum(shapes[:, None], shapes[None])
        cost = joint.sum(-1) * (weight[:, None] + weight[None])
        own = shapes.sum(-1) * weight
        added = (cost - own[:, None] - own[None]).astype(float)
        added[np.tril_indices(len(shapes))] = np.inf
        keep, drop = np.unravel_index(np.argmin(added), added.shape)
        shapes[keep] = joint[keep, drop]
        weight[keep] += weight[drop]
        member[member == drop] = keep
        member -= member > drop
        shapes, weight = np.delete(shapes, drop, axis=0), np.delete(weight, drop)
    return shapes[member]


def epoch_order(plan: BatchPlan, seed: int, epoch: int) -> Int[np.ndarray, " batches"]:
    """The order of the batches in an epoch (counted from 0): a function of seed and epoch alone."""
    return np.random.default_rng((seed, epoch)).permutation(len(plan))


def make_batch(pairs: EncodedPairs, plan: BatchPlan, index: int) -> Batch:
    """The plan's batch of this number."""
    rows, (source_length, target_length) = plan.rows[index], plan.shapes[index]
    source = np.zeros((len(rows), source_length), np.int32)
    target = np.zeros((len(rows), target_length), np.int32)
    source_lengths, target_lengths = np.zeros((2, len(rows)), np.int32)
    for place, row in enumerate(rows):
        if row < 0:
            continue
        words, translation = pairs.source[row], pairs.target[row]
        source_lengths[place], target_lengths[place] = len(words), len(translation) + 1
        source[place, : len(words)] = words
        target[place, : len(translation)] = translation
        target[place, len(translation)] = END
    return Batch(source, source_lengths, target, target_lengths, rows.astype(np.int32))


def prefetch(items: Iterable[T], size: int = 2) -> Iterator[T]:
    """The same items, made ahead by a thread; its exceptions are raised here."""
    waiting: queue.Queue = queue.Queue(maxsize=size)
    stopped = threading.Event()
    end = object()

    def put(item: object):
        while not stopped.is_set():
            try:
                waiting.put(item, timeout=0.1)
                return
            except queue.Full:
                continue

    def work():
        try:
            for item in items:
                put((item, None))
                if stopped.is_set():
                    return
            put((end, None))
        except BaseException as error:
            put((end, error))

    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    try:
        while True:
            item, error = waiting.get()
            if error is not None:
                raise error
            if item is end:
                return
            yield item
    finally:
        stopped.set()
        thread.join()
