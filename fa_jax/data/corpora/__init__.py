"""Corpora by name or folder: embedded, a user's own, ASPEC, and TFDS's translation sets.

All are read through TFDS, as `array_record` files and without TensorFlow.
"""

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from fa_jax.data.corpora.text_files import SPLITS
from fa_jax.errors import UserError

if TYPE_CHECKING:  # those who translate need not wait for TFDS
    from fa_jax.data.corpora.pairs import Pairs

EMBEDDED = {
    "tatoeba_en_ja": ("en", "ja"),
    "bible_de_en": ("de", "en"),
    "tatoeba_de_en": ("de", "en"),
    "bible_de_en_chapters": ("de", "en"),
}
"""Corpora in the folders of these names."""
BY_NAME_ALONE = ("bible_de_en_chapters",)
"""Its training set holds test sentences of another corpus. The others are a language pair's
default, all together."""
DOCUMENT = "document"
"""An example's key for the number of its document, where its corpus is made of files."""


@dataclass(frozen=True)
class Corpus:
    """Parallel text in one direction. digest: changes when the text does; two of one name
    and digest are equal."""

    name: str
    source_language: str
    target_language: str
    digest: str
    train: "Pairs" = field(compare=False)
    validation: "Pairs" = field(compare=False)
    test: "Pairs" = field(compare=False)


def load_corpus(name: str, languages: str) -> Corpus:
    """A corpus in the direction of `languages`, such as "en-ja".

    Args:
      name: one of `EMBEDDED`, a folder, `aspec:FOLDER`, a TFDS set such as
        "wmt15_translate/de-en"; several joined by "+"; empty: the languages' default.

    Raises:
      UserError: unknown names or languages, unreadable or empty files (with file and line).
    """
    import langcodes

    from fa_jax.data.corpora.builders import builder_of, digest_of
    from fa_jax.data.corpora.pairs import Pairs

    match = re.fullmatch(r"([a-z]{2,3})-([a-z]{2,3})", languages)
    if not match or match[1] == match[2]:
        raise UserError(
            f"languages must be two different codes, source and target, such as en-ja or de-en; "
            f"got {languages!r}"
        )
    codes = match.groups()
    shortest = [langcodes.standardize_tag(code) for code in codes]
    if sum(map(len, shortest)) < len("".join(codes)):
        raise UserError(
            f"languages {languages} have shorter codes, by which their scripts are known: say "
            f"{'-'.join(shortest)}. Files of a folder end with the codes, as train.{shortest[0]}"
        )
    name = name or default_corpus(codes)
    names = [name] if Path(name).is_dir() else name.split("+")  # a folder may have one in its name
    builders, digests = zip(*(builder_of(part, codes) for part in names), strict=True)
    splits = {split: Pairs(builders, split, codes) for split in SPLITS}
    return Corpus(name, *codes, digest_of(*digests), **splits)


def repeated(corpus: Corpus) -> list[str]:
    """A line for each of validation and test set that has pairs of the training set."""
    held_out = {"validation": list(corpus.validation), "test": list(corpus.test)}
    learnt = {*held_out["validation"], *held_out["test"]}.intersection(corpus.train)
    counts = {name: sum(pair in learnt for pair in pairs) for name, pairs in held_out.items()}
    return [
        f"{count:,} of {len(held_out[name]):,} {name} pairs are training pairs, too: scores on "
        "them look too good"
        for name, count in counts.items()
        if count
    ]


def default_corpus(languages: tuple[str, ...]) -> str:
    """Its name for a pair of languages, in either direction.

    Raises:
      UserError: none is included for them.
    """
    chosen = [name for name, held in EMBEDDED.items() if {*held} == {*languages}]
    chosen = [name for name in chosen if name not in BY_NAME_ALONE]
    if not chosen:
        known = sorted({"-".join(sorted(held)) for held in EMBEDDED.values()})
        raise UserError(
            f"no corpus is included for {'-'.join(languages)}: choose {', '.join(known)} (either "
            "direction), or name a folder of your own"
        )
    return "+".join(chosen)
