"""A part of the report: a table or a figure, what it found, and how it is written down."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from experiments.measuring.folders import STUDY, write


@dataclass(frozen=True)
class Part:
    """What a module of the study publishes.

    name: of the module, and of the files in results/study. lines: Markdown, with the findings where
    they belong. notes: what a reader must know to read it, the last paragraph. findings: a sentence
    each, for the report's first page. figures: by file name, what draws it into a path.
    """

    name: str
    title: str
    lines: Sequence[str]
    notes: str
    findings: Sequence[str] = ()
    figures: Mapping[str, Callable[[Path], object]] = field(default_factory=dict)

    def markdown(self) -> str:
        """The whole part."""
        command = f"Command: `python -m experiments.{self.name}`."
        return "\n".join([f"## {self.title}", "", *self.lines, "", f"{self.notes} {command}", ""])


def write_part(part: Part, folder: Path = STUDY):
    """Its Markdown and its figures, into the folder."""
    write(folder / f"{part.name}.md", part.markdown())
    for name, draw in part.figures.items():
        draw(folder / f"{name}.png")


def rows_as_table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    """Markdown lines of a table."""
    lines = [f"| {' | '.join(cells)} |" for cells in (head, *rows)]
    return [lines[0], "|---" * len(head) + "|", *lines[1:]]


def bullets(findings: Iterable[str]) -> list[str]:
    """Markdown lines of a list."""
    return [f"- {finding}" for finding in findings]


def threshold_cell(threshold: float) -> str:
    """`1.2`, `∞`; to three digits."""
    return f"{threshold:.3g}".replace("inf", "∞")
