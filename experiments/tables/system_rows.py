"""Tables of systems that differ in one thing each: what the thing is worth in BLEU."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from experiments.measuring.kept_translations import SAMPLES, p_value
from experiments.measuring.records import recorded
from experiments.measuring.study_run import HALF, UNITS, Changes, StudyRun
from experiments.tables.part import Part, bullets, rows_as_table

CORPUS = "tatoeba_en_ja"
HEAD = ("system", "BLEU", "compared with", "gain", "p", "RIBES", "paper: BLEU", "paper: gain")


@dataclass(frozen=True)
class System:
    """A row. against: the name of the row that it adds to; paper: its BLEU, English–German."""

    name: str
    run: StudyRun
    paper: float
    against: str = ""


def half(preset: str, variant: str = "", changes: Mapping[str, Any] | None = None) -> StudyRun:
    """Of half the width. changes: of its model, beside the width."""
    named = f"half-{variant}" if variant else "half"
    both: Changes = {"model": {**HALF["model"], **(changes or {})}}
    return StudyRun(CORPUS, preset, variant=named, changes=both)


def systems_part(name: str, title: str, paper: str, systems: Sequence[System], notes: str) -> Part:
    """A row for each system. paper: its authors; the finding compares each gain with theirs."""
    by_name = {row.name: row for row in systems}
    rows, gains = [], []
    for row in systems:
        scores = recorded(row.run)
        gain, p, theirs = "", "", ""
        if row.against:
            reference = by_name[row.against]
            difference = scores["bleu"] - recorded(reference.run)["bleu"]
            gain = f"{round(difference, 2) + 0.0:+.2f}"  # + 0.0: no "-0.00"
            p = f"{p_value((reference.run, math.inf), (row.run, math.inf)):.3f}"
            theirs = f"{row.paper - reference.paper:+.2f}"
            gains.append(f"{row.name} {gain} ({theirs})")
        bleu, ribes = f"{scores['bleu']:.2f}", f"{scores['ribes']:.3f}"
        rows.append((row.name, bleu, row.against, gain, p, ribes, f"{row.paper:.2f}", theirs))
    findings = [
        f"**{paper}**: each part adds so much BLEU, and in brackets so much in the paper: "
        f"{', '.join(gains)}."
    ]
    lines = [
        *rows_as_table(HEAD, rows),
        "",
        f"English–Japanese, {scores['sentences']:,} test sentences, beam {scores['beam_size']}, "
        f"BLEU: sacrebleu `{scores['bleu_signature']}`. The networks have {UNITS} units, so "
        f"compare these numbers only with one another. *p*: paired bootstrap of {SAMPLES:,} "
        "samples. Each row is one training, and p does not know the noise of training.",
        "",
        *bullets(findings),
    ]
    return Part(name, title, lines, notes, findings)
