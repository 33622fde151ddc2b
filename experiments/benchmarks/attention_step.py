"""When does scoring the windows alone pay? One step of flexible attention, windowed ÷ dense.

The small model's sizes, several hypotheses a sentence, windows of a given share of the sentence
at random places. The scores' `windowed_from` (fa_jax/attention/score.py) follows it.
"""

from itertools import product

from experiments.benchmarks.report import Report
from experiments.benchmarks.steps import attention_sides
from experiments.benchmarks.timing import alternate
from fa_jax.attention import SCORES

LENGTHS = (16, 32, 64, 128, 256, 512)
SHARES = (0.1, 0.25, 0.5)
TIMED = {"concat": LENGTHS, "tensor": LENGTHS, "fine_grained": LENGTHS[:3]}
"""Scores that differ most. A dense step of fine_grained takes half a second at 64 positions."""


def measure(rounds: int = 30, size: int = 256, sentences: int = 64, beam: int = 5) -> Report:
    """A row for each score, length and share.

    rounds: times that each side is timed. size, sentences, beam: as `attention_sides` takes them.
    """
    rows = []
    cases = ((name, length) for name, lengths in TIMED.items() for length in lengths)
    for (name, length), share in product(cases, SHARES):
        shape = length, share * length, sentences, beam, size
        sides, window = attention_sides(SCORES[name](), *shape)
        times = alternate(sides, rounds)
        dense, windowed = times["dense"], times["windowed"]
        rows.append(
            {
                "score": name,
                "length": length,
                "window": window,
                "windowed_to_dense": windowed.seconds / dense.seconds,
                "spread": max(windowed.spread, dense.spread),
            }
        )
    settings = {"size": size, "sentences": sentences, "beam": beam, "rounds": rounds}
    return Report("attention_step", settings, rows)
