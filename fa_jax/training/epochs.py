"""What a run learns from, step by step: its sentences, or passages that every epoch cuts anew."""

import functools
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import jax
import numpy as np
from jaxtyping import Int

from fa_jax.config import Config
from fa_jax.data.batches import (
    WORTH_COMPILING,
    WORTH_COMPILING_ON_ACCELERATORS,
    Batch,
    BatchPlan,
    epoch_order,
    make_batch,
    plan_batches,
    plan_passages,
)
from fa_jax.data.passages import Passages, cut_passages
from fa_jax.data.prepared import PreparedData
from fa_jax.errors import UserError
from fa_jax.training.schedule import total_steps

Numbered = tuple[Int[np.ndarray, " sentences"], Batch]
"""A batch, behind the rows of the corpus that it is made of."""


@dataclass(frozen=True)
class Epoch:
    """Which batches there are, and the passages that stand in them; a sentence alone is one."""

    passages: Passages
    plan: BatchPlan

    def batch(self, index: int) -> Numbered:
        """The batch of this number."""
        passages, ids = self.passages, self.plan.rows[index]
        ids = ids[ids >= 0]
        each = zip(passages.first[ids], passages.sentences[ids], strict=True)
        rows = [np.arange(row, row + sentences) for row, sentences in each]
        batch = make_batch(passages.pairs, self.plan, index, passages.sentences)
        return np.concatenate(rows), batch


class Epochs:
    """A run's batches, epoch by epoch; each is a function of its step.

    Args:
      config: the run's. data: the text that it learns from.

    Raises:
      UserError: no sentence is left (`plan_batches`), or the text has no documents.
    """

    def __init__(self, config: Config, data: PreparedData):
        self._seed = config.training.seed
        epoch = _passages(config, data) if config.data.documents else _sentences(config, data)
        self._epoch = functools.lru_cache(maxsize=1)(epoch)
        self.first = self._epoch(0)
        """The first epoch."""
        self.steps = len(self.first.plan)
        """Of an epoch; where it cuts documents anew there may be a few more or less."""
        self.shapes = len(np.unique(self.first.plan.shapes, axis=0))
        """Different padded shapes of the first epoch's batches."""

    def batches(self, first: int, last: int) -> Iterator[Numbered]:
        """From a step, counted from 0, to before another."""
        for step in range(first, last):
            number, place = divmod(step, self.steps)
            epoch = self._epoch(number)
            if step == first or place == 0:
                order = epoch_order(epoch.plan, self._seed, number)
            yield epoch.batch(int(order[place % len(order)]))


def _sentences(config: Config, data: PreparedData) -> Callable[[int], Epoch]:
    on_cpu = jax.default_backend() == "cpu"
    plan = plan_batches(
        data.train.lengths,
        batch_size=config.training.batch_size,
        max_length=data.max_length,
        padded_shapes=config.data.padded_shapes,
        steps=functools.partial(total_steps, config.training),
        worth_compiling=WORTH_COMPILING if on_cpu else WORTH_COMPILING_ON_ACCELERATORS,
    )
    rows = np.arange(len(data.train.source))
    epoch = Epoch(Passages(data.train, np.broadcast_to(1, rows.shape), rows), plan)
    return lambda number: epoch


def _passages(config: Config, data: PreparedData) -> Callable[[int], Epoch]:
    """A batch has about as many tokens as batches of sentences have."""
    rows = np.concatenate([*_sentences(config, data)(0).plan.rows])
    longer = data.train.lengths.max(0)
    tokens = round(config.training.batch_size * (1 + longer[rows[rows >= 0]].mean()))
    documents, longest = data.corpus.train.documents(), data.max_length
    if len(documents) == len(longer) + 1:
        raise UserError(
            f"corpus {data.corpus.name} has no documents: put an empty line between them, in the "
            "files of both languages, or leave documents out"
        )

    def epoch(number: int) -> Epoch:
        cut = cut_passages(
            data.train, documents, max_length=longest, seed=config.training.seed, epoch=number
        )
        plan = plan_passages(
            cut.pairs.lengths, tokens=tokens, max_length=longest, multiple=jax.device_count()
        )
        return Epoch(cut, plan)

    return epoch
