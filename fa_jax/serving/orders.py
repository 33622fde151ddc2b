"""What the thread that translates can be asked to do."""

import json
import math
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any

from fa_jax.config import DecodingConfig
from fa_jax.data.markup import text_of
from fa_jax.errors import UserError
from fa_jax.pages.content import span_content
from fa_jax.runs.markup import translate_inline
from fa_jax.runs.run import Run
from fa_jax.runs.trace import traces
from fa_jax.runs.translate import translate

PLACES = 16
"""Sentences searched at once, at most: with more, the few that wait together leave places empty."""
SPLIT = {"true": True, "false": False}


@dataclass(frozen=True)
class Order:
    """A function of lines that gives an answer a line. threshold: τ. split: as of `translate`."""

    run: Run
    threshold: float
    split: bool = True

    @property
    def decoding(self) -> DecodingConfig:
        own = self.run.config.decoding
        return replace(own, threshold=self.threshold, batch_size=min(own.batch_size, PLACES))

    def read(self, line: str) -> str:
        """What is translated of a line."""
        return line


@dataclass(frozen=True)
class Translations(Order):
    """Each line's translations, best first. n_best: most of a line. glossary: as of `translate`.
    prefix: of every line's translation. html: lines have tags in them."""

    n_best: int = 1
    glossary: Mapping[str, str] = field(default_factory=dict)
    prefix: str = ""
    html: bool = False

    def read(self, line: str) -> str:
        return text_of(line).letters if self.html else line

    def __call__(self, lines: Sequence[str]) -> list[list[str]]:
        terms = {"glossary": self.glossary, "prefixes": [self.prefix] * len(lines)}
        options = {"split": self.split} | {name: x for name, x in terms.items() if any(x)}
        if self.html:
            return translate_inline(self.run, lines, self.decoding, self.n_best, **options)
        records = translate(self.run, lines, self.decoding, self.n_best, **options)
        return [[found["text"] for found in record["translations"]] for record in records]


@dataclass(frozen=True)
class Traces(Order):
    """What attention did while each line's best translation was written."""

    def __call__(self, lines: Sequence[str]) -> list[dict[str, Any]]:
        return [*map(span_content, traces(self.run, lines, self.decoding, split=self.split))]


def wanted(fields: dict[str, Any], run: Run) -> dict[str, Any]:
    """What an order is made of, as a request says. threshold: a number above 0, its text or "inf";
    if not said, the run's own. split: true or false, or their text; if not said, true. Raises
    UserError where they are something else."""
    threshold = fields.get("threshold", run.config.decoding.threshold)
    split = fields.get("split", True)
    if not (number := number_of(threshold)) > 0:
        raise UserError(f"threshold must be a number above 0, or 'inf', got {threshold!r:.40}")
    if (said := str(split).lower()) not in SPLIT:
        raise UserError(f"split must be true or false, got {split!r:.40}")
    return {"run": run, "threshold": number, "split": SPLIT[said]}


def terms_wanted(fields: dict[str, Any], lines: Sequence[str]) -> dict[str, Any]:
    """What of `Translations` a request says beside that. glossary: an object, or its JSON. prefix:
    a text, where `q` is one line. Raises UserError where they are something else."""
    glossary, prefix = fields.get("glossary") or {}, fields.get("prefix") or ""
    with suppress(ValueError, TypeError, RecursionError):
        glossary = json.loads(glossary)
    if not isinstance(glossary, dict) or not all(
        isinstance(text, str) and text.strip() for entry in glossary.items() for text in entry
    ):
        raise UserError('glossary must be an object of texts, such as {"cats": "ネコ"}')
    if not isinstance(prefix, str) or (prefix and len(lines) != 1):
        raise UserError("prefix must be a text, and q one line")
    return {"glossary": glossary, "prefix": prefix}


def number_of(value: Any) -> float:
    """Of a number or its text; NaN of what is neither."""
    try:
        return float(value) if isinstance(value, int | float | str) else math.nan
    except (ValueError, OverflowError):
        return math.nan
