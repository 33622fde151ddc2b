"""Documents of the test set, translated in pieces of so many lines: what is left of each line."""

import itertools
import math
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from statistics import mean

import numpy as np
from jaxtyping import Int
from sacrebleu.metrics import BLEU, CHRF

from experiments.measuring.records import record_of, shown
from experiments.measuring.scores import Scores, keep
from experiments.measuring.study_run import StudyRun
from experiments.measuring.wanted import Wanted, train_or_load
from fa_jax.data.corpora import load_corpus
from fa_jax.decoding.search import average_window
from fa_jax.runs.search import search_lines

WHOLE = 10_000
"""Lines of a piece that is a whole document."""
PIECES = (1, 2, 4, 8, 16, 32, 64, WHOLE)


@dataclass(frozen=True)
class InPieces(Wanted):
    """threshold: None: the one that the run's windows were ordered with."""

    run: StudyRun
    threshold: float | None = math.inf
    pieces: tuple[int, ...] = PIECES

    def is_recorded(self) -> bool:
        return all(str(lines) in self.recorded for lines in self.pieces)

    @property
    def recorded(self) -> dict[str, dict[str, float]]:
        """By lines of a piece, what `_scores` found."""
        return record_of(self.run).get("pieces", {}).get(self._name, {})

    @property
    def _name(self) -> str:
        return "own" if self.threshold is None else shown(self.threshold)

    def train_and_measure(self):
        Scores(self.run, test=()).train_and_measure()
        run = train_or_load(self.run)
        threshold = self.threshold or run.config.decoding.threshold
        decoding = replace(run.config.decoding, threshold=threshold)
        pairs = load_corpus(run.config.data.corpus, run.config.data.languages).test
        sources, references = zip(*pairs, strict=True)
        documents = pairs.documents()
        for lines in self.pieces:
            if str(lines) in self.recorded:
                continue
            ends = pieces_of(documents, lines)
            for _ in range(2):  # the first one compiles
                began = time.perf_counter()
                searched = search_lines([run], sources, decoding, documents=ends)
                seconds = time.perf_counter() - began
            written = [best for best, *_ in searched.texts()]
            found = {
                **scores(written, references, documents),
                "window": average_window(searched.results),
                "ms_a_word": seconds / sum(len(text.split()) for text in written) * 1e3,
            }
            print(self.run.name, self._name, lines, found, flush=True)
            record = record_of(self.run)
            record.setdefault("pieces", {}).setdefault(self._name, {})[str(lines)] = found
            keep(self.run, record)


def pieces_of(documents: Int[np.ndarray, " boundaries"], lines: int) -> Int[np.ndarray, " pieces"]:
    """Boundaries of pieces of at most so many lines, none of two documents together."""
    starts = [range(first, end, lines) for first, end in itertools.pairwise(documents.tolist())]
    return np.array([*itertools.chain.from_iterable(starts), documents[-1]])


def scores(
    written: Sequence[str], references: Sequence[str], documents: Int[np.ndarray, " boundaries"]
) -> dict[str, float]:
    """BLEU of lines and of documents, the words written for each of the references', and the share
    of lines that are translated.

    A line is translated where no other line of its document is more like its translation (chrF).
    """
    spans = list(itertools.pairwise(documents.tolist()))
    whole = [[" ".join(side[a:b]) for a, b in spans] for side in (written, references)]
    found = [is_best for a, b in spans for is_best in _found(written[a:b], references[a:b])]
    return {
        "bleu": BLEU().corpus_score(written, [references]).score,
        "document_bleu": BLEU().corpus_score(whole[0], [whole[1]]).score,
        "length": mean(len(text.split()) for text in written)
        / mean(len(text.split()) for text in references),
        "translated": mean(found),
    }


def _found(written: Sequence[str], references: Sequence[str]) -> list[bool]:
    metric = CHRF()
    return [
        metric.sentence_score(text, [own]).score
        >= max(metric.sentence_score(text, [other]).score for other in references)
        for text, own in zip(written, references, strict=True)
    ]
