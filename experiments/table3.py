"""VS Table 3: decoding time with and without windows, from `fa-jax benchmark forced_decoding`."""

import json

from trained import RESULTS, write_part

PAPER = "123 ms → 136 ms on a GPU (ratio 1.11), 751 ms → 677 ms on a CPU (0.90)"


RUNS = ()


def main():
    """Writes results/table3.md."""
    found = json.loads((RESULTS / "forced_decoding.json").read_text(encoding="utf-8"))
    lines = [
        "## Table 3: decoding time",
        "",
        f"The paper's character model, concat score: {PAPER}. Here, windows of "
        f"{found['rows'][0]['windows']:.0%} of the source ({found['machine']}), time of a step "
        "with flexible attention ÷ with global attention; no accelerator was at hand. By Amdahl's "
        "law: what is left if all that global attention adds shrinks to the window's share.",
        "",
        "| score | batch | flexible ÷ global | by Amdahl's law | global, ms a step |",
        "|---|---|---|---|---|",
        *(
            f"| {row['score']} | {row['batch']} | {row['flexible_to_global']:.2f} | "
            f"{row['bound']:.2f} | {row['global_ms_a_step']:.2f} |"
            for row in found["rows"]
        ),
        "",
        "Command: `fa-jax benchmark forced_decoding`, then `python experiments/table3.py`.",
        "",
    ]
    write_part("table3", lines)


if __name__ == "__main__":
    main()
