"""Text in, text out: the same translations from a file, from stdin and from Python."""

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Int

from fa_jax.config import DecodingConfig
from fa_jax.data.vocabulary import END, SPECIAL, UNKNOWN
from fa_jax.decoding.documents import search_documents
from fa_jax.decoding.forced import Trace, trace_translations
from fa_jax.decoding.search import SearchResult, search_translations
from fa_jax.decoding.unknown_words import replace_unknown
from fa_jax.errors import UserError
from fa_jax.runs.run import Run, ensemble


@dataclass(frozen=True)
class Source:
    """A line as a run reads it. tokens: as the text has them. ids: their numbers."""

    tokens: list[str]
    ids: list[int]


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
        mend = ": raise --decoding.beam-size" if n_best > beam else ""
        raise UserError(f"--n-best must be 1 to the beam size, {beam}, got {n_best}{mend}")
    if documents:
        if n_best > 1 or details:
            raise UserError("documents have one translation each, without details")
        return _translate_documents(runs, lines, decoding, progress)
    sources = [read_sources(run, lines, decoding.max_source_length) for run in runs]
    results = search(runs, sources, decoding, n_best, progress)
    records: list[dict[str, Any]] = []
    for texts, result in zip(
        texts_of(runs[0], sources[0], decoding, results), results, strict=True
    ):
        scores = [hypothesis.score for hypothesis in result.hypotheses]
        translations = [{"text": t, "score": s} for t, s in zip(texts, scores, strict=True)]
        records.append({"translations": translations})
    if details:
        for source, record in zip(sources[0], records, strict=True):
            record["source_tokens"] = runs[0].source.tokens(source.ids)
        found = _traced(runs[0], sources[0], decoding, results, lambda words: True, _details)
        for (line, place), of_trace in found.items():
            tokens = runs[0].target.tokens(results[line].hypotheses[place].words)
            records[line]["translations"][place] |= {"tokens": [*tokens, SPECIAL[END]], **of_trace}
    return records


def _translate_documents(
    runs: Sequence[Run],
    texts: Sequence[str],
    decoding: DecodingConfig,
    progress: Callable[[int], object],
) -> list[dict[str, Any]]:
    documents = [text.split("\n") for text in texts]
    ends = np.cumsum([0, *map(len, documents)])
    lines = [line for document in documents for line in document]
    whole, longest = (ends, None) if know_documents(runs) else (None, decoding.max_source_length)
    sources = [read_sources(run, lines, longest) for run in runs]
    results = search(runs, sources, decoding, 1, progress, whole)
    written = [found[0] for found in texts_of(runs[0], sources[0], decoding, results)]
    records = []
    for first, end in itertools.pairwise(ends):
        best = [result.hypotheses[0] for result in results[first:end]]
        words = [len(hypothesis.words) + 1 for hypothesis in best]  # an end is one
        score = sum(one.score * count for one, count in zip(best, words, strict=True)) / sum(words)
        text = "\n".join(written[first:end])
        records.append({"translations": [{"text": text, "score": score}]})
    return records


def know_documents(runs: Sequence[Run]) -> bool:
    """Whether all of them were trained on documents."""
    return all(run.config.data.documents for run in runs)


def read_sources(run: Run, lines: Sequence[str], longest: int | None = None) -> list[Source]:
    """Each line as the run reads it: tokenized once, for the search and all that follows it.

    longest: so many tokens are read of a line at most; None: all.
    """
    tokens = (run.source.tokenizer.tokenize(line)[:longest] for line in lines)
    return [Source(of_line, run.source.vocabulary.ids(of_line)) for of_line in tokens]


def search(
    runs: Sequence[Run],
    sources: Sequence[Sequence[Source]],
    decoding: DecodingConfig,
    n_best: int = 1,
    progress: Callable[[int], object] = lambda sentences: None,
    documents: Int[np.ndarray, " boundaries"] | None = None,
) -> list[SearchResult]:
    """Each line's hypotheses, as numbers.

    Args:
      runs: one, or an ensemble. sources: of each run, as it reads the lines.
      progress: told of each batch how many sentences are done with it.
      documents: document i is the lines from the i-th of these numbers up to the next one, and is
        read whole; its lines then have one hypothesis each. None: each line by itself.
    """
    lexicon = None
    if 0 < decoding.shortlist < len(runs[0].target.vocabulary):
        lexicon = runs[0].lexicon[:, : decoding.shortlist_translations]
    members = [run.model for run in runs]
    ids = [[source.ids for source in of_run] for of_run in sources]
    if documents is None:
        return search_translations(
            members, decoding, ids, n_best=n_best, lexicon=lexicon, progress=progress
        )
    whole = [[of_run[a:b] for a, b in itertools.pairwise(documents)] for of_run in ids]
    found = search_documents(members, decoding, whole, lexicon=lexicon, progress=progress)
    return [result for lines in found for result in lines]


def texts_of(
    run: Run, sources: Sequence[Source], decoding: DecodingConfig, results: Sequence[SearchResult]
) -> list[list[str]]:
    """Each line's translations as people write them; unknown words replaced if so decided.

    Raises:
      UserError: unknown words are to be replaced, but the run has no alignment, or the dictionary
        cannot be read.
    """
    written = [[run.target.tokens(h.words) for h in result.hypotheses] for result in results]
    if decoding.replace_unknown:
        attention = run.config.model.attention
        if attention.span.scores_nothing:
            raise UserError(
                "replacing unknown words needs an alignment, and the attention of "
                f"{run.folder} has none: {attention}"
            )
        looked_at = _traced(
            run, sources, decoding, results, lambda words: UNKNOWN in words, lambda t: t.weights
        )
        for (line, place), weights in looked_at.items():
            written[line][place] = replace_unknown(
                written[line][place],
                SPECIAL[UNKNOWN],
                sources[line].tokens,
                weights,
                run.dictionary,
            )
    return [[run.target.tokenizer.detokenize(tokens) for tokens in line] for line in written]


def _traced(run: Run, sources, decoding: DecodingConfig, results, wanted, keep) -> dict:
    """What is kept of the traces of the wanted hypotheses, by line and place in its list."""
    words = {
        (line, place): hypothesis.words
        for line, result in enumerate(results)
        for place, hypothesis in enumerate(result.hypotheses)
        if sources[line].ids and wanted(hypothesis.words)
    }
    ids = [sources[line].ids for line, _ in words]
    kept = trace_translations(run.model, decoding, ids, [*words.values()], keep)
    return dict(zip(words, kept, strict=True))


def _details(trace: Trace) -> dict[str, list]:
    return {
        "log_probs": trace.log_probs.tolist(),
        "alignment": trace.weights.tolist(),
        "focus": trace.focus.tolist(),
        "strength": trace.strength.tolist(),
        "window": trace.windows.sum(1).tolist(),
    }
