"""The study's runs: how each is trained, and what its translations scored.

What was measured is kept in results/runs/NAME.json and results/translations/NAME; what is kept
there is not measured again, so tables and figures are rebuilt without training. Remove a file to
have its run measured anew.
"""

import json
import math
import subprocess
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from fa_jax.data.corpora import load_corpus
from fa_jax.evaluation.evaluate import evaluate
from fa_jax.evaluation.selection import THRESHOLDS, Candidate, choose
from fa_jax.run import load_run, write_json
from fa_jax.training.metrics import read_metrics

HERE = Path(__file__).parent
RESULTS = HERE / "results"
RUNS = Path("runs")
LANGUAGES = {"tatoeba_en_ja": "en-ja", "bible_de_en": "de-en"}
SWEEP = (0.3, 0.5, 0.8, 1.0, 1.2, 1.4, 1.6, 5.0, 8.0, math.inf)
"""Thresholds of VS Figure 3."""
EXAMPLES = 5
MINUTES = {"small-words": 12, "small-chars": 25, "small": 10}
"""To train one run on 2 cores; half as much to fine-tune it. Accelerators: not measured."""


@dataclass(frozen=True)
class Trained:
    """A run of the study. options: of `fa-jax train`, or of `fa-jax finetune` if it is fine-tuned,
    with a `variant` in the run's name."""

    corpus: str
    preset: str
    seed: int = 0
    finetuned: bool = False
    variant: str = ""
    options: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        seed = f"-seed{self.seed}" if self.seed else ""
        variant = f"-{self.variant}" if self.variant else ""
        return f"{self.corpus}-{self.preset}{seed}{'-finetuned' if self.finetuned else ''}{variant}"

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
                f"runs/{self.base.name}",
                "--run",
                f"runs/{self.name}",
                *self.options,
            ]
        seed = ["--training.seed", str(self.seed)] if self.seed else []
        return [
            *("train", LANGUAGES[self.corpus], "--corpus", self.corpus),
            *("--preset", self.preset, "--run", f"runs/{self.name}", *seed, *self.options),
        ]

    @property
    def minutes(self) -> float:
        """To train it on 2 cores; NaN where that was not measured."""
        size = next((size for size in MINUTES if self.preset.startswith(size)), None)
        return MINUTES.get(size, math.nan) / (2 if self.finetuned else 1)


def measured(
    trained: Trained,
    validation: Iterable[float] = (math.inf,),
    test: Iterable[float] = (math.inf,),
) -> dict[str, Any]:
    """What a run's translations scored, `record["test"]["1.2"]`; measures what is missing.

    validation, test: the thresholds that each set is decoded at. Of the test set the translations
    are kept, too.
    """
    path = RESULTS / "runs" / f"{trained.name}.json"
    record = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    missing = [
        (split, threshold)
        for split, thresholds in (("validation", validation), ("test", test))
        for threshold in thresholds
        if f"{threshold:g}" not in record.get(split, {})
    ]
    if not missing:
        return record
    train(trained)
    run = load_run(RUNS / trained.name)
    corpus = load_corpus(run.config.data.corpus, run.config.data.languages)
    record |= {"command": "fa-jax " + " ".join(trained.command), "training": _training(trained)}
    for split, threshold in missing:
        pairs = list(getattr(corpus, split))
        found = evaluate(run, pairs, replace(run.config.decoding, threshold=threshold))
        scores = {name: value for name, value in found.scores.items() if name != "seconds"}
        record.setdefault(split, {})[f"{threshold:g}"] = scores
        print(f"{trained.name}, {split}, threshold {threshold:g}: BLEU {scores['bleu']:.2f}, "
              f"window {scores['window']:.2f}", file=sys.stderr, flush=True)  # fmt: skip
        if split == "test":
            kept = _translations(trained, threshold)
            kept.parent.mkdir(parents=True, exist_ok=True)
            kept.write_text("".join(f"{t}\n" for t in found.translations), encoding="utf-8")
            record["examples"] = [
                {"source": source, "reference": reference, "translation": translation}
                for (source, reference), translation in zip(
                    pairs[:EXAMPLES], found.translations, strict=False
                )
            ]
        path.parent.mkdir(parents=True, exist_ok=True)
        write_json(path, record)
    return record


def write_part(name: str, lines: Iterable[str]):
    """results/NAME.md, a part of the report."""
    (RESULTS / f"{name}.md").write_text("\n".join(lines), encoding="utf-8")


def translations(trained: Trained, threshold: float) -> list[str]:
    """Of the test set."""
    return _translations(trained, threshold).read_text(encoding="utf-8").splitlines()


def train(trained: Trained):
    """To its end; goes on where it was stopped."""
    if (RUNS / trained.name / "test.json").exists():
        return
    if trained.finetuned:
        train(trained.base)
    print(
        f"training {trained.name}: fa-jax {' '.join(trained.command)}", file=sys.stderr, flush=True
    )
    subprocess.run([sys.executable, "-m", "fa_jax", *trained.command], check=True)


def announce(runs: Sequence[Trained]):
    """Says what is missing and what it will cost, before it starts."""
    missing = [
        run for run in runs
        if not (RESULTS / "runs" / f"{run.name}.json").exists()
        and not (RUNS / run.name / "test.json").exists()
    ]  # fmt: skip
    if missing:
        minutes = sum(run.minutes for run in missing)
        cost = (
            "an unknown time" if math.isnan(minutes) else f"about {minutes:.0f} minutes on 2 cores"
        )
        names = ", ".join(run.name for run in missing)
        print(
            f"{len(missing)} runs are to be trained, {cost}: {names}", file=sys.stderr, flush=True
        )


def selected(trained: Trained) -> float:
    """The threshold of the smallest window that loses at most 0.5 development BLEU (VS 5.2)."""
    validation = measured(trained, validation=(*THRESHOLDS, math.inf))["validation"]
    candidates = [
        Candidate("", threshold, *(validation[f"{threshold:g}"][k] for k in ("bleu", "window")))
        for threshold in (*THRESHOLDS, math.inf)
    ]
    return choose(candidates, validation["inf"]["bleu"]).threshold


def _translations(trained: Trained, threshold: float) -> Path:
    return RESULTS / "translations" / trained.name / f"test.{threshold:g}.txt"


def _training(trained: Trained) -> list[dict[str, float]]:
    """Validation scores, and the loss and strength of a row in every fifty."""
    rows = read_metrics(RUNS / trained.name)
    losses = [row for row in rows if "loss" in row]
    kept = losses[:: max(1, len(losses) // 50)]
    keys = ("step", "loss", "strength", "validation_bleu")
    chosen = sorted([*kept, *(r for r in rows if "validation_bleu" in r)], key=lambda r: r["step"])
    return [{key: round(row[key], 4) for key in keys if key in row} for row in chosen]
