"""What do a shortlist of words and a rounded output layer save, and what do they cost?

Beam search over the test set with trained word-level models, one of them with all the words that
the corpus has. Sides alternate after compilation; BLEU is of characters.
"""

import statistics
from dataclasses import replace
from operator import eq
from pathlib import Path
from typing import Any

from experiments.benchmarks.report import Headline, Report
from experiments.measuring.benchmark import measure_and_publish
from fa_jax.errors import UserError
from fa_jax.runs.evaluate import evaluate
from fa_jax.runs.run import Run, load_run

TRAINING = {
    "runs/en-ja-words-40000": "fa-jax train en-ja --corpus tatoeba_en_ja --preset small-words "
    "--run runs/en-ja-words-40000 --data.source-vocabulary 40000 --data.target-vocabulary 40000 "
    "--training.epochs 1",
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

    rounds: times that each side translates the test set.

    Raises:
      UserError: a trained run is not there.
    """
    for folder, command in TRAINING.items():
        if not Path(folder).exists():
            raise UserError(f"{folder} is not there. Train it: {command}")
    rows = [row for folder in TRAINING for row in _rows(load_run(folder), rounds)]
    large, trained = ([row for row in rows if row["run"] == folder] for folder in TRAINING)
    short = list(SIDES).index("1,000 and 20")
    headlines = [
        Headline(
            f"sentences a second with a shortlist ÷ without, {large[0]['vocabulary']:,} words",
            large[short]["speed_to_any"],
            2,
            at_least=True,
        ),
        *(
            Headline(
                f"BLEU that the shortlist costs, {side[0]['vocabulary']:,} words",
                side[0]["bleu"] - side[short]["bleu"],
                0.2,
            )
            for side in (large, trained)
        ),
    ]
    notes = [f"`{folder}`: `{command}`." for folder, command in TRAINING.items()]
    return Report(
        "shortlist",
        {"rounds": rounds},
        rows,
        notes,
        headlines,
        question="what does a shortlist of words save of 40,000?",
        command="python -m experiments.shortlist",
    )


def _rows(run: Run, rounds: int) -> list[dict[str, Any]]:
    _ = run.lexicon  # learnt before the clock starts
    sides = {name: replace(run.config.decoding, **changes) for name, changes in SIDES.items()}
    found = {name: evaluate(run, decoding=decoding) for name, decoding in sides.items()}
    seconds = {name: [] for name in sides}
    for _ in range(rounds):
        for name, decoding in sides.items():
            seconds[name].append(evaluate(run, decoding=decoding).scores["seconds"])
    median = {name: statistics.median(times) for name, times in seconds.items()}
    any_word = found["any"].translations
    return [
        {
            "run": str(run.folder),
            "step": run.step,
            "vocabulary": len(run.target.vocabulary),
            "words": name,
            "speed_to_any": median["any"] / median[name],
            "sentences_a_second": len(any_word) / median[name],
            "bleu": found[name].scores["bleu_char"],
            "same_translations": statistics.mean(map(eq, found[name].translations, any_word)),
            "first_call_seconds": found[name].scores["seconds"],
        }
        for name in sides
    ]


if __name__ == "__main__":
    measure_and_publish(measure)
