"""Texts of several lines or sentences: parted before a search, and put together again behind it."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import accumulate

import numpy as np

from fa_jax.data.sentences import sentences, space_between
from fa_jax.decoding.forced import SpanTrace
from fa_jax.decoding.search import SearchResult
from fa_jax.runs.run import Run, know_documents


def parted(
    texts: Sequence[str], runs: Sequence[Run], *, split: bool, documents: bool
) -> tuple[list[list[str]], str]:
    """The lines of each text, and what stands between their translations: a document's own lines,
    or its sentences, if they are to be split."""
    if documents:
        return [text.split("\n") for text in texts], "\n"
    source, target = runs[0].source.language, runs[0].target.language
    split = split and not know_documents(runs)
    parts = [sentences(text, source) if split else [text] for text in texts]
    return parts, space_between(target)


def combined(
    lines: Sequence[int],
    results: Sequence[SearchResult],
    texts: Sequence[Sequence[str]],
    n_best: int,
    between: str,
) -> list[tuple[float, str, tuple[tuple[int, int], ...]]]:
    """Translations of a text from those of its lines, best first. No two of a line read alike.

    lines: their numbers among all results. texts: what the hypotheses read. between: what stands
    between lines.

    Returns:
      Of each its score, what it reads and, of each line, its number and the place of the hypothesis
      that it takes. Scores are the lines' mean; a line counts by the words of its best hypothesis,
      their end included.
    """
    words = {line: len(results[line].hypotheses[0].words) + 1 for line in lines}
    best, total = [(0.0, ())], sum(words.values())
    for line, count in words.items():
        share = count / total
        longer = [
            (score + share * hypothesis.score, (*taken, (line, place)))
            for score, taken in best
            for place, hypothesis in enumerate(results[line].hypotheses)
            if texts[line].index(texts[line][place]) == place
        ]
        best = sorted(longer, key=lambda one: -one[0])[:n_best]
    return [(score, between.join(texts[n][place] for n, place in at), at) for score, at in best]


def joined_spans(traces: Sequence[SpanTrace], translation: str) -> SpanTrace | None:
    """What attention did in a text, from the traces of its parts: none looked at another one."""
    if len(traces) < 2:
        return replace(traces[0], translation=translation) if traces else None
    from scipy.linalg import block_diag  # loaded where it is needed: it takes a moment

    lengths = [trace.weights.shape[1] for trace in traces]
    shifts = accumulate(lengths[:-1], initial=0)
    by_dimension = None
    if traces[0].by_dimension is not None:
        each = zip(*(np.moveaxis(trace.by_dimension, 2, 0) for trace in traces), strict=True)
        by_dimension = np.stack([block_diag(*blocks) for blocks in each], axis=2)
    return SpanTrace(
        log_probs=np.concatenate([trace.log_probs for trace in traces]),
        weights=block_diag(*(trace.weights for trace in traces)),
        windows=block_diag(*(trace.windows for trace in traces)),
        focus=np.concatenate([t.focus + shift for t, shift in zip(traces, shifts, strict=True)]),
        strength=np.concatenate([trace.strength for trace in traces]),
        by_dimension=by_dimension,
        alternatives=[step for trace in traces for step in trace.alternatives],
        translation=translation,
        source_tokens=[token for trace in traces for token in trace.source_tokens],
        target_tokens=[token for trace in traces for token in trace.target_tokens],
        threshold=traces[0].threshold,
    )
