"""VS Figure 1b: the vision span of each step of one English–Japanese translation."""

from experiments.measuring.study_run import StudyRun
from experiments.measuring.traces import Traces
from experiments.measuring.wanted import train_and_measure
from experiments.tables.part import Part, write_part
from fa_jax.plots import plot_spans

RUN = StudyRun("tatoeba_en_ja", "small-words")
TRACES = Traces("figure1", RUN, lengths=range(12, 15), count=1)
WANTED = [TRACES]


def part() -> Part:
    """The figure, from recorded traces."""
    (found,) = TRACES.recorded()
    figures = {"figure1": lambda path: plot_spans(found, path, found.translation)}
    notes = (
        "A sentence of the development set, translated by Table 1's run that learnt in windows. "
        "Each row is a step. The band is the window, the squares are weights, the dot is the "
        "focus. On the right is g(t). A line of several sentences is translated one sentence "
        "after the other."
    )
    lines = ["![figure1](figure1.png)"]
    return Part("figure1", "Figure 1: a vision span", lines, notes, figures=figures)


if __name__ == "__main__":
    train_and_measure(WANTED)
    write_part(part())
