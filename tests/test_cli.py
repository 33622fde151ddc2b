"""The command line as its user meets it: results, and every wrong input."""

import json
import math
import re
import shutil
import sys
from dataclasses import replace

import numpy as np
import pytest

import fa_jax
from fa_jax import cli
from fa_jax.config import Config, ModelConfig
from fa_jax.decoding.forced import trace_translations
from fa_jax.decoding.translate import Hypothesis, SearchResult
from fa_jax.errors import UserError
from fa_jax.plots import plot_alignment, plot_dimensions, plot_spans, plot_training
from fa_jax.presets import SIZES, SYSTEMS
from fa_jax.run import PRETRAINED, load_run, set_threshold
from fa_jax.training.metrics import read_metrics
from fa_jax.translation import texts_of
from tests.command import TINY, run, write_corpus

LINES = ["I am here.", "", "It rains.", "   ", "Good night."]


@pytest.fixture(scope="module")
def corpus(tmp_path_factory):
    return write_corpus(tmp_path_factory.mktemp("corpus"))


@pytest.fixture(scope="module")
def trained(corpus, tmp_path_factory):
    folder = tmp_path_factory.mktemp("runs") / "tiny"
    options = ("--corpus", corpus, "--run", folder, "--steps", 20, *TINY)
    finished = run("train", "en-ja", *options)
    assert finished.returncode == 0, finished.stderr
    assert "test sentences" in finished.stdout
    return folder


def call(capsys, monkeypatch, *arguments, stdin=b""):
    """The command in this process: status, stdout, stderr."""

    class Stdin:
        buffer = stdin.splitlines(keepends=True)

    monkeypatch.setattr(sys, "stdin", Stdin)
    monkeypatch.setattr(cli, "_set_up_jax", lambda command: None)
    status = 0
    try:
        cli.main([str(argument) for argument in arguments])
    except SystemExit as error:
        status = error.code
    out, err = capsys.readouterr()
    return status, out, err


@pytest.fixture
def cli_call(capsys, monkeypatch):
    return lambda *arguments, **options: call(capsys, monkeypatch, *arguments, **options)


def test_a_run_is_a_folder_that_needs_nothing_else(trained, tmp_path, cli_call):
    names = {path.name for path in trained.iterdir()}
    assert {"config.json", "metrics.jsonl", "events", "checkpoints", "test.json"} <= names
    copy = shutil.copytree(trained, tmp_path / "elsewhere")
    text = "\n".join(LINES).encode()
    here, there = (cli_call("translate", folder, stdin=text) for folder in (trained, copy))
    assert here == there


def test_translations_are_one_for_one_and_the_same_from_python(trained, cli_call):
    status, out, _ = cli_call("translate", trained, stdin="\n".join(LINES).encode())
    lines = out.split("\n")
    assert (status, len(lines), lines[1], lines[3]) == (0, len(LINES) + 1, "", "")
    records = fa_jax.translate(fa_jax.load_run(trained), LINES)
    assert [record["translations"][0]["text"] for record in records] == lines[:-1]


def test_details_are_json_lines(trained, cli_call):
    options = ("--n-best", 2, "--details", "--threshold", 1.2)
    _, out, _ = cli_call("translate", trained, *options, stdin="\n".join(LINES).encode())
    records = [json.loads(line) for line in out.splitlines()]
    assert [record["source"] for record in records] == LINES
    assert records[1]["translations"][0]["text"] == ""
    first = records[0]
    scores = [translation["score"] for translation in first["translations"]]
    assert scores == sorted(scores, reverse=True)
    best = first["translations"][0]
    shape = np.shape(best["alignment"])
    assert shape == (len(best["tokens"]), len(first["source_tokens"]))
    for name in ("log_probs", "focus", "strength", "window"):
        assert len(best[name]) == shape[0]
    np.testing.assert_array_less(np.count_nonzero(best["alignment"], axis=1) - 1, best["window"])


def test_evaluate_prints_one_object(trained, cli_call, tmp_path):
    output = tmp_path / "translations.txt"
    options = ("--split", "test", "--threshold=1.2", "--json", "--output", output)
    _, out, _ = cli_call("evaluate", trained, *options)
    scores = json.loads(out)
    expected = {"bleu", "bleu_signature", "ribes", "window", "source_length", "sentences"}
    assert expected | {"threshold", "beam_size", "seconds"} <= scores.keys()
    assert scores["sentences"] == len(output.read_text(encoding="utf-8").splitlines()) == 6
    _, out, _ = cli_call("evaluate", trained, "--json")
    scores = json.loads(out)
    assert (scores["threshold"], scores["window"]) == (
        "inf",
        pytest.approx(scores["source_length"]),
    )


def test_finetune_is_a_run_of_its_own(trained, cli_call):
    finished = run("finetune", trained, "--steps", 5)
    assert finished.returncode == 0, finished.stderr
    tuned = load_run(trained.with_name("tiny-finetuned"))
    assert tuned.config.training.beta == 0.1
    assert tuned.source == load_run(trained).source
    assert read_metrics(trained)[-1]["step"] == 20


def test_finetuning_at_another_sigma_begins_with_the_same_penalties(trained, tmp_path, cli_call):
    folder = tmp_path / "wider"
    status, _, err = cli_call("finetune", trained, "--run", folder, "--sigma", 6, "--steps", 1)
    assert status == 0, err
    before, after = load_run(trained), load_run(folder)
    assert after.config.model.sigma == 6
    odds = [
        math.exp(run.params["decoder"]["attention"]["strength"]["bias"]) / run.config.model.sigma**2
        for run in (before, after)
    ]
    assert odds[1] == pytest.approx(odds[0], rel=0.05)  # one step of training lies between


def test_sigma_is_the_flexible_spans(trained, tmp_path, cli_call):
    new = tmp_path / "new"
    status, _, err = cli_call("finetune", trained, "--run", new, "--sigma", 0)
    assert status == 2 and "sigma must be greater than 0" in err and not new.exists()
    config = Config(model=ModelConfig(span="global"))
    with pytest.raises(UserError, match="span is global"):
        cli._at_sigma(config, {}, 6.0)


def test_runs_of_one_target_vocabulary_translate_together(trained, corpus, tmp_path, cli_call):
    tuned = trained.with_name("tiny-finetuned")
    _, together, _ = cli_call(
        "evaluate", trained, "--ensemble", tuned, "--json", "--decoding.replace-unknown"
    )
    assert json.loads(together)["runs"] == 2
    other = tmp_path / "other"
    shutil.copytree(trained, other)
    path = other / "target.vocabulary.json"
    vocabulary = json.loads(path.read_text(encoding="utf-8"))
    vocabulary["tokens"][-1] += "x"
    path.write_text(json.dumps(vocabulary), encoding="utf-8")
    status, _, err = cli_call("translate", trained, "--ensemble", other, stdin=b"I am here.\n")
    assert status == 2 and "different target vocabularies" in err


def test_select_writes_its_choice_into_the_run(trained, tmp_path, cli_call):
    folder = shutil.copytree(trained, tmp_path / "copy")
    options = ("--thresholds", 0.9, 1.2, "--largest-loss", 100)
    status, out, _ = cli_call("select", folder, *options)
    assert status == 0 and out.count("<- chosen") == 1
    chosen = load_run(folder).config.decoding.threshold
    assert chosen in (0.9, 1.2) and f"decodes at threshold {chosen:g}" in out
    _, out, _ = cli_call("evaluate", folder, "--json")
    assert json.loads(out)["threshold"] == chosen


def test_select_chooses_between_runs_too(trained, tmp_path, cli_call):
    folders = [shutil.copytree(trained, tmp_path / name) for name in "ab"]
    options = ("--others", folders[1], "--thresholds", 1.2, "--largest-loss", 100)
    status, out, _ = cli_call("select", folders[0], *options)
    assert status == 0 and all(f"{folder}  " in out for folder in folders)
    thresholds = [load_run(folder).config.decoding.threshold for folder in folders]
    assert sorted(thresholds) == [1.2, np.inf]
    status, _, err = cli_call("select", folders[0], "--largest-loss", -1)
    assert status == 2 and "largest-loss" in err
    path = folders[1] / "config.json"
    other = json.loads(path.read_text(encoding="utf-8"))
    other["data"]["corpus"] = "tatoeba_en_ja"
    path.write_text(json.dumps(other), encoding="utf-8")
    status, _, err = cli_call("select", folders[0], *options)
    assert status == 2 and "was trained with corpus 'tatoeba_en_ja'" in err


@pytest.mark.parametrize("suffix", ["html", "svg", "png"])
def test_show_draws_a_sentence(trained, tmp_path, cli_call, suffix):
    path = tmp_path / f"spans.{suffix}"
    options = ("--threshold", 1.2, "--output", path)
    status, out, err = cli_call("show", trained, LINES[0], *options)
    assert status == 0, err
    text, written = out.splitlines()
    assert written == str(path) and path.stat().st_size > 5000
    assert text == fa_jax.trace(load_run(trained), LINES[0], threshold=1.2).translation
    # Options may stand in front, too.
    assert cli_call("show", *options, trained, LINES[0])[1] == out


def test_show_says_what_it_can_write(trained, tmp_path, cli_call):
    status, _, err = cli_call("show", trained, LINES[0], "--output", tmp_path / "spans.pdf")
    assert status == 2 and "spans.pdf" in err and ".html" in err
    status, _, err = cli_call("show", trained, "  ", "--output", tmp_path / "spans.png")
    assert status == 2 and "empty line" in err


def test_the_run_that_comes_with_the_package_stays_as_it_is(cli_call):
    options = ("--decoding.shortlist", 50)
    status, _, err = cli_call("translate", "en-ja", *options, stdin=b"I am here.\n")
    assert status == 2 and "copy the folder first" in err
    status, _, err = cli_call("select", "en-ja")
    assert status == 2 and "copy the folder first" in err
    with pytest.raises(UserError, match="copy the folder first"):
        set_threshold(PRETRAINED / "en-ja", 0.5)


def test_a_shortlist_is_learnt_when_it_is_first_used(trained, tmp_path, cli_call):
    folder = shutil.copytree(trained, tmp_path / "copy")
    text = "\n".join(LINES).encode()
    options = ("--decoding.shortlist", 50)
    status, out, err = cli_call("translate", folder, *options, stdin=text)
    assert status == 0 and "learning likely translations" in err
    again = cli_call("translate", folder, *options, stdin=text)
    assert again == (0, out, "")
    (folder / "lexicon.npy").write_bytes(b"damaged")
    status, _, err = cli_call("translate", folder, *options, stdin=text)
    assert status == 2 and "lexicon.npy" in err and "learnt again" in err
    whole = cli_call("translate", folder, "--decoding.shortlist", 600, stdin=text)
    assert whole == cli_call("translate", folder, stdin=text)


def test_unknown_words_are_replaced_through_the_alignment(trained):
    run = load_run(trained)
    decoding = run.config.decoding
    found = SearchResult([Hypothesis([3, 5], -1.0)], 0, 0)
    line = "zzqq"
    tokens = run.source.tokenizer.tokenize(line)
    (trace,) = trace_translations(run.translator, decoding, [run.source.encode(line)], [[3, 5]])
    wanted = [tokens[trace.weights[0].argmax()], *run.target.tokens([5])]
    ((text,),) = texts_of(run, [line], replace(decoding, replace_unknown=True), [found])
    assert text == run.target.tokenizer.detokenize(wanted)
    assert texts_of(run, [line], decoding, [found]) == [[run.target.decode([3, 5])]]


def test_curves_and_spans_of_a_run_can_be_drawn(trained, tmp_path):
    trace = fa_jax.trace(fa_jax.load_run(trained), "I am here.", threshold=1.2)
    plot_spans(trace, tmp_path / "spans.png")
    plot_training(read_metrics(trained), tmp_path / "training.png")
    plot_alignment(trace, tmp_path / "alignment.png")
    assert (tmp_path / "alignment.png").stat().st_size > 5_000
    with pytest.raises(UserError, match="only fine_grained has one a dimension"):
        plot_dimensions(trace, tmp_path / "dimensions.png")
    assert (tmp_path / "spans.png").stat().st_size > 10_000
    assert (tmp_path / "training.png").stat().st_size > 10_000


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["train", "en-xx"], "no corpus is included for en-xx"),
        (["train", "en_US.UTF-8"], "two different codes"),
        (
            ["train", "en-ja", "--preset", "huge"],
            "unknown preset 'huge': choose small, small-words, small-chars, paper",
        ),
        (
            ["train", "en-ja", "--model.score", "linear"],
            "takes span None, got 'flexible'",
        ),
        (["train", "en-ja", "--corpus", "nothing"], "unknown corpus 'nothing'"),
        (["train", "en-ja", "--model.sigma", "0"], "model.sigma must be greater than 0"),
        (["train", "en-ja", "--model.sigma", "nan"], "model.sigma must be greater than 0"),
        (["train", "en-ja", "--sigmoid", "3"], "--sigmoid"),
        (["translate", "runs/nowhere"], "runs/nowhere is no run"),
        (["paint"], "paint"),
        ([], "train"),
    ],
)
def test_wrong_arguments(arguments, words, cli_call):
    status, out, err = cli_call(*arguments)
    assert status == 2
    assert words in " ".join((out + err).split()) or words in out + err
    assert "Traceback" not in err


@pytest.mark.parametrize("value", ["0", "-1", "nan"])
def test_wrong_thresholds(value, trained, cli_call):
    status, _, err = cli_call("evaluate", trained, f"--threshold={value}")
    assert status == 2
    assert "decoding.threshold must be greater than 0" in err


def test_a_very_long_line_is_cut_and_said_so(trained, cli_call):
    line = " ".join(["rain"] * 100_000).encode()
    options = ("--decoding.max-source-length", 64)
    status, out, err = cli_call("translate", trained, *options, stdin=line + b"\nIt rains.\n")
    assert (status, len(out.splitlines())) == (0, 2)
    assert re.search(r"line 1 has \d00,000 tokens; its first 64 are translated", err)


def test_stdin_that_is_no_utf8(trained, cli_call):
    status, _, err = cli_call("translate", trained, stdin=b"It rains.\n\xff\n")
    assert status == 2
    assert "stdin, line 2: not UTF-8" in err


def broken(trained, tmp_path, change):
    copy = shutil.copytree(trained, tmp_path / "broken")
    change(copy)
    with pytest.raises(UserError) as error:
        load_run(copy)
    return str(error.value)


def test_half_written_runs(trained, tmp_path):
    def cut(folder):
        config = folder / "config.json"
        config.write_text(config.read_text()[:100])

    assert "config.json cannot be read" in broken(trained, tmp_path / "a", cut)

    def without_best(folder):
        shutil.rmtree(folder / "checkpoints" / "best")

    assert "no validated checkpoint" in broken(trained, tmp_path / "b", without_best)

    def without_vocabulary(folder):
        (folder / "source.vocabulary.json").unlink()

    assert "source.vocabulary.json" in broken(trained, tmp_path / "c", without_vocabulary)

    def damaged(folder):
        for path in (folder / "checkpoints" / "best").rglob("*"):
            if path.is_file() and path.stat().st_size > 500:
                path.write_bytes(path.read_bytes()[:50])

    assert "damaged" in broken(trained, tmp_path / "d", damaged)


def test_a_run_of_another_model_size(trained, tmp_path):
    def grow(folder):
        config = json.loads((folder / "config.json").read_text())
        config["model"]["attention_size"] = 9
        (folder / "config.json").write_text(json.dumps(config))

    text = broken(trained, tmp_path, grow)
    assert "config.json" in text
    assert "checkpoints/best" in text


def test_nothing_left_to_train_on(corpus, tmp_path, cli_call):
    options = ("--corpus", corpus, "--run", tmp_path / "run", *TINY, "--data.max-length", 1)
    status, _, err = cli_call("train", "en-ja", *options)
    assert status == 2
    assert "no training sentence is left: of 160" in err


def test_help_names_every_system(cli_call):
    _, out, _ = cli_call("train", "--help")
    words = set(re.findall(r"[\w.-]+", out))
    assert {*SIZES, *SYSTEMS} <= words


def test_help_names_every_setting(cli_call):
    status, out, _ = cli_call("train", "--help")
    assert status == 0
    for option in ("--preset", "--corpus", "--run", "--steps", "--model.sigma", "--training.beta"):
        assert option in out
