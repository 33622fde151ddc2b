"""Checkpoints of a run, by Orbax: the latest to resume from, the best to translate with.

The only module that knows of Orbax's checkpoints. It writes in the background into a folder beside,
renames it when it is whole and only then deletes the one before: a torn checkpoint is never read.
A checksum in the note finds bytes that changed afterwards, of which Orbax notices few.
"""

import json
import logging
import re
import shutil
import sys
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import jax
import numpy as np
import orbax.checkpoint as ocp
from jaxtyping import PyTree

from fa_jax.errors import UserError

CHECKSUM = "checksum"
"""Its name in a checkpoint's note."""
BLOCK = 1 << 16
"""Bytes that are added up before they enter the checksum."""

# Orbax reports each save at length; its errors reach us as exceptions.
logging.getLogger("absl").setLevel(logging.CRITICAL)


class Checkpoints:
    """One kind of checkpoint of a run, `latest` or `best`: the newest replaces the one before.

    writes: whether what an interrupted writer left is removed, before the first save at the
    latest. One who only reads leaves it: a training may be writing it at this moment.
    """

    def __init__(self, run: Path, kind: str, *, writes: bool = True):
        self.folder = (run / "checkpoints" / kind).absolute()
        self._manager = ocp.CheckpointManager(
            self.folder,
            options=ocp.CheckpointManagerOptions(
                max_to_keep=1,
                cleanup_tmp_directories=writes,
                # Threads that wait for a folder that cannot be made wait for minutes.
                async_options=ocp.AsyncOptions(create_directories_asynchronously=False),
            ),
        )

    def step(self) -> int | None:
        """Step of the newest whole checkpoint."""
        return self._manager.latest_step()

    def place(self) -> Path | None:
        """Where the newest whole checkpoint is."""
        return None if self.step() is None else self.folder / str(self.step())

    def save(self, step: int, tree: PyTree, note: dict[str, Any]):
        """Starts writing; a checkpoint of this step that is there already stays.

        tree: arrays. note: what JSON can hold, such as the best score so far.

        Raises:
          UserError: the one before could not be written (a full disk); older ones survive.
        """
        if step == self.step():
            return
        self.wait()
        _say_nothing_of_late_ends()
        tree = jax.tree.map(np.asarray, tree)
        note = note | {CHECKSUM: checksum(tree, note)}
        needed = sum(leaf.nbytes for leaf in jax.tree.leaves(tree))
        with self._writing():
            free = shutil.disk_usage(self.folder).free
            if free < needed:
                raise OSError(f"it needs {needed:,} bytes, {free:,} are free")
            self._manager.save(
                step,
                args=ocp.args.Composite(
                    tree=ocp.args.StandardSave(tree),
                    note=ocp.args.JsonSave(note),
                ),
            )

    def wait(self):
        """Until what was started is whole on disk. Raises UserError as `save` does."""
        with self._writing():
            self._manager.wait_until_finished()

    def restore(self, like: PyTree) -> tuple[int, PyTree, dict[str, Any]]:
        """The newest whole checkpoint: step, tree, note. like: a tree of the same shapes.

        Raises:
          UserError: there is none, it is of another model size, or its bytes are damaged.
        """
        step, place = self.step(), self.place()
        if place is None:
            raise UserError(f"{self.folder} holds no whole checkpoint; train the run first")
        empty = jax.tree.map(lambda leaf: np.empty(leaf.shape, leaf.dtype), like)
        try:
            restored = self._manager.restore(
                step,
                args=ocp.args.Composite(
                    tree=ocp.args.StandardRestore(empty),
                    note=ocp.args.JsonRestore(),
                ),
            )
            note = dict(restored.note)
            if note.pop(CHECKSUM, "") != checksum(restored.tree, note):
                raise ValueError("its bytes are not those that were written")
        except Exception as error:  # damaged bytes end in errors of any type
            _say_nothing_of_late_ends()
            self._manager.reload()
            if self.step() not in (None, step):  # a training has replaced it meanwhile
                return self.restore(like)
            raise UserError(
                f"checkpoint {place} does not fit the run's config.json or is damaged: "
                f"{_first_line(error)}. Copy the run again from where it is whole, or delete "
                f"{self.folder.parent} and train it anew"
            ) from error
        for (path, found), wanted in zip(
            jax.tree_util.tree_leaves_with_path(restored.tree), jax.tree.leaves(empty), strict=True
        ):
            if found.shape != wanted.shape:
                raise UserError(
                    f"checkpoint {place} is of another model size than config.json says: "
                    f"{jax.tree_util.keystr(path)} is {found.shape}, not {wanted.shape}"
                )
        return step, restored.tree, note

    def close(self):
        """Lets go of the folder. Raises UserError as `save` does."""
        with self._writing():
            self._manager.close()

    @contextmanager
    def _writing(self) -> Iterator[None]:
        """Errors say which checkpoint is whole, and what to do."""
        try:
            yield
        except (OSError, ValueError) as error:
            whole = [int(path.name) for path in self.folder.iterdir() if path.name.isdigit()]
            kept = f"; the one of step {max(whole)} is whole" if whole else ""
            raise UserError(
                f"could not write a checkpoint into {self.folder}{kept}: {_first_line(error)}. "
                "Make room on the disk and run the same command again"
            ) from error


def checksum(tree: PyTree, note: dict[str, Any]) -> int:
    """32 bits of a note and of each array's path, type, shape and bytes.

    A block's bytes are added up as numbers of 64 bits first, which every change of one byte
    changes: a fifth of the time of `crc32` over all of them.
    """
    total = zlib.crc32(json.dumps(note, sort_keys=True).encode())
    for path, leaf in jax.tree_util.tree_leaves_with_path(tree):
        name = jax.tree_util.keystr(path, simple=True, separator="/")
        total = zlib.crc32(f"{name} {leaf.dtype} {leaf.shape}".encode(), total)
        content = np.ascontiguousarray(leaf).reshape(-1).view(np.uint8)
        blocks, rest = np.split(content, [len(content) // BLOCK * BLOCK])
        sums = blocks.view(np.uint64).reshape(-1, BLOCK // 8).sum(1)
        total = zlib.crc32(rest, zlib.crc32(sums, total))
    return total


def _first_line(error: Exception) -> str:
    """Without the middle of a long one: at its end is what failed, before tensorstore's notes."""
    line = (str(error).strip().splitlines() or [repr(error)])[0]
    line = re.sub(r" \[[\w ]+='.*", "", line)
    return line if len(line) <= 300 else f"{line[:150]} … {line[-150:]}"


def _say_nothing_of_late_ends():
    """Where one read or write fails, Orbax gives up. Of each that ends later Python would say that
    nobody waits for it any more."""
    say = sys.unraisablehook

    def say_others(found: Any):
        if found.object is not None or str(found.exc_value) != "Event loop is closed":
            say(found)

    if getattr(say, "__qualname__", "") != say_others.__qualname__:
        sys.unraisablehook = say_others
    logging.getLogger("asyncio").addFilter(_nobody_waits_for_it)  # the same filter is added once


def _nobody_waits_for_it(record: logging.LogRecord) -> bool:
    """False for reads and writes of tensorstore, futures or tasks that asyncio wraps them into."""
    line = record.getMessage()
    late = "exception was never retrieved" in line
    return not (late and any(name in line for name in ("tensorstore", "_wrap_awaitable")))
