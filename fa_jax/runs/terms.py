"""What translations must have, from text to numbers and back: a beginning, terms of a glossary."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, repeat, zip_longest

import numpy as np

from fa_jax.data.codec import TextCodec
from fa_jax.data.copies import MARK, masked, unmarked
from fa_jax.data.emphasis import without_additions
from fa_jax.data.frame import Frame, framed
from fa_jax.data.given import checked_lines
from fa_jax.data.marks import tidy
from fa_jax.data.markup import Text
from fa_jax.data.numbers import NUMBER, in_width_of, lacks_numbers, number_in, numbers
from fa_jax.data.reading import in_one_line, read
from fa_jax.data.sentences import sentences, space_between
from fa_jax.data.tokenizers import Subwords
from fa_jax.data.tokenizers.tokenizer import SPACE, WRITTEN_WITHOUT_SPACES
from fa_jax.data.vocabulary import END, PAD, SPECIAL, UNKNOWN
from fa_jax.decoding.guided import Guide, Kinds, Term
from fa_jax.errors import UserError
from fa_jax.runs.run import Run

FUNCTION_WORDS = 64
"""The first of a vocabulary, which is sorted by frequency."""


class Glossary:
    """Source phrases, and what they are to be translated as, as people write both.

    Raises:
      UserError: one of them is empty, or no text.
    """

    def __init__(self, entries: Mapping[str, str], source: TextCodec, target: TextCodec):
        if not isinstance(entries, Mapping):
            wanted = 'a dictionary of texts, such as {"cats": "ネコ"}'
            raise UserError(f"a glossary must be {wanted}, got {entries!r:.80}")
        checked_lines([*entries], "phrase of the glossary")
        checked_lines([*entries.values()], "translation of the glossary")
        self._source, self._target = source, target
        forms = {source.spelt(phrase): in_one_line(text) for phrase, text in entries.items()}
        if "" in forms or "" in map(read, forms.values()):
            raise UserError("a glossary's phrases and translations must have a letter each")
        begins = {phrase[:1].upper() + phrase[1:]: text for phrase, text in forms.items()}
        self._translations = begins | forms
        # Any of them, the longest first; of whole words, where there are spaces.
        either = "|".join(map(re.escape, sorted(self._translations, key=len, reverse=True)))
        whole = source.language not in WRITTEN_WITHOUT_SPACES
        self._phrases = re.compile(rf"(?<!\w)(?:{either})(?!\w)" if whole else either)

    def __contains__(self, phrase: str) -> bool:
        return self._source.spelt(phrase) in self._translations

    def terms(self, line: str, usual: str, tokens: Sequence[str]) -> list[Term]:
        """Those of a line: as it stands, or in the case in which it is read. usual, tokens: as it
        is read."""
        found: list[re.Match[str]] = []
        for form in (self._source.spelt(line), usual):
            if len(form) == len(usual):
                taken = [one.span() for one in found]
                found += [
                    one
                    for one in self._phrases.finditer(form)
                    if all(one.end() <= first or end <= one.start() for first, end in taken)
                ]
        return [
            Term(inner_words(text, self._target), *places, text)
            for one in found
            if (places := tokens_of(usual, one.span(), tokens))
            and (text := self._translations[one[0]])
        ]


@dataclass(frozen=True)
class Wish:
    """What a sentence's translation must have: what it begins with, or is if it ends there; terms;
    and what is copied, since it is no language. copies: whether so, which needs attention. numbers:
    whether they are terms, too. stop: of the line's language, as of `framed`."""

    line: str
    prefix: str = ""
    ends: bool = False
    glossary: Glossary | None = None
    copies: bool = True
    numbers: bool = False
    stop: str = ""

    @cached_property
    def _read(self) -> tuple[str, list[str]]:
        """The line without its copies, and these as they are written."""
        return masked(self.line, self.glossary or ()) if self.copies else (read(self.line), [])

    @cached_property
    def _frame(self) -> Frame:
        line = tidy(self._read[0])
        return Frame((), line) if self.prefix or self.ends else framed(line, self.stop)

    @cached_property
    def text(self) -> Text:
        """What is searched of the line, and what stands around its words."""
        sentence = self._frame.sentence
        return without_additions(sentence) if self.copies else Text(sentence, is_html=False)

    @property
    def masked(self) -> str:
        """What is searched: without what stands around it and its words, and copies are masked."""
        return self.text.letters

    def whole(self, translation: str, language: str, target: TextCodec) -> str:
        """With what stands around the line, or what the line is if it has no letter. language: the
        line's."""
        text = self._frame.around(translation, target.vocabulary)
        if not self.masked:
            text = NUMBER.sub(lambda found: number_in(found[0], language, target.language), text)
        return unmarked(text, self._read[1])

    def lacks_numbers(self, words: Sequence[int], language: str, target: TextCodec) -> bool:
        """Whether a translation has others in place of the line's. language: the line's."""
        if not (self.copies and numbers(self.masked)):
            return False
        return lacks_numbers(target.decode(words), self.masked, language, target.language)

    def guide(self, usual: str, tokens: Sequence[str], language: str, target: TextCodec) -> Guide:
        """usual, tokens: the masked line as it is read. language: its own."""
        terms = self.glossary.terms(self.masked, usual, tokens) if self.glossary else []
        for number in numbers(usual) if self.numbers else ():
            text = number_in(number[0], language, target.language)
            text = in_width_of(target.vocabulary, text)
            places = tokens_of(usual, number.span(), tokens)
            if places and not any(t.first <= places[1] and places[0] <= t.last for t in terms):
                terms.append(Term(inner_words(text, target), *places, text))
        begins = [*target.encode(self.prefix), *[END] * self.ends]
        copies = self._read[1]
        # An unknown word disturbs what follows least, rare ones tell copies apart.
        own = chain(range(len(target.vocabulary) - 1, UNKNOWN, -1), repeat(UNKNOWN))
        if len(copies) == 1 and UNKNOWN not in chain(begins, *(term.words for term in terms)):
            own = [UNKNOWN]
        terms += [
            Term([word], *places, text)
            for number, (text, word) in enumerate(zip(copies, own))
            if (place := usual.find(chr(MARK + number))) >= 0
            and (places := tokens_of(usual, (place, place + 1), tokens))
        ]
        terms.sort(key=lambda term: term.first)
        return Guide(Term(begins, 0, 0, self.prefix), terms, has_numbers=self.numbers)


def marked(
    tokens: Sequence[str], words: Sequence[int], terms: Sequence[Term], target: TextCodec
) -> list[str]:
    """A translation with a character in place of each term, which is not to be changed.

    tokens, words: what it consists of. An unknown word stands by itself.
    """
    begin = (SPACE, SPECIAL[UNKNOWN]) if _has_spaced_subwords(target) else (SPACE,)
    tokens, words = [*tokens], [*words]
    for number, term in enumerate(terms):
        own = [word for word in term.words if word != END]
        starts = [n for n in range(len(words)) if own and words[n : n + len(own)] == own]
        for start in starts[:1]:
            whole = slice(start, start + len(own))
            mark = [SPACE] * tokens[start].startswith(begin) + [chr(MARK + number)]
            tokens[whole], words[whole] = mark, [PAD] * len(mark)
    return tokens


def wishes_for(
    run: Run,
    texts: Sequence[Sequence[str]],
    glossary: Mapping[str, str],
    prefixes: Sequence[str] | None,
) -> list[Wish]:
    """Of all sentences of all texts. prefixes: of each text; their sentences but the last one are
    whole translations.

    Raises:
      UserError: glossary or prefixes are no texts, or not as many as there should be; attention
        looks at nothing, so that no term can be placed.
    """
    if glossary and run.config.model.attention.span.scores_nothing:
        raise UserError(f"a glossary needs attention, and {run.folder} looks at nothing")
    given = [""] * len(texts) if prefixes is None else checked_lines(prefixes, "prefix text")
    if len(given) != len(texts):
        raise UserError(f"there must be a prefix a line: {len(given)} of {len(texts)} lines")
    terms = Glossary(glossary, run.source, run.target) if glossary else None
    wishes, stop, language = [], run.stop, run.target.language
    copies = not run.config.model.attention.span.scores_nothing
    for parts, prefix in zip(texts, given):
        *whole, last = sentences(in_one_line(prefix), language)
        before = len(parts) - 1
        last = space_between(language).join([*whole[before:], last])
        begun = [*((text, True) for text in whole[:before]), (last, False)]
        each = zip_longest(parts, begun, fillvalue=("", False))
        wishes += [Wish(part, *begins, terms, copies, stop=stop) for part, begins in each]
    return wishes


def kinds_of(codec: TextCodec) -> Kinds:
    """Of its words. A term may take the place of those that are not the most frequent, such as
    articles; of a word's first subword; and of digits."""
    tokens = np.array(codec.vocabulary.tokens)
    found = np.arange(len(tokens)) >= FUNCTION_WORDS
    if _has_spaced_subwords(codec):
        found = found & np.char.startswith(tokens, SPACE)
    digits = np.array([any(map(str.isdigit, token)) for token in codec.vocabulary.tokens])
    return Kinds(found | digits, digits)


def _has_spaced_subwords(codec: TextCodec) -> bool:
    return isinstance(codec.tokenizer, Subwords) and codec.language not in WRITTEN_WITHOUT_SPACES


def tokens_of(text: str, span: tuple[int, int], tokens: Sequence[str]) -> tuple[int, int] | None:
    """The first and last token of a part of a text. None where tokens end before it."""
    first, last = (len(text[:end].replace(" ", "")) for end in span)
    ends = np.cumsum([0, *(len(token.replace(SPACE, "")) for token in tokens)])
    if first >= ends[-1]:
        return None
    first, last = np.searchsorted(ends, [first, last - 1], side="right").tolist()
    return first - 1, min(last, len(tokens)) - 1


def inner_words(text: str, codec: TextCodec) -> list[int]:
    """Numbers of a text's tokens, as they stand inside a sentence."""
    first, *others = codec.tokenizer.tokenize(read(text)) or [""]
    inner = [token for token in [first.removeprefix(SPACE)] if token]
    spaced = codec.language not in WRITTEN_WITHOUT_SPACES
    if spaced or UNKNOWN in codec.vocabulary.ids(inner):
        inner = [first]
    return codec.vocabulary.ids([*inner, *others])
