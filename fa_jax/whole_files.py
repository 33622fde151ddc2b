"""Files and folders that are whole or not there: written beside, then renamed.

What was there before stays whole until the new file is.
"""

import errno
import glob
import os
import platform
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory


def write_bytes(path: Path, content: bytes):
    """Writes a file, or replaces it. A link still links to it; a device or pipe is written to.

    Raises:
      OSError: it cannot be written; what was there stays.
    """
    if path.exists() and not path.is_file():
        path.write_bytes(content)
        return
    path = path.resolve()
    with _beside(path) as new:
        new.write_bytes(content)
        os.replace(new, path)


@contextmanager
def whole_folder(path: Path) -> Iterator[Path]:
    """A folder to write into, which becomes `path` when all is written. It must not be there yet.

    Raises:
      OSError: it cannot be written, or is there when all is written; nothing is left beside.
    """
    with _beside(path) as new:
        new.mkdir()
        yield new
        os.rename(new, path)


@contextmanager
def _beside(path: Path) -> Iterator[Path]:
    """A place for it, in a folder of this process. Those that killed ones left are removed. The
    folder that it is to lie in is made."""
    path.parent.mkdir(parents=True, exist_ok=True)
    # A number of a process counts on one machine alone; a longer name may be too long.
    name = f"{path.name[:40]}.{platform.node()}"
    for left in path.parent.glob(f"{glob.escape(name)}.*.*.new"):
        if not _lives(int(left.suffixes[-3][1:])):
            shutil.rmtree(left, ignore_errors=True)
    own = {"prefix": f"{name}.{os.getpid()}.", "suffix": ".new", "dir": path.parent}
    with TemporaryDirectory(**own, ignore_cleanup_errors=True) as folder:
        yield Path(folder, path.name)


def _lives(process: int) -> bool:
    try:
        os.kill(process, 0)
    except OSError as error:
        return error.errno == errno.EPERM  # another user's
    return True


def write_text(path: Path, text: str):
    """`write_bytes` of a text in UTF-8, with its own line ends."""
    write_bytes(path, text.encode())
