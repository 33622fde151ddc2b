"""Translates a split with a run, and scores it."""

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from jaxtyping import Int

from fa_jax.config import DecodingConfig
from fa_jax.data.given import checked_pairs
from fa_jax.decoding.forced import trace_translations
from fa_jax.decoding.search import average_window
from fa_jax.errors import UserError
from fa_jax.evaluation.scores import checked_metrics, score_translations
from fa_jax.evaluation.selection import shown_in_windows
from fa_jax.runs.folder import check_own, write_json
from fa_jax.runs.run import Run, check_run, ensemble
from fa_jax.runs.search import search_lines
from fa_jax.terminal import progress_bar


@dataclass(frozen=True)
class Evaluation:
    """scores: what `test.json` holds. translations: one a pair, as people write them.

    pairs: source and reference texts.
    """

    scores: dict[str, float | int | str]
    translations: list[str]
    pairs: list[tuple[str, str]]


def evaluate(
    run: Run | Sequence[Run],
    split: str = "test",
    decoding: DecodingConfig | None = None,
    *,
    pairs: Sequence[tuple[str, str]] | None = None,
    metrics: Sequence[str] | None = None,
) -> Evaluation:
    """Beam search over the sources of a split or of your own pairs, scored against their targets.

    Args:
      run: one, or several of one target vocabulary: an ensemble.
      split: of the (first) run's corpus: "test", "validation" or "train". Runs that were trained on
        documents read them whole; scores are of their lines all the same.
      decoding: default: the (first) run's own.
      pairs: source and target texts, in place of a split.
      metrics: names of those to score by, such as "bleu"; default: all.

    Returns:
      Scores, translations and pairs. Among the scores, `window` is score evaluations ÷ attention
      calls, in source tokens. `source_length` is the same at τ = ∞: each call scores the whole
      sentence then. So `window` ÷ `source_length` is the share that was scored.
      `mean_source_tokens` is the mean length over sentences. `seconds` is the time of translating,
      compilation included. JAX's hosts, if there are several, must all call this: each searches
      its share, and all have the results.

    Raises:
      UserError: no such split, no pairs of texts, or runs that do not go together.

    >>> run = fa_jax.load_run("en-ja")
    >>> evaluation = fa_jax.evaluate(run, pairs=[("I like cats.", "私は猫が好きです。")])
    >>> evaluation.scores["sentences"], len(evaluation.translations)
    (1, 1)
    """
    runs, metrics = ensemble(run), checked_metrics(metrics)
    decoding = decoding or runs[0].config.decoding
    title = f"{'pairs' if pairs else split}, threshold {decoding.threshold:.3g}"
    texts, references, documents = _sides(runs[0], split, pairs)
    began = time.perf_counter()
    with progress_bar(title, len(texts)) as bar:
        found = search_lines(
            runs, texts, decoding, documents=documents, progress=bar.update, on_all_hosts=True
        )
    translations = [best for best, *_ in found.texts()]
    seconds = time.perf_counter() - began
    return Evaluation(
        scores={
            **score_translations(translations, references, runs[0].target.language, metrics),
            "window": average_window(found.results),
            "source_length": found.source_length,
            "mean_source_tokens": float(found.source_lengths.mean()),
            "sentences": len(texts),
            "threshold": decoding.threshold,
            "beam_size": decoding.beam_size,
            "step": runs[0].step,
            "runs": len(runs),
            "seconds": seconds,
        },
        translations=translations,
        pairs=[*zip(texts, references, strict=True)],
    )


def perplexity(
    run: Run,
    split: str = "test",
    decoding: DecodingConfig | None = None,
    *,
    pairs: Sequence[tuple[str, str]] | None = None,
) -> float:
    """How many words the model hesitates between, on average: exp(−mean log p of a token).

    The tokens are the run's own, ends of sentences included. Each line is read by itself, also by a
    run that was trained on documents. Compare perplexities only of runs with
    the same vocabulary. Luong et al. (2015), Table 1, have them beside BLEU.

    Args:
      run: one, no ensemble.
      split: of its corpus: "test", "validation" or "train".
      decoding: its threshold counts; default: the run's own.
      pairs: source and target texts, in place of a split.

    Returns:
      A number of at least 1. If all words are equally likely, it is the number of words.

    Raises:
      UserError: no such split, or no pairs of texts.

    >>> run = fa_jax.load_run("en-ja")
    >>> round(fa_jax.perplexity(run, pairs=[("I like cats.", "私は猫が好きです。")]), 1)
    1.6
    """
    check_run(run)
    sources, targets, _ = _sides(run, split, pairs)
    decoding = decoding or run.config.decoding
    sources = map(run.source.usual, sources)
    ids = [run.source.encode(source)[: decoding.max_source_length] for source in sources]
    words = [run.target.encode(target) for target in targets]
    found = trace_translations(run.model, decoding, ids, words, lambda trace: trace.log_probs)
    return float(np.exp(-np.concatenate(found).mean()))


def _sides(
    run: Run, split: str, pairs: Sequence[tuple[str, str]] | None
) -> tuple[Sequence[str], Sequence[str], Int[np.ndarray, " boundaries"] | None]:
    """Sources and targets of a split, and where its documents begin; or of one's own pairs. Raises
    UserError where there are none."""
    chosen = run.pairs(split) if pairs is None else checked_pairs(pairs)
    if not chosen:
        raise UserError("there are no sentence pairs to evaluate")
    return *zip(*chosen, strict=True), chosen.documents() if pairs is None else None


def score_test(run: Run) -> dict[str, Evaluation]:
    """Scores the test set at τ = ∞, in windows and at the run's own τ, into `test.json`.

    In windows: at the paper's 1.2, or at the τ of the windows that it learnt in, if it is larger.

    A run of documents that has windows is not scored at τ = ∞: with whole chapters that takes many
    times as long as all the rest.

    Args:
      run: a trained run of your own.

    Returns:
      An evaluation of each, by its threshold: "inf", "1.2".

    Raises:
      UserError: the run comes with fa_jax, or its corpus is not there.

    >>> found = fa_jax.score_test(fa_jax.load_run("runs/en-ja-small"))  # doctest: +SKIP
    """
    check_run(run)
    check_own(run.folder)
    decoding = run.config.decoding
    narrow = shown_in_windows(run.config.training.learnt_threshold)
    thresholds = dict.fromkeys((float("inf"), narrow, decoding.threshold))
    if run.config.data.documents and decoding.threshold < float("inf"):
        del thresholds[float("inf")]
    found = {
        f"{threshold:g}": evaluate(run, "test", replace(decoding, threshold=threshold))
        for threshold in thresholds
    }
    write_json(run.folder / "test.json", {name: e.scores for name, e in found.items()})
    return found
