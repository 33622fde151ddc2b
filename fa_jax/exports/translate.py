"""Translates lines from stdin to stdout, or from Python: `Translator().translate(["…"])`.

It needs the files beside it, and the packages that their README.md names.
"""

import argparse
import functools
import json
import sys
from bisect import bisect_left
from collections.abc import Callable, Sequence
from itertools import groupby, islice
from pathlib import Path

import jax
import numpy as np
from jax import export
from safetensors.numpy import load_file

from fa_jax.data.capitals import in_case_of
from fa_jax.data.codec import load_codec
from fa_jax.data.emphasis import without_additions
from fa_jax.data.frame import framed
from fa_jax.data.marks import tidy
from fa_jax.data.reading import read
from fa_jax.data.sentences import sentences, space_between

LINES_AT_ONCE = 1024


class Translator:
    """folder: that of the exported files; default: this one."""

    def __init__(self, folder: str | Path = Path(__file__).parent):
        self.folder = Path(folder)
        self.config = json.loads((self.folder / "config.json").read_text(encoding="utf-8"))
        self.decoding = self.config["fa_jax"]["decoding"]
        self.weights = jax.device_put(load_file(self.folder / "model.safetensors"))
        self.source, self.target = (load_codec(self.folder, side) for side in ("source", "target"))

    def translate(
        self,
        lines: Sequence[str],
        threshold: float | None = None,
        *,
        split: bool | None = None,
        first_line: int = 1,
    ) -> list[str]:
        """Each line's translation.

        threshold: τ; default: the one that was exported. split: whether each sentence of a line is
        translated by itself; default: as the run does. first_line: its number, for messages.
        """
        threshold = float(self.decoding["threshold"] if threshold is None else threshold)
        if not threshold > 0:
            raise ValueError(f"threshold must be above 0, got {threshold}")
        if split is None:
            split = not self.config["fa_jax"]["data"]["documents"]
        parts = [sentences(line, self.source.language) if split else [line] for line in lines]
        stop, longest = self.config["full_stop"], self.decoding["max_source_length"]
        frames = [framed(tidy(read(part)), stop) for of_line in parts for part in of_line]
        letters = (without_additions(frame.sentence).letters for frame in frames)
        tokens = map(self.source.tokenizer.tokenize, map(self.source.usual, letters))
        ids = [*map(self.source.vocabulary.ids, tokens)]
        lengths = map(len, ids)
        for number, of_line in enumerate(parts, start=first_line):
            if (length := max(islice(lengths, len(of_line)))) > longest:
                said = f"line {number}: a sentence has {length:,} tokens; its first {longest:,} are"
                print(f"{said} translated", file=sys.stderr)
        found = map(self.target.decode, self._found([one[:longest] for one in ids], threshold))
        texts = (
            frame.around(in_case_of(frame.sentence, text), self.target.vocabulary)
            for frame, text in zip(frames, found, strict=True)
        )
        between = space_between(self.target.language)
        return [between.join(islice(texts, len(of_line))) for of_line in parts]

    def _found(self, ids: list[list[int]], threshold: float) -> list[list[int]]:
        """Each sentence's translation, as numbers: beside others of like lengths, by the shortest
        program that has room for it."""
        words: dict[int, list[int]] = {}
        lengths = [program["source_length"] for program in self.config["programs"]]
        order = sorted((row for row, of in enumerate(ids) if of), key=lambda row: -len(ids[row]))
        for number, rows in groupby(order, lambda row: bisect_left(lengths, len(ids[row]))):
            program = self.config["programs"][number]
            while batch := [*islice(rows, program["sentences"])]:
                found = self._search(program, [ids[row] for row in batch], threshold)
                words.update(zip(batch, found, strict=False))
        return [words.get(row, []) for row in range(len(ids))]

    def _search(self, program: dict, ids: list[list[int]], threshold: float) -> list[list[int]]:
        sources = np.zeros((program["sentences"], program["source_length"]), np.int32)
        lengths, limits = np.zeros((2, program["sentences"]), np.int32)
        ratio, extra = self.decoding["max_length_ratio"], self.decoding["max_length_extra"]
        for row, source in enumerate(ids):
            sources[row, : len(source)] = source
            lengths[row], limits[row] = len(source), int(ratio * len(source)) + extra
        search = _program(self.folder / program["file"])
        inputs = self.weights, sources, lengths, limits, np.float32(threshold)
        found = jax.device_get(search(*inputs))
        return [
            words[:length].tolist()
            for words, length in zip(found["words"], found["lengths"], strict=True)
        ]


@functools.cache
def _program(path: Path) -> Callable:
    return jax.jit(export.deserialize(bytearray(path.read_bytes())).call)


def main():
    parser = argparse.ArgumentParser(description="Translates lines from stdin to stdout.")
    parser.add_argument("--threshold", type=float, help="penalty from which nothing is scored (τ)")
    parser.add_argument(
        "--split",
        action=argparse.BooleanOptionalAction,
        help="translate each sentence of a line by itself (default: as the run does)",
    )
    options = parser.parse_args()
    if options.threshold is not None and not options.threshold > 0:
        parser.error(f"--threshold must be above 0, got {options.threshold}")
    translator = Translator()
    sys.stdout.reconfigure(encoding="utf-8")
    lines = _lines(sys.stdin.buffer.read())
    for first in range(0, len(lines), LINES_AT_ONCE):
        part = lines[first : first + LINES_AT_ONCE]
        found = translator.translate(
            part, options.threshold, split=options.split, first_line=first + 1
        )
        print(*found, sep="\n", flush=True)


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
