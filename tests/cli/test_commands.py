"""The commands as their user meets them: what they print and write."""

import io
import json
import re
import shutil
import signal
import subprocess
import sys

import numpy as np
import pytest
from tqdm import tqdm

import fa_jax
from fa_jax.cli import lines, translate
from tests.command import REPOSITORY, command, environment
from tests.tiny import LINES

TEXT = "\n".join(LINES).encode()


def test_a_run_is_a_folder_that_needs_nothing_else(trained, tmp_path, cli_call):
    names = {path.name for path in trained.iterdir()}
    assert {"config.json", "metrics.jsonl", "events", "checkpoints", "test.json"} <= names
    copy = shutil.copytree(trained, tmp_path / "elsewhere")
    here, there = (cli_call("translate", folder, stdin=TEXT) for folder in (trained, copy))
    assert here == there


def test_translations_are_one_for_one_and_the_same_from_python(trained, cli_call):
    status, out, _ = cli_call("translate", trained, stdin=TEXT)
    lines = out.split("\n")
    assert (status, len(lines), lines[1], lines[3]) == (0, len(LINES) + 1, "", "")
    records = fa_jax.translate(fa_jax.load_run(trained), LINES)
    assert [record["translations"][0]["text"] for record in records] == lines[:-1]


@pytest.mark.parametrize("there", [0, 2, 4])
def test_a_file_of_translations_is_gone_on_with(trained, tmp_path, cli_call, there):
    _, whole, _ = cli_call("translate", trained, stdin=TEXT)
    file = tmp_path / "translations"
    before = "".join(f"{line}\n" for line in whole.split("\n")[:there])
    file.write_text(f"{before}half of a li", encoding="utf-8")
    status, out, err = cli_call("translate", trained, "--output", file, stdin=TEXT)
    assert (status, out) == (0, ""), err
    assert file.read_text(encoding="utf-8") == whole
    _, out, err = cli_call("translate", trained, "--output", tmp_path, "a")
    assert "cannot be written: Is a directory" in err


@pytest.mark.parametrize("there", [1, 2, 3, 4])
def test_documents_are_gone_on_with_wherever_they_ended(trained, tmp_path, cli_call, there):
    text = b"I am here.\nIt rains.\n\n\nGood night.\nIt is late.\n"
    options = ("translate", trained, "--documents", "--decoding.max-length-ratio", 1)
    _, whole, _ = cli_call(*options, stdin=text)
    file = tmp_path / "translations"
    before = "".join(f"{line}\n" for line in whole.split("\n")[:there])
    file.write_text(f"{before}half of a li", encoding="utf-8")
    status, out, err = cli_call(*options, "--output", file, stdin=text)
    assert (status, out) == (0, ""), err
    assert file.read_text(encoding="utf-8") == whole


@pytest.mark.parametrize("documents", [(), ("--documents",)])
def test_parts_of_a_file_are_the_whole(trained, tmp_path, cli_call, monkeypatch, documents):
    monkeypatch.setattr(lines, "LINES_AT_ONCE", 2)
    options = ("translate", trained, *documents, "--decoding.max-length-ratio", 1)
    text = tmp_path / "text"
    text.write_text("I am here.\nIt rains.\n\nGood night.\n\nIt is late.\nI am here.\n\nEnd.\n")

    def translated(*more):
        with text.open("rb") as file:
            status, out, err = cli_call(*options, *more, stdin=file)
        assert status == 0, err
        return out

    parts = [translated("--part", number, 3) for number in (1, 2, 3)]
    assert all(parts) and "".join(parts) == translated()
    status, _, err = cli_call(*options, "--part", 1, 2, stdin=b"It rains.")
    assert status == 2 and "--part is of a file" in err
    status, _, err = cli_call(*options, "--part", 3, 2, stdin=b"It rains.")
    assert status == 2 and "numbers from 1 to 2" in err


def test_details_are_json_lines(trained, cli_call):
    options = ("--n-best", 2, "--details", "--threshold", 1.2)
    _, out, _ = cli_call("translate", trained, *options, stdin=TEXT)
    records = [json.loads(line) for line in out.splitlines()]
    assert [record["source"] for record in records] == LINES
    assert records[1]["translations"][0]["text"] == ""
    first = records[0]
    best, *_ = translations = first["translations"]
    assert translations == sorted(translations, key=lambda one: -one["score"])
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
    expected = {"bleu", "bleu_signature", "ribes", "chrf", "chrf_signature", "ter"}
    expected |= {"window", "source_length", "sentences", "threshold", "beam_size", "seconds"}
    assert expected <= scores.keys()
    assert scores["sentences"] == len(output.read_text(encoding="utf-8").splitlines()) == 6
    _, out, _ = cli_call("evaluate", trained, "--json")
    scores = json.loads(out)
    assert scores["threshold"] == "inf"
    assert scores["window"] == pytest.approx(scores["source_length"])


def test_select_writes_its_choice_into_the_run(trained, tmp_path, cli_call):
    folder = shutil.copytree(trained, tmp_path / "copy")
    options = ("--thresholds", 0.9, 1.2, "--largest-loss", 100)
    status, out, _ = cli_call("select", folder, *options)
    assert status == 0 and out.count("<- chosen") == 1
    chosen = fa_jax.load_run(folder).config.decoding.threshold
    assert chosen in (0.9, 1.2) and f"decodes at threshold {chosen:g}" in out
    _, out, _ = cli_call("evaluate", folder, "--json")
    assert json.loads(out)["threshold"] == chosen


def test_select_chooses_between_runs_too(trained, tmp_path, cli_call):
    folders = [shutil.copytree(trained, tmp_path / name) for name in "ab"]
    options = ("--others", folders[1], "--thresholds", 1.2, "--largest-loss", 100)
    status, out, _ = cli_call("select", folders[0], *options)
    heads, *table, _ = out.splitlines()
    assert status == 0 and heads.split()[-2:] == ["chrF", "TER"]
    assert {line.split()[0] for line in table} == {"a", "b"}  # names, no absolute paths
    thresholds = [fa_jax.load_run(folder).config.decoding.threshold for folder in folders]
    assert sorted(thresholds) == [1.2, np.inf]
    status, _, err = cli_call("select", folders[0], "--largest-loss", -1)
    assert status == 2 and "largest_loss" in err
    path = folders[1] / "config.json"
    other = json.loads(path.read_text(encoding="utf-8"))
    other["data"]["corpus"] = "tatoeba_en_ja"
    path.write_text(json.dumps(other), encoding="utf-8")
    status, _, err = cli_call("select", folders[0], *options)
    assert status == 2 and "was trained with corpus 'tatoeba_en_ja'" in err


@pytest.mark.parametrize("suffix", ["html", "svg", "png"])
def test_show_draws_a_sentence(trained, tmp_path, cli_call, suffix):
    path = tmp_path / f"spans.{suffix}"
    status, out, err = cli_call("show", trained, LINES[0], "--threshold", 1.2, "--output", path)
    assert status == 0, err
    text, written = out.splitlines()
    assert written == str(path) and path.stat().st_size > 5000
    assert text == fa_jax.trace(fa_jax.load_run(trained), LINES[0], threshold=1.2).translation


def test_show_says_what_it_can_write(trained, tmp_path, cli_call):
    status, _, err = cli_call("show", trained, LINES[0], "--output", tmp_path / "spans.pdf")
    assert status == 2 and "spans.pdf" in err and ".html" in err
    status, _, err = cli_call("show", trained, "  ", "--output", tmp_path / "spans.png")
    assert status == 2 and "name a sentence" in err


def test_a_shortlist_is_learnt_when_it_is_first_used(trained, tmp_path, cli_call):
    folder = shutil.copytree(trained, tmp_path / "copy")
    options = ("--decoding.shortlist", 50)
    status, out, err = cli_call("translate", folder, *options, stdin=TEXT)
    assert status == 0 and "learning likely translations" in err
    again = cli_call("translate", folder, *options, stdin=TEXT)
    assert again == (0, out, "")
    (folder / "lexicon.npy").write_bytes(b"damaged")
    status, _, err = cli_call("translate", folder, *options, stdin=TEXT)
    assert status == 2 and "lexicon.npy" in err and "learnt again" in err
    whole = cli_call("translate", folder, "--decoding.shortlist", 600, stdin=TEXT)
    assert whole == cli_call("translate", folder, stdin=TEXT)


def test_a_very_long_line_is_cut_and_said_so(trained, cli_call):
    line = " ".join(["rain"] * 10_000).encode()
    options = ("--decoding.max-source-length", 64)
    status, out, err = cli_call("translate", trained, *options, stdin=line + b"\nIt rains.\n")
    assert (status, len(out.splitlines())) == (0, 2)
    assert re.search(r"line 1: a sentence has \d0,000 tokens; its first 64 are translated", err)


def test_documents_are_separated_by_empty_lines(trained, cli_call):
    text = "I am here.\nIt rains.\n\n\nGood night.\n"
    options = ("--decoding.max-length-ratio", 1)
    status, out, err = cli_call("translate", trained, "--documents", *options, stdin=text.encode())
    assert status == 0
    _, alone, _ = cli_call("translate", trained, *options, stdin=text.encode())
    first, second, _, _, third = alone.splitlines()
    assert out.splitlines() == [first, second, "", third]
    assert f"{trained} was trained on single sentences" in err and "finetune --documents" in err
    short = ("--decoding.max-source-length", 3)
    _, _, err = cli_call("translate", trained, "--documents", *short, stdin=text.encode())
    assert "its first 3 are translated" in err
    for option in (["--details"], ["--alignments", "focus"]):
        status, _, err = cli_call("translate", trained, "--documents", *option, stdin=b"a")
        assert status == 2 and "--documents" in err


def test_a_paragraph_is_translated_sentence_by_sentence(cli_call):
    paragraph = "I like cats. It was raining."
    _, out, _ = cli_call("translate", "en-ja", stdin=paragraph.encode())
    _, alone, _ = cli_call("translate", "en-ja", stdin=paragraph.replace(". ", ".\n").encode())
    assert alone.count("\n") == 2 and out == alone.replace("\n", "") + "\n"
    _, whole, _ = cli_call("translate", "en-ja", "--no-split", stdin=paragraph.encode())
    assert whole != out


def test_who_wants_more_translations_than_there_are_is_told(cli_call, monkeypatch):
    def translate(runs, lines, *settings, **options):
        return [{"translations": [{"text": line.upper(), "score": -1.0}]} for line in lines]

    monkeypatch.setattr(fa_jax, "translate", translate)
    status, out, err = cli_call("translate", "en-ja", "--n-best", 2, stdin=b"a\nb\n")
    assert (status, out) == (0, "A\t-1.0000\nB\t-1.0000\n")
    assert err.count("fewer translations than --n-best") == 1


def test_of_a_documents_lines_the_first_long_one_is_told(capsys):
    chunks = [["It rains.", "", "rain " * 200], ["rain " * 201, "It rains."], ["rain " * 300]]
    assert [*lines.told_of_long(chunks, len, sys.maxsize, documents=True)] == chunks
    (told,) = capsys.readouterr().err.splitlines()
    assert "line 4 has 1,005 letters" in told and "one sentence a line" in told


def test_alignments_stand_behind_translations(cli_call):
    """And behind scores; with --details they are in the JSON."""
    line, options = "I like cats.", ("--alignments", "focus", "--n-best", 2)
    status, out, _ = cli_call("translate", "en-ja", line, "", *options)
    (text, score, links, *second), empty = (row.split("\t") for row in out.split("\n")[:2])
    run = fa_jax.load_run("en-ja")
    for pair, found in (((line, text), links), ((line, second[0]), second[2])):
        assert (status, found) == (0, str(fa_jax.align(run, [pair], by="focus")[0])) and found
    assert float(score) >= float(second[1]) and empty == ["", "0.0000", ""]
    _, out, _ = cli_call("translate", "en-ja", line, *options, "--details")
    best, _ = json.loads(out)["translations"]
    assert (best["links"], best["source"], "".join(best["target"])) == (links, line.split(), text)


def test_a_line_is_translated_before_the_next_one_is_typed(trained):
    """A mark of UTF-8 is no letter, and output is UTF-8 in any locale."""
    env, found = environment(PYTHONIOENCODING="ascii"), []
    with subprocess.Popen(
        command("translate", trained), env=env, stdin=-1, stdout=-1, cwd=REPOSITORY
    ) as typed:
        for line in f"\ufeff{LINES[0]}", LINES[0]:
            typed.stdin.write(f"{line}\n".encode())
            typed.stdin.flush()
            found.append(typed.stdout.readline())
        typed.stdin.close()
        assert not typed.stdout.read()
    first, second = found
    assert first == second and first.endswith(b"\n") and not first.isascii()


SEARCHES_FOR_EVER = """
import jax
from fa_jax import cli
from fa_jax.cli import translate

@jax.jit
def search():
    return jax.lax.while_loop(lambda step: step >= 0, lambda step: (step + 1) % 9, 0)

def call(command):
    print("searches", flush=True)
    search().block_until_ready()

translate.Command.__call__ = call
cli.main(["translate", "en-ja"])
"""


def test_a_search_ends_at_once_by_ctrl_c():
    with subprocess.Popen(
        [sys.executable, "-c", SEARCHES_FOR_EVER], env=environment(), stdout=-1, cwd=REPOSITORY
    ) as searching:
        assert searching.stdout.readline() == b"searches\n"
        with pytest.raises(subprocess.TimeoutExpired):
            searching.wait(2)
        searching.send_signal(signal.SIGINT)
        try:
            assert searching.wait(20) == -signal.SIGINT
        finally:
            searching.kill()


def test_lines_that_arrive_in_pieces_are_whole(monkeypatch):
    text = "é ü\n\nend".encode()
    monkeypatch.setattr(lines, "BYTES_AT_ONCE", 1)
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text)))
    assert [*lines._stdin_lines()] == [["é ü".encode()], [b""], [b"end"]]


def test_lines_are_given_with_the_command_too(trained, tmp_path, cli_call):
    given = LINES[0], "It rains.\nGood night.", ""
    whole = "\n".join(given).encode()
    expected = cli_call("translate", trained, "--threshold", 1.2, stdin=whole + b"\n")
    assert expected[1].count("\n") == 4
    assert cli_call("translate", trained, *given, "--threshold", 1.2, stdin=b"x\n") == expected
    assert cli_call("translate", "--threshold", 1.2, trained, *given) == expected
    status, _, err = cli_call("translate", trained, "caf\udce9")
    assert status == 2 and "line 1 is no UTF-8: character 4 is the byte 0xE9" in err
    (tmp_path / "new.en").write_text("It rains.")
    status, _, err = cli_call("translate", trained, tmp_path / "new.en")
    assert status == 2 and f"fa-jax translate {trained} < {tmp_path / 'new.en'}" in err


def test_a_bar_shows_how_much_of_a_file_is_translated(tmp_path, cli_call, monkeypatch):
    """Of two pieces: lines of one sentence and of several."""
    text = "It rains. I am here.\nGood night.\n\nIt is late.\n"
    (tmp_path / "new.en").write_text(text)
    bars, drawn = [], []

    def bar(*arguments, **options):
        drawn.append(options["disable"] is None)  # tqdm then asks whether stderr is a terminal
        bars.append(tqdm(*arguments, **options | {"disable": False, "file": io.StringIO()}))
        return bars[-1]

    monkeypatch.setattr(translate, "tqdm", bar)
    monkeypatch.setattr(lines, "LINES_AT_ONCE", 2)
    _, piped, _ = cli_call("translate", "en-ja", stdin=text.encode())
    assert drawn == [False, False]
    with (tmp_path / "new.en").open("rb") as file:
        status, out, err = cli_call("translate", "en-ja", stdin=file)
    assert (status, out, err) == (0, piped, "") and drawn[2:] == [True, True]
    assert [(bar.initial, bar.total) for bar in bars[2:]] == [(0, len(text)), (33, len(text))]
    assert [round(bar.n) for bar in bars[2:]] == [33, len(text)]
    there = tmp_path / "new.ja"
    there.write_text("".join(piped.splitlines(keepends=True)[:3]))
    with (tmp_path / "new.en").open("rb") as file:
        cli_call("translate", "en-ja", "--output", there, stdin=file)
    assert [(bar.initial, bar.total) for bar in bars[4:]] == [(34, len(text))]
    assert there.read_text() == piped


def test_stdin_that_is_no_utf8(trained, cli_call):
    status, _, err = cli_call("translate", trained, stdin=b"It rains.\n\xff\n")
    assert status == 2 and "stdin, line 2: not UTF-8" in err


def test_the_run_that_comes_with_the_package_stays_as_it_is(cli_call):
    options = ("--decoding.shortlist", 50)
    status, _, err = cli_call("translate", "en-ja", *options, stdin=b"I am here.\n")
    assert status == 2 and "copy the folder first" in err
    status, _, err = cli_call("select", "en-ja")
    assert status == 2 and "copy the folder first" in err
