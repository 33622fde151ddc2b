"""Evaluation, the choice of the threshold and pictures, from Python."""

import json
import shutil
import sys
from dataclasses import replace
from functools import partial

import numpy as np
import pytest
from tqdm import tqdm

import fa_jax
from fa_jax.decoding.forced import trace_translations
from fa_jax.decoding.search import Hypothesis, SearchResult, search
from fa_jax.errors import UserError
from fa_jax.plots import plot_spans, plot_training
from fa_jax.runs.evaluate import Evaluation
from fa_jax.runs.folder import PRETRAINED
from fa_jax.runs.search import search_lines
from fa_jax.training.metrics import read_metrics

PAIRS = [("I am here.", "私はここにいます。"), ("It rains.", "雨が降る。")]


@pytest.fixture(scope="module")
def run(trained):
    return fa_jax.load_run(trained)


def test_pairs_of_ones_own_are_scored(run):
    evaluation = fa_jax.evaluate(run, pairs=PAIRS)
    assert evaluation.scores["sentences"] == len(evaluation.translations) == 2
    assert evaluation.pairs == PAIRS
    texts = fa_jax.translate(run, [source for source, _ in PAIRS])
    assert evaluation.translations == [record["translations"][0]["text"] for record in texts]


def test_a_terminal_sees_how_far_an_evaluation_is_and_a_file_does_not(run, monkeypatch, capsys):
    fa_jax.evaluate(run, "validation")
    assert capsys.readouterr().err == ""
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    monkeypatch.setattr("fa_jax.terminal.tqdm", partial(tqdm, mininterval=0))
    fa_jax.evaluate(run, "validation")
    drawn = capsys.readouterr().err
    assert "validation, threshold inf:   0%" in drawn and "6/6" in drawn
    assert not drawn.endswith("6/6") and "\n" not in drawn  # gone at the end


def test_a_split_and_how_it_is_decoded(run):
    decoding = replace(run.config.decoding, threshold=1.2)
    scores = fa_jax.evaluate(run, "validation", decoding).scores
    assert (scores["sentences"], scores["threshold"]) == (6, 1.2)
    with pytest.raises(UserError, match="unknown split 'dev': choose train, validation, test"):
        fa_jax.evaluate(run, "dev")
    with pytest.raises(UserError, match="no sentence pairs"):
        fa_jax.evaluate(run, pairs=[])


def test_the_test_set_is_scored_at_the_papers_threshold_and_the_runs_own(trained, tmp_path):
    folder = shutil.copytree(trained, tmp_path / "copy")
    fa_jax.set_threshold(folder, 0.8)
    found = fa_jax.score_test(fa_jax.load_run(folder))
    written = json.loads((folder / "test.json").read_text(encoding="utf-8"))
    assert [*found] == [*written] == ["inf", "1.2", "0.8"]
    assert written["inf"]["threshold"] == "inf" and written["0.8"] == found["0.8"].scores


def test_a_run_that_learnt_in_wider_windows_is_scored_in_them(run, tmp_path, monkeypatch):
    training = replace(run.config.training, threshold=4.5)
    learnt = replace(run, folder=tmp_path, config=replace(run.config, training=training))
    scored = lambda run, split, decoding: Evaluation({"threshold": decoding.threshold}, [], [])  # noqa: E731
    monkeypatch.setattr("fa_jax.runs.evaluate.evaluate", scored)
    assert [*fa_jax.score_test(learnt)] == ["inf", "4.5"]


def test_runs_of_one_target_vocabulary_translate_together(run, trained, tmp_path, cli_call):
    decoding = replace(run.config.decoding, replace_unknown=True)
    assert fa_jax.evaluate([run, run], pairs=PAIRS, decoding=decoding).scores["runs"] == 2
    other = shutil.copytree(trained, tmp_path / "other")
    path = other / "target.vocabulary.json"
    vocabulary = json.loads(path.read_text(encoding="utf-8"))
    vocabulary["tokens"][-1] += "x"
    path.write_text(json.dumps(vocabulary), encoding="utf-8")
    (other / "corpus.json").unlink()  # as if it had learnt with this one
    status, _, err = cli_call("translate", trained, "--ensemble", other, stdin=b"I am here.\n")
    assert status == 2 and "different target vocabularies" in err


def test_perplexity_is_of_each_word_with_its_end(run):
    """As one sentence's own trace has it; the mean is over words, not over sentences."""
    both = [fa_jax.perplexity(run, pairs=[pair]) for pair in PAIRS[:2]]
    words = [len(run.target.encode(target)) + 1 for _, target in PAIRS[:2]]
    expected = np.exp(np.dot(words, np.log(both)) / sum(words))
    assert fa_jax.perplexity(run, pairs=PAIRS[:2]) == pytest.approx(expected, rel=1e-4)
    found = trace_translations(
        run.model,
        run.config.decoding,
        [run.source.encode(PAIRS[0][0])],
        [run.target.encode(PAIRS[0][1])],
    )
    assert both[0] == pytest.approx(np.exp(-found[0].log_probs.mean()), rel=1e-4)
    with pytest.raises(UserError, match="no sentence pairs"):
        fa_jax.perplexity(run, pairs=[])


def test_a_runs_parameters_move_once(run):
    assert run.model is run.model
    search([run.model], run.config.decoding, [[[run.source.encode("I am here.")]]])
    assert run.model.on_devices is run.model.on_devices


def test_the_run_that_comes_with_the_package_stays_as_it_is():
    for place in (PRETRAINED / "en-ja", "en-ja"):
        with pytest.raises(UserError, match="copy the folder first"):
            fa_jax.set_threshold(place, 0.5)
    with pytest.raises(UserError, match="copy the folder first"):
        fa_jax.score_test(fa_jax.load_run("en-ja"))


def test_curves_and_spans_of_a_run_can_be_drawn(run, tmp_path):
    trace = fa_jax.trace(run, "I am here.", threshold=1.2)
    shown = fa_jax.show(run, "I am here.", tmp_path / "shown.svg", threshold=1.2)
    assert shown.translation == trace.translation and shown.threshold == 1.2
    plot_spans(trace, tmp_path / "spans.png")
    plot_training(read_metrics(run.folder), tmp_path / "training.png")
    assert (tmp_path / "spans.png").stat().st_size > 10_000
    assert (tmp_path / "training.png").stat().st_size > 10_000


def test_unknown_words_are_replaced_through_the_alignment():
    run, found = fa_jax.load_run("en-ja"), [SearchResult([Hypothesis([3, 5], -1.0)], 0, 0)]
    searched = replace(search_lines([run], ["Zzqq"], run.config.decoding), results=found)
    wanted = ["Zzqq", *run.target.tokens([5])]  # the whole word, of several subwords
    assert searched.texts() == [[run.target.decode([3, 5])]]
    replaced = replace(searched, decoding=replace(searched.decoding, replace_unknown=True))
    assert replaced.texts() == [[run.target.tokenizer.detokenize(wanted)]]
