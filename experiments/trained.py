"""The study's runs: how each is trained, and what its translations scored.

What was measured is kept in results/runs/NAME.json and results/translations/NAME; what is kept
there is not measured again, so tables and figures are rebuilt without training. A run that is
trained anew is measured anew.
"""

import json
import math
import os
import subprocess
import sys
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from fa_jax.data.corpora import load_corpus
from fa_jax.evaluation.evaluate import evaluate
from fa_jax.evaluation.selection import THRESHOLDS, Candidate, choose
from fa_jax.run import as_json, load_run, write_text
from fa_jax.training.metrics import read_metrics

HERE = Path(__file__).parent
REPOSITORY = HERE.parent
RESULTS = HERE / "results"
RUNS = REPOSITORY / "runs"
LANGUAGES = {"tatoeba_en_ja": "en-ja", "bible_de_en": "de-en"}
TITLES = {"tatoeba_en_ja": "English–Japanese", "bible_de_en": "German–English"}
SWEEP = (0.3, 0.5, 0.8, 1.0, 1.2, 1.4, 1.6, 5.0, 8.0, math.inf)
"""Thresholds of VS Figure 3."""
MINUTES = {"small-chars": 45, "small": 15}
"""To train one run of a size on 2 cores, the longest name first; half as much to fine-tune it,
or with HALF. Accelerators: not measured."""
PARTS_OF_A_MODEL = ("embedding", "encoder", "decoder", "attention", "bottleneck")
HALF = tuple(option for part in PARTS_OF_A_MODEL for option in (f"--model.{part}-size", "128"))
"""Options: half the width of the small sizes, where many systems are compared."""


@dataclass(frozen=True)
class Trained:
    """A run of the study. options: of `fa-jax train`, or of `fa-jax finetune` if it is fine-tuned,
    with a `variant` in the run's name. replace_unknown: in its translations, through the alignment.
    """

    corpus: str
    preset: str
    seed: int = 0
    finetuned: bool = False
    variant: str = ""
    options: tuple[str, ...] = ()
    replace_unknown: bool = False

    @property
    def name(self) -> str:
        """Of what was measured."""
        return f"{self.run}{'-unk' if self.replace_unknown else ''}"

    @property
    def run(self) -> str:
        """Its folder's name."""
        seed = f"-seed{self.seed}" if self.seed else ""
        variant = f"-{self.variant}" if self.variant else ""
        return f"{self.corpus}-{self.preset}{seed}{'-finetuned' if self.finetuned else ''}{variant}"

    @property
    def languages(self) -> str:
        return LANGUAGES[self.corpus]

    @property
    def base(self) -> "Trained":
        """What a fine-tuned run starts from."""
        return replace(self, finetuned=False, variant="", options=())

    @property
    def command(self) -> list[str]:
        """Of `fa-jax`; given again, it resumes."""
        if self.finetuned:
            return [
                "finetune",
                f"runs/{self.base.run}",
                "--run",
                f"runs/{self.run}",
                *self.options,
            ]
        seed = ["--training.seed", str(self.seed)] if self.seed else []
        return [
            *("train", self.languages, "--corpus", self.corpus),
            *("--preset", self.preset, "--run", f"runs/{self.run}", *seed, *self.options),
        ]

    @property
    def minutes(self) -> float:
        """To train it on 2 cores."""
        minutes = next(cost for size, cost in MINUTES.items() if self.preset.startswith(size))
        cheaper = self.finetuned or self.options[: len(HALF)] == HALF
        return minutes / (2 if cheaper else 1)


def measured(
    trained: Trained,
    validation: Iterable[float] = (),
    test: Iterable[float] = (math.inf,),
) -> dict[str, Any]:
    """What a run's translations scored, `record["test"]["1.2"]`; measures what is missing.

    validation, test: the thresholds that each set is decoded at. Of the test set the translations
    are kept, too.
    """
    path = RESULTS / "runs" / f"{trained.name}.json"
    record = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    wanted = [("validation", t) for t in validation] + [("test", t) for t in test]
    if all(shown(t) in record.get(split, {}) for split, t in wanted):
        return record
    if not is_trained(trained):
        record = {}
    train(trained)
    run = load_run(RUNS / trained.run)
    corpus = load_corpus(run.config.data.corpus, run.config.data.languages)
    replaced = f"; fa-jax evaluate runs/{trained.run} --decoding.replace-unknown"
    command = "fa-jax " + " ".join(trained.command) + (replaced if trained.replace_unknown else "")
    record |= {"command": command, "training": _training(trained)}
    for split, threshold in wanted:
        if shown(threshold) in record.get(split, {}):
            continue
        pairs = list(getattr(corpus, split))
        changes = {"threshold": threshold, "replace_unknown": trained.replace_unknown}
        found = evaluate(run, pairs, replace(run.config.decoding, **changes))
        scores = {name: value for name, value in found.scores.items() if name != "seconds"}
        print(f"{trained.name}, {split}, threshold {threshold:g}: BLEU {scores['bleu']:.2f}, "
              f"window {scores['window']:.2f}", file=sys.stderr, flush=True)  # fmt: skip
        if split == "test":
            write(_translations(trained, threshold), "".join(f"{t}\n" for t in found.translations))
        record.setdefault(split, {})[shown(threshold)] = scores
        write(path, as_json(record, indent=2) + "\n")
    return record


def shown(threshold: float) -> str:
    """A threshold's name in records and files: `1.2`, `inf`."""
    return f"{threshold:g}"


def saved(scores: dict[str, Any]) -> float:
    """Share of the positions that were not scored, of those that the same calls could have."""
    return 1 - scores["window"] / scores["source_length"]


def write(path: Path, text: str):
    """A file of results, in a folder that may be new."""
    path.parent.mkdir(parents=True, exist_ok=True)
    write_text(path, text)


def write_part(name: str, lines: Iterable[str]):
    """results/NAME.md, a part of the report."""
    write(RESULTS / f"{name}.md", "\n".join(lines))


def translations(trained: Trained, threshold: float) -> list[str]:
    """Of the test set."""
    return _translations(trained, threshold).read_text(encoding="utf-8").splitlines()


def is_trained(trained: Trained) -> bool:
    """To its end."""
    return (RUNS / trained.run / "test.json").exists()


def train(trained: Trained):
    """To its end; goes on where it was stopped.

    Raises:
      SystemExit: FA_JAX_STUDY=stored is set, so that nothing is to be trained.
    """
    if is_trained(trained):
        return
    if os.environ.get("FA_JAX_STUDY") == "stored":
        raise SystemExit(
            f"{trained.name}: results/ does not hold all that is asked of it, and "
            "FA_JAX_STUDY=stored forbids to train it; unset it, or ask for less"
        )
    if trained.finetuned:
        train(trained.base)
    command = [sys.executable, "-m", "fa_jax", *trained.command]
    print(f"training {trained.run}: {' '.join(command[2:])}", file=sys.stderr, flush=True)
    subprocess.run(command, check=True, cwd=REPOSITORY)


def announce(runs: Iterable[Trained]):
    """Says which runs are missing and what they will cost, before they are trained."""
    missing = {}
    for run in runs:
        if not (RESULTS / "runs" / f"{run.name}.json").exists():
            of = [run.base, run] if run.finetuned else [run]
            missing |= {needed.run: needed for needed in of if not is_trained(needed)}
    if missing:
        minutes = sum(run.minutes for run in missing.values())
        cost = f"about {minutes:.0f} minutes on 2 cores, and half as long to decode"
        names = ", ".join(missing)
        print(
            f"{len(missing)} runs are to be trained, {cost}: {names}", file=sys.stderr, flush=True
        )


def selected(trained: Trained) -> float:
    """The threshold of the smallest window that loses at most 0.5 development BLEU against the same
    run's τ = ∞ (VS 5.2)."""
    validation = measured(trained, (*THRESHOLDS, math.inf), ())["validation"]
    candidates = [
        Candidate("", threshold, *(validation[shown(threshold)][k] for k in ("bleu", "window")))
        for threshold in (*THRESHOLDS, math.inf)
    ]
    return choose(candidates, validation["inf"]["bleu"]).threshold


def windowed(trained: Trained) -> float:
    """The selected threshold, or the largest of those tried where none is good enough."""
    return min(selected(trained), max(THRESHOLDS))


def _translations(trained: Trained, threshold: float) -> Path:
    return RESULTS / "translations" / trained.name / f"test.{shown(threshold)}.txt"


def _training(trained: Trained) -> list[dict[str, float]]:
    """Validation scores, and the loss and strength of a row in every fifty."""
    rows = read_metrics(RUNS / trained.run)
    losses = [row for row in rows if "loss" in row]
    kept = losses[:: max(1, len(losses) // 50)]
    keys = ("step", "loss", "strength", "validation_bleu")
    chosen = sorted([*kept, *(r for r in rows if "validation_bleu" in r)], key=lambda r: r["step"])
    return [{key: round(row[key], 4) for key in keys if key in row} for row in chosen]
