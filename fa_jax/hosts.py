"""Several processes, the hosts of JAX's devices, that do the same work together.

All run the same program. What one of them finds out alone it tells the others here.
"""

import itertools
import pickle
from collections.abc import Callable, Sequence
from typing import TypeVar

import jax
import numpy as np
import orbax.checkpoint as ocp
from jax.experimental.multihost_utils import process_allgather

T, R = TypeVar("T"), TypeVar("R")
LONGEST_WAIT = 24 * 3600
"""Seconds until a host that lives but does not come is given up: one may prepare text for hours."""
_calls = itertools.count()


def gathered(value: T) -> list[T]:
    """What each host has, in their order, on all of them. Every host must call it, in turn with
    the others' calls.

    value: what can be pickled.
    """
    hosts = jax.process_count()
    if hosts == 1:
        return [value]
    # Here by the coordinator: devices wait for each other a few minutes only.
    name, all_hosts = f"gathered {next(_calls)}", {*range(hosts)}
    ocp.multihost.sync_global_processes(name, timeout=LONGEST_WAIT, processes=all_hosts)
    content = np.frombuffer(pickle.dumps(value), np.uint8)
    longest = process_allgather(np.int32(len(content))).max()
    padded = np.zeros(1 << int(longest - 1).bit_length(), np.uint8)  # few sizes: each is compiled
    padded[: len(content)] = content
    return [pickle.loads(row.tobytes()) for row in process_allgather(padded)]


def parted(work: Callable[[Sequence[T]], Sequence[R]], items: Sequence[T]) -> list[R]:
    """The work on all items, of which each host does every n-th: a result for each, in their order,
    on every host. Every host must call it."""
    shares = gathered(work(items[jax.process_index() :: jax.process_count()]))
    return [result for row in itertools.zip_longest(*shares) for result in row][: len(items)]
