"""Does one recipe do for any text? Global, flexible and ordered windows, trained equally long."""

from dataclasses import dataclass, replace
from statistics import mean

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

TOKENS = {"small": "", "small-words": ", words"}
"""What a row says of its tokens, by its preset."""
TODAY, BEFORE_LEADING, STATES_TOO, ACROSS_WORDS = "", "*", "†", "‡"
VERSIONS = {
    BEFORE_LEADING: "It did not lead attention along the sentence. Its lesson was that of †, its "
    "subwords of Japanese were those of ‡. The "
    'price of its windows followed each batch ("How narrow a text allows"), and it met the '
    "order on the validation set by greedy search, whose windows are wider than those of beam "
    "search. For 20,000 English–Japanese pairs it was met with the run's own beam, as today. Its "
    "minutes are too long, by about a quarter where that was measured, because it gave memory back "
    'at each step ("Training").',
    STATES_TOO: "There the lesson of g(t) changed the decoder's states, too "
    '(`experiments/README.md`, "What a span learns from").',
}
"""By the mark of a row: what was different in the version that trained it."""


@dataclass(frozen=True)
class Trained:
    """A row of the table: the same text, three times as long as a fine-tuning and once that.

    with_global: whether global attention was trained as long. version: a key of `VERSIONS`; by the
    first of them what half a BLEU allows need not be known. products: what its trainings
    multiplied. device: that flexible attention had, in cores or by name.
    """

    start: StudyRun
    with_global: bool = False
    version: str = TODAY
    products: str = "float32"
    device: str = "2"

    @property
    def everywhere(self) -> StudyRun:
        """Global attention."""
        start = replace(self.start, preset=f"{self.start.preset}-global")
        return replace(start, finetuned=True, window=0.0)

    @property
    def flexible(self) -> StudyRun:
        """No windows ordered."""
        return replace(self.start, finetuned=True, window=0.0)

    @property
    def ordered(self) -> StudyRun:
        """Windows of 0.4 of the source."""
        return replace(self.start, finetuned=True, window=WINDOW)

    @property
    def wanted(self) -> list[Scores]:
        """What is measured of its runs."""
        return [
            Scores(self.start),
            *([Scores(self.everywhere)] if self.with_global else []),
            Scores(self.flexible, half_a_bleu=self.version != BEFORE_LEADING),
            Scores(self.ordered, own_threshold=True),
        ]

    @property
    def in_windows(self) -> dict:
        """Scores of the test set in the windows that were ordered."""
        return recorded(self.ordered, selected(self.ordered))

    @property
    def at_a_price(self) -> dict | None:
        """Scores of the test set, of flexible attention in windows that cost half a BLEU on the
        validation set; None where these were not looked for."""
        threshold = record_of(self.flexible).get(HALF_A_BLEU)
        return None if threshold is None else recorded(self.flexible, threshold)

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


ROWS = [
    Trained(StudyRun("tatoeba_en_ja", "small"), True),
    Trained(StudyRun("tatoeba_en_ja", "small", pairs=20_000), version=BEFORE_LEADING),
    Trained(StudyRun("tatoeba_en_ja", "small", pairs=5_000), True, TODAY, "TF32", "H200"),
    Trained(StudyRun("tatoeba_en_ja", "small-words", pairs=5_000)),
    Trained(StudyRun("tatoeba_en_ja", "small", backwards=True), version=ACROSS_WORDS),
    Trained(StudyRun("tatoeba_de_en", "small"), version=BEFORE_LEADING, device="1"),
    Trained(StudyRun("bible_de_en", "small"), products="bfloat16"),
    Trained(StudyRun("bible_de_en", "small", pairs=5_000), True, STATES_TOO, "bfloat16"),
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
        "words. Where a row has 5,000 pairs of subwords, the part on three seeds has three "
        "trainings, whose mean is another. *After `train`*: `fa-jax train LANGUAGES --corpus "
        "CORPUS`, for words with `--preset small-words`. The next runs were trained further, "
        "equally long: global and flexible attention with `fa-jax finetune --window 0`, windows of "
        f"{WINDOW:g} of the source with `fa-jax finetune --window {WINDOW:g}`. *Half a BLEU*: "
        "flexible attention in the narrowest windows that cost so much on the validation set, as "
        "`fa-jax finetune` leaves it; there BLEU of Japanese is on MeCab's words. Both columns of "
        "windows have in brackets the share of the source's positions that are scored. All other "
        f"BLEU is at τ = ∞. Rows with a mark are of an earlier version. {marks} *Products*: "
        "what training multiplied: numbers in float32, in bfloat16 (newer versions alone, "
        "where the processor has instructions for it), or in TensorFloat-32 (TF32, on a GPU). No "
        "other option is set. *Window*: the positions that were ordered. *Minutes*: those of "
        "flexible attention's training, then of its ordered windows, in brackets on how many cores "
        "of two, or on an H200, a GPU that four to six trainings shared. Other work ran beside the "
        "first training of the whole Bible, so its minutes are too long. "
        "Japanese–English, words and all pairs of English–Japanese had slower processors, without "
        "instructions for bfloat16."
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
    less = [row.gain for row in ROWS]
    newest = [row.gain for row in ROWS if row.version == TODAY]
    missed = max(abs(share(row.in_windows) / WINDOW - 1) for row in ROWS)
    collapsed = sum(row.has_collapsed for row in ROWS)
    return [
        f"**Any text, flexible**: at τ = ∞ BLEU is {mean(more):+.2f} against global attention, on "
        f"the mean of {len(more)} rows. It is {min(more):+.2f} to {max(more):+.2f} (targets: at "
        "least -0.3 on the mean, and -1.0 on each).",
        f"**Any text, windows by order**: with windows of {WINDOW:g} of the source BLEU is "
        f"{mean(less):+.2f} against flexible attention, on the mean of {len(less)} rows. It is "
        f"{min(less):+.2f} to {max(less):+.2f} (target: at least -0.5 on the mean). Of today's "
        f"version alone it is {mean(newest):+.2f}, of {len(newest)}. {collapsed} "
        "runs collapsed. On the test set the windows miss the order by at most "
        f"{missed:.0%} of it (target: {LARGEST_ORDER_MISS:.0%}).",
    ]


if __name__ == "__main__":
    train_and_measure(WANTED)
    write_part(part())
