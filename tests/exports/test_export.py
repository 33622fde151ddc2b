"""An exported run: whole, described, and it translates the same where there is no fa_jax."""

import json
import re
import runpy
import shutil
import subprocess
import sys

import jax
import numpy as np
import pytest
import yaml
from jax import export
from safetensors.numpy import load_file

import fa_jax
from fa_jax.data.codec import TextCodec, save_codec
from fa_jax.data.corpora import load_corpus
from fa_jax.data.tokenizers import Characters, Split, Words
from fa_jax.data.vocabulary import SPECIAL, Vocabulary
from fa_jax.exports import program
from fa_jax.exports.export import READING, SCRIPT
from tests.command import environment

WITHOUT_FA_JAX = (
    "import runpy, sys; sys.modules['fa_jax'] = None; sys.argv = sys.argv[1:]; "
    "runpy.run_path(sys.argv[0], run_name='__main__')"
)
LENGTH = 24


@pytest.fixture(scope="module")
def run():
    return fa_jax.load_run("en-ja")


@pytest.fixture(scope="module")
def exported(run, tmp_path_factory):
    folder = tmp_path_factory.mktemp("exported") / "en-ja"
    return fa_jax.export(run, folder, lengths=[LENGTH], licence="cc-by-2.0")


def test_it_gives_the_same_100_translations_without_fa_jax(run, exported, tmp_path):
    test = load_corpus("tatoeba_en_ja", "en-ja").test
    sources = (test[row][0] for row in range(len(test)))
    lines = [line for line in sources if len(run.source.encode(line)) <= LENGTH][:98]
    lines = ["", *lines, "  "]
    finished = subprocess.run(
        [sys.executable, "-P", "-W", "error", "-c", WITHOUT_FA_JAX, exported / "translate.py"],
        input="".join(line + "\n" for line in lines),
        env=environment(),
        capture_output=True,
        encoding="utf-8",
        cwd=tmp_path,
    )
    assert finished.returncode == 0, finished.stderr
    records = fa_jax.translate(run, lines, split=False)  # a program reads lines whole
    expected = [record["translations"][0]["text"] for record in records]
    assert finished.stdout.split("\n") == [*expected, ""]
    assert len(expected) == 100 and len({*expected}) > 90


def test_what_its_script_reads_is_utf8_with_or_without_a_mark(exported):
    script = runpy.run_path(str(SCRIPT))
    assert script["_lines"](b"\xef\xbb\xbfa\r\n\nb") == ["a", "", "b"]
    assert script["_lines"](b"") == []
    with pytest.raises(SystemExit, match="stdin, line 2: not UTF-8"):
        script["_lines"](b"a\nb\xff\n")
    with pytest.raises(ValueError, match="threshold must be above 0"):
        script["Translator"](exported).translate(["a"], float("nan"))


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


@pytest.mark.parametrize(
    "language, tokenizer, text",
    [
        ("de", Words("de"), " Er sagte: „Komm!“, und & ging. "),
        ("ja", Words("ja"), "私は GitHub Actions が好きです。"),
        ("en", Characters(), "a b"),
        ("en", Split(), "a b@@  c"),
        ("en", Split(), "a\xa0</s> \0 b"),
        ("en", Characters(), "\ufeffa ▁ cafe\u0301"),
    ],
)
def test_its_tokenizers_are_ours(language, tokenizer, text, tmp_path):
    tokens = [token for token in tokenizer.tokenize(text) if token not in SPECIAL]
    codec = TextCodec(language, tokenizer, Vocabulary((*SPECIAL, *dict.fromkeys(tokens[1:]))))
    save_codec(codec, tmp_path, "source")
    shutil.copy(READING, tmp_path)
    found = runpy.run_path(str(SCRIPT))["Codec"](tmp_path, "source")
    ids = codec.encode(text)
    assert found.encode(text) == ids
    words = [number for number in ids if number != 2]
    assert found.decode([*words, 2]) == codec.decode(words) != ""
