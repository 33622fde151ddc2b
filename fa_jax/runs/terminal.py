"""What the user is told meanwhile: on stderr, by one process of several."""

import sys

import jax
from tqdm import tqdm


def say(text: str):
    """A line of news."""
    if jax.process_index() == 0:
        print(text, file=sys.stderr, flush=True)


def progress_bar(title: str, lines: int) -> tqdm:
    """Of a search through so many lines. Drawn on a terminal alone, and gone at its end."""
    hidden = True if jax.process_index() else None  # None: where stderr is no terminal
    return tqdm(desc=title, total=lines, unit=" lines", disable=hidden, leave=False)
