"""What a run begins with, and what may not have changed when it goes on."""

import json
import shutil
import subprocess
import sys
from dataclasses import replace
from functools import partial

import pytest

import fa_jax
from fa_jax.data.codec import load_codec
from fa_jax.data.prepared import prepare
from fa_jax.data.tokenizers import Subwords
from fa_jax.errors import UserError
from fa_jax.runs.begin import alone, begin_run
from fa_jax.runs.folder import read_config
from tests.command import write_corpus

CODECS = {"source_vocabulary": 60, "target_vocabulary": 400}


@pytest.fixture
def begun(tmp_path):
    """A run that has learnt for some steps, its config, and the folder of its text."""
    text = write_corpus(tmp_path / "text", train=40)
    data = replace(fa_jax.DataConfig(corpus=str(text), tokenizer="character"), **CODECS)
    config = fa_jax.Config(data=data)
    begin_run(tmp_path / "run", config, prepare(config.data))
    (tmp_path / "run" / "checkpoints" / "latest" / "3").mkdir(parents=True)
    return tmp_path / "run", config, text


def test_it_goes_on_with_its_own_settings_and_text(begun, capsys):
    folder, config, _ = begun
    before = (folder / "config.json").read_bytes()
    free = replace(config, decoding=fa_jax.DecodingConfig(beam_size=2))
    begin_run(folder, free, prepare(config.data))
    assert (folder / "config.json").read_bytes() == before
    assert read_config(folder) == config
    said = capsys.readouterr().err
    assert "as its config.json says: decoding.beam_size is 5 there, 2 here" in said
    begin_run(folder, config, prepare(config.data))
    assert not capsys.readouterr().err


def test_other_settings_are_named(begun):
    folder, config, _ = begun
    attention = fa_jax.AttentionConfig(span=fa_jax.Flexible(3.0))
    other = replace(config, model=replace(config.model, attention=attention))
    with pytest.raises(UserError, match=r"sigma is 1.5 there, 3.0 here.*another folder"):
        begin_run(folder, other, prepare(config.data))


def test_a_first_attempt_that_learnt_nothing_does_not_stand_in_the_way(begun):
    folder, config, text = begun
    latest = folder / "checkpoints" / "latest"
    (latest / "3").rename(latest / "3.orbax-checkpoint-tmp")
    lines = (text / "train.en").read_text(encoding="utf-8")
    (text / "train.en").write_text(lines.upper(), encoding="utf-8")
    mended = replace(config, training=replace(config.training, batch_size=7))
    (folder / "test.json").write_text("{}", encoding="utf-8")  # of parameters that are gone
    begin_run(folder, mended, data := prepare(config.data))
    assert not (folder / "test.json").exists()
    assert read_config(folder) == mended
    assert load_codec(folder, "source") == data.source
    begin_run(folder, mended, data)


def test_other_text_is_not_trained_on_with_the_old_vocabulary(begun):
    folder, config, text = begun
    lines = (text / "train.en").read_text(encoding="utf-8")
    (text / "train.en").write_text(lines.upper(), encoding="utf-8")
    with pytest.raises(UserError, match=r"the text of corpus .* changed.*Put the text back"):
        begin_run(folder, config, prepare(config.data))


def test_other_text_is_said_before_the_settings_that_follow_from_it(begun):
    folder, config, text = begun
    longer = replace(config, training=replace(config.training, steps=7))
    (text / "train.en").write_text("a\n", encoding="utf-8")
    (text / "train.ja").write_text("b\n", encoding="utf-8")
    with pytest.raises(UserError, match=r"the text of corpus .* changed.*Put the text back"):
        begin_run(folder, longer, prepare(config.data))
    elsewhere = replace(longer, data=replace(config.data, languages="ja-en"))
    with pytest.raises(UserError, match=r"other settings \(data.languages"):
        begin_run(folder, elsewhere, prepare(elsewhere.data))


@pytest.mark.parametrize("content", [None, "", "[]", "{}"])
def test_a_run_whose_text_is_not_known_does_not_go_on(begun, content):
    folder, config, _ = begun
    (folder / "corpus.json").unlink()
    if content is not None:
        (folder / "corpus.json").write_text(content, encoding="utf-8")
    with pytest.raises(UserError, match=r"corpus.json cannot be read|text of corpus .* changed"):
        begin_run(folder, config, prepare(config.data))


def test_a_vocabulary_that_was_replaced_is_noticed(begun):
    folder, config, _ = begun
    path = folder / "target.vocabulary.json"
    content = json.loads(path.read_text(encoding="utf-8"))
    content["tokens"][-1] += "x"
    path.write_text(json.dumps(content), encoding="utf-8")
    with pytest.raises(UserError, match="the target vocabulary changed"):
        begin_run(folder, config, prepare(config.data))
    with pytest.raises(UserError, match="the target vocabulary changed"):
        fa_jax.train(config, folder)


def test_a_run_goes_on_with_its_own_vocabulary(trained, tmp_path, monkeypatch):
    folder = shutil.copytree(trained, tmp_path / "run")
    learn = Subwords.learn
    monkeypatch.setattr("fa_jax.cache.FORMAT", "another version's")
    monkeypatch.setattr(
        Subwords,
        "learn",
        lambda texts, code, size: learn(texts, code, size - 50),
    )
    assert prepare(read_config(folder).data).source != load_codec(trained, "source")
    run = fa_jax.train(read_config(folder), folder)
    assert run.source == load_codec(trained, "source")


def test_two_do_not_train_a_run_at_once(tmp_path):
    code = f"from fa_jax.runs.begin import *\nwith alone(Path({str(tmp_path)!r})): pass"
    other = partial(subprocess.run, [sys.executable, "-c", code], stderr=-1, text=True)
    with alone(tmp_path):
        assert f"another process is training {tmp_path}" in other().stderr
    assert other().returncode == 0


def test_it_says_where_it_cannot_write(begun, tmp_path):
    _, config, _ = begun
    (tmp_path / "file").write_text("")
    with pytest.raises(UserError, match="cannot be written"):
        begin_run(tmp_path / "file" / "run", config, prepare(config.data))
    with pytest.raises(UserError, match="cannot be written"), alone(tmp_path / "file" / "run"):
        pass


def broken(trained, tmp_path, change):
    copy = shutil.copytree(trained, tmp_path / "broken")
    change(copy)
    with pytest.raises(UserError) as error:
        fa_jax.load_run(copy)
    return str(error.value)


def test_half_written_runs(trained, tmp_path):
    def cut(folder):
        config = folder / "config.json"
        config.write_text(config.read_text()[:100])

    assert "config.json cannot be read" in broken(trained, tmp_path / "a", cut)

    def without_best(folder):
        shutil.rmtree(folder / "checkpoints" / "best")
        (folder / "checkpoints" / "best").mkdir()  # as where training stopped before a validation

    assert "no validated checkpoint" in broken(trained, tmp_path / "b", without_best)

    def without_vocabulary(folder):
        (folder / "source.vocabulary.json").unlink()

    assert "source.vocabulary.json" in broken(trained, tmp_path / "c", without_vocabulary)

    def of_another_run(folder):
        path = folder / "source.vocabulary.json"
        content = json.loads(path.read_text(encoding="utf-8"))
        content["tokens"] = [*content["tokens"][:4], *reversed(content["tokens"][4:])]
        path.write_text(json.dumps(content), encoding="utf-8")

    said = broken(trained, tmp_path / "e", of_another_run)
    assert "source.vocabulary.json" in said and "changed since the run began" in said

    def damaged(folder):
        for path in (folder / "checkpoints" / "best").rglob("*"):
            if path.is_file() and path.stat().st_size > 500:
                path.write_bytes(path.read_bytes()[:50])

    assert "damaged" in broken(trained, tmp_path / "d", damaged)


def change_config(folder, section, **changes):
    path = folder / "config.json"
    config = json.loads(path.read_text(encoding="utf-8"))
    config[section] |= changes
    path.write_text(json.dumps(config), encoding="utf-8")


def test_a_run_of_another_model_size(trained, tmp_path):
    text = broken(trained, tmp_path, lambda run: change_config(run, "model", attention_size=9))
    assert "config.json" in text
    assert "checkpoints/best" in text


def test_a_setting_that_is_not_known_is_named_with_the_file(trained, tmp_path):
    text = broken(trained, tmp_path, lambda run: change_config(run, "training", speed=9))
    assert "config.json cannot be read: unknown key training.speed" in text
