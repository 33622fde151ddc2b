"""`fa-jax translate`."""

import io
import itertools
import os
import sys
from collections.abc import Iterable, Iterator
from contextlib import nullcontext
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from tqdm import tqdm
from tyro.conf import Positional

import fa_jax
from fa_jax.cli.arguments import OfRuns
from fa_jax.cli.lines import (
    arrived,
    behind,
    bytes_of,
    bytes_on_stdin,
    documents_of,
    page_of,
    part_of,
    told_of_long,
)
from fa_jax.cli.terms import glossary_in, lines_of
from fa_jax.cli.words import arrived_words
from fa_jax.decoding.forced import By
from fa_jax.decoding.simultaneous import PolicyName
from fa_jax.errors import UserError
from fa_jax.runs.folder import as_json
from fa_jax.runs.run import Run
from fa_jax.runs.sentences import parted
from fa_jax.terminal import say

FEWER = (
    "fa-jax: some lines have fewer translations than --n-best: others that the search found read "
    "alike (a larger --decoding.beam-size finds more)"
)


@dataclass(frozen=True)
class Command(OfRuns):
    """Translate lines: each line of stdin, or each text behind the run, gives one line of stdout.

    fa-jax translate en-ja "I like cats."

    fa-jax translate en-ja < new.en > new.ja
    """

    lines: Positional[tuple[str, ...]] = ()
    """Lines to translate, each in quotation marks. Default: those of stdin."""
    n_best: int = 1
    """Translations of each line, best first. If more than one: each has its score behind it, with
    tabs between."""
    details: bool = False
    """Write one JSON object for each line: translations, confidence of each and of its words, log
    probabilities, alignment, g(t), window."""
    alignments: By | None = None
    """Write Pharaoh's alignment of its words behind each translation, with a tab between: which
    word of the line has the highest weight, or stands at the focus, when a word is written. Words
    stand between spaces; those of Japanese are MeCab's."""
    glossary: Path | None = None
    """File of terms that are kept: a phrase, a tab and its translation a line. Phrases are whole
    words, as they stand in a line or with a capital letter."""
    prefixes: Path | None = None
    """File with a line for each line to translate: what its translation begins with."""
    output: Path | None = None
    """File to add the translations to. Lines that have theirs there are passed over: a command that
    was stopped goes on if it is given again. Default: stdout."""
    part: tuple[int, int] = (1, 1)
    """Translate one part of a file alone, such as `2 4`: the second of four. Processes that have a
    part each share the work. Their outputs, one behind the other, are the whole."""
    split: bool = True
    """Translate each sentence of a line by itself, and join the translations. A run that was
    trained on documents reads lines whole."""
    documents: bool = False
    """Translate documents. An empty line ends a document, in stdin and in stdout. A run that was
    trained on documents reads each one whole, and each line knows the lines before it."""
    html: bool = False
    """Translate a page of HTML, which is all of stdin. Tags come back around the words that belong
    to what they were around."""
    simultaneous: PolicyName | None = None
    """Translate while words arrive: after each one, write what can be written, for good. A word
    needs a place of the line: where attention looks (focus), the highest weight (align-att), or
    that of the token written last (wait-k). --details writes an object a line when it ends, with
    the delay of each word."""
    behind: float = 2.0
    """Tokens that --simultaneous must have heard behind the place that a word needs; of wait-k it
    is k. More wait longer and translate better."""

    def __call__(self):
        if files := [line for line in self.lines if os.path.isfile(line)]:
            raise UserError(
                f"{files[0]} is a file, no line: fa-jax translate {self.run} < {files[0]}"
            )
        if self.simultaneous:
            self._interpret()
            return
        if self.html or self.documents:
            option = "--html" if self.html else "--documents"
            if self.n_best > 1 or self.details or self.alignments or self.prefixes:
                raise UserError(
                    f"{option} gives one translation, and no more: leave out --n-best, --details, "
                    "--alignments, --prefixes"
                )
        if self.html and (self.documents or self.output or self.part != (1, 1)):
            raise UserError(
                "--html writes one page to stdout: leave out --documents, --output, --part"
            )
        if self.prefixes and self.part != (1, 1):
            raise UserError("--prefixes are for a whole file: leave out --part")
        runs, told = self.runs(), False
        if self.html:
            pages = [page_of(self.lines)]
            (page,) = fa_jax.translate_html(runs, pages, self.decoding, **self._options())
            print(page, end="" if page.endswith("\n") else "\n")
            return
        file, there = _added_to(self.output) if self.output else (sys.stdout, 0)
        prefixes = iter(lines_of(self.prefixes)[there:] if self.prefixes else ())
        passed, there, chunks = behind(there, self._chunks(runs))
        with nullcontext() if file is sys.stdout else file:
            for text, record in self._translated(runs, chunks, passed, prefixes):
                if text.strip() and len(record["translations"]) < self.n_best and not told:
                    told = True
                    say(FEWER)
                lines = self._shown(text, record).split("\n")[there:]
                print(*lines, sep="\n", file=file, flush=file is not sys.stdout)
                there = 0

    def _options(self) -> dict[str, Any]:
        """Of the functions that translate."""
        terms = glossary_in(self.glossary) if self.glossary else None
        return {"split": self.split, "glossary": terms}

    def _interpret(self):
        others = "alignments", "documents", "ensemble", "glossary", "html", "output", "prefixes"
        if any(getattr(self, name) for name in others) or self.n_best > 1 or self.part != (1, 1):
            raise UserError(
                "--simultaneous writes one translation of one run: leave out --n-best, --part, "
                f"--{', --'.join(others)}"
            )
        (run,) = self.runs()
        begin = partial(fa_jax.Interpreter, run, self.simultaneous, self.behind, self.decoding)
        interpreter = begin()
        for word, last in arrived_words(self.lines, run.source.language):
            written = interpreter.hear(word, last=last)
            if self.details:
                written = as_json(interpreter.record()) if last else ""
            print(written, end="\n" if last else "", flush=True)
            if last:
                interpreter = begin()

    def _chunks(self, runs: list[Run]) -> Iterator[list[str]]:
        """Texts to translate as they come, many at once: lines, or documents."""
        longest = self.decoding.max_source_length
        folders = zip((self.run, *self.ensemble), runs, strict=True)
        of_sentences = [name for name, run in folders if not run.config.data.documents]
        if self.documents and not of_sentences:
            longest = sys.maxsize
        elif self.documents:
            say(
                f"fa-jax: {of_sentences[0]} was trained on single sentences, so each line is "
                "translated by itself (fa-jax finetune --documents 120 makes a run that reads "
                "documents whole)"
            )

        def tokens(line: str) -> int:
            return max(len(runs[0].source.encode(part)) for part in self._parts(runs, line))

        chunks = told_of_long(arrived(self.lines), tokens, longest, self.documents)
        if self.documents:
            chunks = documents_of(chunks)
        if self.part != (1, 1):
            chunks = part_of(chunks, self.part, documents_of if self.documents else iter)
        return chunks

    def _shown(self, line: str, record: dict[str, Any]) -> str:
        if self.details:
            return as_json({"source": line, **record})
        shown = ["text", *["score"] * (self.n_best > 1), *["links"] * bool(self.alignments)]
        cells = (one[name] for one in record["translations"] for name in shown)
        return "\t".join(f"{x:.4f}" if isinstance(x, float) else x for x in cells)

    def _parts(self, runs: list[Run], text: str) -> list[str]:
        """What of a text is searched by itself."""
        ((parts,), _) = parted([text], runs, split=self.split, documents=self.documents)
        return parts

    def _translated(
        self, runs: list[Run], chunks: Iterable[list[str]], done: int, prefixes: Iterator[str]
    ) -> Iterator[tuple[str, dict[str, Any]]]:
        """Each text, and what was found; all of a chunk are written before the next one is read.

        On a terminal, a bar shows how much of a file, or of documents, is done. done: bytes before.
        """
        total = 0 if self.lines else bytes_on_stdin() // self.part[1]
        hidden = None if total or self.documents else True  # None: where stderr is no terminal
        shown = {"unit": "B", "unit_scale": True, "disable": hidden, "leave": False}
        options = {"n_best": self.n_best, "details": self.details, "documents": self.documents}
        options |= self._options()
        for texts in chunks:
            if self.prefixes:
                options["prefixes"] = [*itertools.islice(prefixes, len(texts))]
                if len(options["prefixes"]) < len(texts):
                    raise UserError(f"{self.prefixes} has fewer lines than there are to translate")
            size = bytes_of(texts)
            searched = sum(bool(part.strip()) for text in texts for part in self._parts(runs, text))
            each = size / max(1, searched)
            with tqdm(total=max(total, done + size), initial=done, **shown) as bar:
                records = fa_jax.translate(
                    runs,
                    texts,
                    self.decoding,
                    progress=lambda more, each=each, bar=bar: bar.update(more * each),
                    **options,
                )
            if self.alignments:
                _add_alignments(runs[0], texts, records, self.alignments)
            done += size
            yield from zip(texts, records, strict=True)
            sys.stdout.flush()
        if [*prefixes]:
            raise UserError(f"{self.prefixes} has more lines than there were to translate")


def _add_alignments(run: Run, texts: list[str], records: list[dict[str, Any]], by: By):
    found = [(line, one) for line, of in zip(texts, records) for one in of["translations"]]
    aligned = fa_jax.align(run, [(line, one["text"]) for line, one in found], by=by)
    for (_, one), alignment in zip(found, aligned, strict=True):
        one |= {**vars(alignment), "links": str(alignment)}


def _added_to(path: Path) -> tuple[io.TextIOWrapper, int]:
    """A file to write lines behind the whole ones that it has, and their number."""
    try:
        file = path.open("a+b")
        file.seek(0)
        number = size = 0
        for line in file:
            if line.endswith(b"\n"):
                number, size = number + 1, size + len(line)
        file.truncate(size)
    except OSError as error:
        raise UserError(f"--output {path} cannot be written: {error.strerror or error}") from error
    return io.TextIOWrapper(file, "utf-8", newline="", write_through=True), number
