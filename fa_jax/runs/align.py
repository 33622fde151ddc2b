"""Which word of a line each word of its translation comes from, by what attention did."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import reduce
from itertools import chain, islice
from operator import add

import numpy as np

from fa_jax.data.codec import TextCodec
from fa_jax.data.given import checked_pairs
from fa_jax.data.markup import Text, with_tags
from fa_jax.data.reading import read
from fa_jax.data.sentences import sentences
from fa_jax.data.tokenizers import Words
from fa_jax.data.tokenizers.tokenizer import SPACE, WRITTEN_WITHOUT_SPACES
from fa_jax.data.vocabulary import UNKNOWN
from fa_jax.decoding.forced import LOOKED_AT, By, looked_at
from fa_jax.errors import UserError
from fa_jax.runs.run import Run, check_run

Link = tuple[int, int]
Pair = tuple[str, str]


@dataclass(frozen=True)
class Alignment:
    """source, target: the words of both sides. links: numbers, from 0, of a source word and a
    target word that belong together. As a text it is Pharaoh's: "0-0 1-2"."""

    source: list[str]
    target: list[str]
    links: list[Link]

    def __add__(self, other: "Alignment") -> "Alignment":
        moved = [(s + len(self.source), t + len(self.target)) for s, t in other.links]
        both = self.source + other.source, self.target + other.target
        return Alignment(*both, self.links + moved)

    def __str__(self) -> str:
        return " ".join(f"{source}-{target}" for source, target in self.links)


def align(
    run: Run,
    pairs: Sequence[Pair],
    *,
    by: By = "weight",
    back: Run | None = None,
    tokenized: bool = False,
) -> list[Alignment]:
    """Aligns texts with translations, whoever wrote these.

    A token is linked with the source token that attention looks at while the run writes it, and
    words as their tokens are. Sides of as many sentences are aligned sentence by sentence.

    Args:
      run: one that translates from the source's language into the target's.
      pairs: source and target. Words stand between spaces; those of Japanese are MeCab's.
      by: what a step looks at: the highest weight, or the focus.
      back: a run that translates the other way. Its links are added by grow-diag-final-and (Koehn
        et al. 2005).
      tokenized: whether all words, marks included, stand between spaces, whatever the language.

    Returns:
      An alignment a pair. A side without a word has no link.

    Raises:
      UserError: a pair is not two texts, a run's attention looks at nothing, or `back` does not
        translate the other way.

    >>> pair = ("My father drinks coffee every morning.", "父は毎朝コーヒーを飲む。")
    >>> (found,) = fa_jax.align(fa_jax.load_run("en-ja"), [pair])
    >>> [(found.source[s], found.target[t]) for s, t in found.links if s in (3, 4)]
    [('coffee', 'コーヒー'), ('every', '毎朝')]
    >>> str(found)
    '1-0 1-6 2-1 2-4 2-5 3-3 4-2'
    """
    for one in (run, *([] if back is None else [back])):
        check_run(one)
        if one.config.model.attention.span.scores_nothing:
            raise UserError(f"the attention of {one.folder} looks at nothing, so it aligns nothing")
    if by not in LOOKED_AT:
        raise UserError(f"by must be {' or '.join(LOOKED_AT)}, got {by!r}")
    codecs, others = (run.source, run.target), back and (back.target, back.source)
    if others and [c.language for c in others] != [c.language for c in codecs]:
        raise UserError(f"{back.folder} does not translate the other way than {run.folder}")
    parted = [[pair] if tokenized else _sentences(pair, codecs) for pair in checked_pairs(pairs)]
    parts = [*chain(*parted)]
    found = _aligned(run, parts, by, tokenized)
    if back is not None:
        others = _aligned(back, [part[::-1] for part in parts], by, tokenized)
        found = [
            replace(one, links=grow_diag_final_and(one.links, [link[::-1] for link in other.links]))
            for one, other in zip(found, others, strict=True)
        ]
    each = iter(found)
    return [reduce(add, islice(each, len(of_pair))) for of_pair in parted]


def tagged(
    run: Run, texts: Sequence[Text], translations: Sequence[Sequence[str]]
) -> list[list[str]]:
    """The translations of each text with its tags, around the words that belong to what they are
    around. Raises UserError where a text has tags, and attention looks at nothing."""
    each = [(text, one) for text, of_text in zip(texts, translations) for one in of_text]
    pairs = [(" ".join(text.letters.split()), one) for text, one in each if text.elements]
    aligned, without = iter(align(run, pairs) if pairs else ()), Alignment([], [], [])
    return [
        [
            with_tags(text, one, **vars(next(aligned) if text.elements else without))
            for one in of_text
        ]
        for text, of_text in zip(texts, translations, strict=True)
    ]


def _aligned(run: Run, pairs: Sequence[Pair], by: By, tokenized: bool) -> list[Alignment]:
    sources = [_words(source, run.source, tokenized) for source, _ in pairs]
    targets = [_words(target, run.target, tokenized) for _, target in pairs]
    ids = [ids or [UNKNOWN] for _, ids, _ in sources], [ids for _, ids, _ in targets]
    looked = looked_at(run.model, run.config.decoding, *ids, by)
    found = []
    for (source, _, of_source), (target, _, of_target), places in zip(sources, targets, looked):
        steps = zip(places, of_target if of_source else ())  # without the end of sentence
        links = sorted({(of_source[place], word) for place, word in steps})
        found.append(Alignment(source, target, links))
    return found


def grow_diag_final_and(forth: Sequence[Link], back: Sequence[Link]) -> list[Link]:
    """Links of both directions; beside these, in any direction, links of one that give a word its
    first; then links of one between words that have none."""
    found, either = {*forth} & {*back}, sorted({*forth, *back})

    def first_of(link: Link) -> int:
        """So many words have none but this."""
        return sum(link[side] not in {other[side] for other in found} for side in (0, 1))

    def grows(link: Link) -> bool:
        near = any(max(abs(link[0] - s), abs(link[1] - t)) == 1 for s, t in found)
        return near and first_of(link) > 0

    while link := next(filter(grows, either), None):
        found.add(link)
    for link in (*forth, *back):
        if first_of(link) == 2:
            found.add(link)
    return sorted(found)


def _words(text: str, codec: TextCodec, tokenized: bool) -> tuple[list[str], list[int], list[int]]:
    """Of a text: its words, its tokens' numbers, and of each token the word that it begins in."""
    words = read(text).split()
    if tokenized:
        text = Words(codec.language).detokenize(words)
    elif codec.language in WRITTEN_WITHOUT_SPACES:
        words = Words(codec.language).tokenize(read(text))
    tokens = codec.tokenizer.tokenize(codec.usual(text))
    begins = np.cumsum([0, *(len(token.replace(SPACE, "")) for token in tokens)])
    ends = np.cumsum([*map(len, words)])
    if begins[-1] != sum(map(len, words)):  # some words are read in other letters
        ends = np.cumsum([len(codec.usual(word)) for word in words])
    word_of = np.searchsorted(ends, begins[:-1], side="right").clip(max=len(words) - 1)
    return words, codec.vocabulary.ids(tokens), word_of.tolist()


def _sentences(pair: Pair, codecs: Sequence[TextCodec]) -> list[Pair]:
    """Of both sides, if they have as many; else the whole pair."""
    source, target = (sentences(text, c.language) for text, c in zip(pair, codecs, strict=True))
    return [*zip(source, target, strict=True)] if len(source) == len(target) else [pair]
