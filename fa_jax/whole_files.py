"""Files and folders that are whole or not there: written beside, then renamed.

What was there before stays whole until the new file is.
"""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


def write_bytes(path: Path, content: bytes):
    """Writes a file, or replaces it.

    Raises:
      OSError: it cannot be written; what was there stays.
    """
    beside = path.with_name(f"{path.name}.{os.getpid()}.new")  # others may write it, too
    try:
        beside.write_bytes(content)
        os.replace(beside, path)
    finally:
        beside.unlink(missing_ok=True)


@contextmanager
def whole_folder(path: Path) -> Iterator[Path]:
    """A folder to write into, which becomes `path` when all is written. It must not be there yet.

    Raises:
      OSError: it cannot be written, or is there when all is written; nothing is left beside.
    """
    beside = path.with_name(f"{path.name}.{os.getpid()}.new")
    try:
        beside.mkdir(parents=True)
        yield beside
        os.rename(beside, path)
    finally:
        shutil.rmtree(beside, ignore_errors=True)


def write_text(path: Path, text: str):
    """`write_bytes` of a text in UTF-8, with its own line ends."""
    write_bytes(path, text.encode())
