"""VS Table 3: decoding time with and without windows (`experiments.forced_decoding`)."""

import json

from experiments.measuring.folders import BENCHMARKS
from experiments.tables.part import Part, rows_as_table, write_part

PAPER = "123 ms → 136 ms on a GPU (ratio 1.11), 751 ms → 677 ms on a CPU (0.90)"
HEAD = ("score", "batch", "flexible ÷ global", "estimate", "global, ms a step")
WANTED = ()


def part() -> Part:
    """The table, from the benchmark's record."""
    found = json.loads((BENCHMARKS / "forced_decoding.json").read_text(encoding="utf-8"))
    rows = [
        (row["score"], str(row["batch"]), f"{row['flexible_to_global']:.2f}",
         f"{row['bound']:.2f}", f"{row['global_ms_a_step']:.2f}")
        for row in found["rows"]
    ]  # fmt: skip
    lines = [
        f"The paper measured its character model with the concat score: {PAPER}. Here windows have "
        f"{found['rows'][0]['windows']:.0%} of the source ({found['machine']}; no accelerator was "
        "at hand). *Flexible ÷ global*: the time of a step with flexible attention, divided by the "
        "time of a step with global attention.",
        "",
        "*Estimate*: the same ratio by Amdahl's law. It takes the time that global attention adds "
        "to a step without attention. It lets that time shrink to the windows' share of the "
        "source, and adds the strength network. It is made of times measured apart, so a measured "
        "ratio may lie below it.",
        "",
        *rows_as_table(HEAD, rows),
    ]
    notes = "Measured by `python -m experiments.forced_decoding`."
    return Part("table3", "Table 3: decoding time", lines, notes)


if __name__ == "__main__":
    write_part(part())
