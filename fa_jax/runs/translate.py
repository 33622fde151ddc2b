"""Text in, text out: the same translations from a file, from stdin and from Python."""

import itertools
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from fa_jax.config import DecodingConfig
from fa_jax.data.given import checked_lines
from fa_jax.data.sentences import sentences, space_between
from fa_jax.data.vocabulary import END, SPECIAL
from fa_jax.decoding.forced import Trace
from fa_jax.errors import UserError
from fa_jax.runs.run import Run, ensemble
from fa_jax.runs.search import Searched, search_lines
from fa_jax.runs.sentences import are_parted, combined, joined_trace


def translate(
    run: Run | Sequence[Run],
    lines: Sequence[str],
    decoding: DecodingConfig | None = None,
    n_best: int = 1,
    *,
    details: bool = False,
    split: bool = True,
    documents: bool = False,
    progress: Callable[[int], object] = lambda lines: None,
) -> list[dict[str, Any]]:
    """Translates lines. Each line has its translations, best first; an empty line has an empty one.

    Args:
      run: one, or several of one target vocabulary: an ensemble.
      lines: text as people write it, one or more sentences each. Of a sentence the first
        `decoding.max_source_length` tokens are read.
      decoding: how to search; default: the (first) run's own.
      n_best: most translations of a line, at most `decoding.beam_size`. No two read alike, so
        there may be fewer.
      details: whether to tell what attention did, too. Of an ensemble, it is the first run's.
      split: whether each sentence of a line is translated by itself. A run that was trained on
        documents reads lines whole.
      documents: whether each of `lines` is a document, with line breaks between its lines. Its
        translation has as many lines. A run that was trained on documents (`data.documents`) reads
        it whole; any other translates line by line.
      progress: a function that is told how many sentences more are done.

    Returns:
      A dict a line, in the order of the lines:
        translations: a dict each. text: as people write it. score: sum of log p ÷ tokens (to the
          power `decoding.length_exponent`); of several sentences or lines the mean, by their
          tokens. With details, but for an empty line, also lists with
          an item a token of the translation, end of sentence included: tokens; log_probs;
          alignment (weights over the source's tokens); focus (source position from 0); strength
          (0 to 1); window (number of positions scored).
        source_tokens: with details; "<unk>" for those that the run does not know.

    Raises:
      UserError: lines are no list of texts; n_best does not fit the beam; the runs do not fit each
        other; unknown words are to be replaced, but the run has no alignment or the dictionary
        cannot be read; documents have one translation, without details.

    >>> (record,) = fa_jax.translate(fa_jax.load_run("en-ja"), ["I like cats."])
    >>> record["translations"][0]["text"]
    '私は猫が好きです。'
    """
    runs, lines = ensemble(run), checked_lines(lines)
    decoding = decoding or runs[0].config.decoding
    beam = decoding.beam_size
    if not 1 <= n_best <= beam:
        mend = ": raise decoding.beam_size" if n_best > beam else ""
        raise UserError(f"n_best must be 1 to the beam size, {beam}, got {n_best}{mend}")
    if documents and (n_best > 1 or details):
        raise UserError("documents have one translation each, without details")
    language = runs[0].source.language
    split = split and are_parted(runs)
    if documents:
        parts, between = [text.split("\n") for text in lines], "\n"
    else:
        parts = [sentences(line, language) if split else [line] for line in lines]
        between = space_between(runs[0].target.language)
    ends = np.cumsum([0, *map(len, parts)])
    found = search_lines(
        runs,
        [line for part in parts for line in part],
        decoding,
        n_best,
        documents=ends if documents else None,
        progress=progress,
    )
    found, texts = _unlike(found, n_best)
    traced = found.traced(lambda trace: replace(trace, by_dimension=None)) if details else {}
    return [
        _record(found, texts, range(first, end), n_best, between, traced if details else None)
        for first, end in itertools.pairwise(ends)
    ]


def _unlike(found: Searched, n_best: int) -> tuple[Searched, list[list[str]]]:
    """Of each line the best hypotheses that read differently, at most so many, and what they
    read."""
    results, texts = [], []
    for result, written in zip(found.results, found.texts(), strict=True):
        places = {text: place for place, text in reversed([*enumerate(written)])}
        kept = sorted(places.values())[:n_best]
        results.append(replace(result, hypotheses=[result.hypotheses[place] for place in kept]))
        texts.append([written[place] for place in kept])
    return replace(found, results=results), texts


def _record(
    found: Searched,
    texts: Sequence[Sequence[str]],
    lines: range,
    n_best: int,
    between: str,
    traced: dict[tuple[int, int], Trace] | None,
) -> dict[str, Any]:
    """What is told of the text that these lines are the parts of. traced: details, if wanted."""
    translations = []
    for score, places in combined(found.results[lines.start : lines.stop], n_best):
        chosen = [*zip(lines, places, strict=True)]
        one = {"text": between.join(texts[line][place] for line, place in chosen), "score": score}
        if details := [key for key in chosen if key in (traced or {})]:
            tokens = [_tokens(found, *key) for key in details]
            trace = joined_trace([traced[key] for key in details])
            one |= {"tokens": [*itertools.chain.from_iterable(tokens)], **_details(trace)}
        translations.append(one)
    record: dict[str, Any] = {"translations": translations}
    if traced is not None:
        ids = itertools.chain.from_iterable(found.ids[0][line] for line in lines)
        record["source_tokens"] = found.run.source.tokens([*ids])
    return record


def _tokens(found: Searched, line: int, place: int) -> list[str]:
    words = found.results[line].hypotheses[place].words
    return [*found.run.target.tokens(words), SPECIAL[END]]


def _details(trace: Trace) -> dict[str, list]:
    return {
        "log_probs": trace.log_probs.tolist(),
        "alignment": trace.weights.tolist(),
        "focus": trace.focus.tolist(),
        "strength": trace.strength.tolist(),
        "window": trace.windows.sum(1).tolist(),
    }
