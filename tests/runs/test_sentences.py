"""Lines of several sentences, and several translations of a line, by the run in the package."""

from dataclasses import replace

import numpy as np
import pytest

import fa_jax
from fa_jax.data.vocabulary import UNKNOWN
from fa_jax.decoding.search import Hypothesis, SearchResult
from fa_jax.runs.search import never_written, search_lines
from fa_jax.runs.sentences import combined
from fa_jax.runs.translate import translate

PARAGRAPH = "I like cats. My brother likes dogs. We went to the park yesterday."
PARTS = ["I like cats.", "My brother likes dogs.", "We went to the park yesterday."]


@pytest.fixture(scope="module")
def run():
    return fa_jax.load_run("en-ja")


def test_the_best_of_all_combinations():
    def result(*scores):
        return SearchResult([Hypothesis([4] * 3, score) for score in scores], 0, 0)

    # The second hypothesis of the first part reads as the best one.
    results, texts = [result(-1.0, -1.2, -1.5, -4.0), result(-2.0, -2.2)], ["aabc", "de"]
    found = combined(range(2), results, texts, 3, " ")
    assert [[place for _, place in taken] for *_, taken in found] == [[0, 0], [0, 1], [2, 0]]
    assert [text for _, text, _ in found] == ["a d", "a e", "b d"]
    np.testing.assert_allclose([score for score, *_ in found], [-1.5, -1.6, -1.75])
    assert combined([0], results, texts, 1, " ") == [(-1.0, "a", ((0, 0),))]


def test_a_paragraph_is_its_sentences_and_what_attention_did_is_told_of_all(run):
    (whole, *alone) = translate(run, [PARAGRAPH, *PARTS], details=True)
    texts = [record["translations"][0] for record in alone]
    (found,) = whole["translations"]
    assert found["text"] == "".join(one["text"] for one in texts)
    assert whole["source_tokens"] == [token for one in alone for token in one["source_tokens"]]
    assert found["tokens"] == [token for one in texts for token in one["tokens"]]
    assert np.shape(found["alignment"]) == (len(found["tokens"]), len(whole["source_tokens"]))
    row = column = 0
    for record, one in zip(alone, texts, strict=True):
        rows = slice(row, row + len(one["tokens"]))
        columns = slice(column, column + len(record["source_tokens"]))
        alignment = np.array(found["alignment"])[rows]
        np.testing.assert_allclose(alignment[:, columns], one["alignment"], atol=1e-4)
        np.testing.assert_allclose(alignment.sum(1), 1, atol=1e-4)
        np.testing.assert_allclose(found["focus"][rows], np.add(one["focus"], column), atol=1e-3)
        row, column = rows.stop, columns.stop
    tokens = [len(one["tokens"]) for one in texts]
    scores = [one["score"] for one in texts]
    np.testing.assert_allclose(found["score"], np.average(scores, weights=tokens), rtol=1e-4)
    drawn = fa_jax.trace(run, PARAGRAPH)
    assert drawn.translation == found["text"]
    assert drawn.target_tokens == found["tokens"]
    np.testing.assert_allclose(drawn.weights, found["alignment"], atol=1e-4)
    assert drawn.windows.sum(1).tolist() == found["window"]


def test_who_wants_it_reads_a_line_whole(run):
    (whole,) = translate(run, [PARAGRAPH], split=False)
    (parted,) = translate(run, [PARAGRAPH])
    assert whole["translations"][0]["text"] != parted["translations"][0]["text"]
    assert fa_jax.trace(run, PARAGRAPH, split=False).translation == whole["translations"][0]["text"]


def test_no_two_translations_of_a_line_read_alike(run):
    """Other subwords may spell the same words: here those of the fifth best hypothesis do."""
    line, decoding = "I want some water.", run.config.decoding
    (texts,) = search_lines([run], [line], decoding, decoding.beam_size).texts()
    assert texts[0] == texts[4]
    (record,) = translate(run, [line], n_best=decoding.beam_size)
    found = [one["text"] for one in record["translations"]]
    assert found == [*dict.fromkeys(texts)][: decoding.beam_size]
    assert len(found) == decoding.beam_size


def test_subwords_spell_what_is_unknown_unless_it_is_replaced(run):
    decoding = run.config.decoding
    assert never_written(run, decoding) == (UNKNOWN,)
    assert never_written(run, replace(decoding, replace_unknown=True)) == ()
