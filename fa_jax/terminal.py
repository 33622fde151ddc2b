"""What the user is told, by the first of several hosts: on stderr meanwhile, then on stdout."""

import sys
from io import TextIOBase

import jax
from tqdm import tqdm


def say(text: str, to: TextIOBase | None = None):
    """A line of news, or of results. to: default: stderr."""
    if jax.process_index() == 0:
        print(text, file=to or sys.stderr, flush=True)


def progress_bar(title: str, lines: int) -> tqdm:
    """Of a search through so many lines, or of a host's share. Drawn on a terminal alone, and gone
    at its end."""
    hidden = True if jax.process_index() else None  # None: where stderr is no terminal
    return tqdm(
        desc=title, total=lines // jax.process_count(), unit=" lines", disable=hidden, leave=False
    )
