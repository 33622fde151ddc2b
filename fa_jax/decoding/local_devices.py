"""Sentences on the local devices: in few padded shapes, each device with rows of its own."""

import functools
import itertools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import jax
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec
from jaxtyping import Int, PyTree

from fa_jax.compiler import compiler_options
from fa_jax.config import DecodingConfig, ModelConfig
from fa_jax.data.batches import pad
from fa_jax.kept_programs import KeptProgram
from fa_jax.model.encoder_decoder import Params

SHORTEST_SHAPE = 16
"""Sentences are padded to this many tokens, or twice, four times … as many."""
SHORTEST_IN_WINDOWS, TIMES_IN_WINDOWS = 128, 4
"""In windows padding costs next to nothing: a search in windows has fewer shapes to compile, 128
tokens, 512, 2,048 …"""
SMALLEST_BATCH = 8
"""Sentences that a few lines are searched in."""
Batch = tuple[Int[np.ndarray, " B"], list[tuple[Int[np.ndarray, "B S"], Int[np.ndarray, " B"]]]]
"""Numbers of sentences, -1 where there is none, and each of their sides, as of `pad`."""
BY_SENTENCE, WHOLE = PartitionSpec("sentences"), PartitionSpec()


@dataclass(frozen=True)
class TrainedModel:
    """A trained model."""

    params: Params
    config: ModelConfig

    @functools.cached_property
    def on_devices(self) -> Params:
        """Its parameters on all local devices, brought there once for all searches and traces."""
        return jax.device_put(self.params, NamedSharding(_mesh(), WHOLE))

    @property
    def vocabulary(self) -> int:
        """Words that it may write."""
        return self.params["decoder"]["output"]["bias"].shape[0]


def batch_rows(sentences: int, decoding: DecodingConfig) -> int:
    """Rows of the batches of so many sentences: one of two sizes, since each is compiled.

    A few lines at a prompt need not pay for a batch. Local devices share the rows equally.
    """
    rows = decoding.batch_size if sentences > SMALLEST_BATCH else SMALLEST_BATCH
    devices = jax.local_device_count()
    return -(-min(rows, decoding.batch_size) // devices) * devices


def enlarged(size: int, enough: int, factor: int = 2) -> int:
    """A size, or `factor` times as much, or that many times … as much again: the smallest that is
    enough."""
    while size < enough:
        size *= factor
    return size


def padded_batches(
    sides: Sequence[Sequence[Sequence[int]]],
    rows_of: Callable[[int, int], int],
    *,
    in_windows: bool = False,
) -> Iterator[Batch]:
    """Sentences of like lengths together, in few shapes.

    The longest come first: those that are searched last then end together. Devices have them in
    turn.

    sides: the sentences as each model has them, or source and target. All are padded alike: fewer
    programs are compiled and loaded. A sentence without any words is in no batch. rows_of: a batch
    of a shape that so many sentences have, as many for each device. in_windows: whether few shapes
    matter more than little padding.
    """
    lengths = [max(map(len, sentence)) for sentence in zip(*sides, strict=True)]
    steps = (SHORTEST_IN_WINDOWS, TIMES_IN_WINDOWS) if in_windows else (SHORTEST_SHAPE, 2)
    shapes = [enlarged(steps[0], length, steps[1]) for length in lengths]
    order = sorted(
        (row for row, length in enumerate(lengths) if length),
        key=lambda row: (shapes[row], -lengths[row]),
    )
    for shape, of_shape in itertools.groupby(order, shapes.__getitem__):
        alike = np.array([*of_shape])
        count = rows_of(shape, len(alike))
        alike = np.append(alike, np.full(-len(alike) % count, -1))
        for batch in alike.reshape(-1, count):
            rows = batch.reshape(-1, jax.local_device_count()).T.reshape(-1)
            each = [[side[row] if row >= 0 else () for row in rows] for side in sides]
            yield rows, [pad(side, count, shape) for side in each]


@functools.lru_cache(maxsize=128)
def on_local_devices(
    function: Callable, arrays: int, numbers: int = 0, *, few: bool = False, **options: Any
) -> KeptProgram:
    """The function, compiled: each device goes through its own sentences at its own pace.

    function: of the package, with these options. Behind parameters it takes so many arguments that
    have a row a sentence, then so many that are the same for all. few: sentences, so that it should
    compile quickly.
    """
    mesh = _mesh()
    in_specs = WHOLE, *[BY_SENTENCE] * arrays, *[WHOLE] * numbers
    program = jax.shard_map(
        functools.partial(function, **options),
        mesh=mesh,
        in_specs=in_specs,
        out_specs=BY_SENTENCE,
        check_vma=False,
    )
    shardings = tuple(NamedSharding(mesh, spec) for spec in in_specs)
    asked = compiler_options(jax.default_backend(), few)
    return KeptProgram(program, shardings, asked, function=function.__qualname__, **options)


def of_each(rows: Int[np.ndarray, " B"], found: PyTree) -> Iterator[tuple[int, PyTree]]:
    """The number of each sentence of a batch, and its row of what was found."""
    found = jax.device_get(found)
    for place in np.flatnonzero(rows >= 0).tolist():
        yield int(rows[place]), jax.tree.map(lambda leaf, place=place: leaf[place], found)


def _mesh() -> Mesh:
    return Mesh(np.asarray(jax.local_devices()), ("sentences",))
