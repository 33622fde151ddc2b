"""Text in, text out: the same translations from a file, from stdin and from Python."""

import itertools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from jaxtyping import Int

from fa_jax.config import DecodingConfig
from fa_jax.data.vocabulary import END, SPECIAL
from fa_jax.decoding.forced import Trace
from fa_jax.errors import UserError
from fa_jax.runs.run import Run, ensemble
from fa_jax.runs.search import Searched, search_lines


def translate(
    run: Run | Sequence[Run],
    lines: Sequence[str],
    decoding: DecodingConfig | None = None,
    n_best: int = 1,
    *,
    details: bool = False,
    documents: bool = False,
    progress: Callable[[int], object] = lambda lines: None,
) -> list[dict[str, Any]]:
    """Translates lines. Each line has its translations, best first; an empty line has an empty one.

    Args:
      run: one, or several of one target vocabulary: an ensemble.
      lines: text as people write it, a sentence each. Of a longer one the first
        `decoding.max_source_length` tokens are read.
      decoding: how to search; default: the (first) run's own.
      n_best: most translations of a line, at most `decoding.beam_size`.
      details: whether to tell what attention did, too. Of an ensemble, it is the first run's.
      documents: whether each of `lines` is a document, with line breaks between its lines. Its
        translation has as many lines. A run that was trained on documents (`data.documents`) reads
        it whole; any other translates line by line.
      progress: a function that is told how many lines more are done.

    Returns:
      A dict a line, in the order of the lines:
        translations: a dict each. text: as people write it. score: sum of log p ÷ tokens (to the
          power `decoding.length_exponent`). With details, but for an empty line, also lists with
          an item a token of the translation, end of sentence included: tokens; log_probs;
          alignment (weights over the source's tokens); focus (source position from 0); strength
          (0 to 1); window (number of positions scored).
        source_tokens: with details; "<unk>" for those that the run does not know.

    Raises:
      UserError: n_best does not fit the beam; the runs do not fit each other; unknown words are
        to be replaced, but the run has no alignment or the dictionary cannot be read; documents
        have one translation, without details.

    >>> (record,) = fa_jax.translate(fa_jax.load_run("en-ja"), ["I like cats."])
    >>> record["translations"][0]["text"]
    '私は猫が好きです。'
    """
    runs = ensemble(run)
    decoding = decoding or runs[0].config.decoding
    beam = decoding.beam_size
    if not 1 <= n_best <= beam:
        mend = ": raise decoding.beam_size" if n_best > beam else ""
        raise UserError(f"n_best must be 1 to the beam size, {beam}, got {n_best}{mend}")
    if documents and (n_best > 1 or details):
        raise UserError("documents have one translation each, without details")
    parts = [text.split("\n") if documents else [text] for text in lines]
    ends = np.cumsum([0, *map(len, parts)])
    found = search_lines(
        runs,
        [line for part in parts for line in part],
        decoding,
        n_best,
        documents=ends if documents else None,
        progress=progress,
    )
    if documents:
        return _of_documents(found, ends)
    records: list[dict[str, Any]] = []
    for texts, result in zip(found.texts(), found.results, strict=True):
        scores = [hypothesis.score for hypothesis in result.hypotheses]
        translations = [{"text": t, "score": s} for t, s in zip(texts, scores, strict=True)]
        records.append({"translations": translations})
    if details:
        _add_details(records, found)
    return records


def _of_documents(found: Searched, ends: Int[np.ndarray, " boundaries"]) -> list[dict[str, Any]]:
    """A record each: a document's score is the mean of its lines', by their tokens."""
    texts = [best for best, *_ in found.texts()]
    records = []
    for first, end in itertools.pairwise(ends):
        best = [result.hypotheses[0] for result in found.results[first:end]]
        words = [len(hypothesis.words) + 1 for hypothesis in best]  # an end is one
        score = sum(one.score * count for one, count in zip(best, words, strict=True)) / sum(words)
        records.append({"translations": [{"text": "\n".join(texts[first:end]), "score": score}]})
    return records


def _add_details(records: list[dict[str, Any]], found: Searched):
    run = found.run
    for ids, record in zip(found.ids[0], records, strict=True):
        record["source_tokens"] = run.source.tokens(ids)
    for (line, place), of_trace in found.traced(_details).items():
        tokens = run.target.tokens(found.results[line].hypotheses[place].words)
        records[line]["translations"][place] |= {"tokens": [*tokens, SPECIAL[END]], **of_trace}


def _details(trace: Trace) -> dict[str, list]:
    return {
        "log_probs": trace.log_probs.tolist(),
        "alignment": trace.weights.tolist(),
        "focus": trace.focus.tolist(),
        "strength": trace.strength.tolist(),
        "window": trace.windows.sum(1).tolist(),
    }
