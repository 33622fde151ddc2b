"""Lines of text through beam search: what translating, scoring and tracing begin with."""

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float, Int

from fa_jax.config import DecodingConfig
from fa_jax.data.capitals import in_case_of
from fa_jax.data.copies import unmarked
from fa_jax.data.tokenizers import Subwords
from fa_jax.data.tokenizers.tokenizer import WRITTEN_WITHOUT_SPACES
from fa_jax.data.vocabulary import END, SPECIAL, UNKNOWN
from fa_jax.decoding.forced import SpanTrace, Trace, looked_at, trace_translations
from fa_jax.decoding.guided import Guide
from fa_jax.decoding.search import SearchResult, joined, search
from fa_jax.decoding.unknown_words import replace_unknown, whole_words
from fa_jax.errors import UserError
from fa_jax.hosts import parted
from fa_jax.runs.align import tagged
from fa_jax.runs.run import Run, know_documents
from fa_jax.runs.sentences import joined_spans
from fa_jax.runs.terms import Wish, kinds_of, marked

Places = Sequence[tuple[int, int]]
"""Of lines that were read together, each one's number and the place of a hypothesis in its list."""


@dataclass(frozen=True, eq=False)
class Searched:
    """Lines, and what was found of each.

    run: the first one of an ensemble. lines: as people write them. tokens: as the run reads them.
    ids: their numbers, and those of the other runs. documents: document i, which was read whole, is
    the lines from the i-th of these numbers up to the next one. results, guides, wishes: of each
    line.
    """

    run: Run
    decoding: DecodingConfig
    lines: Sequence[str]
    tokens: list[list[str]]
    ids: list[list[list[int]]]
    documents: Int[np.ndarray, " boundaries"]
    results: list[SearchResult]
    guides: list[Guide]
    wishes: Sequence[Wish] = ()

    @property
    def source_lengths(self) -> Float[np.ndarray, " lines"]:
        """Tokens of each line; an ensemble's members may count them differently: their mean."""
        return np.mean([[len(line) for line in of_run] for of_run in self.ids], axis=0)

    @property
    def source_length(self) -> float:
        """Tokens that an attention call scores at τ = ∞, on average: all of a document, with the
        ends of its lines."""
        starts, lines = self.documents[:-1], np.diff(self.documents)
        whole = np.add.reduceat(self.source_lengths + 1, starts) - 1
        calls = np.array([result.calls for result in self.results])
        return float((np.repeat(whole, lines) * calls).sum() / max(1, calls.sum()))

    def texts(self) -> list[list[str]]:
        """Each line's translations as people write them; unknown words replaced if so decided.

        Raises:
          UserError: unknown words are to be replaced, but the run has no alignment, or the
            dictionary cannot be read.
        """
        run, target = self.run, self.run.target
        written = [[target.tokens(h.words) for h in result.hypotheses] for result in self.results]
        if self.decoding.replace_unknown:
            attention = run.config.model.attention
            if attention.span.scores_nothing:
                raise UserError(
                    "replacing unknown words needs an alignment, and the attention of "
                    f"{run.folder} has none: {attention}"
                )
            unknown = [
                (line, place)
                for line, result in enumerate(self.results)
                for place, hypothesis in enumerate(result.hypotheses)
                if UNKNOWN in hypothesis.words
            ]
            sides = self._sides([[one] for one in unknown])
            places = looked_at(run.model, self.decoding, *sides)
            spaced = run.source.language not in WRITTEN_WITHOUT_SPACES
            for (line, place), of_tokens in zip(unknown, places, strict=True):
                source = self.tokens[line]
                copies = run.source.as_written(source, self.lines[line])
                if isinstance(run.source.tokenizer, Subwords):
                    source, copies = (whole_words(each, spaced=spaced) for each in (source, copies))
                tokens = written[line][place], source
                written[line][place] = replace_unknown(*tokens, of_tokens, run.dictionary, copies)
        texts = []
        for number, (line, result) in enumerate(zip(self.lines, self.results, strict=True)):
            terms = self.guides[number].all if self.guides else ()
            each = zip(written[number], result.hypotheses, strict=True)
            tokens = [marked(tokens, found.words, terms, target) for tokens, found in each]
            read = [in_case_of(line, target.text(one)) for one in tokens]
            texts.append([unmarked(text, [term.text for term in terms]) for text in read])
        if self.wishes:
            texts = tagged(run, [wish.text for wish in self.wishes], texts)
            texts = [
                [wish.whole(text, run.source.language, target) for text in of_line]
                for wish, of_line in zip(self.wishes, texts, strict=True)
            ]
        return texts

    def spans(
        self,
        wanted: Sequence[tuple[str, Places]],
        keep: Callable[[Trace], Trace] = lambda trace: trace,
    ) -> list[SpanTrace | None]:
        """What attention did while each of these was written; None where no line has a word.

        Lines that were read together are traced together, and each once. wanted: what they read,
        and of which hypotheses. keep: as of `trace_translations`.
        """
        document_of = np.repeat(np.arange(len(self.documents) - 1), np.diff(self.documents))
        parts: list[list[Places]] = []
        for _, places in wanted:
            there = [(line, place) for line, place in places if self.tokens[line]]
            read = itertools.groupby(there, lambda one: document_of[one[0]])
            parts.append([tuple(together) for _, together in read])
        different = [*dict.fromkeys(itertools.chain(*parts))]
        sides = self._sides(different)
        found = trace_translations(self.run.model, self.decoding, *sides, keep)
        source, target = (codec.vocabulary.tokens for codec in (self.run.source, self.run.target))
        traces = {
            part: SpanTrace(
                **vars(trace)
                | {"alternatives": [[(target[w], p) for w, p in s] for s in trace.alternatives]},
                translation="",
                source_tokens=[source[word] for word in read],
                target_tokens=[*(target[word] for word in written), SPECIAL[END]],
                threshold=self.decoding.threshold,
            )
            for part, read, written, trace in zip(different, *sides, found, strict=True)
        }
        return [
            joined_spans([traces[part] for part in own], text)
            for own, (text, _) in zip(parts, wanted, strict=True)
        ]

    def _sides(self, wanted: Sequence[Places]) -> tuple[list[list[int]], list[list[int]]]:
        """What forced decoding takes: sources and translations."""
        read = [joined([self.ids[0][line] for line, _ in places]) for places in wanted]
        written = [[self.results[n].hypotheses[at].words for n, at in places] for places in wanted]
        return read, [*map(joined, written)]


def search_lines(
    runs: Sequence[Run],
    lines: Sequence[str],
    decoding: DecodingConfig,
    n_best: int = 1,
    *,
    documents: Int[np.ndarray, " boundaries"] | None = None,
    wishes: Sequence[Wish] = (),
    progress: Callable[[int], object] = lambda lines: None,
    on_all_hosts: bool = False,
) -> Searched:
    """Reads lines, as people write them, and searches for their translations.

    Args:
      n_best: of a line, as of `search`; a line of a document that is read whole has one.
      documents: as of `Searched`. Runs that were all trained on documents read each one whole.
        Otherwise, and if there are none, each line is read by itself, up to
        `decoding.max_source_length` tokens.
      wishes: what each line's translation must have, where lines are read by themselves; or none.
      progress: told how many lines more are done.
      on_all_hosts: whether hosts that all call this share the work.
    """
    longest = None
    if documents is None or not know_documents(runs):
        documents, longest = np.arange(len(lines) + 1), decoding.max_source_length
    usual = [[run.source.usual(line) for line in lines] for run in runs]
    tokens = [
        [run.source.tokenizer.tokenize(line)[:longest] for line in of_run]
        for run, of_run in zip(runs, usual, strict=True)
    ]
    ids = [
        [run.source.vocabulary.ids(line) for line in of_run]
        for run, of_run in zip(runs, tokens, strict=True)
    ]
    lexicon = None
    if 0 < decoding.shortlist < len(runs[0].target.vocabulary):
        lexicon = runs[0].lexicon[:, : decoding.shortlist_translations]
    each = zip(wishes, usual[0], tokens[0], strict=False)
    guides = [wish.guide(*line, runs[0].source.language, runs[0].target) for wish, *line in each]
    kinds = kinds_of(runs[0].target) if any(guide.words for guide in guides) else None

    def wants(span: tuple[int, int]) -> tuple[bool, bool]:
        """Whether a line is to have something, and whether an unknown word is a part of that: then
        no other is written, which could not be told from it."""
        words = guides[span[0]].words if guides else []
        return bool(words), UNKNOWN in words

    def found(spans: Sequence[tuple[int, int]]) -> list[list[SearchResult]]:
        """Of each document the results of its lines. Where lines are wanted to have something, they
        are searched apart: others are found as if there were none."""
        results: dict[tuple[int, int], list[SearchResult]] = {}
        for (wanting, unknown), some in itertools.groupby(sorted(spans, key=wants), wants):
            some = [*some]
            of_lines = iter(
                search(
                    [run.model for run in runs],
                    decoding,
                    [[of_run[first:end] for first, end in some] for of_run in ids],
                    n_best=n_best,
                    forbidden=(UNKNOWN,) if unknown else never_written(runs[0], decoding),
                    lexicon=lexicon,
                    guides=[guides[first] for first, _ in some] if wanting else (),
                    kinds=kinds,
                    progress=progress,
                )
            )
            results |= {span: [*itertools.islice(of_lines, span[1] - span[0])] for span in some}
        return [results[span] for span in spans]

    spans = [*itertools.pairwise(documents.tolist())]
    by_document = parted(found, spans) if on_all_hosts else found(spans)
    results = [*itertools.chain(*by_document)]
    return Searched(runs[0], decoding, lines, tokens[0], ids, documents, results, guides, wishes)


def never_written(run: Run, decoding: DecodingConfig) -> tuple[int, ...]:
    """Words that its translations never have. Subwords can spell what is unknown, unless it is to
    be replaced."""
    spells = isinstance(run.target.tokenizer, Subwords) and not decoding.replace_unknown
    return (UNKNOWN,) if spells else ()
