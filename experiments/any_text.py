"""Does one recipe do for any text? Global and flexible attention, and what windows cost."""

from dataclasses import dataclass, replace
from statistics import mean, median

from experiments.measuring.records import HALF_A_BLEU, ORDER, SHARE, record_of, recorded
from experiments.measuring.scores import Scores
from experiments.measuring.study_run import StudyRun
from experiments.measuring.wanted import train_and_measure
from experiments.tables.part import Part, bullets, rows_as_table, write_part

LARGEST_ORDER_MISS = 0.1
"""Of the order."""
COLLAPSED_WINDOW, COLLAPSED_LOSS = 4, 2
"""Positions and BLEU: a run whose windows are smaller and whose BLEU is lower has collapsed."""
HEAD = ("corpus", "pairs", "global", "flexible", "half a BLEU", "40%", "window", "products",
        "minutes")  # fmt: skip

TOKENS = {"small": "", "small-words": ", words", "small-chars": ", characters"}
"""What a row says of its tokens, by its preset."""


@dataclass(frozen=True)
class Trained:
    """A row of the table: global and flexible attention, trained equally long on the same text.

    products: what the trainings multiplied. device: that they had, in cores or by name.
    """

    flexible: StudyRun
    products: str = "float32"
    device: str = "2"

    @property
    def everywhere(self) -> StudyRun:
        """Global attention."""
        return replace(self.flexible, preset=f"{self.flexible.preset}-global")

    @property
    def wanted(self) -> list[Scores]:
        """What is measured of its runs."""
        return [
            Scores(self.everywhere),
            Scores(self.flexible, half_a_bleu=True, order=True),
        ]

    @property
    def in_windows(self) -> dict:
        """Scores of the test set in windows of `SHARE` of the source."""
        return recorded(self.flexible, record_of(self.flexible)[ORDER])

    @property
    def at_a_price(self) -> dict:
        """Scores of the test set in windows that cost half a BLEU on the validation set."""
        return recorded(self.flexible, record_of(self.flexible)[HALF_A_BLEU])

    @property
    def over_global(self) -> float:
        """BLEU of flexible attention, from global attention's."""
        return bleu(recorded(self.flexible)) - bleu(recorded(self.everywhere))

    @property
    def gain(self) -> float:
        """BLEU of windows of `SHARE`, from the same run's with all positions scored."""
        return bleu(self.in_windows) - bleu(recorded(self.flexible))

    @property
    def has_collapsed(self) -> bool:
        """Its windows have."""
        return self.in_windows["window"] < COLLAPSED_WINDOW and self.gain < -COLLAPSED_LOSS


def bleu(scores: dict) -> float:
    """On characters where the target is Japanese, or on words."""
    return scores.get("bleu_char", scores["bleu"])


def share(scores: dict) -> float:
    """Of the source's positions that were scored."""
    return scores["window"] / scores["source_length"]


ROWS = [
    Trained(StudyRun("tatoeba_en_ja", "small")),
    Trained(StudyRun("tatoeba_en_ja", "small", pairs=20_000)),
    Trained(StudyRun("tatoeba_en_ja", "small", pairs=5_000)),
    Trained(StudyRun("tatoeba_en_ja", "small-words")),
    Trained(StudyRun("tatoeba_en_ja", "small-words", pairs=5_000)),
    Trained(StudyRun("tatoeba_en_ja", "small-chars")),
    Trained(StudyRun("tatoeba_en_ja", "small", backwards=True)),
    Trained(StudyRun("tatoeba_de_en", "small")),
    Trained(StudyRun("tatoeba_de_en", "small-chars")),
    Trained(StudyRun("bible_de_en", "small")),
    Trained(StudyRun("bible_de_en", "small", pairs=20_000)),
    Trained(StudyRun("bible_de_en", "small", pairs=5_000)),
    Trained(StudyRun("bible_de_en", "small-words")),
    Trained(StudyRun("bible_de_en_chapters", "small")),
]
WANTED = [one for row in ROWS for one in row.wanted]


def part() -> Part:
    """The table, from records."""
    lines = [*rows_as_table(HEAD, map(_cells, ROWS)), "", *bullets(_findings())]
    notes = (
        "BLEU of the test set, beam 5: on characters where the target is Japanese, on sacrebleu's "
        "13a words elsewhere. Hypotheses compare by the mean log p of a word in all rows, and not "
        "as each run chooses for itself. One training each, of subwords where a row does not say "
        "words or characters. Where a row has 5,000 pairs of subwords, the part on three seeds has "
        "three trainings, whose mean is another. All are by `fa-jax train LANGUAGES --corpus "
        "CORPUS`, with `--preset small-words`, `small-chars`, `small-global` … where the row says "
        "so; no other option is set. `bible_de_en_chapters` is learnt and translated verse by "
        "verse. *Half a BLEU*: flexible attention in the narrowest windows that cost so much on "
        "the validation set; there BLEU of Japanese is on MeCab's words. *40%*: in windows that "
        "have so much of the source there. Both have in brackets the share of the test set's "
        "source positions that are scored. All other BLEU is at τ = ∞. *Window*: positions of "
        "windows of 40%. *Products*: what training multiplied: numbers in float32, in bfloat16 "
        "(where the processor has instructions for it), or in TensorFloat-32 (TF32, on a GPU). "
        "*Minutes*: those of flexible attention's training, in brackets on how many cores, or on "
        "which GPU."
    )
    return Part("any_text", "One recipe for any text", lines, notes, _findings())


def _cells(row: Trained) -> tuple[str, ...]:
    run = row.flexible
    return (
        f"{run.corpus}, {run.languages}{TOKENS[run.preset]}",
        f"{run.pairs:,}" if run.pairs else "all",
        f"{bleu(recorded(row.everywhere)):.2f}",
        f"{bleu(recorded(run)):.2f}",
        _in_windows(row.at_a_price),
        _in_windows(row.in_windows),
        f"{row.in_windows['window']:.1f} of {row.in_windows['source_length']:.1f}",
        row.products,
        f"{record_of(run)['seconds'] / 60:.0f} ({row.device})",
    )


def _in_windows(scores: dict) -> str:
    return f"{bleu(scores):.2f} ({share(scores):.0%})"


def _findings() -> list[str]:
    more = [row.over_global for row in ROWS]
    worse = sum(one < -1 for one in more)
    less = [row.gain for row in ROWS]
    by_text = {
        text: [row for row in ROWS if row.flexible.corpus.startswith(text)]
        for text in ("tatoeba", "bible")
    }
    tatoeba, bible = (
        f"{mean(row.gain for row in rows):+.2f} ({min(row.gain for row in rows):+.2f} to "
        f"{max(row.gain for row in rows):+.2f})"
        for rows in by_text.values()
    )
    short, long = map(_adequate, by_text.values())
    missed = [abs(share(row.in_windows) / SHARE - 1) for row in ROWS]
    collapsed = sum(row.has_collapsed for row in ROWS)
    return [
        f"**Any text, flexible**: at τ = ∞ BLEU is {mean(more):+.2f} against global attention, on "
        f"the mean of {len(more)} rows (target: at least -0.3). It is {min(more):+.2f} to "
        f"{max(more):+.2f}, in {worse} rows more than 1 below (target: none).",
        f"**Any text, windows by order**: with windows of {SHARE:g} of the source BLEU is "
        f"{mean(less):+.2f} against flexible attention, on the mean of {len(less)} rows (target: "
        f"at least -0.5). On Bible verses it is {bible}, on Tatoeba's short sentences {tatoeba}. "
        f"{collapsed} runs collapsed.",
        "**Any text, how narrow**: flexible attention loses half a BLEU of the validation set in "
        f"windows of {short} of Tatoeba's sentences, and in {long} of Bible verses (medians; rows "
        "of characters left out).",
        f"**Any text, the order itself**: on the test set the windows miss it by at most "
        f"{max(missed):.0%} of it; {sum(of > LARGEST_ORDER_MISS for of in missed)} of {len(ROWS)} "
        f"rows miss it by more than {LARGEST_ORDER_MISS:.0%} (target: none).",
    ]


def _adequate(rows: list[Trained]) -> str:
    """The positions of such windows, and of what they are windows."""
    scored = [row.at_a_price for row in rows if "chars" not in row.flexible.preset]
    windows, lengths = ([of[key] for of in scored] for key in ("window", "source_length"))
    return (
        f"{median(windows):.1f} ({min(windows):.1f} to {max(windows):.1f}) of the "
        f"{min(lengths):.0f} to {max(lengths):.0f} positions"
    )


if __name__ == "__main__":
    train_and_measure(WANTED)
    write_part(part())
