"""Do JoeyNMT's own recurrent examples translate better, given the same text and the same minutes?

JoeyNMT (Kreutzer et al. 2019) lives in an environment of its own, which `make peers` installs. The
settings, `joeynmt_example.json`, are those of two configurations of its version 1.5
(github.com/joeynmt/joeynmt, tag 1.5), the last one with recurrent examples for real text:

- `configs/iwslt14_deen_bpe.yaml`, subwords, the recurrent model of JoeyNMT's own table of results;
- `configs/iwslt_deen_bahdanau.yaml`, words and the size of ours, for which minutes are not too few.

They stand there under the names that version 2.3 has for them, with 1.5's defaults where 2.3 has
others, and with the words (Moses) and the 32,000 merges of its `scripts/get_iwslt14_bpe.sh`. 2.3
wants a `logging_freq` that divides `validation_freq`: 337, not 500, in the second. It has two
recurrent examples itself: `rnn_small`, 30 units for 100 updates of a toy corpus, which 1.5 calls no
example of good settings, and `rnn_reverse`, which reverses lists. What is set otherwise here is in
`_settings` and in the table's notes.

`python -m experiments.joeynmt_quality tatoeba_en_ja-small` measures one corpus,
`tatoeba_en_ja-small.iwslt14_deen_bpe` with one example; no name: all.
"""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from sacrebleu.metrics import BLEU
from sacrebleu.significance import PairedTest

from experiments.any_text import bleu
from experiments.measuring.folders import RECORDS, RUNS, write
from experiments.measuring.kept_translations import SAMPLES, references, scored_texts
from experiments.measuring.our_side import PYTHON
from experiments.measuring.records import record_of, recorded
from experiments.measuring.scores import Scores
from experiments.measuring.study_run import StudyRun
from experiments.measuring.wanted import Wanted, train_and_measure
from experiments.tables.part import Part, bullets, rows_as_table, write_part
from fa_jax.data.corpora import Corpus, load_corpus
from fa_jax.data.corpora.text_files import SPLITS
from fa_jax.data.vocabulary import SPECIAL, UNKNOWN
from fa_jax.errors import UserError
from fa_jax.evaluation.scores import UNKNOWN_SYMBOL, score_translations
from fa_jax.runs.folder import as_json

SETTINGS = Path(__file__).with_name("joeynmt_example.json")
SIDE = Path(__file__).with_name("joeynmt_quality_side.py")
UNSPACED = ("ja", "zh")
"""Languages that Moses does not split into words."""
EXAMPLES = ("iwslt14_deen_bpe", "iwslt_deen_bahdanau")
SUBWORDS = EXAMPLES[0]
BEAM = 5
"""Ours."""
TEXTS = [
    (StudyRun("tatoeba_en_ja", "small"), 1, EXAMPLES),
    (StudyRun("tatoeba_en_ja", "small", pairs=5_000), 1, EXAMPLES[1:]),
    (StudyRun("bible_de_en", "small", pairs=5_000), 2, EXAMPLES[1:]),
]
"""Our runs, the cores that each was trained on, and the examples that get the same text. The first
example is for longer trainings: it came to few updates on the first text, and was left there."""
HEAD = ("corpus", "pairs", "example", "parameters", "minutes", "updates", "epochs", "JoeyNMT",
        "ours", "ours − JoeyNMT", "p")  # fmt: skip


@dataclass(frozen=True)
class JoeyNMT(Wanted):
    """An example of its own, trained as long as a run of ours, on the same text."""

    is_race: ClassVar[bool] = True

    run: StudyRun
    example: str
    cores: int

    @property
    def name(self) -> str:
        """Of its records and its workplace."""
        return f"{self.run.name}.{self.example}"

    @property
    def path(self) -> Path:
        """Of what was measured; the translations lie beside it."""
        return RECORDS / "joeynmt" / f"{self.name}.json"

    def is_recorded(self) -> bool:
        """On as many cores, and beside our run as it is today."""
        if not (self.path.exists() and Scores(self.run).is_recorded()):
            return False
        kept = self.recorded()
        return kept["cores"] == self.cores and kept["ours"] == recorded(self.run)

    def train_and_measure(self):
        if not Scores(self.run).is_recorded():
            Scores(self.run).train_and_measure()
        if os.environ.get("FA_JAX_STUDY") == "stored":
            raise SystemExit(
                f"{self.name}: what JoeyNMT writes in the same time is not recorded, and "
                "FA_JAX_STUDY=stored forbids to train it; unset it, or ask for less"
            )
        seconds = record_of(self.run).get("seconds")
        if not seconds:
            raise UserError(f"{self.run.name}: how long its training took is not recorded")
        found = measure(self, seconds, RUNS / "joeynmt" / self.name)
        p = _p_value(self.run, found["translations"])
        keep(self.path, {**found, "ours": recorded(self.run), "p": p})

    def recorded(self) -> dict[str, Any]:
        """Scores, ours beside them, time, updates, versions and more."""
        return json.loads(self.path.read_text(encoding="utf-8"))


WANTED = [JoeyNMT(run, example, cores) for run, cores, examples in TEXTS for example in examples]


def measure(one: JoeyNMT, seconds: float, folder: Path) -> dict[str, Any]:
    """Trains JoeyNMT so long on the text of a run of ours, and scores its translations as ours.

    folder: its workplace, made anew.

    Raises:
      UserError: JoeyNMT is not there, or has stopped.
    """
    if not PYTHON.exists():
        raise UserError(f"{PYTHON} is not there: `make peers` installs JoeyNMT beside fa_jax")
    run, example = one.run, one.example
    print(f"JoeyNMT's {example} trains on {run.text} for {seconds:.0f} seconds: {folder}/log.txt",
          file=sys.stderr, flush=True)  # fmt: skip
    corpus = load_corpus(run.text, run.languages)
    shutil.rmtree(folder, ignore_errors=True)
    _write_text(folder, corpus)
    languages = corpus.source_language, corpus.target_language
    settings = json.dumps(_settings(example, folder.resolve(), languages), indent=2)
    write(folder / "config.json", settings)
    changed = _changed(example, json.loads(settings.replace(f"{folder.resolve()}/", "")))
    found = _ask(folder, seconds, one.cores)
    target = languages[1]
    wanted = [reference for _, reference in corpus.test]
    scores = score_translations(found["translations"], wanted, target)
    given = {"given_seconds": seconds, "cores": one.cores}
    return {**given, "test": scores, "changed": changed, **found}


def keep(path: Path, found: dict[str, Any]):
    """What was measured; its translations, one a line, beside it."""
    lines = (" ".join(text.splitlines()) for text in found["translations"])
    write(path.with_suffix(".txt"), "".join(f"{line}\n" for line in lines))
    rest = {name: value for name, value in found.items() if name != "translations"}
    write(path, as_json(rest, indent=2) + "\n")


def _write_text(folder: Path, corpus: Corpus):
    """As people write it, a line a sentence: `train.de`, `train.en`, and so on."""
    for split in SPLITS:
        pairs = list(getattr(corpus, split))
        for place, language in enumerate((corpus.source_language, corpus.target_language)):
            lines = (" ".join(pair[place].splitlines()) for pair in pairs)
            write(folder / f"{split}.{language}", "".join(f"{line}\n" for line in lines))


def _examples() -> dict[str, dict[str, Any]]:
    return json.loads(SETTINGS.read_text(encoding="utf-8"))


def _settings(example: str, folder: Path, languages: Sequence[str]) -> dict[str, Any]:
    """The example's, with our text and beam. Upper case stays: it is scored."""
    examples = _examples()
    settings = examples[example]
    settings |= {"use_cuda": False, "model_dir": str(folder / "model")}
    settings["testing"]["beam_size"] = BEAM
    data = settings["data"]
    splits = {"train": "train", "dev": "validation", "test": "test"}
    data |= {name: str(folder / split) for name, split in splits.items()}
    for side, language in zip(("src", "trg"), languages, strict=True):
        if set(languages) & set(UNSPACED):  # no words there: the other example's subwords
            data[side] = examples[SUBWORDS]["data"][side] | {"max_length": data[side]["max_length"]}
        data[side] |= {"lang": language, "lowercase": False}
        data[side]["tokenizer_cfg"]["codes"] = str(folder / "codes.txt")
        if language in UNSPACED:
            data[side]["tokenizer_cfg"]["pretokenizer"] = "none"
    return settings


def _changed(example: str, settings: dict[str, Any]) -> dict[str, Any]:
    """By name, such as `data.src.lowercase`, what the example does not say or says otherwise."""
    said = dict(_flat(_examples()[example]))
    return {name: value for name, value in _flat(settings) if said.get(name) != value}


def _flat(settings: dict[str, Any], place: str = "") -> Iterator[tuple[str, Any]]:
    for name, value in settings.items():
        if isinstance(value, dict):
            yield from _flat(value, f"{place}{name}.")
        else:
            yield f"{place}{name}", value


def _ask(folder: Path, seconds: float, cores: int) -> dict[str, Any]:
    command = [PYTHON, "-P", SIDE, folder / "config.json", f"{seconds}", f"{cores}"]
    with (folder / "log.txt").open("w", encoding="utf-8") as log:
        found = subprocess.run(command, stdout=subprocess.PIPE, stderr=log, text=True)
    if found.returncode:
        raise UserError(f"JoeyNMT has stopped: see {folder}/log.txt")
    return json.loads(found.stdout)


def part() -> Part:
    """The table, from records."""
    records = [one.recorded() for one in WANTED]
    found = [(bleu(record["test"]), bleu(record["ours"])) for record in records]
    findings = [
        _finding(
            example, [of for one, of in zip(WANTED, found, strict=True) if one.example == example]
        )
        for example in EXAMPLES
    ]
    rows = [_cells(one, *of) for one, of in zip(WANTED, found, strict=True)]
    lines = [*rows_as_table(HEAD, rows), "", *bullets(findings)]
    versions = WANTED[0].recorded()["versions"]
    notes = (
        "BLEU of the test set, beam 5: on characters where the target is Japanese, on sacrebleu's "
        "13a words elsewhere. Ours: what `fa-jax train LANGUAGES --corpus CORPUS` gave in the same "
        "minutes, at τ = ∞, by the version before attention was led along the sentence. "
        "Much of the difference is speed: *epochs* says how often JoeyNMT saw its text. "
        f"JoeyNMT {versions['joeynmt']}, torch {versions['torch']}: the examples are `configs/` of "
        "version 1.5, trained for as many seconds as ours, on as many cores (in brackets). "
        "JoeyNMT's time begins when its text is loaded and its subwords are learnt, ours before. "
        "Changed: text keeps its upper case; no GPU; the beam, where it was 10; English–Japanese "
        "is in subwords in both examples, and Moses does not split Japanese before they "
        "are learnt; merges end where no further pair occurs twice, if that is before 32,000. It "
        "validates as often as the example does, and once when its time is over, which is not "
        "counted; its best checkpoint translates. The first example, the larger network, was given "
        "the first text alone: it learns too little in these minutes. p: paired bootstrap, "
        f"{SAMPLES:,} samples of the test set."
    )
    title = "Beside JoeyNMT's own recurrent examples"
    return Part("joeynmt_quality", title, lines, notes, findings)


def _cells(one: JoeyNMT, theirs: float, ours: float) -> tuple[str, ...]:
    run, record = one.run, one.recorded()
    return (
        f"{run.corpus}, {run.languages}",
        f"{run.pairs:,}" if run.pairs else "all",
        f"`{one.example}`",
        f"{record['parameters'] / 1e6:.1f} M",
        f"{record['seconds'] / 60:.0f} ({record['cores']})",
        f"{record['updates']:,}",
        f"{record['epochs']:.1f}",
        f"{theirs:.2f}",
        f"{ours:.2f}",
        f"{ours - theirs:+.2f}",
        f"{record['p']:.3f}",
    )


def _p_value(run: StudyRun, translations: Sequence[str]) -> float:
    """Is the difference more than the choice of sentences? Paired bootstrap, as in
    `kept_translations`."""
    target = run.languages.split("-")[1]
    wanted = [references(run.corpus, run.languages)]
    tokenize = "char" if target in UNSPACED else "13a"
    metric = BLEU(references=wanted, tokenize=tokenize, force=True)  # "☐ ." is no tokenized text
    symbol = f" {UNKNOWN_SYMBOL} "
    theirs = [text.replace(SPECIAL[UNKNOWN], symbol) for text in translations]
    texts = [("JoeyNMT", theirs), ("ours", scored_texts(run, float("inf")))]
    _, scores = PairedTest(texts, {"BLEU": metric}, None, test_type="bs", n_samples=SAMPLES)()
    return float(scores["BLEU"][1].p_value)


def _finding(example: str, found: Sequence[tuple[float, float]]) -> str:
    more = [ours - theirs for theirs, ours in found]
    below = sum(difference < 0 for difference in more)
    differences = ", ".join(f"{difference:+.2f}" for difference in more)
    return (
        f"**JoeyNMT's `{example}`**, given the same text and minutes: ours is {differences} BLEU "
        f"from it, below it on {below} of {len(more)} corpora (target: on none)."
    )


def main(names: Sequence[str]):
    """Measures what has these names, of corpora or with an example's, or all. Writes the table when
    nothing is missing.

    Raises:
      SystemExit: a name is unknown, or something that it needs is not there.
    """
    known = {name for one in WANTED for name in (one.run.name, one.name)}
    if unknown := set(names) - known:
        choice = ", ".join(run.name for run, *_ in TEXTS)
        raise SystemExit(f"unknown: {', '.join(sorted(unknown))}; choose {choice}")
    try:
        train_and_measure(
            one for one in WANTED if not names or {one.name, one.run.name} & set(names)
        )
    except UserError as error:
        raise SystemExit(str(error)) from None
    if all(one.is_recorded() for one in WANTED):
        write_part(part())


if __name__ == "__main__":
    main(sys.argv[1:])
