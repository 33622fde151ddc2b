"""Do windows pay under every score? One step, windowed ÷ dense, in long sentences."""

from experiments.benchmarks.report import Report
from experiments.benchmarks.steps import attention_sides
from experiments.benchmarks.timing import alternate
from fa_jax.attention import SCORES, Concat


def measure(
    rounds: int = 40, length: int = 512, window: int = 64, sentences: int = 16, size: int = 256
) -> Report:
    """A row for each score.

    rounds: times that each side is timed. length, window: in positions. sentences: one query each.
    size: as `attention_sides` takes it.
    """
    baseline = attention_sides(Concat(), length, window, sentences, 1, size)[0]["dense"]
    rows = []
    for name, score in SCORES.items():
        sides, scored = attention_sides(score(), length, window, sentences, 1, size)
        times = alternate(sides | {"baseline": baseline}, rounds)
        dense = times["dense"].seconds
        rows.append(
            {
                "score": name,
                "window": scored,
                "windowed_to_dense": times["windowed"].seconds / dense,
                "dense_to_dense_concat": dense / times["baseline"].seconds,
                "spread": max(timing.spread for timing in times.values()),
            }
        )
    settings = {"length": length, "sentences": sentences, "size": size, "rounds": rounds}
    return Report("score_costs", settings, rows)
