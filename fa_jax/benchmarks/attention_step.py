"""When does scoring the windows alone pay? One step of flexible attention, windowed ÷ dense.

The small model's sizes, several hypotheses a sentence, windows of a given share of the sentence
at random places. `WINDOWED_FROM_LENGTH` in fa_jax/attention/attend.py follows it.
"""

from fa_jax.benchmarks import BENCHMARKS
from fa_jax.benchmarks.report import Report
from fa_jax.benchmarks.steps import attention_sides
from fa_jax.benchmarks.timing import alternate

LENGTHS = (16, 32, 64, 128, 256, 512)
SHARES = (0.1, 0.25, 0.5)


def measure(rounds: int = 30, size: int = 256, sentences: int = 64, beam: int = 5) -> Report:
    """A row for each length and share."""
    rows = []
    for length in LENGTHS:
        for share in SHARES:
            sides, window = attention_sides("concat", length, share * length, sentences, beam, size)
            times = alternate(sides, rounds)
            dense, windowed = times["dense"], times["windowed"]
            rows.append(
                {
                    "length": length,
                    "window": window,
                    "windowed_to_dense": windowed.seconds / dense.seconds,
                    "spread": max(windowed.spread, dense.spread),
                }
            )
    settings = {"size": size, "sentences": sentences, "beam": beam, "rounds": rounds}
    return Report("attention_step", BENCHMARKS["attention_step"], settings, rows)
