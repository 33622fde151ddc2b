"""results/study/REPORT.md: every table and figure of the study, from what was measured."""

import os
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path

from experiments.measuring.folders import STUDY, write
from experiments.measuring.wanted import train_and_measure
from experiments.tables.part import Part, bullets, write_part

PARTS = (
    "table1",
    "table1_german",
    "table2",
    "figure3",
    "table3",
    "figure1",
    "figure4",
    "questions",
    "curves",
    "any_text",
    "any_text_seeds",
    "joeynmt_quality",
    "finer_scores",
    "choi_table1",
    "choi_alignments",
    "luong_table",
    "luong_scores",
    "luong_lengths",
    "luong_ensemble",
    "luong_reasons",
    "documents",
)
"""Modules of the study, in the report's order. A new table or figure is its module and a row here.
Each has `WANTED`, what is to be measured for it, and `part()`, what that says; `NEEDED` where a
part of it is enough. One whose runs today's recipe has not trained yet stands at the end, as it was
written."""
FIRST = """# Are adequate vision spans small here, too?

A *vision span*, or window, is the part of the source that attention scores at one step. Shu and
Nakayama (2017; VS below) made it small: they left out 56% (English–Japanese), 64% (German–English)
and 46% (characters) of the scores, at a cost of at most half a BLEU. This page asks their questions
of other text, with networks for 2 cores: 192 units and the score `feedback` for subwords, 256 units
and the paper's score for words and characters, 10,000 words a language. So the numbers are this
size's, not the paper's.

`make experiments` writes this page anew from what was measured. It trains what was not.

| word | meaning here |
|---|---|
| strength, g(t) | how much distance from the last focus costs; the network chooses it, 0 to 1 |
| threshold, τ | a position is not scored if its penalty reaches τ; at τ = ∞ all are scored |
| global | attention to all positions |
| local-p | a window of fixed size around a predicted centre |
| flexible | windows by strength and τ |
| in windows | flexible, which learnt the second half of its training in windows |
| target | the share that the paper left out, at a cost of at most half a BLEU |

An unknown word, `<unk>`, counts as one word. Beam search compares hypotheses by the mean log p of a
word (`--decoding.length-exponent 1`), but for documents.

All systems of a table learnt equally long where it does not say otherwise, by one recipe, which has
no setting of a corpus.
"""
EARLIER = """## Measured by the earlier recipe

Networks learn with Muon today. What follows was measured when all learnt with Adam, and attention
was led along the diagonal. Networks learnt less then: English–Japanese subwords had 27.58 BLEU on
characters. No number of it compares with one above. The commands that are kept with the records
give today's settings. `python -m experiments.train_missing` trains what is missing.
"""
LAST = """## What is not here

The sizes of the paper are not here, because no accelerator was at hand for long enough. Some
systems are in no table. `python -m experiments.systems` trains them for 200 steps, resumes them and
decodes with them.
"""


def page(parts: Sequence[Part], earlier: Sequence[str]) -> str:
    """What was found, then each part. earlier: parts as they were written."""
    findings = bullets(finding for part in parts for finding in part.findings)
    in_short = ["## In short", "", *findings, ""] if findings else []
    today = [part.markdown() for part in parts]
    return "\n".join([FIRST, *in_short, *today, *([EARLIER] if earlier else []), *earlier, LAST])


def measured_parts() -> list[Part]:
    """Those of which nothing is missing that they need."""
    modules = (import_module(f"experiments.{name}") for name in PARTS)
    needed = {module: getattr(module, "NEEDED", module.WANTED) for module in modules}
    return [m.part() for m, wanted in needed.items() if all(one.is_recorded() for one in wanted)]


def write_report(folder: Path = STUDY):
    """Writes every part of which nothing is missing, and the page, into the folder."""
    parts = measured_parts()
    for part in parts:
        write_part(part, folder)
    stored = [STUDY / f"{name}.md" for name in PARTS if name not in {part.name for part in parts}]
    earlier = [path.read_text(encoding="utf-8") for path in stored if path.exists()]
    write(folder / "REPORT.md", page(parts, earlier))
    print(folder / "REPORT.md")


if __name__ == "__main__":
    if os.environ.get("FA_JAX_STUDY") != "stored":
        modules = [import_module(f"experiments.{name}") for name in PARTS]
        train_and_measure(one for module in modules for one in module.WANTED)
    write_report()
