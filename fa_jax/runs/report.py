"""A run as something to look at: a page, pictures, and the same pictures in TensorBoard."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

from fa_jax.config import Config
from fa_jax.config_file import attention_text, settings_of
from fa_jax.decoding.forced import SpanTrace
from fa_jax.decoding.local_devices import SMALLEST_BATCH
from fa_jax.errors import UserError
from fa_jax.evaluation.scores import shown_scores
from fa_jax.evaluation.selection import shown_in_windows
from fa_jax.pages.content import span_content, threshold_text
from fa_jax.runs.folder import check_own, read_scores
from fa_jax.runs.run import Run, check_run
from fa_jax.runs.search import search_lines
from fa_jax.training.metrics import read_metrics

SAMPLES = 5
"""Test sentences whose spans are shown."""
LOOKED_AT, READABLE = 50, 40
"""The samples are the first of so many test sentences that have at most so many tokens."""
SEARCHED = SMALLEST_BATCH + 1
"""Sentences that are searched together: as many as it takes to use the program that scored the test
set, which is compiled."""
CURVES = {
    "loss_per_token": "loss, nats a token",
    "strength": "mean strength g(t)",
    "learning_rate": "learning rate",
}
Json = dict[str, Any]
Sample = tuple[tuple[str, str], SpanTrace]
"""A test sentence and its reference, and what the run made of it."""


def report(run: Run, folder: str | Path | None = None) -> Path:
    """Writes `report.html`, `pictures` and TensorBoard's images of them: what a run is and does.

    The page has scores, BLEU against window, five test sentences with their spans, the course of
    the training and all settings. It is one file and needs no network. Where a file of the run or
    its corpus is not there, the page says so.

    Args:
      run: a trained run.
      folder: where to write; default: the run's own.

    Returns:
      The page.

    Raises:
      UserError: the run comes with fa_jax and no folder is given.
      OSError: the folder cannot be written.

    >>> page = fa_jax.report(fa_jax.load_run("runs/en-ja-small"))  # doctest: +SKIP
    """
    check_run(run)
    if folder is None:
        check_own(run.folder, "name another folder for its report")
    folder = Path(folder or run.folder)
    rows, scores = read_metrics(run.folder), read_scores(run.folder)
    samples, missing = [], []
    try:
        samples = sampled(run)
    except UserError as error:
        missing.append(f"There are no test sentences: {error}")
    if not scores:
        missing.append("There are no scores of the test set: the run's folder has no test.json.")
    if not rows:
        missing.append("There are no curves: the run's folder has no metrics.jsonl.")
    _draw(run, folder, rows, samples)
    from fa_jax.pages import write_page

    page, content = folder / "report.html", _content(run, rows, scores, samples)
    write_page(page, "report.html", REPORT=content | {"missing": missing})
    return page


def sampled(run: Run) -> list[Sample]:
    """Test sentences that are short enough to read, translated in windows. Raises UserError where
    the run's corpus is not there."""
    pairs = list(islice(run.pairs("test"), LOOKED_AT))
    lengths = {pair: len(run.source.encode(pair[0])) for pair in pairs}
    pairs.sort(key=lambda pair: lengths[pair] > READABLE)
    chosen = [pair for pair in pairs if lengths[pair]][:SEARCHED]
    decoding = replace(run.config.decoding, threshold=_samples_at(run.config))
    found = search_lines([run], [source for source, _ in chosen], decoding)
    shown = found.texts()[:SAMPLES]
    traces = found.spans([(text, [(line, 0)]) for line, (text, *_) in enumerate(shown)])
    return [*zip(chosen, traces, strict=False)]


def _draw(run: Run, folder: Path, rows: Sequence[Json], samples: Sequence[Sample]):
    """Pictures, and TensorBoard's images of them."""
    from PIL import Image
    from tensorboardX import SummaryWriter

    from fa_jax.plots import plot_spans, plot_training

    pictures = folder / "pictures"
    pictures.mkdir(parents=True, exist_ok=True)
    drawn = {}
    if rows:
        drawn["curves"] = pictures / "curves.png"
        plot_training(rows, drawn["curves"])
    for number, (_, trace) in enumerate(samples, start=1):
        path = drawn[f"spans/{number}"] = pictures / f"spans-{number}.png"
        plot_spans(trace, path, trace.translation)
    with SummaryWriter(str(folder / "events"), filename_suffix=".pictures") as events:
        for name, path in drawn.items():
            with Image.open(path) as picture:
                pixels = np.asarray(picture.convert("RGB"))
            events.add_image(name, pixels, run.step, dataformats="HWC")


def _content(run: Run, rows: list[Json], scores: Json, samples: Sequence[Sample]) -> Json:
    """What the page's script reads, but for what is missing."""
    own, training = run.config.decoding.threshold, run.config.training
    validation = f"validation_{training.best_by}"
    curves = CURVES | {validation: f"validation score (greedy, {training.best_by_words})"}
    return {
        "title": run.name,
        "about": f"{run.source.language} to {run.target.language}, "
        f"{attention_text(run.config.model.attention)}; checkpoint of step {run.step:,}, "
        f"{run.validated}.",
        "source": run.source.language,
        "target": run.target.language,
        "scores": _scores(list(scores.values()), own),
        "tradeoff": [
            (found["window"], found["bleu"], _threshold(found, own, " (own)"))
            for found in sorted(scores.values(), key=lambda found: found["window"])
        ],
        "drawn": _drawn_at(run.config),
        "samples": [
            {"source": source, "reference": reference, "trace": span_content(trace)}
            for (source, reference), trace in samples
        ],
        "curves": [
            {"title": title, "points": points, "dots": name == validation}
            for name, title in curves.items()
            if len(points := [(row["step"], row[name]) for row in rows if name in row]) > 0
        ],
        "settings": _settings(run.config),
    }


def _samples_at(config: Config) -> float:
    """Their threshold: the run's own, if it has narrow windows."""
    return min(shown_in_windows(config.training.learnt_threshold), config.decoding.threshold)


def _drawn_at(config: Config) -> str:
    own, drawn = config.decoding.threshold, _samples_at(config)
    if own == drawn:
        return f"They are drawn at the run's own threshold, τ = {threshold_text(own)}."
    return (
        f"They are drawn at the threshold τ = {threshold_text(drawn)}, with narrower windows than "
        f"at the run's own, {threshold_text(own)}."
    )


def _threshold(scores: Json, own: float, mark: str) -> str:
    """τ of these scores; marked if it is the run's own."""
    threshold = float(scores["threshold"])
    return f"τ = {threshold_text(threshold)}{mark if threshold == own else ''}"


def _scores(found: list[Json], own: float) -> Json:
    """A table: a row a threshold, with every metric, and the metrics' signatures.

    own: the run's threshold; its row is marked, and its number, from 0, is given.
    """
    shown = shown_scores(next(iter(found), {}))
    rows = [
        [
            _threshold(scores, own, ", the run's own"),
            *(text for text, _ in shown_scores(scores).values()),
            f"{scores['window']:.2f} of {scores['source_length']:.2f}",
            f"{1 - scores['window'] / max(scores['source_length'], 1e-9):.0%}",
            f"{scores['beam_size']}",
            f"{scores['sentences']:,}",
        ]
        for scores in found
    ]
    return {
        "heads": ["threshold", *shown, "window", "not scored", "beam", "sentences"],
        "rows": rows,
        "own": next((n for n, one in enumerate(found) if float(one["threshold"]) == own), None),
        "signatures": [f"{label}: {how}" for label, (_, how) in shown.items() if how],
    }


def _settings(config: Config) -> list[tuple[str, list[tuple[str, str]]]]:
    """Each section's settings, by their names on the command line."""
    sections: dict[str, list[tuple[str, str]]] = {}
    for name, value in settings_of(config).items():
        section, _, rest = name.partition(".")
        if rest:
            text = threshold_text(value) if isinstance(value, float) else str(value)
            sections.setdefault(section, []).append((rest.replace("_", "-"), text))
    return [*sections.items()]
