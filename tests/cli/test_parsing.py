"""Arguments in any order, and every wrong one."""

import re
from itertools import permutations

import pytest

import fa_jax
from fa_jax.cli.parsing import COMMANDS, description, parse_command
from fa_jax.presets import SIZES, SYSTEMS, preset
from tests.command import TINY

PARTS = {
    "data": (["de-en"], ["--preset", "paper"], ["--data.max-length", "7"]),
    "train": (["de-en"], ["--preset", "small"], ["--run", "runs/x"], ["--steps=3"]),
    "finetune": (["en-ja"], ["--run", "runs/x"], ["--window", "0.3"]),
    "translate": (["en-ja"], ["--details"], ["--threshold", "1.2"], ["--n-best", "2"]),
    "evaluate": (["en-ja"], ["--json"], ["--threshold=1.2"], ["--split", "validation"]),
    "select": (["en-ja"], ["--largest-loss", "1"]),
    "show": (["en-ja", "I am."], ["--threshold", "1.2"], ["--output", "x.png"]),
    "report": (["en-ja"], ["--output", "out"]),
    "export": (["en-ja"], ["--output", "out"], ["--sentences", "8"], ["--beam-size", "2"]),
    "serve": (["en-ja", "runs/x"], ["--port", "0"], ["--limits.letters", "9"]),
}


def parsed(name, parts):
    arguments = [argument for part in parts for argument in part]
    return parse_command(name, arguments)


@pytest.mark.parametrize("name", COMMANDS)
def test_arguments_stand_in_any_order(name):
    first, *others = [parsed(name, parts) for parts in permutations(PARTS[name])]
    assert all(other == first for other in others)


def test_positional_arguments_may_stand_apart():
    apart = parsed("show", (["en-ja"], ["--threshold", "1.2"], ["I am."]))
    assert apart == parsed("show", (["en-ja", "I am."], ["--threshold", "1.2"]))


def test_a_list_ends_where_the_run_follows():
    command = parsed("translate", (["--ensemble", "a", "b"], ["--", "en-ja"]))
    assert [str(path) for path in (command.run, *command.ensemble)] == ["en-ja", "a", "b"]


def test_preset_and_languages_choose_the_settings():
    command, wanted = parsed("train", PARTS["train"]), preset("small", "de-en", "")
    assert command.model.dropout == wanted.model.dropout > 0
    assert command.data.languages == "de-en" and command.training.steps == 3


def test_options_change_the_runs_own_settings():
    own = fa_jax.load_run("en-ja").config
    command = parsed("evaluate", (["--json"], ["en-ja"], ["--decoding.batch-size", "3"]))
    assert command.decoding.batch_size == 3
    assert command.decoding.max_length_ratio == own.decoding.max_length_ratio
    tuned = parsed("finetune", (["--run", "runs/x"], ["en-ja"], ["--window", "0.3"]))
    assert (tuned.window, tuned.training.learning_rate) == (0.3, own.training.learning_rate)
    papers = parsed("finetune", (["--training.threshold", "inf"], ["en-ja"])).training
    assert (papers.beta, papers.threshold, papers.windows_from) == (1.0, float("inf"), 0.0)


@pytest.mark.parametrize(
    ("arguments", "default"),
    [
        (["translate"], "inf"),
        (["translate", "en-ja"], f"{fa_jax.load_run('en-ja').config.decoding.threshold:g}"),
        (["translate", "nothing"], "inf"),
        (["train", "en-ja", "--preset", "char"], "inf"),
    ],
)
def test_help_shows_the_settings_that_options_change(arguments, default, capsys):
    with pytest.raises(SystemExit) as end:
        parse_command(arguments[0], [*arguments[1:], "--help"])
    assert end.value.code == 0
    text = re.sub(r"[│\s]+", " ", capsys.readouterr().out)
    said = re.search(r"--decoding.threshold FLOAT .*?\(default: (.*?)\)", text)
    assert said and said[1] == default
    if "char" in arguments:
        assert f"(E). (default: {preset('char', 'en-ja').model.embedding_size})" in text


def test_a_misspelt_short_name_is_told(capsys):
    with pytest.raises(SystemExit) as end:
        parse_command("translate", ["en-ja", "--treshold=1.2"])
    assert end.value.code == 2
    said = " ".join(capsys.readouterr().err.replace("│", " ").split())
    assert "Perhaps you meant: --threshold, --decoding.threshold FLOAT" in said


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
            ["data", "en-ja", "--data.tokenizer", "wrod"],
            "--data.tokenizer must be word, character, subword",
        ),
        (["train", "en-ja", "--corpus", "nothing"], "unknown corpus 'nothing'"),
        (["train", "en-ja", "--flexible.sigma", "0"], "--flexible.sigma must be greater than 0"),
        (["finetune", "en-ja", "--flexible.sigma", "nan"], "--flexible.sigma must be greater than"),
        (
            ["train", "en-ja", "--model.span", "local_m", "--local-m.half-width", "-2"],
            "--local-m.half-width must be greater than 0, got -2",
        ),
        (["train", "en-ja", "--training.beta", "-1"], "--training.beta must be at least 0"),
        (["train", "en-ja", "--sigmoid", "3"], "--sigmoid"),
        (["train", "en-ja", "--model.score", "dot"], "dot score needs query and memory of one"),
        (["translate", "runs/nowhere"], "runs/nowhere is no run: there is no such folder"),
        (["show", "en-ja"], 'fa-jax show en-ja "I like cats."'),
        (["show", "en-ja", "I am.", "--output", "nowhere/a.png"], "there is no folder nowhere"),
        (["evaluate", "en-ja", "--output", "nowhere/a.txt"], "there is no folder nowhere"),
        (["evaluate", "en-ja", "--output", "."], "--output . is a folder; name a file"),
        (["report", "en-ja"], "name another folder for its report"),
        (["finetune", "en-ja", "--window", "40"], "such as 0.4 for 40%; got 40"),
        (["translate"], "run"),
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
def test_wrong_thresholds(value, cli_call):
    status, _, err = cli_call("evaluate", "en-ja", f"--threshold={value}")
    assert status == 2
    assert "--decoding.threshold must be greater than 0" in err


def test_nothing_left_to_train_on(corpus, tmp_path, cli_call):
    options = ("--corpus", corpus, "--run", tmp_path / "run", *TINY, "--data.max-length", 1)
    status, _, err = cli_call("train", "en-ja", *options)
    assert status == 2
    assert "no training sentence is left: of 160" in err


def test_a_run_that_is_stopped_says_how_it_goes_on(cli_call, monkeypatch):
    def stopped(config, folder):
        from fa_jax.training.loop import Interrupted

        raise Interrupted(15, 7)

    monkeypatch.setattr("fa_jax.runs.train.train", stopped)
    status, _, err = cli_call("train", "en-ja")
    assert status == 128 + 15 and "saved at step 7; the same command continues" in err


def test_help_names_every_system(cli_call):
    _, out, _ = cli_call("train", "--help")
    words = set(re.findall(r"[\w.-]+", out))
    assert {*SIZES, *SYSTEMS} <= words


def test_help_names_every_setting(cli_call):
    status, out, _ = cli_call("train", "--help")
    assert status == 0
    options = ("--preset", "--corpus", "--run", "--training.steps", "--model.score")
    for option in (*options, "--flexible.sigma", "--tensor.slices", "--training.beta"):
        assert option in out


def test_help_names_every_command(cli_call):
    status, out, _ = cli_call("--help")
    assert status == 0
    assert all(f"• {name} " in out for name in COMMANDS)


def test_short_names_stand_beside_the_long_ones(cli_call):
    _, out, _ = cli_call("train", "--help")
    assert "--steps INT, --training.steps INT" in out
    assert "--beam-size INT, --decoding.beam-size INT" in out
    short, long = (
        parsed("train", (["de-en"], [name, "3"])) for name in ("--steps", "--training.steps")
    )
    assert short == long and short.training.steps == 3


@pytest.mark.parametrize("width", [80, 120])
@pytest.mark.parametrize("command", COMMANDS)
def test_no_line_is_wider_than_the_terminal(cli_call, monkeypatch, command, width):
    monkeypatch.setenv("COLUMNS", str(width))
    status, out, _ = cli_call(command, "--help")
    lines = out.splitlines()
    assert status == 0 and max(map(len, lines[lines.index("") :])) <= width  # below the usage


def test_lines_break_where_the_terminal_ends_and_not_where_the_source_does(monkeypatch):
    monkeypatch.setenv("COLUMNS", "30")
    first, *rest = description("One two three\n    four five six.\n\n    Another one.").split("\n")
    assert (first, rest) == ("One two three four five six.", ["", "Another one."])
    first, second = description("word " * 10).split("\n")
    assert len(first) + len(" word") > 30 >= len(first) and second.startswith("  word")
