"""What a server takes on. Each field is an option, as `--limits.letters 500`."""

from dataclasses import dataclass

from fa_jax.config import Count, Positive, Section


@dataclass(frozen=True)
class Limits(Section):
    """What a server takes on; it says no to what is more."""

    letters: Count = 500
    """Longest line of a text. A run's decoding.max_source_length holds, too."""
    lines: Count = 100
    """Most lines of a request, those of all its texts together."""
    body: Count = 1_000_000
    """Largest request, in bytes."""
    queue: Count = 2000
    """Most lines that wait at once; who comes then is told to try again (503)."""
    seconds: Positive = 60.0
    """Longest time for a request to arrive (408), and then to be answered (504)."""
    connections: Count = 256
    """Most connections at once; further ones are told to try again (503)."""
