"""What does a shortlist of words save where the vocabulary is large, and what does it cost?

Beam search with a trained word-level model of 40,000 words (all that the corpus has) over the test
set, writing any word or those of the shortlist; both sides alternate after compilation.
"""

import shlex
import statistics
import time
from dataclasses import replace
from pathlib import Path

import numpy as np

from fa_jax.benchmarks import BENCHMARKS
from fa_jax.benchmarks.report import Headline, Report
from fa_jax.data.corpora import load_corpus
from fa_jax.decoding.shortlist import candidates
from fa_jax.errors import UserError
from fa_jax.evaluation.evaluate import evaluate
from fa_jax.run import lexicon_of, load_run

RUN = Path("runs/en-ja-words-40000")
TRAINING = (
    f"fa-jax train en-ja --preset small-words --run {RUN} --data.source-vocabulary 40000 "
    "--data.target-vocabulary 40000 --training.epochs 1 --training.halve-from 1.5 "
    "--training.halve-every 0.125"
)
SHORTLISTS = {"1,000 and 20": (1000, 20), "500 and 10": (500, 10), "2,000 and 50": (2000, 50)}
"""Frequent words, and translations a source word. The first is what the headline is about."""


def measure(rounds: int = 3) -> Report:
    """A row for each shortlist.

    Raises:
      UserError: the trained run is not there.
    """
    if not RUN.exists():
        raise UserError(f"{RUN} is not there. Train it: {shlex.join(shlex.split(TRAINING))}")
    run = load_run(RUN)
    corpus = load_corpus(run.config.data.corpus, run.config.data.languages)
    pairs = list(corpus.test)
    vocabulary = len(run.target.vocabulary)
    lexicon = lexicon_of(run)
    sides = {"any": run.config.decoding} | {
        name: replace(run.config.decoding, shortlist=frequent, shortlist_translations=own)
        for name, (frequent, own) in SHORTLISTS.items()
    }
    seconds = {name: [] for name in sides}
    found, compilation = {}, {}
    for name, decoding in sides.items():
        began = time.perf_counter()
        found[name] = evaluate(run, pairs, decoding)
        compilation[name] = time.perf_counter() - began
    for _ in range(rounds):
        for name, decoding in sides.items():
            seconds[name].append(evaluate(run, pairs, decoding).scores["seconds"])
    median = {name: statistics.median(times) for name, times in seconds.items()}
    whole = found["any"]
    rows = [
        {
            "frequent_and_own": name,
            "words_a_sentence": _mean_length(run, pairs, lexicon, *SHORTLISTS[name]),
            "speed_to_any": median["any"] / median[name],
            "sentences_a_second": len(pairs) / median[name],
            "bleu_char": found[name].scores["bleu_char"],
            "bleu_char_of_any": whole.scores["bleu_char"],
            "same_translations": float(
                np.mean([a == b for a, b in zip(*_texts(found[name], whole), strict=True)])
            ),
            "first_call_seconds": compilation[name],
        }
        for name in SHORTLISTS
    ]
    settings = {"vocabulary": vocabulary, "beam": run.config.decoding.beam_size, "rounds": rounds}
    first = rows[0]
    headlines = [
        Headline("sentences a second with a shortlist ÷ without", first["speed_to_any"], 2, True),
        Headline(
            "BLEU that the shortlist costs", first["bleu_char_of_any"] - first["bleu_char"], 0.2
        ),
    ]
    notes = [f"The model: `{TRAINING}`."]
    return Report("shortlist", BENCHMARKS["shortlist"], settings, rows, notes, headlines)


def _texts(*evaluations) -> list[list[str]]:
    return [evaluation.translations for evaluation in evaluations]


def _mean_length(run, pairs, lexicon: np.ndarray, frequent: int, own: int) -> float:
    sources = [run.source.encode(source) for source, _ in pairs]
    lengths = [
        (candidates(lexicon[:, :own], np.array([s]), np.array([len(s)]), frequent) > 0).sum()
        for s in sources
    ]
    return frequent + float(np.mean(lengths))
