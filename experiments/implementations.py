"""Do windowed and dense attention translate alike? Token for token, the test sets of all corpora.

Both are exact and differ in rounding alone, so that two hypotheses of equal scores may change
places. Bible chapters are read verse by verse, by the run that was trained on verses.
"""

from dataclasses import replace
from itertools import chain, islice

from experiments.benchmarks.report import Headline, Report
from experiments.measuring.benchmark import measure_and_publish
from experiments.measuring.study_run import LANGUAGES, StudyRun
from experiments.measuring.wanted import train_or_load
from fa_jax.data.corpora import load_corpus
from fa_jax.decoding.search import average_window
from fa_jax.runs.run import Run, load_run
from fa_jax.runs.search import search_lines

THRESHOLDS = (float("inf"), 1.2)
BIBLE = StudyRun("bible_de_en", "small")
TRAINED = {
    "tatoeba_en_ja": "en-ja",
    "tatoeba_de_en": StudyRun("tatoeba_de_en", "small", pairs=5_000),
    "bible_de_en": BIBLE,
    "bible_de_en_chapters": BIBLE,
}
"""The run of each corpus: a name is one that comes with fa_jax. A sample is enough to ask this."""


def measure(sentences: int = 1000) -> Report:
    """A row for each corpus and threshold. sentences: of the test set, then of the training set."""
    rows = []
    for corpus, trained in TRAINED.items():
        run = load_run(trained) if isinstance(trained, str) else train_or_load(trained)
        text = load_corpus(corpus, LANGUAGES[corpus])
        sources = [source for source, _ in islice(chain(text.test, text.train), sentences)]
        rows += [{"corpus": corpus, **_row(run, sources, threshold)} for threshold in THRESHOLDS]
    return Report(
        "implementations",
        {"sentences": sentences},
        rows,
        headlines=[
            Headline(
                f"{row['corpus']}, τ = {row['threshold']:g}, share of sentences alike",
                row["alike"],
                1.0,
                at_least=True,
            )
            for row in rows
        ],
        question="do windowed and dense attention translate alike, token for token?",
        command="python -m experiments.implementations",
    )


def _row(run: Run, lines: list[str], threshold: float) -> dict[str, float]:
    decoding = replace(run.config.decoding, threshold=threshold)
    windowed, dense = (
        search_lines([run], lines, replace(decoding, implementation=implementation))
        for implementation in ("windowed", "dense")
    )
    words = [[result.hypotheses[0].words for result in side.results] for side in (windowed, dense)]
    return {
        "threshold": threshold,
        "tokens": float(windowed.source_lengths.mean()),
        "window": average_window(windowed.results),
        "alike": sum(a == b for a, b in zip(*words, strict=True)) / len(lines),
    }


if __name__ == "__main__":
    measure_and_publish(measure)
