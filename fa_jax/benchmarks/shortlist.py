"""What do a shortlist of words and a rounded output layer save, and what do they cost?

Beam search over the test set with trained word-level models, one of them with all the words that
the corpus has. Sides alternate after compilation; BLEU is of characters.
"""

import statistics
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from fa_jax.benchmarks import BENCHMARKS
from fa_jax.benchmarks.report import Headline, Report
from fa_jax.data.corpora import load_corpus
from fa_jax.decoding.shortlist import candidates
from fa_jax.errors import UserError
from fa_jax.evaluation.evaluate import evaluate
from fa_jax.run import Run, lexicon_of, load_run

TRAINING = {
    "runs/en-ja-words-40000": "fa-jax train en-ja --corpus tatoeba_en_ja --preset small-words "
    "--run runs/en-ja-words-40000 --data.source-vocabulary 40000 --data.target-vocabulary 40000 "
    "--training.epochs 1 --training.halve-from 1.5 --training.halve-every 0.125",
    "runs/tatoeba_en_ja-small-words": "fa-jax train en-ja --corpus tatoeba_en_ja "
    "--preset small-words --run runs/tatoeba_en_ja-small-words",
}
SHORTLIST = {"shortlist": 1000, "shortlist_translations": 20}
ROUNDED = {"output_dtype": "bfloat16"}
SIDES: dict[str, dict[str, Any]] = {
    "any": {},
    "any, bfloat16": ROUNDED,
    "1,000 and 20": SHORTLIST,
    "1,000 and 20, bfloat16": SHORTLIST | ROUNDED,
    "2,000 and 50": {"shortlist": 2000, "shortlist_translations": 50},
}
"""Words that may be written: frequent ones, and translations of each source word."""


def measure(rounds: int = 3) -> Report:
    """A row for each run and side.

    Raises:
      UserError: a trained run is not there.
    """
    for folder, command in TRAINING.items():
        if not Path(folder).exists():
            raise UserError(f"{folder} is not there. Train it: {command}")
    rows = [row for folder in TRAINING for row in _rows(load_run(folder), rounds)]
    large, trained = ([row for row in rows if row["run"] == folder] for folder in TRAINING)
    names = list(SIDES)
    headlines = [
        Headline(
            f"sentences a second with a shortlist ÷ without, {large[0]['vocabulary']:,} words",
            large[names.index("1,000 and 20")]["speed_to_any"],
            2,
            at_least=True,
        ),
        *(
            Headline(
                f"BLEU that the shortlist costs, {side[0]['vocabulary']:,} words",
                side[0]["bleu"] - side[names.index("1,000 and 20")]["bleu"],
                0.2,
            )
            for side in (large, trained)
        ),
    ]
    notes = [f"`{folder}`: `{command}`." for folder, command in TRAINING.items()]
    settings = {"beam": load_run(next(iter(TRAINING))).config.decoding.beam_size, "rounds": rounds}
    return Report("shortlist", BENCHMARKS["shortlist"], settings, rows, notes, headlines)


def _rows(run: Run, rounds: int) -> list[dict[str, Any]]:
    corpus = load_corpus(run.config.data.corpus, run.config.data.languages)
    pairs = list(corpus.test)
    lexicon = lexicon_of(run)
    sides = {name: replace(run.config.decoding, **changes) for name, changes in SIDES.items()}
    found, first_call, seconds = {}, {}, {name: [] for name in sides}
    for name, decoding in sides.items():
        began = time.perf_counter()
        found[name] = evaluate(run, pairs, decoding)
        first_call[name] = time.perf_counter() - began
    for _ in range(rounds):
        for name, decoding in sides.items():
            seconds[name].append(evaluate(run, pairs, decoding).scores["seconds"])
    median = {name: statistics.median(times) for name, times in seconds.items()}
    whole = found["any"].translations
    return [
        {
            "run": str(run.folder),
            "step": run.step,
            "vocabulary": len(run.target.vocabulary),
            "words": name,
            "words_a_sentence": _mean_length(run, pairs, lexicon, decoding),
            "speed_to_any": median["any"] / median[name],
            "sentences_a_second": len(pairs) / median[name],
            "bleu": found[name].scores["bleu_char"],
            "same_translations": float(
                np.mean([a == b for a, b in zip(found[name].translations, whole, strict=True)])
            ),
            "first_call_seconds": first_call[name],
        }
        for name, decoding in sides.items()
    ]


def _mean_length(run: Run, pairs, lexicon: np.ndarray, decoding) -> float:
    if not decoding.shortlist:
        return float(len(run.target.vocabulary))
    lexicon = lexicon[:, : decoding.shortlist_translations]
    sources = [np.array([run.source.encode(source)]) for source, _ in pairs]
    own = [
        (candidates(lexicon, s, np.array([s.size]), decoding.shortlist) > 0).sum() for s in sources
    ]
    return decoding.shortlist + float(np.mean(own))
