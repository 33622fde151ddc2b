"""Text that is translated while its words arrive."""

import re
from collections.abc import Sequence
from typing import Any

from fa_jax.config import DecodingConfig
from fa_jax.data.given import checked_lines
from fa_jax.data.reading import read
from fa_jax.data.sentences import sentences, space_between
from fa_jax.data.tokenizers.tokenizer import WRITTEN_WITHOUT_SPACES
from fa_jax.data.vocabulary import SPECIAL, UNKNOWN
from fa_jax.decoding.simultaneous import POLICIES, Continuation, continuations
from fa_jax.errors import UserError
from fa_jax.runs.run import Run, check_run
from fa_jax.runs.search import never_written


class Interpreter:
    """Translates one speech, word by word. What is written stays.

    Args:
      run: a trained run.
      policy: what decides whether a word is written, or more is heard first. Each word needs a
        place of the source. focus: where attention looks. align-att: the highest weight (Papi et
        al. 2023). wait-k: that of the token written last (Ma et al. 2019).
      behind: a word is written if so many tokens were heard behind the place that it needs. More
        wait longer and translate better. Of wait-k it is k.
      decoding: how to translate; default: the run's own. The likeliest word is written each time.

    Raises:
      UserError: there is no such policy, or the run's attention looks at nothing.

    >>> interpreter = fa_jax.Interpreter(fa_jax.load_run("en-ja"))
    >>> [interpreter.hear(word) for word in "She bought a car in Tokyo".split()]
    ['', '', '', '彼女', 'は', '']
    >>> interpreter.hear("yesterday.", last=True)
    '昨日東京で車を買った。'
    """

    def __init__(
        self,
        run: Run,
        policy: str = "focus",
        behind: float = 2.0,
        decoding: DecodingConfig | None = None,
    ):
        check_run(run)
        if policy not in POLICIES:
            raise UserError(f"unknown policy {policy!r}: choose {', '.join(POLICIES)}")
        if run.config.model.attention.span.scores_nothing and policy != "wait-k":
            raise UserError(f"the attention of {run.folder} looks at nothing: choose wait-k")
        self.run, self.decoding = run, decoding or run.config.decoding
        self._policy, self._behind = policy, behind
        self.heard = 0
        self.sentence, self._tokens = [], []  # that is spoken, and what is written of it
        self._words, self._delays, self._before = [], [], 0

    def hear(self, word: str, *, last: bool = False) -> str:
        """What is written after this word of the source, to be put behind what was written before.

        word: in languages without spaces a letter; "": none. last: whether the speech ends with it.
        """
        written = len(self.record()["text"])
        hear([(self, word, last)])
        return self.record()["text"][written:]

    def record(self) -> dict[str, Any]:
        """What is written. text: as people write it. words: its words, as far as they are whole; in
        a language without spaces letters. delays: of each, how many words of the source had been
        heard. lagging: `average_lagging` without a reference."""
        text = space_between(self.run.target.language).join(self._words)
        lagging = average_lagging(self._delays, self.heard, len(self._words))
        return {"text": text, "words": self._words, "delays": self._delays, "lagging": lagging}

    def begins_sentence(self, word: str) -> bool:
        """Whether the word is the first one of the next sentence."""
        return len(sentences(self._said(word), self.run.source.language)) > 1

    def source(self) -> tuple[list[int], list[int]]:
        """Tokens of the sentence that is spoken, and those that are written of its translation."""
        codec, longest = self.run.source, self.decoding.max_source_length
        tokens = codec.tokenizer.tokenize(codec.usual(self._said()))[:longest]
        return codec.vocabulary.ids(tokens), self._tokens

    def write(self, found: Continuation, heard: int, *, over: bool):
        """What may be written of how the sentence goes on. heard: its tokens. over: whether it ends
        there."""
        target = self.run.target
        before = len(self._tokens)
        self._tokens = found.words
        if not over:
            self._tokens = found.writable(self._policy, self._behind, heard, before)
        words = units(target.decode(self._tokens), target.language)
        if not over and target.language not in WRITTEN_WITHOUT_SPACES:
            words = words[:-1]  # it may go on
        self._words += words[len(self._words) - self._before :]
        self._delays += [self.heard] * (len(self._words) - len(self._delays))
        if over:
            self.sentence, self._tokens, self._before = [], [], len(self._words)

    def _said(self, *more: str) -> str:
        return space_between(self.run.source.language).join([*self.sentence, *more])


def hear(words: Sequence[tuple[Interpreter, str, bool]]):
    """The next word of each speech, and whether it is the last; all of one run.

    Where it begins a sentence, the one before ends first.
    """
    for interpreter, word, _ in words:
        interpreter.heard += bool(word)
    _go_on([(one, True) for one, word, _ in words if one.begins_sentence(word)])
    for interpreter, word, _ in words:
        interpreter.sentence += [word] * bool(word)
    _go_on([(interpreter, last) for interpreter, _, last in words])


def _go_on(speeches: Sequence[tuple[Interpreter, bool]]):
    """What can be written now. With each, whether its sentence is over."""
    if not speeches:
        return
    run, decoding = speeches[0][0].run, speeches[0][0].decoding
    heard, written = zip(*(interpreter.source() for interpreter, _ in speeches), strict=True)
    found = continuations(run.model, decoding, heard, written, never_written(run, decoding))
    for (interpreter, over), source, one in zip(speeches, heard, found, strict=True):
        interpreter.write(one, len(source), over=over)


def simultaneous(
    run: Run,
    lines: Sequence[str],
    policy: str = "focus",
    behind: float = 2.0,
    decoding: DecodingConfig | None = None,
) -> list[dict[str, Any]]:
    """Translates lines as if each were spoken: what can be written after a word is written, and
    stays.

    Args:
      run: a trained run.
      lines: text as people write it.
      policy: when a word is written, as of `Interpreter`.
      behind: tokens that must have been heard behind the place that a word needs.
      decoding: how to translate; default: the run's own.

    Returns:
      A dict a line, as of `Interpreter.record`.

    Raises:
      UserError: as `Interpreter`, or lines are no list of texts.

    >>> line = "She bought a car in Tokyo yesterday."
    >>> (record,) = fa_jax.simultaneous(fa_jax.load_run("en-ja"), [line])
    >>> record["text"], record["delays"]
    ('彼女は昨日東京で車を買った。', [4, 4, 5, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7])
    """
    lines = checked_lines(lines)
    return speak([(Interpreter(run, policy, behind, decoding), line) for line in lines])


def speak(speeches: Sequence[tuple[Interpreter, str]]) -> list[dict[str, Any]]:
    """The records of interpreters who hear a line each, all at once, of one run."""
    spoken = [(one, units(read(line), one.run.source.language)) for one, line in speeches]
    for number in range(max((len(words) for _, words in spoken), default=0)):
        now = [(one, words) for one, words in spoken if number < len(words)]
        hear([(one, words[number], number == len(words) - 1) for one, words in now])
    return [interpreter.record() for interpreter, _ in speeches]


def units(text: str, language: str) -> list[str]:
    """Words; in a language without spaces letters, and `<unk>` as one."""
    spaced = language not in WRITTEN_WITHOUT_SPACES
    return text.split() if spaced else re.findall(f"{SPECIAL[UNKNOWN]}|.", text, re.DOTALL)


def average_lagging(delays: Sequence[int], source: int, target: int) -> float:
    """Words by which a translation lags behind a speaker (AL, Ma et al. 2019).

    Args:
      delays: of each word of the translation, how many of the source had been heard.
      source: words of the source.
      target: words of the reference; the longer one of reference and translation makes it LAAL
        (Papi et al. 2022).
    """
    lags = [delay - number * source / target for number, delay in enumerate(delays)]
    until = next((n for n, delay in enumerate(delays, start=1) if delay >= source), len(delays))
    return sum(lags[:until]) / max(1, until)
