"""What does text cost that is not as training's: other spaces, characters unseen, capitals, marks?

The run of the package translates lines of its test set as they are, and made dirty in each of these
ways. All have the same references. Lines that are read alike are translated once.
"""

from collections.abc import Callable, Sequence
from itertools import islice

import fa_jax
from experiments.benchmarks.report import Headline, Report
from experiments.measuring.benchmark import measure_and_publish
from fa_jax.data.capitals import in_capitals
from fa_jax.evaluation.scores import score_translations

LINES = 400


def _first_space(character: str) -> Callable[[str], str]:
    return lambda line: line.replace(" ", character, 1)


def _in_longest_word(character: str) -> Callable[[str], str]:
    def dirty(line: str) -> str:
        word = max(line.split(), key=len)
        return line.replace(word, word[: len(word) // 2] + character + word[len(word) // 2 :], 1)

    return dirty


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
    "capitals": str.upper,
    "small letters": str.lower,
    "Title Case": str.title,
}
TARGETS = {"capitals": 2.0, "small letters": 1.0, "Title Case": 1.0}
"""BLEU that may be lost; in every other way `LEAST`."""
LEAST = 0.3


def measure() -> Report:
    """A row for each way, the clean lines first."""
    run = fa_jax.load_run("en-ja")
    sources, references = zip(*islice(run.pairs("test"), LINES), strict=True)

    known: dict[tuple[str, bool], str] = {}

    def bleu(lines: Sequence[str]) -> float:
        read = [(run.source.usual(line), in_capitals(line)) for line in lines]
        new = {key: line for key, line in zip(read, lines, strict=True) if key not in known}
        records = fa_jax.translate(run, [*new.values()], split=False)
        texts = [record["translations"][0]["text"] for record in records]
        known.update(zip(new, texts, strict=True))
        scores = score_translations([known[key] for key in read], references, "ja")
        return float(scores["bleu_char"])

    clean = bleu(sources)
    rows = [{"text": "as it is", "lines changed": 0, "BLEU": clean, "lost": 0.0}]
    for name, dirty in WAYS.items():
        lines = [*map(dirty, sources)]
        changed = sum(a != b for a, b in zip(lines, sources, strict=True))
        found = bleu(lines)
        rows.append({"text": name, "lines changed": changed, "BLEU": found, "lost": clean - found})
    lost = {row["text"]: row["lost"] for row in rows}
    others = [lost[name] for name in WAYS if name not in TARGETS]
    headlines = [
        Headline(
            "BLEU lost by other spaces, characters unseen or marks, at most", max(others), LEAST
        ),
        *(Headline(f"BLEU lost by {name}", lost[name], most) for name, most in TARGETS.items()),
    ]
    return Report(
        "dirty_text",
        {"run": "en-ja", "lines": LINES, "beam": run.config.decoding.beam_size},
        rows,
        ["BLEU on characters."],
        headlines,
        question="what does text cost that is not as training's?",
        command="python -m experiments.dirty_text",
    )


if __name__ == "__main__":
    measure_and_publish(measure)
