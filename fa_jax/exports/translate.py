"""Translates lines from stdin to stdout, or from Python: `Translator().translate(["…"])`.

It needs jax (with flatbuffers), numpy, safetensors and the tokenizer's own library, and the files
beside it. It reads no other code.
"""

import argparse
import functools
import json
import re
import runpy
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

import jax
import numpy as np
from jax import export
from safetensors.numpy import load_file

BEGIN, END, UNKNOWN = 1, 2, 3
SPACE = "▁"
WITHOUT_SPACES = ("ja", "zh", "th")
LINES_AT_ONCE = 1024


class Translator:
    """folder: that of the exported files; default: this one."""

    def __init__(self, folder: str | Path = Path(__file__).parent):
        self.folder = Path(folder)
        self.config = json.loads((self.folder / "config.json").read_text(encoding="utf-8"))
        self.weights = jax.device_put(load_file(self.folder / "model.safetensors"))
        self.source, self.target = (Codec(self.folder, side) for side in ("source", "target"))

    def translate(
        self, lines: Sequence[str], threshold: float | None = None, first_line: int = 1
    ) -> list[str]:
        """Each line's translation. threshold: τ; default: the one that was exported.

        first_line: its number, for messages.
        """
        threshold = float(self.config["threshold"] if threshold is None else threshold)
        if not threshold > 0:
            raise ValueError(f"threshold must be above 0, got {threshold}")
        ids = [self.source.encode(line) for line in lines]
        longest = self.config["max_source_length"]
        for number, source in enumerate(ids, start=first_line):
            if len(source) > longest:
                said = f"line {number} has {len(source):,} tokens; its first {longest:,} are read"
                print(said, file=sys.stderr)
        ids = [source[:longest] for source in ids]
        words: list[list[int]] = [[] for _ in lines]
        for program in self.config["programs"]:
            for rows in self._batches(ids, program):
                found = self._search(program, [ids[row] for row in rows], threshold)
                for row, of_row in zip(rows, found, strict=False):
                    words[row] = of_row
        return [self.target.decode(of_line) for of_line in words]

    def _batches(self, ids: list[list[int]], program: dict) -> Iterator[list[int]]:
        """The numbers of the lines whose shortest program this is, of like lengths together."""
        places = [one["source_length"] for one in self.config["programs"]]
        shortest = max((p for p in places if p < program["source_length"]), default=0)
        fitting = [
            row for row, of in enumerate(ids) if shortest < len(of) <= program["source_length"]
        ]
        fitting.sort(key=lambda row: -len(ids[row]))
        for first in range(0, len(fitting), program["sentences"]):
            yield fitting[first : first + program["sentences"]]

    def _search(self, program: dict, ids: list[list[int]], threshold: float) -> list[list[int]]:
        sources = np.zeros((program["sentences"], program["source_length"]), np.int32)
        lengths, limits = np.zeros((2, program["sentences"]), np.int32)
        ratio, extra = self.config["max_length_ratio"], self.config["max_length_extra"]
        for row, source in enumerate(ids):
            sources[row, : len(source)] = source
            lengths[row], limits[row] = len(source), int(ratio * len(source)) + extra
        search = _program(self.folder / program["file"])
        found = search(self.weights, sources, lengths, limits, np.float32(threshold))
        found = jax.device_get(found)
        return [
            words[:length].tolist()
            for words, length in zip(found["words"], found["lengths"], strict=True)
        ]


class Codec:
    """Text to numbers and back. side: source or target."""

    def __init__(self, folder: Path, side: str):
        content = (folder / f"{side}.vocabulary.json").read_text(encoding="utf-8")
        self.settings = json.loads(content)
        self.tokens = self.settings["tokens"]
        self.numbers = {token: n for n, token in enumerate(self.tokens) if n > UNKNOWN}
        reading = runpy.run_path(str(folder / "reading.py"))
        self.read, self.in_one_line = reading["read"], reading["in_one_line"]
        make = {"subword": _subwords, "character": _characters, "word": _words, "split": _split}
        self.tokenize, self.detokenize = make[self.settings["tokenizer"]](
            folder / f"{side}.subwords.model", self.settings
        )

    def encode(self, line: str) -> list[int]:
        return [self.numbers.get(token, UNKNOWN) for token in self.tokenize(self.read(line))]

    def decode(self, ids: Iterable[int]) -> str:
        tokens = [self.tokens[number] for number in ids if number == UNKNOWN or number > END]
        return self.in_one_line(self.detokenize(tokens))


Pair = tuple[Callable[[str], list[str]], Callable[[list[str]], str]]


def _subwords(model: Path, settings: dict) -> Pair:
    import sentencepiece

    pieces = sentencepiece.SentencePieceProcessor(model_proto=model.read_bytes())
    return (
        lambda text: pieces.encode(text.replace(SPACE, "_"), out_type=str),
        pieces.decode_pieces,
    )


def _characters(model: Path, settings: dict) -> Pair:
    return (
        lambda text: list(text.translate(str.maketrans({" ": SPACE, SPACE: "_"}))),
        lambda tokens: "".join(tokens).replace(SPACE, " ").strip(),
    )


def _split(model: Path, settings: dict) -> Pair:
    return str.split, " ".join


def _words(model: Path, settings: dict) -> Pair:
    language = settings["language"]
    if language == "ja":
        import ipadic
        import MeCab

        tagger = MeCab.Tagger(ipadic.MECAB_ARGS + " -Owakati")
        return lambda text: tagger.parse(text).split(), _without_spaces
    import sacremoses

    tokenize = sacremoses.MosesTokenizer(language).tokenize
    detokenize = sacremoses.MosesDetokenizer(language).detokenize
    joined = functools.partial(detokenize, unescape=False)
    split = functools.partial(tokenize, escape=False)
    return split, _without_spaces if language in WITHOUT_SPACES else joined


def _without_spaces(tokens: list[str]) -> str:
    return re.sub(r"(?<![A-Za-z0-9]) | (?![A-Za-z0-9])", "", " ".join(tokens))


@functools.cache
def _program(path: Path) -> Callable:
    return jax.jit(export.deserialize(bytearray(path.read_bytes())).call)


def main():
    parser = argparse.ArgumentParser(description="Translates lines from stdin to stdout.")
    parser.add_argument("--threshold", type=float, help="penalty from which nothing is scored (τ)")
    threshold = parser.parse_args().threshold
    if threshold is not None and not threshold > 0:
        parser.error(f"--threshold must be above 0, got {threshold}")
    translator = Translator()
    sys.stdout.reconfigure(encoding="utf-8")
    lines = _lines(sys.stdin.buffer.read())
    for first in range(0, len(lines), LINES_AT_ONCE):
        part = lines[first : first + LINES_AT_ONCE]
        print(*translator.translate(part, threshold, first + 1), sep="\n", flush=True)


def _lines(read: bytes) -> list[str]:
    """Of UTF-8, with or without a mark of it at the beginning."""
    try:
        text = read.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        number = read.count(b"\n", 0, error.start) + 1
        raise SystemExit(f"stdin, line {number}: not UTF-8") from None
    lines = text.split("\n")
    return [line.rstrip("\r") for line in (lines if lines[-1] else lines[:-1])]


if __name__ == "__main__":
    main()
