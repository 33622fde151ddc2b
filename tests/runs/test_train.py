"""Training and fine-tuning from Python: values in, a run out."""

import json
import math
from dataclasses import replace
from pathlib import Path

import pytest

import fa_jax
from fa_jax.errors import UserError
from fa_jax.evaluation.selection import Candidate
from fa_jax.recipe import Amount
from fa_jax.runs.train import continued
from fa_jax.training.metrics import read_metrics
from tests.command import TINY, write_corpus


class NothingNarrow:
    """What was found of no text."""

    candidates, reference = (Candidate("", math.inf, 1.0, 1.0),), 1.0
    chosen = candidates[0]


class NoText:
    """What is prepared of nothing."""

    corpus = None


def with_sigma(config, sigma):
    attention = replace(config.model.attention, span=fa_jax.Flexible(sigma))
    return replace(config, model=replace(config.model, attention=attention))


def test_finetuning_at_another_sigma_begins_with_the_same_penalties(trained):
    before = fa_jax.load_run(trained)
    odds = [
        math.exp(params["decoder"]["attention"]["strength"]["bias"]) / sigma**2
        for sigma, params in (
            (1.5, before.params),
            (6, continued(before, with_sigma(before.config, 6))),
        )
    ]
    assert odds[1] == pytest.approx(odds[0], rel=1e-5)


def test_finetuning_is_a_run_of_its_own_and_may_have_other_text(trained, tmp_path, cli_call):
    text = write_corpus(tmp_path / "text", train=40, rest=3)
    options = ("--flexible.sigma", 6, "--steps", 1, "--training.beta", 0.2, "--corpus", text)
    status, out, err = cli_call("finetune", *options, trained)
    assert status == 0, err
    assert "3 sentences in" in out
    folder = trained.with_name("tiny-finetuned")
    assert str(folder) in out  # absolute, as the run was given
    scores = json.loads((folder / "test.json").read_text(encoding="utf-8"))
    assert {"inf", "1.2"} <= scores.keys()
    tuned = fa_jax.load_run(folder)
    assert tuned.config.model.attention.span == fa_jax.Flexible(6.0)
    assert (tuned.config.training.beta, tuned.config.training.threshold) == (0.2, 0.8)
    assert tuned.source == fa_jax.load_run(trained).source
    assert tuned.config.data.corpus == str(text)
    assert read_metrics(trained)[-1]["step"] == 20


def test_finetuning_keeps_the_model(trained, tmp_path, cli_call):
    run, new = fa_jax.load_run(trained), tmp_path / "new"
    model = run.config.model
    for change, words in [
        ({"decoder_size": 16}, "model.decoder_size is 8 there, 16 here"),
        ({"attention": fa_jax.AttentionConfig(span="global")}, "span.name is 'flexible' there"),
        ({"attention": fa_jax.AttentionConfig("general")}, "score.name is 'feedback' there"),
        ({"attention": fa_jax.AttentionConfig(span="none")}, "'flexible' there, 'none' here"),
    ]:
        with pytest.raises(UserError, match=words):
            fa_jax.finetune(run, new, replace(run.config, model=replace(model, **change)))
    status, _, err = cli_call("finetune", trained, "--run", new, "--local-p.half-width", 3)
    assert status == 2 and "a setting of local_p was given" in err
    status, _, err = cli_call("finetune", trained, "--run", new, "--flexible.sigma", 0)
    assert status == 2 and "sigma must be greater than 0" in err
    assert not new.exists()


def test_a_folder_of_another_run_stays_as_it_is(trained, corpus, cli_call):
    before = (trained / "config.json").read_bytes()
    options = ("--corpus", corpus, "--run", trained, *TINY, "--training.beta", 3)
    status, _, err = cli_call("train", "en-ja", *options)
    assert status == 2 and "--training.beta is 1.0 there, 3.0 here" in err
    assert (trained / "config.json").read_bytes() == before


def test_the_default_folder_is_named_for_languages_and_preset(monkeypatch, tmp_path):
    run, began = fa_jax.load_run("en-ja"), []

    def trained(folder, *rest):
        began.append(str(folder))
        return run

    monkeypatch.setattr("fa_jax.runs.train._trained", trained)
    monkeypatch.setattr("fa_jax.runs.train.prepare", lambda *data, **codecs: NoText())
    monkeypatch.setattr("fa_jax.runs.train.amount_of_text", lambda corpus: Amount(1, 1))
    fa_jax.train(fa_jax.preset("small-global", "de-en", ""))
    monkeypatch.setattr("fa_jax.runs.train.narrowest_windows", lambda *of: NothingNarrow())
    monkeypatch.setattr("fa_jax.runs.train.decoding_with", lambda run, **changes: run)
    fa_jax.finetune(run, config=fa_jax.finetuning(run.config))
    places = (Path("runs/a"), Path("../a"), Path(), tmp_path / "a")
    for place in places:
        fa_jax.finetune(replace(run, folder=place), config=fa_jax.finetuning(run.config))
    here = f"../{Path.cwd().name}-finetuned"
    assert began[:2] == ["runs/de-en-small-global", "runs/en-ja-finetuned"]
    assert began[2:] == ["runs/a-finetuned", "../a-finetuned", here, f"{tmp_path}/a-finetuned"]
