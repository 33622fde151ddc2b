"""results/study/REPORT.md: every table and figure of the study, from what was measured."""

from collections.abc import Sequence
from importlib import import_module
from pathlib import Path

from experiments.measuring.folders import STUDY, write
from experiments.measuring.wanted import train_and_measure
from experiments.tables.part import Part, bullets, write_part

PARTS = (
    "table1",
    "table2",
    "figure3",
    "table3",
    "figure1",
    "figure4",
    "questions",
    "betas",
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
Each has `WANTED`, what is to be measured for it, and `part()`, what that says."""
FIRST = """# Are adequate vision spans small here, too?

A *vision span*, or window, is the part of the source that attention scores at one step. Shu and
Nakayama (2017; VS below) made it small: they left out 56% (English–Japanese), 64% (German–English)
and 46% (characters) of the scores, at a cost of at most half a BLEU. This page asks their questions
of other text, with networks for 2 cores: 256 units, 10,000 words a language. So the numbers are
this size's, not the paper's.

`make experiments` writes this page anew from what was measured. It trains what was not.

| word | meaning here |
|---|---|
| strength, g(t) | how much distance from the last focus costs; the network chooses it, 0 to 1 |
| threshold, τ | a position is not scored if its penalty reaches τ; at τ = ∞ all are scored |
| global | attention to all positions |
| local-p | a window of fixed size around a predicted centre |
| flexible | windows by strength and τ |
| fine-tuned | flexible, which learnt the last quarter of its training in ordered windows |
| target | the share that the paper left out, at a cost of at most half a BLEU |

An unknown word, `<unk>`, counts as one word. Beam search compares hypotheses by the mean log p of a
word (`--decoding.length-exponent 1`), but for documents.

Tables 1 and 2, figures 1, 3 and 4, the questions, β and any text are by today's recipe, which has
no setting of a corpus. All systems of a table learnt equally long where it does not say otherwise.
An H200 trained those of Tables 1 and 2. The parts on documents, on finer scores and on the
neighbours' systems (Choi et al., Luong et al.) are by earlier versions; the commands kept with the
records give today's settings.
"""
LAST = """## What is not here

The sizes of the paper are not here, because no accelerator was at hand for long enough. Some
systems are in no table. `python -m experiments.systems` trains them for 200 steps, resumes them and
decodes with them.
"""


def page(parts: Sequence[Part]) -> str:
    """What was found, then each part."""
    findings = bullets(finding for part in parts for finding in part.findings)
    in_short = "\n".join(["## In short", "", *findings, ""])
    return "\n".join([FIRST, in_short, *(part.markdown() for part in parts), LAST])


def train_and_report(folder: Path = STUDY):
    """Writes every part and the page into the folder. Trains for hours where nothing is recorded.

    Raises:
      SystemExit: FA_JAX_STUDY=stored is set, and a record is missing.
    """
    modules = [import_module(f"experiments.{name}") for name in PARTS]
    train_and_measure(wanted for module in modules for wanted in module.WANTED)
    parts = [module.part() for module in modules]
    for part in parts:
        write_part(part, folder)
    write(folder / "REPORT.md", page(parts))
    print(folder / "REPORT.md")


if __name__ == "__main__":
    train_and_report()
