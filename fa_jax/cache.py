"""Where prepared corpora, token ids and compiled programs are kept between runs."""

import os
from pathlib import Path

import platformdirs
from filelock import BaseFileLock, FileLock


def cache_folder() -> Path:
    """`$FA_JAX_CACHE` if set, else the user's cache folder on this system."""
    chosen = os.environ.get("FA_JAX_CACHE")
    return Path(chosen) if chosen else Path(platformdirs.user_cache_dir("fa_jax"))


def lock(folder: Path) -> BaseFileLock:
    """Held by whoever makes a folder of the cache; the others wait until it is there."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    return FileLock(folder.with_name(f".{folder.name}.lock"))
