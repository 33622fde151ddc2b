"""results/REPORT.md: every table and figure of the study, from what was measured."""

from importlib import import_module

from trained import RESULTS, announce, write

FIRST = """# Are adequate vision spans small here, too?

Shu and Nakayama (2017) left out 56% (English–Japanese), 64% (German–English) and 46% (characters)
of the scores at no more than half a BLEU. Here their questions are asked of other text, at a size
for 2 cores (256 units, 10,000 words a language; 10 to 20 minutes a training, 45 for characters),
with real training and real beam search; the numbers are this size's, not the paper's. `make
experiments` writes this page anew from what was measured, and trains what was not.
"""
LAST = """## What is not here

Sizes of the paper, and accelerators: none was at hand. Systems that no table trains to the end are
trained for 200 steps, resumed and decoded by `systems.py`.
"""
PARTS = (
    "table1",
    "seeds",
    "table2",
    "figure3",
    "table3",
    "figure1",
    "figure4",
    "questions",
    "betas",
    "finer_scores",
    "choi_table1",
    "luong_table",
)
CAPTIONS = {
    "figure1": "## Figure 1: a vision span\n\nA sentence of the development set, translated by the "
    "fine-tuned run. Band: positions that are scored; squares: weights; dots: the focus; right: "
    "g(t). Command: `python experiments/figure1.py`.",
    "figure3": "## Figure 3: BLEU against window\n\nEach dot is a threshold. Command: "
    "`python experiments/figure3.py`.",
    "figure4": "## Figure 4: vision spans of long sentences\n\nSix of the German–English "
    "development set. Command: `python experiments/figure4.py`.",
}


def main():
    """Writes every part, then the report."""
    modules = {name: import_module(name) for name in PARTS}
    announce(run for module in modules.values() for run in module.RUNS)
    parts = [FIRST]
    for name, module in modules.items():
        module.main()
        if name in CAPTIONS:
            parts.append(f"{CAPTIONS[name]}\n\n![{name}]({name}.png)\n")
        else:
            parts.append((RESULTS / f"{name}.md").read_text(encoding="utf-8"))
    parts.insert(1, "\n".join(["## In short", "", *_verdicts(parts), ""]))
    write(RESULTS / "REPORT.md", "\n".join([*parts, LAST]))
    print(RESULTS / "REPORT.md")


def _verdicts(parts: list[str]) -> list[str]:
    return [line for part in parts for line in part.splitlines() if line.startswith("- **")]


if __name__ == "__main__":
    main()
