"""JoeyNMT's models as runs: they compute what JoeyNMT computed, or are refused in plain words."""

import json
import pickle
import shutil
import zipfile
from pathlib import Path

import numpy as np
import pytest
import yaml

import fa_jax
from fa_jax.decoding.forced import trace_translations

MODELS = Path(__file__).with_name("joeynmt")


@pytest.fixture
def copied(tmp_path):
    """A copy of a model whose config.yaml has other settings."""

    def copy(name="bahdanau", data=None, **changes):
        folder = Path(shutil.copytree(MODELS / name, tmp_path / "model"))
        settings = yaml.safe_load((folder / "config.yaml").read_text(encoding="utf-8"))
        for side, change in changes.items():
            settings["model"][side] |= change
        for side, change in (data or {}).items():
            settings["data"][side] |= change
        (folder / "config.yaml").write_text(yaml.safe_dump(settings), encoding="utf-8")
        return folder

    return copy


@pytest.mark.parametrize("name", ["bahdanau", "luong", "layers"])
def test_it_computes_what_joeynmt_computed(name, tmp_path):
    run = fa_jax.import_joeynmt(MODELS / name / "best.ckpt", tmp_path / "run").run
    expected = json.loads((MODELS / name / "expected.json").read_text(encoding="utf-8"))
    found = trace_translations(
        run.model,
        run.config.decoding,
        [run.source.encode(pair["source"]) for pair in expected],
        [run.target.encode(pair["target"]) for pair in expected],
    )
    for pair, trace in zip(expected, found, strict=True):
        np.testing.assert_allclose(trace.log_probs, pair["log_probs"], atol=5e-6)
        np.testing.assert_allclose(trace.weights, pair["attention"], atol=5e-6)
    assert run.step == 7 and run.config.data.languages == "en-de"


def test_it_translates_as_any_run(tmp_path, cli_call):
    folder = tmp_path / "run"
    status, out, err = cli_call("import", MODELS / "bahdanau" / "best.ckpt", "--output", folder)
    assert (status, out) == (0, f"{folder}\n"), err
    assert "note: fa_jax's beam search" in err
    status, out, err = cli_call("translate", folder, stdin=b"the cat\n\n")
    assert status == 0 and len(out.splitlines()) == 2, err
    status, _, err = cli_call("import", MODELS / "bahdanau" / "best.ckpt", "--output", folder)
    assert status == 2 and "is there already" in err


def test_what_does_not_agree_is_said_and_nothing_is_written(copied, tmp_path):
    decoder = {"rnn_type": "gru", "num_layers": 2, "init_hidden": "last", "activation": "relu"}
    folder = copied(encoder={"rnn_type": "gru"}, decoder=decoder)
    with pytest.raises(fa_jax.UserError) as caught:
        fa_jax.import_joeynmt(folder / "best.ckpt", tmp_path / "run")
    text = str(caught.value)
    for part in (
        "encoder has GRUs",
        "decoder has GRUs",
        "1 layers, its decoder 2",
        "init_hidden",
        "relu",
    ):
        assert part in text
    assert not (tmp_path / "run").exists() and len(text.splitlines()) == 6


@pytest.mark.parametrize(
    "changes, message",
    [
        ({"encoder": {"type": "transformer"}}, "encoder is a transformer"),
        ({"encoder": {"hidden_size": 5}}, "not of the sizes"),
        ({"encoder": {"bidirectional": False}}, "forward alone"),
        ({"decoder": {"attention": "dot"}}, "'dot'"),
        ({"decoder": {"embeddings": {"embedding_dim": 9}}}, "sizes 5 and 9"),
    ],
)
def test_other_models_are_refused(copied, tmp_path, changes, message):
    with pytest.raises(fa_jax.UserError, match=message):
        fa_jax.import_joeynmt(copied(**changes) / "best.ckpt", tmp_path / "run")
    assert not (tmp_path / "run").exists()


def test_what_joeynmt_does_to_text_is_said(copied, tmp_path):
    moses = {"pretokenizer": "moses"}
    source = {"level": "bpe", "tokenizer_type": "subword-nmt", "tokenizer_cfg": moses}
    folder = copied(data={"src": source, "trg": {"lowercase": True}})
    found = fa_jax.import_joeynmt(folder / "best.ckpt", tmp_path / "run")
    first, second, _ = found.notes
    assert first.startswith("source: ") and "Moses' tokenizer and subword-nmt" in first
    assert second.startswith("target: ") and "small" in second


class Trap:
    def __reduce__(self):
        return Path.write_text, (Path("trap.txt"), "executed")


def test_nothing_of_the_file_is_executed(copied, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    folder = copied()
    saved = tmp_path / "new.ckpt"
    with zipfile.ZipFile(folder / "best.ckpt") as old, zipfile.ZipFile(saved, "w") as new:
        for name in old.namelist():
            content = old.read(name)
            if name.endswith("/data.pkl"):
                content = pickle.dumps({"model_state": Trap(), "stats_state": Trap()})
            new.writestr(name, content)
    saved.replace(folder / "best.ckpt")
    with pytest.raises(fa_jax.UserError, match="no recurrent model"):
        fa_jax.import_joeynmt(folder / "best.ckpt", tmp_path / "run")
    assert not (tmp_path / "trap.txt").exists()


@pytest.mark.parametrize("name", ["best.ckpt", "config.yaml", "src_vocab.txt"])
@pytest.mark.parametrize("content", [b"\x80damaged", None])
def test_a_damaged_or_missing_file_is_named(copied, tmp_path, name, content):
    folder = copied()
    (folder / name).unlink()
    if content is not None:
        (folder / name).write_bytes(content)
    with pytest.raises(fa_jax.UserError) as caught:
        fa_jax.import_joeynmt(folder / "best.ckpt", tmp_path / "run")
    assert str(folder) in str(caught.value)
