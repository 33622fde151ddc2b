"""The study's tables and figures are what its records say; what may train says so."""

import json
import math
import re
from importlib import import_module
from types import SimpleNamespace

import pytest
import sacrebleu

import fa_jax
from experiments import report
from experiments.measuring import records, scores, wanted
from experiments.measuring.folders import STUDY
from experiments.measuring.kept_translations import bleu_of_sentences
from experiments.measuring.scores import Scores
from experiments.measuring.study_run import HALF, StudyRun
from experiments.measuring.wanted import train_and_measure
from fa_jax import cli
from fa_jax.attention import AttentionConfig, Flexible, LocalP
from fa_jax.data.corpora import load_corpus
from fa_jax.errors import UserError

MODULES = {name: import_module(f"experiments.{name}") for name in report.PARTS}
RUNS = {one.run.name: one.run for module in MODULES.values() for one in module.WANTED}


@pytest.fixture(autouse=True)
def nothing_is_trained(monkeypatch):
    monkeypatch.setenv("FA_JAX_STUDY", "stored")


@pytest.fixture(scope="module")
def parts():
    """Those of which nothing is missing, from the records alone."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("FA_JAX_STUDY", "stored")
        return report.measured_parts()


@pytest.fixture(scope="module")
def rebuilt(parts, tmp_path_factory):
    """Tables and figures, written anew."""
    folder = tmp_path_factory.mktemp("study")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(report, "measured_parts", lambda: parts)
        report.write_report(folder)
    return folder


@pytest.fixture(scope="module")
def measured(parts):
    return [part.name for part in parts]


def test_every_table_is_what_was_measured(rebuilt, measured):
    assert {path.stem for path in rebuilt.glob("*.md")} == {"REPORT", *measured}
    for path in rebuilt.glob("*.md"):
        assert path.read_bytes() == (STUDY / path.name).read_bytes(), path.name


def test_every_figure_of_the_report_is_drawn(rebuilt, measured):
    text = "".join((rebuilt / f"{name}.md").read_text(encoding="utf-8") for name in measured)
    for name in re.findall(r"\]\(([^)]+\.png)\)", text):
        assert (rebuilt / name).stat().st_size > 10_000, name


def test_the_report_holds_every_part_and_begins_with_what_each_found(rebuilt, measured):
    page = (rebuilt / "REPORT.md").read_text(encoding="utf-8")
    if "## In short" in page:
        in_short, rest = page.split("## In short", 1)[1].split("\n## ", 1)
        said = [line for line in in_short.splitlines() if line.startswith("- ")]
        assert said and len(set(said)) == len(said)
        for line in said:
            assert f"\n{line}\n" in rest, line
    today, earlier = page.split(report.EARLIER)
    for name in (name for name in report.PARTS if (STUDY / f"{name}.md").exists()):
        part = (STUDY / f"{name}.md").read_text(encoding="utf-8")
        assert part in (today if name in measured else earlier), name
        assert ("*Measured by the earlier recipe" in part) == (name not in measured), name


def test_bleu_of_a_record_is_sacrebleus_of_the_kept_translations():
    """Of whatever run of words into English is recorded; of older records, too."""
    run = StudyRun("bible_de_en", "small-words")
    (threshold, kept), *_ = json.loads(records.record_path(run).read_text())["test"].items()
    path = records.translations_path(run, float(threshold))
    texts = path.read_text(encoding="utf-8").replace("<unk>", " ☐ ").splitlines()
    references = [pair[1] for pair in load_corpus("bible_de_en", "de-en").test]
    expected = sacrebleu.corpus_bleu(texts, [references]).score
    assert kept["bleu"] == pytest.approx(expected)
    found = bleu_of_sentences(run, float(threshold), range(len(texts)))
    assert found == pytest.approx(expected)


@pytest.mark.parametrize("name", sorted(RUNS))
def test_what_is_recorded_was_measured_by_the_command_that_the_run_now_has(name):
    found = records.record_of(RUNS[name])
    assert not found or found["command"] == RUNS[name].command


def test_what_the_earlier_recipe_measured_is_not_read(tmp_path, monkeypatch):
    run = StudyRun("tatoeba_en_ja", "small")
    monkeypatch.setattr(records, "RECORDS", tmp_path)
    records.record_path(run).parent.mkdir()
    records.record_path(run).write_text('{"test": {"inf": {"bleu": 20.0}}}', encoding="utf-8")
    assert records.record_of(run) == {} and not Scores(run).is_recorded()


WINDOWED = {"attention": AttentionConfig("tensor", LocalP(half_width=5)), "dropout": 0.2}
WIDER = AttentionConfig("concat", Flexible(sigma=6.0))


@pytest.mark.parametrize(
    "run",
    [
        RUNS["bible_de_en-5000-small-seed2"],
        RUNS["tatoeba_en_ja-small-words-half-fine-grained"],
        RUNS["tatoeba_en_ja-small-words-recurrent-half-global"],
        RUNS["tatoeba_en_ja-small-words-whole"],
        RUNS["bible_de_en_chapters-small-documents1000"],
        StudyRun("tatoeba_en_ja", "small", variant="other", changes={"model": WINDOWED}),
        StudyRun("tatoeba_de_en", "small", seed=1, pairs=100, backwards=True),
        StudyRun(
            "bible_de_en_chapters",
            "small",
            documents=120,
            variant="wider",
            changes={"model": {"attention": WIDER}, "training": {"beta": 0.25}},
        ),
    ],
    ids=lambda run: run.folder,
)
def test_a_runs_command_trains_its_config(run, monkeypatch):
    trained = []

    def train(*arguments):
        trained.extend(arguments)
        raise UserError("enough")

    base = SimpleNamespace(config=(run.base or run).config)
    monkeypatch.setattr(fa_jax, "set_up_process", lambda: None)
    monkeypatch.setattr(fa_jax, "load_run", lambda folder: base)
    monkeypatch.setattr("fa_jax.cli.finetune.read_config", lambda folder: base.config)
    monkeypatch.setattr(fa_jax, "train", lambda config, folder: train(folder, config))
    monkeypatch.setattr(fa_jax, "finetune", lambda run, folder, config, **_: train(folder, config))
    with pytest.raises(SystemExit):
        cli.main(run.command.split()[1:])
    assert (trained[0].name, trained[1]) == (run.folder, run.config)


def test_what_is_not_recorded_is_announced_and_not_trained_in_secret(capsys):
    run = StudyRun("bible_de_en", "small", seed=99)
    with pytest.raises(SystemExit, match="FA_JAX_STUDY=stored forbids"):
        train_and_measure([Scores(run)])
    (announced,) = capsys.readouterr().err.splitlines()
    assert "about 15 minutes" in announced and "bible_de_en-small-seed99" in announced
    with pytest.raises(UserError, match="not measured of bible_de_en-small-seed99"):
        records.recorded(run)


def test_half_the_width_is_announced_at_half_the_price():
    assert StudyRun("tatoeba_en_ja", "small-words-atty", changes=HALF).minutes == 7.5


def test_a_run_that_is_trained_anew_is_measured_anew(tmp_path, monkeypatch):
    run = StudyRun("tatoeba_en_ja", "small-words", seed=7)
    trained = []

    def train(config, folder):
        trained.append(config)
        folder.mkdir(parents=True)
        (folder / "metrics.jsonl").write_text('{"step": 1, "loss": 2.0}\n', encoding="utf-8")
        return SimpleNamespace(folder=folder, config=config)

    def evaluate(run, split, decoding):
        found = {"bleu": 1 + decoding.threshold, "window": 3.0, "seconds": 9.0}
        return SimpleNamespace(scores=found, translations=["a", "b"])

    for module in (wanted, scores):
        monkeypatch.setattr(module, "RUNS", tmp_path / "runs")
    monkeypatch.setattr(records, "RECORDS", tmp_path)
    monkeypatch.delenv("FA_JAX_STUDY")
    monkeypatch.setattr(fa_jax, "set_up_process", lambda: None)
    monkeypatch.setattr("jax.clear_caches", lambda: None)
    monkeypatch.setattr(fa_jax, "train", train)
    monkeypatch.setattr(
        fa_jax, "load_run", lambda folder: SimpleNamespace(folder=folder, config=run.config)
    )
    monkeypatch.setattr(fa_jax, "evaluate", evaluate)
    monkeypatch.setattr(
        fa_jax, "score_test", lambda run: (run.folder / "test.json").write_text("{}")
    )
    stale = {"test": {"1.2": {"bleu": 99.0}, "1.4": {"bleu": 99.0}}, "recipe": records.RECIPE}
    path = tmp_path / "runs" / f"{run.name}.json"
    path.parent.mkdir()
    path.write_text(json.dumps(stale), encoding="utf-8")

    train_and_measure([Scores(run, test=(1.2,))])  # recorded: nothing happens
    assert trained == [] and records.recorded(run, 1.2)["bleu"] == 99.0
    train_and_measure([Scores(run, test=(1.2,)), Scores(run)])
    assert trained == [run.config]
    found = json.loads(path.read_text(encoding="utf-8"))
    assert found["test"] == {
        "1.2": {"bleu": 2.2, "window": 3.0},
        "inf": {"bleu": "inf", "window": 3.0},
    }
    assert found["training"] == [{"step": 1, "loss": 2.0}] and found["command"] == run.command
    assert records.translations(run, 1.2) == ["a", "b"]
    train_and_measure([Scores(run, test=(1.2, math.inf))])
    assert len(trained) == 1
