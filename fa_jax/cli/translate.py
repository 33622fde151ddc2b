"""`fa-jax translate`."""

import itertools
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import count

from tqdm import tqdm

import fa_jax
from fa_jax.cli.arguments import OfRuns
from fa_jax.data.sentences import sentences
from fa_jax.errors import UserError
from fa_jax.runs.folder import as_json
from fa_jax.runs.run import Run
from fa_jax.runs.sentences import are_parted

LINES_AT_ONCE = 1024  # read before their translations are written
BYTES_AT_ONCE = 2**20
ENDS = 2  # tokens without a letter of their own: a space before the line, an end behind it
FEWER = (
    "fa-jax: some lines have fewer translations than --n-best: others that the search found read "
    "alike (a larger --decoding.beam-size finds more)"
)
LONG_LINE = 1000  # letters, some 200 words: hardly one sentence


@dataclass(frozen=True)
class Command(OfRuns):
    """Translate lines: each line of stdin gives one line of stdout."""

    n_best: int = 1
    """Translations of each line, best first. If more than one: each has its score behind it, with
    tabs between."""
    details: bool = False
    """Write one JSON object for each line: translations, log probabilities, alignment, g(t),
    window."""
    split: bool = True
    """Translate each sentence of a line by itself, and join the translations. A run that was
    trained on documents reads lines whole."""
    documents: bool = False
    """Translate documents. An empty line ends a document, in stdin and in stdout. A run that was
    trained on documents reads each one whole, and each line knows the lines before it."""

    def __call__(self):
        runs = self.runs()
        if self.documents:
            self._translate_documents(runs)
        else:
            self._translate_lines(runs)

    def _translate_documents(self, runs: list[Run]):
        if self.n_best > 1 or self.details:
            raise UserError(
                "--documents gives one translation a line: leave out --n-best, --details"
            )
        longest, first = sys.maxsize, True
        folders = zip((self.run, *self.ensemble), runs, strict=True)
        if of_sentences := [name for name, run in folders if not run.config.data.documents]:
            longest = self.decoding.max_source_length
            print(
                f"fa-jax: {of_sentences[0]} was trained on single sentences, so each line is "
                "translated by itself (fa-jax finetune --documents 120 makes a run that reads "
                "documents whole)",
                file=sys.stderr,
            )
        lengths = _lengths(runs, split=False)
        for texts in _documents(_watched(_stdin_lines(longest, lengths))):
            lines = sum(text.count("\n") + 1 for text in texts)
            words = sum(len(text.split()) for text in texts)
            with tqdm(total=words, unit=" words", disable=None, leave=False) as bar:
                records = fa_jax.translate(
                    runs,
                    texts,
                    self.decoding,
                    documents=True,
                    progress=lambda done, line=words / lines: bar.update(round(done * line)),
                )
            for record in records:
                if not first:
                    print()
                print(record["translations"][0]["text"])
                first = False
            sys.stdout.flush()

    def _translate_lines(self, runs: list[Run]):
        lengths, told = _lengths(runs, self.split), False
        for chunk in _stdin_lines(self.decoding.max_source_length, lengths):
            records = fa_jax.translate(
                runs,
                chunk,
                self.decoding,
                n_best=self.n_best,
                details=self.details,
                split=self.split,
            )
            for line, record in zip(chunk, records, strict=True):
                found = record["translations"]
                if line.strip() and len(found) < self.n_best and not told:
                    told = True
                    print(FEWER, file=sys.stderr)
                if self.details:
                    print(as_json({"source": line, **record}))
                elif self.n_best > 1:
                    print("\t".join(f"{one['text']}\t{one['score']:.4f}" for one in found))
                else:
                    print(found[0]["text"])
            sys.stdout.flush()


def _lengths(runs: list[Run], split: bool) -> Callable[[str], int]:
    """Tokens of a line's longest sentence, or of the whole line."""
    source = runs[0].source
    split = split and are_parted(runs)

    def longest(line: str) -> int:
        parts = sentences(line, source.language) if split else [line]
        return max(len(source.encode(part)) for part in parts)

    return longest


def _stdin_lines(longest: int, lengths: Callable[[str], int]) -> Iterator[list[str]]:
    """Lines as they come: of a file many at once, of somebody who types each by itself.

    Says which are longer than what is translated of them.
    """
    numbers = count(1)
    for lines in _arrived():
        for start in range(0, len(lines), LINES_AT_ONCE):
            some = lines[start : start + LINES_AT_ONCE]
            yield [_checked(next(numbers), raw, longest, lengths) for raw in some]


def _watched(chunks: Iterable[list[str]]) -> Iterator[list[str]]:
    """Lines of documents as they come. Says of the first that is too long to be a sentence."""
    numbers, told = count(1), False
    for lines in chunks:
        for line, number in zip(lines, numbers, strict=False):
            if len(line) > LONG_LINE and not told:
                told = True
                print(
                    f"fa-jax: line {number} has {len(line):,} letters and is searched as one "
                    "sentence, which may end too soon. Documents are written line by line: give "
                    "one sentence a line, and an empty line behind a document",
                    file=sys.stderr,
                )
        yield lines


def _documents(chunks: Iterable[list[str]]) -> Iterator[list[str]]:
    """Whole documents, many at once. An empty line, or several, ends one."""
    texts, lines, number = [], [], 0
    for line in itertools.chain(itertools.chain.from_iterable(chunks), [""]):
        if line.strip():
            lines.append(line)
            number += 1
        elif lines:
            texts.append("\n".join(lines))
            lines = []
            if number >= LINES_AT_ONCE:
                yield texts
                texts, number = [], 0
    if texts:
        yield texts


def _arrived() -> Iterator[list[bytes]]:
    """Whole lines, as many as are there to be read, at least one."""
    rest = b""
    while read := sys.stdin.buffer.read1(BYTES_AT_ONCE):
        *lines, rest = (rest + read).split(b"\n")
        if lines:
            yield lines
    if rest:
        yield [rest]


def _checked(number: int, raw: bytes, longest: int, lengths: Callable[[str], int]) -> str:
    try:
        line = raw.decode("utf-8-sig" if number == 1 else "utf-8").rstrip("\r")
    except UnicodeDecodeError as error:
        place = f"stdin, line {number}: not UTF-8 (byte {error.start + 1} of the line)"
        raise UserError(f"{place}. Convert the text to UTF-8") from None
    # Hardly a line has more tokens than letters, so most need no tokenizing here.
    if len(line) + ENDS > longest and (length := lengths(line)) > longest:
        cut = (
            f"line {number}: a sentence has {length:,} tokens; its first {longest:,} are translated"
        )
        print(f"fa-jax: {cut} (--decoding.max-source-length)", file=sys.stderr)
    return line
