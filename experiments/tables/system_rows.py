"""Tables of systems that differ in one thing each: what the thing is worth in BLEU."""

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from experiments.measuring.kept_translations import SAMPLES, p_value
from experiments.measuring.records import recorded
from experiments.measuring.study_run import HALF, UNITS, Changes, StudyRun

CORPUS = "tatoeba_en_ja"


@dataclass(frozen=True)
class System:
    """A row. paper: its BLEU there. against: the row that it adds to."""

    name: str
    run: StudyRun
    paper: float
    against: "System | None" = None


@dataclass(frozen=True)
class Gain:
    """What a row has more than the row that it adds to. bleu: of the test set. p: of a paired
    bootstrap. paper: the same there."""

    bleu: float
    p: float
    paper: float


COMPARED = ("compared with", "gain", "p", "paper: gain")
"""Head of what `compared` says."""


def compared(row: System) -> tuple[str, ...]:
    """Cells: the row that it adds to, and what it gains; empty ones if it adds to none."""
    if row.against is None:
        return ("",) * len(COMPARED)
    found = gain(row)
    return (row.against.name, signed(found.bleu), f"{found.p:.3f}", signed(found.paper))


def gain(row: System) -> Gain:
    """Over the row that it adds to, which the first row of a table does not have."""
    runs = (row.against.run, row.run)
    before, after = (recorded(run)["bleu"] for run in runs)
    p = p_value(*((run, math.inf) for run in runs))
    return Gain(after - before, p, row.paper - row.against.paper)


def gains_in_words(systems: Iterable[System]) -> Iterator[str]:
    """`AttY +1.18 (+0.63)`: BLEU here, and in brackets in the paper."""
    for row in systems:
        if row.against:
            found = gain(row)
            yield f"{row.name} {signed(found.bleu)} ({signed(found.paper)})"


def signed(difference: float) -> str:
    """Two digits, never -0.00."""
    return f"{round(difference, 2) + 0.0:+.2f}"


def half(
    preset: str, variant: str = "", changes: Mapping[str, Any] | None = None, corpus: str = CORPUS
) -> StudyRun:
    """Of half the width. changes: of its model, beside the width."""
    named = f"half-{variant}" if variant else "half"
    both: Changes = {"model": {**HALF["model"], **(changes or {})}}
    return StudyRun(corpus, preset, variant=named, changes=both)


def scored_how(run: StudyRun) -> str:
    """Sentences, BLEU, width and what p is, of a table with such runs."""
    scores = recorded(run)
    return (
        f"{scores['sentences']:,} test sentences, beam {scores['beam_size']}, BLEU: sacrebleu "
        f"`{scores['bleu_signature']}`. "
        f"The networks have {UNITS} units, so compare these numbers only with one another. *p*: "
        f"paired bootstrap of {SAMPLES:,} samples. Each row is one training, and p does not know "
        "the noise of training."
    )
