"""Does the cost of a step follow the window or the sentence? Windows of 16, longer and longer.

The step as beam search takes it: no weights are handed out, keys are there. A sentence's
hypotheses look at places within 16 positions of each other; "scattered": anywhere, where longer
sentences leave the processor's caches.
"""

from experiments.benchmarks.report import Headline, Report
from experiments.benchmarks.steps import attention_sides
from experiments.benchmarks.timing import alternate
from fa_jax.attention import Concat

LENGTHS = (64, 256, 1024, 4096, 8192)


def measure(
    rounds: int = 40, window: int = 16, sentences: int = 1, beam: int = 20, size: int = 500
) -> Report:
    """A row for each length; windowed steps of all lengths alternate.

    rounds: times that each side is timed. window: in positions. sentences, beam, size: as
    `attention_sides` takes them.
    """
    sides, windows = {}, {}
    for length in LENGTHS:
        shape = (Concat(), length, window, sentences, beam, size)
        of_length, windows[length] = attention_sides(*shape, apart=window)
        scattered, _ = attention_sides(*shape)
        of_length["scattered"] = scattered["windowed"]
        sides |= {(name, length): side for name, side in of_length.items()}
    times = alternate(sides, rounds)
    rows = [
        {
            "length": length,
            "window": windows[length],
            **{
                f"{name}_to_shortest": times[name, length].seconds / times[name, LENGTHS[0]].seconds
                for name in ("windowed", "scattered", "dense")
            },
            "windowed_to_dense": times["windowed", length].seconds / times["dense", length].seconds,
            "spread": times["windowed", length].spread,
        }
        for length in LENGTHS
    ]
    settings = {"sentences": sentences, "beam": beam, "size": size, "rounds": rounds}
    headlines = [
        Headline(
            f"a step at {LENGTHS[-1]:,} positions ÷ at {LENGTHS[0]}, windows of {window}, {where}",
            rows[-1][column],
            1.5,
        )
        for where, column in (
            ("near each other", "windowed_to_shortest"),
            ("scattered", "scattered_to_shortest"),
        )
    ]
    return Report("long_sentences", settings, rows, headlines=headlines)
