"""Files that are whole or not there: written beside, then renamed.

What was there before stays whole until the new file is.
"""

import os
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


def write_text(path: Path, text: str):
    """`write_bytes` of a text in UTF-8, with its own line ends."""
    write_bytes(path, text.encode())
