"""What a server takes on. Each field is an option, as `--limits.letters 500`."""

from dataclasses import dataclass

from fa_jax.config import Count, Positive, Section


@dataclass(frozen=True)
class Limits(Section):
    """What a server accepts. It refuses what is more."""

    letters: Count = 2000
    """Longest line of a text, in letters: a paragraph. Of its sentences the run's
    decoding.max_source_length is a limit, too."""
    lines: Count = 100
    """Most lines of a request, over all its texts."""
    body: Count = 1_000_000
    """Largest request, in bytes."""
    queue: Count = 2000
    """Most lines that wait at once. A request beyond that is told to try again (503)."""
    seconds: Positive = 60.0
    """Longest time for a request to arrive (else 408), and then for its answer (else 504)."""
    connections: Count = 256
    """Most connections at once. Further ones are told to try again (503)."""
