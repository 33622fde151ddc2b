"""Where prepared corpora, token ids and compiled programs are kept between runs."""

import os
from pathlib import Path

import platformdirs


def cache_folder() -> Path:
    """`$FA_JAX_CACHE` if set, else the user's cache folder on this system."""
    chosen = os.environ.get("FA_JAX_CACHE")
    return Path(chosen) if chosen else Path(platformdirs.user_cache_dir("fa_jax"))
