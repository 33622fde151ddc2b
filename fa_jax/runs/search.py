"""Lines of text through beam search: what translating, scoring and tracing begin with."""

import itertools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from jaxtyping import Float, Int

from fa_jax.config import DecodingConfig
from fa_jax.data.capitals import in_case_of
from fa_jax.data.markup import with_tags
from fa_jax.data.tokenizers import Subwords
from fa_jax.data.tokenizers.tokenizer import WRITTEN_WITHOUT_SPACES
from fa_jax.data.vocabulary import END, SPECIAL, UNKNOWN
from fa_jax.decoding.forced import SpanTrace, Trace, looked_at, trace_translations
from fa_jax.decoding.guided import Guide
from fa_jax.decoding.search import SearchResult, joined, search
from fa_jax.decoding.unknown_words import replace_unknown, whole_words
from fa_jax.errors import UserError
from fa_jax.hosts import parted
from fa_jax.runs.align import align
from fa_jax.runs.run import Run, know_documents
from fa_jax.runs.terms import Wish, kinds_of, marked, unmarked

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
    guides: Sequence[Guide] = ()
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

    def replaced(self, lines: Sequence[int], others: "Searched") -> "Searched":
        """With what was found of these lines in another search."""
        results, guides = [*self.results], [*self.guides]
        for line, result, guide in zip(lines, others.results, others.guides, strict=True):
            results[line], guides[line] = result, guide
        return replace(self, results=results, guides=guides)

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
        for line, guide in enumerate(self.guides):
            numbers = [hypothesis.words for hypothesis in self.results[line].hypotheses]
            written[line] = marked(written[line], numbers, guide.all, target)
        texts = [
            [in_case_of(line, target.text(tokens)) for tokens in of_line]
            for line, of_line in zip(self.lines, written, strict=True)
        ]
        for line, guide in enumerate(self.guides):
            texts[line] = [unmarked(text, guide.all) for text in texts[line]]
        self._add_again(texts)
        for line, wish in enumerate(self.wishes):
            texts[line] = [wish.whole(text, run.source.language, target) for text in texts[line]]
        return texts

    def _add_again(self, texts: list[list[str]]):
        """Stars and the like, to the words that come from those that have some."""
        wanted = [
            (line, place)
            for line, wish in enumerate(self.wishes)
            for place in range(len(texts[line]) if wish.text.elements else 0)
        ]
        pairs = [(self.wishes[line].masked, texts[line][place]) for line, place in wanted]
        aligned = align(self.run, pairs) if pairs else []
        for (line, place), one in zip(wanted, aligned, strict=True):
            words = one.source, one.target, one.links
            texts[line][place] = with_tags(self.wishes[line].text, texts[line][place], *words)

    def spans(
        self,
        wanted: Sequence[Places],
        texts: Sequence[Sequence[str]],
        keep: Callable[[Trace], Trace] = lambda trace: trace,
    ) -> list[SpanTrace]:
        """What attention did while each of these was written, none of which is empty.

        texts: as of `texts`. keep: as of `trace_translations`.
        """
        source, target = (codec.vocabulary.tokens for codec in (self.run.source, self.run.target))
        sides = self._sides(wanted)
        traces = trace_translations(self.run.model, self.decoding, *sides, keep)
        return [
            SpanTrace(
                **vars(trace)
                | {"alternatives": [[(target[w], p) for w, p in s] for s in trace.alternatives]},
                translation="\n".join(texts[line][place] for line, place in places),
                source_tokens=[source[word] for word in self._source(places)],
                target_tokens=[*(target[word] for word in self._words(places)), SPECIAL[END]],
                threshold=self.decoding.threshold,
            )
            for places, trace in zip(wanted, traces, strict=True)
        ]

    def _sides(self, wanted: Sequence[Places]) -> tuple[list[list[int]], list[list[int]]]:
        """What forced decoding takes: sources and translations."""
        return [*map(self._source, wanted)], [*map(self._words, wanted)]

    def _source(self, places: Places) -> list[int]:
        return joined([self.ids[0][line] for line, _ in places])

    def _words(self, places: Places) -> list[int]:
        return joined([self.results[line].hypotheses[place].words for line, place in places])


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
    """Reads lines and searches for their translations.

    Args:
      runs: one, or an ensemble. lines: text as people write it.
      n_best: of a line, as of `search`; a line of a document that is read whole has one.
      documents: document i is the lines from the i-th of these numbers up to the next one. Runs
        that were all trained on documents read each one whole. Otherwise, and if there are none,
        each line is read by itself, up to `decoding.max_source_length` tokens.
      wishes: what each line's translation must have, where lines are read by themselves. None are
        given where nothing is wanted.
      progress: told how many lines more are done.
      on_all_hosts: all of them call this search, and each does its share.
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

    def found(spans: Sequence[tuple[int, int]]) -> list[list[SearchResult]]:
        """Of each document the results of its lines. Where lines are wanted to have something, they
        are searched apart: others are found as if there were none."""
        wanting = [bool(guides and guides[first].words) for first, _ in spans]
        apart: dict[bool, Iterator[SearchResult]] = {}
        for wants in {*wanting}:
            some = [span for span, one in zip(spans, wanting, strict=True) if one is wants]
            results = search(
                [run.model for run in runs],
                decoding,
                [[of_run[first:end] for first, end in some] for of_run in ids],
                n_best=n_best,
                forbidden=never_written(runs[0], decoding),
                lexicon=lexicon,
                guides=[guides[first] for first, _ in some] if wants else (),
                kinds=kinds,
                progress=progress,
            )
            apart[wants] = iter(results)
        each = zip(spans, wanting, strict=True)
        return [list(itertools.islice(apart[one], end - first)) for (first, end), one in each]

    spans = list(itertools.pairwise(documents.tolist()))
    by_document = parted(found, spans) if on_all_hosts else found(spans)
    results = list(itertools.chain.from_iterable(by_document))
    return Searched(runs[0], decoding, lines, tokens[0], ids, documents, results, guides, wishes)


def never_written(run: Run, decoding: DecodingConfig) -> tuple[int, ...]:
    """Words that its translations never have. Subwords can spell what is unknown, unless it is to
    be replaced."""
    spells = isinstance(run.target.tokenizer, Subwords) and not decoding.replace_unknown
    return (UNKNOWN,) if spells else ()
