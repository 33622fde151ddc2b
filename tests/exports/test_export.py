"""An exported run: whole, described, and it translates the same where there is no fa_jax."""

import json
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import jax
import numpy as np
import pytest
import yaml
from jax import export
from safetensors.numpy import load_file

import fa_jax
from fa_jax.data.corpora import load_corpus
from fa_jax.data.numbers import numbers
from fa_jax.data.tokenizers import Subwords, Words
from fa_jax.exports import program, translate
from fa_jax.exports.card import _packages
from fa_jax.exports.export import SCRIPT
from fa_jax.exports.sources import sources
from tests.command import environment

WITHOUT_FA_JAX = """
import io, sys
sys.modules["fa_jax"] = None
folder, *options = sys.argv[1:]
sys.path.insert(0, folder)
import translate
given = sys.stdin.buffer.read()
for sys.argv[1:] in [], options:
    sys.stdin = io.TextIOWrapper(io.BytesIO(given))
    translate.main()
"""
"""The script twice, without options and with some: to load its programs takes longest."""
AS_PEOPLE_HAVE_IT = [
    "I LIKE CATS.",
    "i like cats.",
    "It’s  raining…",
    "I like cats. My brother likes dogs.",
    "I LIKE CATS. It was raining.",
    "cafe\u0301 \u200band </s> ▁ x",
]
LENGTH = 24


@pytest.fixture(scope="module")
def run():
    run = fa_jax.load_run("en-ja")
    decoding = replace(run.config.decoding, beam_size=2)  # a wider one takes longer, here and there
    return replace(run, config=replace(run.config, decoding=decoding))


@pytest.fixture(scope="module")
def exported(run, tmp_path_factory):
    folder = tmp_path_factory.mktemp("exported") / "en-ja"
    return fa_jax.export(run, folder, lengths=[LENGTH], licence="CC-BY-2.0")


def test_it_gives_the_same_100_translations_without_fa_jax(run, exported, tmp_path):
    test = load_corpus("tatoeba_en_ja", "en-ja").test
    sources = (test[row][0] for row in range(len(test)))
    lines = [line for line in sources if len(run.source.encode(line)) <= LENGTH]
    lines = [line for line in lines if not numbers(line)][:92]
    lines = ["", *lines, *AS_PEOPLE_HAVE_IT, "  "]
    finished = subprocess.run(
        [sys.executable, "-P", "-W", "error", "-c", WITHOUT_FA_JAX, exported, "--no-split"],
        input="".join(line + "\n" for line in lines),
        env=environment(),
        capture_output=True,
        encoding="utf-8",
        cwd=tmp_path,
    )
    assert finished.returncode == 0, finished.stderr
    parted, whole = (
        [record["translations"][0]["text"] for record in fa_jax.translate(run, lines, split=split)]
        for split in (True, False)
    )
    assert finished.stdout.split("\n") == [*parted, *whole, ""]
    assert len(parted) == 100 and len({*parted}) > 90 and parted != whole


def test_what_its_script_reads_is_utf8_with_or_without_a_mark(exported):
    assert translate._lines(b"\xef\xbb\xbfa\r\n\nb") == ["a", "", "b"]
    assert translate._lines(b"") == []
    with pytest.raises(SystemExit, match="stdin, line 2: not UTF-8"):
        translate._lines(b"a\nb\xff\n")
    with pytest.raises(ValueError, match="threshold must be above 0"):
        translate.Translator(exported).translate(["a"], float("nan"))


def test_a_sentence_that_is_too_long_is_said_with_its_line(run, exported, capsys):
    long = "It rains" + " and rains" * 15 + "."
    lines = ["It rains.", f"It rains. {long}"]
    found = translate.Translator(exported).translate(lines, first_line=6)
    assert found[1].startswith(found[0])
    tokens = len(run.source.encode(long))
    assert f"line 7: a sentence has {tokens} tokens; its first {LENGTH}" in capsys.readouterr().err


def test_weights_are_arguments_of_a_program_for_each_platform(run, exported):
    weights = load_file(exported / "model.safetensors")
    leaves = jax.tree.leaves(run.params)
    assert sum(array.size for array in weights.values()) == sum(leaf.size for leaf in leaves)
    embedding = weights["encoder.embedding"]
    np.testing.assert_array_equal(embedding, run.params["encoder"]["embedding"])
    path = exported / f"translate-{LENGTH}.program"
    found = export.deserialize(bytearray(path.read_bytes()))
    assert found.platforms == ("cpu", "cuda", "tpu")
    shapes = {array.shape for array in weights.values()}
    assert shapes <= {array.shape for array in found.in_avals}
    assert path.stat().st_size < 300_000


def test_the_card_says_what_it_is(exported):
    text = (exported / "README.md").read_text(encoding="utf-8")
    _, head, body = text.split("---\n", 2)
    head = yaml.safe_load(head)
    assert head["language"] == ["en", "ja"] and head["license"] == "cc-by-2.0"
    assert head["pipeline_tag"] == "translation" and "jax" in head["tags"]
    assert "sentencepiece" in body and f"up to {LENGTH} tokens" in body
    assert "Tatoeba" in body


def test_the_card_has_the_scores_of_the_test_set(trained, cli_call, tmp_path):
    folder = tmp_path / "out" / "tiny"
    options = ("--output", folder, "--lengths", 8, "--sentences", 2, "--threshold", 1.2)
    status, out, err = cli_call("export", trained, *options)
    assert status == 0 and str(folder) in out, err
    _, head, body = (folder / "README.md").read_text(encoding="utf-8").split("---\n", 2)
    head, body = yaml.safe_load(head), body.split("## Scores")[1]
    assert re.findall(r"\| (\S+) \(the default\)", body) == ["1.2"]
    (result,) = head["model-index"][0]["results"]
    scores = json.loads((trained / "test.json").read_text(encoding="utf-8"))
    found = [metric["value"] for metric in result["metrics"]]
    assert found == [round(one["bleu"], 2) for one in scores.values()]
    assert [path.name for path in folder.parent.iterdir()] == ["tiny"]
    status, _, err = cli_call("export", trained, *options)
    assert status == 2 and "is there already" in err


def test_what_it_has_not_is_said(trained, cli_call, tmp_path):
    options = ("--output", tmp_path / "out", "--decoding.shortlist", 50)
    status, _, err = cli_call("export", trained, *options)
    assert status == 2 and "shortlist" in err and not (tmp_path / "out").exists()


def test_an_export_that_fails_leaves_nothing(run, tmp_path, monkeypatch):
    def fail(*arguments):
        raise OSError("no space left")

    monkeypatch.setattr(program, "lowered_search", fail)
    with pytest.raises(OSError, match="no space"):
        fa_jax.export(run, tmp_path / "out")
    assert not [*tmp_path.iterdir()]


@pytest.mark.parametrize("licence", ["foo", "", "cc-by-2.0 and"])
def test_a_licence_is_one_that_there_is(run, tmp_path, licence):
    with pytest.raises(fa_jax.UserError, match=r"licence .* spdx.org/licenses"):
        fa_jax.export(run, tmp_path / "out", licence=licence)
    assert not [*tmp_path.iterdir()]


@pytest.mark.parametrize(
    ("language", "tokenizer", "packages"),
    [
        ("en", Subwords, []),
        ("de", Words, ["sacremoses"]),
        ("ja", Words, ["mecab-python3", "ipadic"]),
    ],
)
def test_the_card_names_the_packages_that_its_tokenizers_need(run, language, tokenizer, packages):
    codec = replace(run.source, language=language)
    if tokenizer is Words:
        codec = replace(codec, tokenizer=Words(language))
    assert _packages(replace(run, source=codec))[7:] == packages


def test_a_program_of_other_modules_is_whole_and_has_another_name(tmp_path):
    found = sources(SCRIPT, "elsewhere")
    places = {Path("elsewhere", "data", name) for name in ("codec.py", "marks.py", "capitals.py")}
    assert {Path("translate.py"), *places} <= {*found}
    assert not any(re.search(r"^ *(from|import) fa_jax\b", text, re.M) for text in found.values())
