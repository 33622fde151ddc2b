"""What does text cost that is not as training's: other spaces, characters unseen, capitals, marks,
what stands around sentences?

Runs translate lines of their test sets as they are, and made dirty in each of these ways. Lines
that are read alike are translated once.

`python -m experiments.dirty_text runs/mine`: a run of your own. The columns of other runs, which
were measured before in the same ways, stay in the table.
"""

import html
import json
import re
from collections.abc import Callable, Sequence
from functools import partial
from itertools import islice
from pathlib import Path

import tyro

import fa_jax
from experiments.benchmarks.report import Headline, Report
from experiments.measuring.benchmark import measure_and_publish
from experiments.measuring.folders import BENCHMARKS
from fa_jax.data.capitals import in_capitals
from fa_jax.data.frame import framed
from fa_jax.data.letters import PLAIN
from fa_jax.data.reading import read
from fa_jax.evaluation.scores import score_translations

NAME = "dirty_text"
HEAD = "BLEU lost by"
CLEAN = "nothing: BLEU of the lines as they are"
LINES = 400
METRICS = ("bleu", "bleu_char")


def _first_space(character: str) -> Callable[[str], str]:
    return lambda line: line.replace(" ", character, 1)


def _longest_word(line: str, change: Callable[[str], str]) -> str:
    word = max(re.findall(r"\w+", line) or [""], key=len)
    return line.replace(word, change(word), 1)


def _in_longest_word(character: str) -> Callable[[str], str]:
    def dirty(word: str) -> str:
        return word[: len(word) // 2] + character + word[len(word) // 2 :]

    return lambda line: _longest_word(line, dirty)


def _full_width(line: str) -> str:
    return line.translate({ord(mark): ord(mark) + 0xFEE0 for mark in ",.!?'\"()-:;"})


def _curly(line: str) -> str:
    opened = line.replace(' "', " “").replace('"', "”")
    return "“" + opened[1:] if opened.startswith("”") else opened


WAYS: dict[str, Callable[[str], str]] = {
    "a no-break space": _first_space("\xa0"),
    "a tab": _first_space("\t"),
    "a thin space (U+2009)": _first_space("\u2009"),
    "an ideographic space (U+3000)": _first_space("\u3000"),
    "a line separator (U+2028)": _first_space("\u2028"),
    "only no-break spaces": lambda line: line.replace(" ", "\xa0"),
    "two spaces between words": lambda line: line.replace(" ", "  "),
    "a soft hyphen in the longest word": _in_longest_word("\xad"),
    "a zero-width space in it": _in_longest_word("\u200b"),
    "a word joiner in it": _in_longest_word("\u2060"),
    "a NUL in it": _in_longest_word("\0"),
    "a mark of byte order first": lambda line: "\ufeff" + line,
    "marks of direction around": lambda line: f"\u202a{line}\u202c\u200e",
    "’ for '": lambda line: line.replace("'", "’"),
    'curly quotes for "': _curly,
    "– for -": lambda line: line.replace("-", "–"),
    "full-width marks": _full_width,
    "no space behind a comma": lambda line: line.replace(", ", ","),
    "letters that a keyboard lacks": lambda line: "".join(PLAIN.get(c, c) for c in line),
    "HTML's entities for marks": lambda line: html.escape(line).replace("'", "&#39;"),
    "the longest word in capitals": lambda line: _longest_word(line, str.upper),
    "capitals": str.upper,
    "small letters": str.lower,
    "Title Case": str.title,
}
FRAMES: dict[str, Callable[[str], str]] = {
    "a mark of a list": "- {}".format,
    "a mark of a heading": "# {}".format,
    "quotes around": "“{}”".format,
    "brackets around": "({})".format,
    "a smiley behind": "{} 😀".format,
    "stars around the longest word": lambda line: _longest_word(line, "**{}**".format),
    "no full stop": lambda line: line.removesuffix("."),
}
"""What stands around lines and words. It is left out of what is scored and of the references, as
full stops are."""
TARGETS = {
    "letters that a keyboard lacks": 2.0,
    "the longest word in capitals": 1.0,
    "capitals": 2.0,
    "small letters": 1.0,
    "Title Case": 1.0,
}
"""BLEU that may be lost; in every other way `LEAST`."""
LEAST = 0.3


def _lost(name: str) -> dict[str, float]:
    """BLEU that a run loses in each way, and behind `CLEAN` what it has."""
    run = fa_jax.load_run(name)
    sources, references = zip(*islice(run.pairs("test"), LINES), strict=True)

    known: dict[tuple[str, bool], str] = {}

    def translated(lines: Sequence[str]) -> list[str]:
        keys = [(run.source.usual(line), in_capitals(line)) for line in lines]
        new = {key: line for key, line in zip(keys, lines, strict=True) if key not in known}
        records = fa_jax.translate(run, [*new.values()], split=False)
        texts = [record["translations"][0]["text"] for record in records]
        known.update(zip(new, texts, strict=True))
        return [known[key] for key in keys]

    def bleu(texts: Sequence[str], written: Callable[[str], str] = str) -> float:
        expected = [*map(written, references)]
        scores = score_translations(texts, expected, run.target.language, METRICS)
        return float(scores.get("bleu_char", scores["bleu"]))

    clean = translated(sources)
    found = {CLEAN: bleu(clean)}
    for way, dirty in (WAYS | FRAMES).items():
        # Capitals are translated into capitals, so there the clean lines' translations are, too.
        written = str.upper if dirty is str.upper else _inside if way in FRAMES else str
        before = bleu([*map(written, clean)], written)
        texts = [*map(written, translated([*map(dirty, sources)]))]
        found[way] = before - bleu(texts, written)
    return found


def _inside(text: str) -> str:
    return framed(read(text.replace("*", ""))).sentence.rstrip(".。")


def _measured_before() -> dict[str, dict[str, float]]:
    """By run, as `_lost`."""
    stored = BENCHMARKS / f"{NAME}.json"
    rows = json.loads(stored.read_text(encoding="utf-8"))["rows"] if stored.is_file() else []
    ways = [row.pop(HEAD) for row in rows]
    names = rows[0] if rows else ()
    return {name: {way: row[name] for way, row in zip(ways, rows, strict=True)} for name in names}


def measure(runs: Sequence[str]) -> Report:
    """A row for each way, a column for each run."""
    ways = [CLEAN, *WAYS, *FRAMES]
    before = {name: of for name, of in _measured_before().items() if of.keys() == {*ways}}
    lost = before | {Path(run).name: _lost(run) for run in runs}
    rows = [{HEAD: way} | {name: of[way] for name, of in lost.items()} for way in ways]
    most = {way: max(of[way] for of in lost.values()) for way in ways[1:]}
    others = [most[way] for way in WAYS if way not in TARGETS]
    headlines = [
        Headline(
            "BLEU lost by other spaces, characters unseen or marks, at most", max(others), LEAST
        ),
        Headline("BLEU lost by what stands around", max(map(most.get, FRAMES)), LEAST),
        *(Headline(f"BLEU lost by {way}", most[way], limit) for way, limit in TARGETS.items()),
    ]
    return Report(
        NAME,
        {"lines": LINES},
        rows,
        ["BLEU, on characters where it is Japanese."],
        headlines,
        question="what does text cost that is not as training's?",
        command="python -m experiments.dirty_text RUN",
    )


def main(runs: tyro.conf.Positional[tuple[str, ...]] = ("en-ja",)):
    """Measures what dirty text costs these runs.

    Args:
      runs: folders, or en-ja.
    """
    measure_and_publish(partial(measure, runs))


if __name__ == "__main__":
    tyro.cli(main)
