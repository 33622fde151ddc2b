"""Lines of several sentences: what is found of each is put together again behind a search."""

from collections.abc import Sequence
from itertools import accumulate

import numpy as np

from fa_jax.decoding.forced import SpanTrace, Trace
from fa_jax.decoding.search import SearchResult
from fa_jax.runs.run import Run


def are_parted(runs: Sequence[Run]) -> bool:
    """Whether their lines are, where nobody says otherwise: those that learnt from documents read
    lines whole."""
    return not all(run.config.data.documents for run in runs)


def combined(results: Sequence[SearchResult], n_best: int) -> list[tuple[float, tuple[int, ...]]]:
    """Translations of a text from those of its parts, best first.

    Returns:
      Of each its score and, of each part, the place of the hypothesis that it takes. Scores are the
      parts' mean; a part counts by the words of its best hypothesis, their end included.
    """
    words = [len(result.hypotheses[0].words) + 1 for result in results]
    best = [(0.0, ())]
    for result, count in zip(results, words, strict=True):
        share = count / sum(words)
        longer = [
            (score + share * hypothesis.score, (*places, place))
            for score, places in best
            for place, hypothesis in enumerate(result.hypotheses)
        ]
        best = sorted(longer, key=lambda one: -one[0])[:n_best]
    return best


def joined_trace(traces: Sequence[Trace]) -> Trace:
    """What attention did in a text, from the traces of its parts: none looked at another one."""
    if len(traces) == 1:
        return traces[0]
    before = accumulate((trace.weights.shape[1] for trace in traces[:-1]), initial=0)
    dimensions = [trace.by_dimension for trace in traces]
    return Trace(
        log_probs=np.concatenate([trace.log_probs for trace in traces]),
        weights=_diagonal([trace.weights for trace in traces]),
        windows=_diagonal([trace.windows for trace in traces]),
        focus=np.concatenate([t.focus + first for t, first in zip(traces, before, strict=True)]),
        strength=np.concatenate([trace.strength for trace in traces]),
        by_dimension=None if dimensions[0] is None else _diagonal(dimensions),
        alternatives=[step for trace in traces for step in trace.alternatives],
    )


def joined_spans(traces: Sequence[SpanTrace], space: str) -> SpanTrace:
    """`joined_trace` with its words. space: between the parts' translations."""
    if len(traces) == 1:
        return traces[0]
    return SpanTrace(
        **vars(joined_trace(traces)),
        translation=space.join(trace.translation for trace in traces),
        source_tokens=[token for trace in traces for token in trace.source_tokens],
        target_tokens=[token for trace in traces for token in trace.target_tokens],
        threshold=traces[0].threshold,
    )


def _diagonal(blocks: Sequence[np.ndarray]) -> np.ndarray:
    """Blocks [T, S, ...] along the diagonal of one array; 0 beside them."""
    steps, positions = np.sum([block.shape[:2] for block in blocks], axis=0)
    whole = np.zeros((steps, positions, *blocks[0].shape[2:]), blocks[0].dtype)
    row = column = 0
    for block in blocks:
        height, width = block.shape[:2]
        whole[row : row + height, column : column + width] = block
        row, column = row + height, column + width
    return whole
