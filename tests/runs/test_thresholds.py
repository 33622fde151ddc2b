"""Thresholds: what was ordered is what an evaluation finds."""

import math
import shutil
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import pytest

import fa_jax
from fa_jax.errors import UserError
from fa_jax.evaluation.selection import Candidate
from fa_jax.runs import thresholds
from fa_jax.runs.thresholds import HALVINGS, LARGEST, SMALLEST, window_share
from fa_jax.training.metrics import read_metrics
from tests.runs.test_translate import make_run


def test_select_returns_what_it_found_and_writes_nothing(trained):
    run = fa_jax.load_run(trained)
    before = (run.folder / "config.json").read_bytes()
    found = fa_jax.select(run, [1.2], largest_loss=100)
    assert [candidate.threshold for candidate in found.candidates] == [np.inf, 1.2]
    assert found.chosen == min(found.candidates, key=lambda one: one.window)
    assert found.reference == found.candidates[0].bleu
    assert (run.folder / "config.json").read_bytes() == before
    with pytest.raises(UserError, match="thresholds must be greater than 0, got -1"):
        fa_jax.select(run, [1.2, -1])


@pytest.mark.parametrize(
    ("given", "tried"),
    [
        (lambda: np.array([0.8, 1.2, 0.8]), [0.8, 1.2]),
        (lambda: (threshold for threshold in (0.8, 1.2)), [0.8, 1.2]),
        (lambda: [np.inf, 1.2], [np.inf, 1.2]),
    ],
)
def test_each_run_is_tried_once_at_each_threshold(monkeypatch, given, tried):
    """However thresholds are given; the first run at ∞, too."""
    scored = Candidate("run", 1.2, 20.0, 7.5, {"chrf": 31.25, "ter": 104.5})
    monkeypatch.setattr(
        thresholds,
        "candidate",
        lambda run, threshold, others: replace(scored, run=run.name, threshold=threshold),
    )
    runs = [replace(make_run(), folder=Path(name)) for name in "ab"]
    found = [(one.run, one.threshold) for one in fa_jax.select(runs, given()).candidates]
    wanted = [("a", threshold) for threshold in dict.fromkeys([np.inf, *tried])]
    assert found == wanted + [("b", threshold) for threshold in tried]


def share(run, threshold):
    decoding = replace(run.config.decoding, threshold=threshold)
    scores = fa_jax.evaluate(run, "validation", decoding).scores
    return scores["window"] / scores["source_length"]


@pytest.mark.parametrize("window", [0.4, 0.7])
def test_the_threshold_has_the_window(trained, window):
    run = fa_jax.load_run(trained)
    threshold = fa_jax.threshold_for_window(run, window)
    assert share(run, threshold) == pytest.approx(window, rel=0.1)


def test_of_a_source_that_is_cut_the_rest_is_not_counted(trained):
    run = fa_jax.load_run(trained)
    decoding = replace(run.config.decoding, max_source_length=2)
    scores = fa_jax.evaluate(run, "validation", decoding).scores
    assert scores["window"] == pytest.approx(scores["source_length"]) == 2
    cut = replace(run, config=replace(run.config, decoding=decoding))
    threshold = fa_jax.threshold_for_window(cut, 0.8)
    assert window_share(cut, threshold) == pytest.approx(0.8, rel=0.1)
    assert window_share(cut, fa_jax.threshold_for_window(cut, 1.0)) == 1
    found = fa_jax.trace(run, "It rains here.", decoding=decoding)
    assert found.weights.shape[1] == len(found.source_tokens) == 2


def test_windows_that_cannot_be_had(trained):
    with pytest.raises(
        UserError, match=r"windows of 0.01 of the source cannot be had .* the narrowest"
    ):
        fa_jax.threshold_for_window(fa_jax.load_run(trained), 0.01)


def test_windows_that_are_no_share_are_said_before_the_work():
    with pytest.raises(UserError, match=r"such as 0\.4 for 40%; got 40"):
        fa_jax.threshold_for_window(make_run(), 40)


def test_a_span_that_no_threshold_narrows():
    fixed = make_run(attention=fa_jax.AttentionConfig("concat", "global"))
    for find in (fa_jax.narrowest_windows, partial(fa_jax.threshold_for_window, window=0.4)):
        with pytest.raises(UserError, match="no threshold narrows the windows of Attention"):
            find(fixed)


def test_a_run_that_is_finetuned_decodes_with_the_window_that_was_ordered(
    trained, cli_call, unscored
):
    folder = trained.with_name("ordered")
    options = ("--run", folder, "--window", 0.5, "--steps", 40)
    status, _, err = cli_call("finetune", trained, *options)
    assert status == 0, err
    run = fa_jax.load_run(folder)
    assert share(run, run.config.decoding.threshold) == pytest.approx(0.5, rel=0.1)
    windows = [row["window"] for row in read_metrics(folder) if "loss" in row]
    assert len(windows) == 2 and all(0 < window < 1 for window in windows)


def test_without_an_order_windows_cost_half_a_bleu(trained, cli_call, unscored):
    folder = trained.with_name("narrow")
    status, _, err = cli_call("finetune", trained, "--run", folder, "--steps", 1)
    assert status == 0, err
    assert "cost at most 0.5 BLEU" in err and "<- chosen" in err
    run = fa_jax.load_run(folder)
    assert run.config.decoding.threshold == fa_jax.narrowest_windows(run).chosen.threshold
    assert run.config.decoding.length_exponent is not None


def test_windows_may_have_another_price(trained, cli_call, unscored, monkeypatch):
    """A loss of a hundred BLEU allows the narrowest of all. Whoever learns ends as it began."""
    folder = shutil.copytree(trained, trained.with_name("narrowest"))
    monkeypatch.setattr("fa_jax.runs.train._trained", lambda *of: fa_jax.load_run(folder))
    status, _, err = cli_call("finetune", trained, "--run", folder, "--loss", 100)
    assert status == 0, err
    config = fa_jax.load_run(folder).config
    narrowest = SMALLEST * (LARGEST / SMALLEST) ** 0.5**HALVINGS
    assert config.decoding.threshold == pytest.approx(narrowest)


def test_the_narrowest_windows_are_those_of_all_thresholds_tried_one_by_one(trained, monkeypatch):
    """Of a run whose BLEU rises with the threshold, by a formula."""
    run = fa_jax.load_run(trained)

    def bleu(threshold):
        return 20 * (1 - math.exp(-4 * threshold))

    monkeypatch.setattr(
        thresholds,
        "candidate",
        lambda run, threshold: Candidate("run", threshold, bleu(threshold), min(threshold, 9.0)),
    )
    found = fa_jax.narrowest_windows(run, 0.5)
    exact = min(t for t in np.geomspace(SMALLEST, LARGEST, 10_000) if bleu(t) >= 19.5)
    assert exact <= found.chosen.threshold < 1.1 * exact
    assert found.reference == 20 and len(found.candidates) == HALVINGS + 1
    assert found.candidates[0].threshold == math.inf
    # A price that all windows keep, and one that none keeps.
    assert fa_jax.narrowest_windows(run, 30).chosen.threshold < 1.1 * SMALLEST
    monkeypatch.setattr(
        thresholds,
        "candidate",
        lambda run, t: Candidate("run", t, 20.0 if t == math.inf else 3.0, 5.0),
    )
    assert fa_jax.narrowest_windows(run, 0.5).chosen.threshold == math.inf
    with pytest.raises(UserError, match="must be at least 0; got -1"):
        fa_jax.narrowest_windows(run, -1)


@pytest.mark.parametrize("span", ["local_p", "global"])
@pytest.mark.parametrize("order", [{"window": 0.5}, {"largest_loss": 0.5}])
def test_orders_that_a_span_has_not(trained, tmp_path, span, order):
    run = fa_jax.load_run(trained)
    model = replace(run.config.model, attention=fa_jax.AttentionConfig(span=span))
    with pytest.raises(UserError, match="take a span such as flexible"):
        fa_jax.finetune(run, tmp_path, replace(run.config, model=model), **order)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--loss", -1), "must be at least 0"),
        (("--loss", 0.5, "--window", 0.4), "give one, not both"),
        (("--window", 0), "such as 0.4 for 40%; got 0"),
    ],
)
def test_orders_that_cannot_be_are_said_before_the_work(trained, cli_call, options, words):
    folder = trained.with_name("never")
    status, _, err = cli_call("finetune", trained, "--run", folder, *options)
    assert status == 2 and words in err
    assert not folder.exists()
