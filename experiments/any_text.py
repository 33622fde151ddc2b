"""Does one recipe do for any text? Global, flexible and ordered windows, trained equally long."""

from dataclasses import dataclass, replace
from statistics import mean, median

from experiments.measuring.records import HALF_A_BLEU, record_of, recorded, selected
from experiments.measuring.scores import Scores
from experiments.measuring.study_run import StudyRun
from experiments.measuring.wanted import train_and_measure
from experiments.tables.part import Part, bullets, rows_as_table, write_part
from fa_jax.finetuning_settings import WINDOW

LARGEST_ORDER_MISS = 0.1
"""Of the order."""
COLLAPSED_WINDOW, COLLAPSED_LOSS = 4, 2
"""Positions and BLEU: a run whose windows are smaller and whose BLEU is lower has collapsed."""
HEAD = ("corpus", "pairs", "after `train`", "global", "flexible", "half a BLEU",
        "ordered", "window", "products", "minutes")  # fmt: skip

TOKENS = {"small": "", "small-words": ", words", "small-chars": ", characters"}
"""What a row says of its tokens, by its preset."""
TODAY, STATES_TOO = "", "†"
VERSIONS = {
    STATES_TOO: "There the lesson of g(t) changed the decoder's states, too "
    '(`experiments/README.md`, "What a span learns from").',
}
"""By the mark of a row: what was different in the version that trained it."""


@dataclass(frozen=True)
class Trained:
    """A row of the table: the same text, three times as long as a fine-tuning and once that.

    with_global: whether global attention was trained as long. version: a key of `VERSIONS`.
    products: what its trainings multiplied. device: that flexible attention had, in cores or by
    name.
    """

    start: StudyRun
    with_global: bool = False
    version: str = TODAY
    products: str = "float32"
    device: str = "2"

    @property
    def everywhere(self) -> StudyRun:
        """Global attention."""
        return replace(self.start, preset=f"{self.start.preset}-global").longer()

    @property
    def flexible(self) -> StudyRun:
        """No windows ordered."""
        return self.start.longer()

    @property
    def ordered(self) -> StudyRun:
        """Windows of 0.4 of the source."""
        return self.start.longer(WINDOW)

    @property
    def wanted(self) -> list[Scores]:
        """What is measured of its runs."""
        return [
            Scores(self.start),
            *([Scores(self.everywhere)] if self.with_global else []),
            Scores(self.flexible, half_a_bleu=True),
            Scores(self.ordered, own_threshold=True),
        ]

    @property
    def in_windows(self) -> dict:
        """Scores of the test set in the windows that were ordered."""
        return recorded(self.ordered, selected(self.ordered))

    @property
    def at_a_price(self) -> dict:
        """Scores of the test set, of flexible attention in windows that cost half a BLEU on the
        validation set."""
        return recorded(self.flexible, record_of(self.flexible)[HALF_A_BLEU])

    @property
    def over_global(self) -> float:
        """BLEU of flexible attention, from global attention's; only where that was trained."""
        return bleu(recorded(self.flexible)) - bleu(recorded(self.everywhere))

    @property
    def gain(self) -> float:
        """BLEU of ordered windows, from flexible attention's."""
        return bleu(self.in_windows) - bleu(recorded(self.flexible))

    @property
    def has_collapsed(self) -> bool:
        """Its ordered windows have."""
        return self.in_windows["window"] < COLLAPSED_WINDOW and self.gain < -COLLAPSED_LOSS


def bleu(scores: dict) -> float:
    """On characters where the target is Japanese, or on words."""
    return scores.get("bleu_char", scores["bleu"])


def share(scores: dict) -> float:
    """Of the source's positions that were scored."""
    return scores["window"] / scores["source_length"]


def _on_h200(run: StudyRun) -> Trained:
    """By today's version, global attention too."""
    return Trained(run, True, products="TF32", device="H200")


ROWS = [
    Trained(StudyRun("tatoeba_en_ja", "small"), True),
    _on_h200(StudyRun("tatoeba_en_ja", "small", pairs=20_000)),
    _on_h200(StudyRun("tatoeba_en_ja", "small", pairs=5_000)),
    _on_h200(StudyRun("tatoeba_en_ja", "small-words")),
    Trained(StudyRun("tatoeba_en_ja", "small-words", pairs=5_000), True),
    _on_h200(StudyRun("tatoeba_en_ja", "small-chars")),
    _on_h200(StudyRun("tatoeba_en_ja", "small", backwards=True)),
    _on_h200(StudyRun("tatoeba_de_en", "small")),
    _on_h200(StudyRun("tatoeba_de_en", "small-chars")),
    Trained(StudyRun("bible_de_en", "small"), products="bfloat16"),
    _on_h200(StudyRun("bible_de_en", "small", pairs=20_000)),
    Trained(StudyRun("bible_de_en", "small", pairs=5_000), True, STATES_TOO, "bfloat16"),
    _on_h200(StudyRun("bible_de_en", "small-words")),
    _on_h200(StudyRun("bible_de_en_chapters", "small")),
]
WANTED = [one for row in ROWS for one in row.wanted]


def part() -> Part:
    """The table, from records."""
    lines = [*rows_as_table(HEAD, map(_cells, ROWS)), "", *bullets(_findings())]
    marks = " ".join(f"{mark}: {text}" for mark, text in VERSIONS.items())
    notes = (
        "BLEU of the test set, beam 5: on characters where the target is Japanese, on sacrebleu's "
        "13a words elsewhere. Hypotheses compare by the mean log p of a word in all rows, and not "
        "as each run chooses for itself. One training each, of subwords where a row does not say "
        "words or characters. Where a row has 5,000 pairs of subwords, the part on three seeds has "
        "three trainings, whose mean is another. *After `train`*: `fa-jax train LANGUAGES --corpus "
        "CORPUS`, with `--preset small-words` or `small-chars` where the row says so; no other "
        "option is set. `bible_de_en_chapters` is learnt and translated verse by verse. The next "
        "runs were trained further, equally long: global and flexible attention with `fa-jax "
        f"finetune --window 0`, windows of {WINDOW:g} of the source with `fa-jax finetune --window "
        f"{WINDOW:g}`. *Half a BLEU*: flexible attention in the narrowest windows that cost so "
        "much on the validation set, as `fa-jax finetune` leaves it; there BLEU of Japanese is on "
        "MeCab's words. Tables 1 and 2 try the paper's five thresholds instead. Both columns of "
        "windows have in brackets the share of the source's positions that are scored. All other "
        "BLEU is at τ = ∞. A row with a mark is of an earlier "
        f"version. {marks} *Window*: the positions that were ordered. *Products*: what training "
        "multiplied: numbers in float32, in bfloat16 (where the processor has instructions for "
        "it), or in TensorFloat-32 (TF32, on a GPU). *Minutes*: those of flexible attention's "
        "training, then of its ordered windows, in brackets on how many cores of two, or on an "
        "H200, a GPU that up to fifteen trainings shared. Those of 20,000 English–Japanese pairs "
        "were added up by hand, because that training was interrupted. Other work ran beside the "
        "first training of the whole Bible, so its minutes are too long. The order of chapters is "
        "missed because their windows were measured on the validation set, where verses have 21 "
        "words; the test set's have 28."
    )
    return Part("any_text", "One recipe for any text", lines, notes, _findings())


def _cells(row: Trained) -> tuple[str, ...]:
    start = row.start
    seconds = [record_of(run)["seconds"] for run in (start, row.ordered)]
    return (
        f"{start.corpus}, {start.languages}{TOKENS[start.preset]}{row.version}",
        f"{start.pairs:,}" if start.pairs else "all",
        _bleu(recorded(start)),
        _bleu(recorded(row.everywhere) if row.with_global else None),
        _bleu(recorded(row.flexible)),
        _in_windows(row.at_a_price),
        _in_windows(row.in_windows),
        f"{row.in_windows['window']:.1f} of {row.in_windows['source_length']:.1f}",
        row.products,
        f"{' + '.join(f'{one / 60:.0f}' for one in seconds)} ({row.device})",
    )


def _bleu(scores: dict | None) -> str:
    return f"{bleu(scores):.2f}" if scores else "not trained"


def _in_windows(scores: dict | None) -> str:
    return f"{bleu(scores):.2f} ({share(scores):.0%})" if scores else ""


def _findings() -> list[str]:
    more = [row.over_global for row in ROWS if row.with_global]
    worse = sum(one < -1 for one in more)
    less = [row.gain for row in ROWS]
    by_text = {
        text: [row for row in ROWS if row.start.corpus.startswith(text)]
        for text in ("tatoeba", "bible")
    }
    tatoeba, bible = (
        f"{mean(row.gain for row in rows):+.2f} ({min(row.gain for row in rows):+.2f} to "
        f"{max(row.gain for row in rows):+.2f})"
        for rows in by_text.values()
    )
    short, long = map(_adequate, by_text.values())
    missed = [abs(share(row.in_windows) / WINDOW - 1) for row in ROWS]
    collapsed = sum(row.has_collapsed for row in ROWS)
    return [
        f"**Any text, flexible**: at τ = ∞ BLEU is {mean(more):+.2f} against global attention, on "
        f"the mean of {len(more)} rows (target: at least -0.3). It is {min(more):+.2f} to "
        f"{max(more):+.2f}, in {worse} rows more than 1 below (target: none).",
        f"**Any text, windows by order**: with windows of {WINDOW:g} of the source BLEU is "
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
    scored = [row.at_a_price for row in rows if "chars" not in row.start.preset]
    windows, lengths = ([of[key] for of in scored] for key in ("window", "source_length"))
    return (
        f"{median(windows):.1f} ({min(windows):.1f} to {max(windows):.1f}) of the "
        f"{min(lengths):.0f} to {max(lengths):.0f} positions"
    )


if __name__ == "__main__":
    train_and_measure(WANTED)
    write_part(part())
