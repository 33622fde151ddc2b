"""Text in, text out: the same translations from a file, from stdin and from Python."""

import itertools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from numbers import Integral
from typing import Any

import numpy as np

from fa_jax.config import DecodingConfig
from fa_jax.data.given import checked_lines
from fa_jax.data.tokenizers.tokenizer import SPACE, WRITTEN_WITHOUT_SPACES
from fa_jax.data.vocabulary import END, SPECIAL
from fa_jax.decoding.forced import SpanTrace
from fa_jax.errors import UserError
from fa_jax.runs.run import Run, ensemble, know_documents
from fa_jax.runs.search import Places, Searched, search_lines
from fa_jax.runs.sentences import combined, parted
from fa_jax.runs.terms import wishes_for


def translate(
    run: Run | Sequence[Run],
    lines: Sequence[str],
    decoding: DecodingConfig | None = None,
    n_best: int = 1,
    *,
    details: bool = False,
    split: bool = True,
    documents: bool = False,
    glossary: Mapping[str, str] | None = None,
    prefixes: Sequence[str] | None = None,
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
      glossary: source phrases and what they are to be translated as. Phrases are whole words, as
        they stand in a line or with a capital letter. Each is written where attention looks at it.
      prefixes: a text for each line that its translation begins with, but for a line without a
        letter. Scores are those of what follows, given this and the terms.
      progress: a function that is told how many sentences more are done.

    Returns:
      A dict a line, in the order of the lines:
        translations: a dict each. text: as people write it. score: sum of log p ÷ tokens (to the
          power `decoding.length_exponent`); of several sentences or lines the mean, by their
          tokens. With details, but for a line without a letter, also confidence (the geometric
          mean of the tokens' probabilities, 0 to 1); words, with the confidence of each; and lists
          with an item a token of the translation, end of sentence included: tokens; log_probs;
          alignment (weights over the source's tokens); focus (source position from 0); strength
          (0 to 1); window (number of positions scored).
        source_tokens: with details; "<unk>" for those that the run does not know.

    Raises:
      UserError: lines are no list of texts; n_best does not fit the beam; the runs do not fit each
        other; unknown words are to be replaced, but the run has no alignment or the dictionary
        cannot be read; documents have one translation, without details; the glossary or the
        prefixes are no texts, or not as many as lines; there are prefixes for documents, or a
        glossary for documents that are read whole or for a run whose attention looks at nothing.

    >>> run = fa_jax.load_run("en-ja")
    >>> (record,) = fa_jax.translate(run, ["I like cats."])
    >>> record["translations"][0]["text"]
    '猫が好きです。'
    >>> terms = {"cats": "ネコ"}
    >>> (record,) = fa_jax.translate(run, ["I like cats."], glossary=terms)
    >>> record["translations"][0]["text"]
    'ネコが好きです。'
    >>> (record,) = fa_jax.translate(run, ["I like cats."], prefixes=["私は"])
    >>> record["translations"][0]["text"]
    '私は猫が好きです。'
    """
    runs, texts = ensemble(run), checked_lines(lines)
    decoding = decoding or runs[0].config.decoding
    beam = decoding.beam_size
    whole = isinstance(n_best, Integral)
    if not whole or not 1 <= n_best <= beam:
        mend = ": raise decoding.beam_size" if whole and n_best > beam else ""
        raise UserError(f"n_best must be 1 to the beam size, {beam}, got {n_best!r}{mend}")
    if documents and (n_best > 1 or details):
        raise UserError("documents have one translation each, without details")
    if documents and prefixes is not None:
        raise UserError("documents have no prefixes")
    if documents and glossary and know_documents(runs):
        raise UserError("documents that are read whole have no glossary")
    found, best = search_texts(
        runs,
        texts,
        decoding,
        n_best,
        split=split,
        documents=documents,
        glossary=glossary,
        prefixes=prefixes,
        progress=progress,
    )
    records: list[dict[str, Any]] = [
        {"translations": [{"text": text, "score": score} for score, text, _ in of_text]}
        for of_text in best
    ]
    if details:
        wanted = [one[1:] for one in itertools.chain(*best)]
        spans = iter(found.spans(wanted, lambda trace: replace(trace, by_dimension=None)))
        for record in records:
            record["source_tokens"] = []
            for translation in record["translations"]:
                if trace := next(spans):
                    record["source_tokens"] = trace.source_tokens
                    translation |= _details(trace, runs[0].target.language)
    return records


def _details(trace: SpanTrace, language: str) -> dict[str, Any]:
    """What attention did. language: the translation's."""
    log_probs = trace.log_probs.tolist()
    return {
        "confidence": trace.confidence,
        "words": word_confidences(trace.target_tokens, log_probs, language),
        "tokens": trace.target_tokens,
        "log_probs": log_probs,
        "alignment": trace.weights.tolist(),
        "focus": trace.focus.tolist(),
        "strength": trace.strength.tolist(),
        "window": trace.windows.sum(1).tolist(),
    }


def word_confidences(
    tokens: Sequence[str], log_probs: Sequence[float], language: str
) -> list[tuple[str, float]]:
    """Each word, and the geometric mean of its tokens' probabilities; ends of sentences are none.

    A token is a word in a language without spaces, and where no token brings a space.
    """
    spaced = language not in WRITTEN_WITHOUT_SPACES and any(SPACE in token for token in tokens)
    begins = (
        not spaced or token.startswith(SPACE) or before == SPECIAL[END]
        for before, token in zip(["", *tokens], tokens)
    )
    numbered = zip(itertools.accumulate(begins), tokens, log_probs)
    found = []
    for _, group in itertools.groupby(numbered, lambda one: one[0]):
        pieces = [(token, p) for _, token, p in group if token != SPECIAL[END]]
        if pieces:
            word = "".join(token for token, _ in pieces).replace(SPACE, "")
            found.append((word, float(np.exp(np.mean([p for _, p in pieces])))))
    return found


def search_texts(
    runs: Sequence[Run],
    texts: Sequence[str],
    decoding: DecodingConfig,
    n_best: int = 1,
    *,
    split: bool,
    documents: bool,
    glossary: Mapping[str, str] | None = None,
    prefixes: Sequence[str] | None = None,
    progress: Callable[[int], object] = lambda lines: None,
) -> tuple[Searched, list[list[tuple[float, str, Places]]]]:
    """What is found of all lines of all texts, and of each text what `combined` makes of it.

    Lines that are read by themselves keep what is no language, and what is wanted of them. Where a
    translation lacks a number, its line is searched again, with numbers as terms: small networks
    write other digits than they read.
    """
    parts, between = parted(texts, runs, split=split, documents=documents)
    ends = np.cumsum([0, *map(len, parts)])
    whole = documents and know_documents(runs)
    wishes = [] if whole else wishes_for(runs[0], parts, glossary or {}, prefixes)
    lines = [*itertools.chain(*parts)] if whole else [wish.masked for wish in wishes]
    options = {"documents": ends if documents else None, "wishes": wishes, "progress": progress}
    found = search_lines(runs, lines, decoding, n_best, **options)
    codecs = runs[0].source.language, runs[0].target
    lacking = [
        line
        for line, wish in enumerate(wishes)
        if any(
            wish.lacks_numbers(hypothesis.words, *codecs)
            for hypothesis in found.results[line].hypotheses[:n_best]
        )
    ]
    if lacking:
        wishes = [replace(wishes[line], numbers=True) for line in lacking]
        lines = [wish.masked for wish in wishes]
        again = search_lines(runs, lines, decoding, n_best, wishes=wishes)
        for line, result, guide in zip(lacking, again.results, again.guides, strict=True):
            found.results[line], found.guides[line] = result, guide
    written = found.texts()
    return found, [
        combined(range(*both), found.results, written, n_best, between)
        for both in itertools.pairwise(ends.tolist())
    ]
