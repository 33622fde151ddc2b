"""VS Figure 4: vision spans of six long sentences of the German–English development set."""

from experiments.measuring.study_run import StudyRun
from experiments.measuring.traces import Traces
from experiments.measuring.wanted import train_and_measure
from experiments.pictures import plot_span_grid
from experiments.tables.part import Part, write_part

RUN = StudyRun("bible_de_en", "small-words")
TRACES = Traces("figure4", RUN, lengths=range(22, 27), count=6)
WANTED = [TRACES]


def part() -> Part:
    """The figure, from recorded traces."""
    figures = {"figure4": lambda path: plot_span_grid(TRACES.recorded(), path)}
    title = "Figure 4: vision spans of long sentences"
    notes = "Six sentences of the German–English development set."
    return Part("figure4", title, ["![figure4](figure4.png)"], notes, figures=figures)


if __name__ == "__main__":
    train_and_measure(WANTED)
    write_part(part())
