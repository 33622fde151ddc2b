"""Terms, copies, numbers and tags: are they kept, and what do they cost?

Each line has a term of its own. A word of the source and what it is aligned with in the reference
are one if the training set has them together in several lines. It is wanted as the reference has
it, or as another line's term, which then stands in the reference, too. Copies stand in its place on
both sides, and tags around it. Lines with a long number are the training set's: the validation set
has few. If the reference has it, too, both have other digits than the run has read, by chance.

`python -m experiments.terms en-ja runs/mine`: the run of the package, and one of your own.
"""

import re
import time
import unicodedata
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from html.parser import HTMLParser
from itertools import cycle, islice
from pathlib import Path
from typing import NamedTuple

import numpy as np
import tyro

import fa_jax
from experiments.benchmarks.report import Headline, Report
from experiments.measuring.benchmark import measure_and_publish
from fa_jax.data.marks import WIDE
from fa_jax.data.numbers import lacks_numbers, numbers
from fa_jax.data.sentences import space_between
from fa_jax.evaluation.scores import score_translations
from fa_jax.runs.align import Alignment
from fa_jax.runs.run import Run
from fa_jax.runs.search import search_lines
from fa_jax.runs.terms import Glossary, Wish

TERMS, MARKED, NUMBERS, SEEN, ROUNDS = 500, 100, 200, 60_000, 7
"""Lines with a term; lines with copies, and with tags; with a number in both texts, and with one
that the reference has in words; pairs of the training set; searches with and without terms, in
turns, whose median times are compared."""
COPIES = (
    "https://www.example.com/a?b=1", "tom@example.com", "%s", "{name}", "www.example.org",
    "%(count)d", "{0}", "j.smith@mail.example.org",
)  # fmt: skip
TAGS = ("<b>{}</b>", '<a href="x?a=1&b=2">{}</a>', "<i><b>{}</b></i>", "<code>x = 1</code> {}<img>")


class TermLine(NamedTuple):
    """A line, its reference, and a word of both."""

    source: str
    reference: str
    phrase: str
    wanted: str


def term_lines(run: Run, count: int) -> list[TermLine]:
    """Lines of the validation and the test set."""
    pairs = [*run.pairs("validation"), *run.pairs("test")]
    seen = [[*islice(run.pairs("train").side(side), SEEN)] for side in (0, 1)]
    lines_with = defaultdict(set)
    for number, line in enumerate(seen[0]):
        for word in re.findall(r"\w+", line):
            lines_with[word].add(number)

    def go_together(phrase: str, wanted: str) -> bool:
        both = [wanted in seen[1][number] for number in lines_with[phrase]]
        return sum(both) >= max(2, 0.25 * len(both))

    found = (
        TermLine(*pair, *term)
        for pair, aligned in zip(pairs, fa_jax.align(run, pairs), strict=True)
        for term in islice((one for one in _terms(run, aligned) if go_together(*one)), 1)
        if pair[0].count(term[0]) == pair[1].count(term[1]) == 1
    )
    return [*islice(found, count)]


def _terms(run: Run, aligned: Alignment) -> Iterator[tuple[str, str]]:
    """Words of at least four letters, and the adjacent words that belong to them alone."""
    for number, word in enumerate(aligned.source):
        phrase = word.strip(".,!?;:\"'")
        own = [target for source, target in aligned.links if source == number]
        others = {target for source, target in aligned.links if source != number}
        while own and re.fullmatch(r"[ぁ-ん\W]+", aligned.target[own[-1]]):
            own.pop()
        adjacent = own and own == [*range(own[0], own[-1] + 1)] and not others & {*own}
        wanted = space_between(run.target.language).join(aligned.target[n] for n in own)
        wanted = wanted.strip(".,!?;:\"'。、")
        if len(phrase) > 3 and phrase.isalpha() and adjacent and len(wanted) > 1:
            yield phrase, wanted


def number_lines(run: Run, count: int, *, spelt: bool) -> list[tuple[str, str]]:
    """Lines and references that have one number. spelt: the reference has it in words."""
    train, random = run.pairs("train"), np.random.default_rng(0)

    def found() -> Iterator[tuple[str, str]]:
        for row in random.permutation(len(train)).tolist():
            pair = train[row]
            source, target = map(numbers, pair)
            if spelt and len(source) == 1 and not target and not re.search(r"\d", pair[1]):
                yield pair
            if not spelt and len(source) == len(target) == 1:
                plain = [unicodedata.normalize("NFKC", of[0][0]) for of in (source, target)]
                if plain[0] == plain[1] and plain[0].isdecimal():
                    other = f"{random.integers(10 ** (len(plain[0]) - 1), 10 ** len(plain[0]))}"
                    wide = other.translate({ord(d): chr(ord(d) + WIDE) for d in other})
                    written = (other if of[0][0] == plain[0] else wide for of in (source, target))
                    each = zip(pair, (source, target), written, strict=True)
                    yield tuple(
                        text[: of[0].start()] + new + text[of[0].end() :] for text, of, new in each
                    )

    return [*islice(found(), count)]


def _of_numbers(run: Run, bleu: Callable[..., float]) -> dict[str, float]:
    """What is right where a number is long, and BLEU, without and with numbers as terms."""
    languages, found = run.config.data.languages.split("-"), {}
    for spelt, what in ((False, "digits"), (True, "words")):
        sources, references = zip(*number_lines(run, NUMBERS, spelt=spelt), strict=True)
        plain = search_lines([run], sources, run.config.decoding).texts()
        kept = fa_jax.translate(run, sources, split=False)
        kept = [one["translations"][0]["text"] for one in kept]
        for how, texts in (("", [best for best, *_ in plain]), (", kept", kept)):
            each = zip(texts, sources, strict=True)
            right = [not lacks_numbers(*pair, *languages) for pair in each]
            found[f"numbers in {what}{how}, % right"] = 100 * float(np.mean(right))
            found[f"numbers in {what}{how}, BLEU"] = bleu(texts, references)
    return found


def _measured(name: str) -> dict[str, float | int | str]:
    run = fa_jax.load_run(name)
    lines = term_lines(run, TERMS)
    sources, references = [line.source for line in lines], [line.reference for line in lines]

    def wished(wanted: Sequence[str]) -> list[Wish]:
        glossaries = [
            Glossary({line.phrase: text}, run.source, run.target)
            for line, text in zip(lines, wanted, strict=True)
        ]
        return [Wish(text, glossary=one) for text, one in zip(sources, glossaries, strict=True)]

    def translated(wishes: Sequence[Wish] = ()) -> list[str]:
        found = search_lines([run], sources, run.config.decoding, wishes=wishes)
        return [text for (text,) in found.texts()]

    def bleu(texts: Sequence[str], expected: Sequence[str]) -> float:
        metrics = ("bleu", "bleu_char")
        scores = score_translations(texts, expected, run.target.language, metrics)
        return float(scores.get("bleu_char", scores["bleu"]))

    def share(wanted: Sequence[str], texts: Sequence[str]) -> float:
        return 100 * float(np.mean([one in text for one, text in zip(wanted, texts, strict=True)]))

    own = [line.wanted for line in lines]
    others = [*own[1:], own[0]]
    changed = [of.reference.replace(of.wanted, w) for of, w in zip(lines, others, strict=True)]
    terms = wished(own)
    plain, kept, swapped = translated(), translated(terms), translated(wished(others))
    before, times = bleu(plain, references), ([], [])
    for _ in range(ROUNDS):
        for wishes, taken in zip(((), terms), times, strict=True):
            begun = time.perf_counter()
            translated(wishes)
            taken.append(time.perf_counter() - begun)
    copies = [*islice(cycle(COPIES), MARKED)]
    put_in = [of.source.replace(of.phrase, c) for of, c in zip(lines, copies, strict=False)]
    copied = fa_jax.translate(run, put_in, split=False)
    tags = [*islice(cycle(TAGS), MARKED)]
    pages = [of.source.replace(of.phrase, t.format(of.phrase)) for of, t in zip(lines, tags)]
    around = fa_jax.translate_html(run, pages, split=False)
    whole = [_tags(text) == _tags(page) for text, page in zip(around, pages, strict=True)]
    return {
        "run": Path(name).name,
        "lines": len(lines),
        "BLEU": before,
        "has the term, %": share(own, plain),
        "kept, %": share(own, kept),
        "BLEU with it": bleu(kept, references),
        "another kept, %": share(others, swapped),
        "BLEU with another": bleu(swapped, changed),
        "time": float(np.median(times[1]) / np.median(times[0])),
        "copies whole, %": share(copies, [of["translations"][0]["text"] for of in copied]),
        "tags whole, %": 100 * float(np.mean(whole)),
        **_of_numbers(run, bleu),
    }


def _tags(text: str) -> list[tuple]:
    """Those of a text, which must be nested as they should."""
    found, around, parser = [], [], HTMLParser()

    def close(tag: str):
        if not around or around.pop() != tag:
            found.append(("not nested", tag))

    parser.handle_starttag = lambda tag, given: (
        found.append((tag, *given)), around.append(tag) if tag != "img" else None
    )  # fmt: skip
    parser.handle_endtag = close
    parser.feed(text)
    return sorted([*found, *(("open", tag) for tag in around)])


def measure(runs: Sequence[str]) -> Report:
    """A row for each run."""
    rows = [_measured(run) for run in runs]
    lost = max(row["BLEU"] - row["BLEU with it"] for row in rows)
    kept = min(row[name] for row in rows for name in ("kept, %", "another kept, %"))
    whole = min(row[name] for row in rows for name in ("copies whole, %", "tags whole, %"))
    right = min(row["numbers in digits, kept, % right"] for row in rows)
    return Report(
        "terms",
        {"terms": TERMS, "copies": MARKED, "tags": MARKED, "numbers": NUMBERS},
        rows,
        [
            "BLEU, on characters where it is Japanese. time: of a search with a term in each line, "
            "against one without. Another: the next line's term, in the reference, too. Numbers: "
            "of two digits and more, drawn by chance where the reference has digits."
        ],
        [
            Headline("share of terms kept, %, at least", kept, 95, at_least=True),
            Headline("BLEU lost by terms that the reference has", lost, 0.0),
            Headline("share of copies and tags that are whole, %", whole, 100, at_least=True),
            Headline("share of long numbers that are right, %", right, 90, at_least=True),
            Headline("time of a search with terms", max(row["time"] for row in rows), 1.1),
        ],
        question="are terms, copies, numbers and tags kept, and what do they cost?",
        command=f"python -m experiments.terms {' '.join(runs)}",
    )


def main(runs: tyro.conf.Positional[tuple[str, ...]] = ("en-ja",)):
    """Measures terms, copies, numbers and tags.

    Args:
      runs: folders, or en-ja.
    """
    measure_and_publish(partial(measure, runs))


if __name__ == "__main__":
    tyro.cli(main)
