"""Alignments: of words whose tokens are known, by hand; and of what attention really did."""

from dataclasses import replace

import numpy as np
import pytest

import fa_jax
from fa_jax.errors import UserError
from fa_jax.runs import align as aligning
from fa_jax.runs.align import grow_diag_final_and
from tests.runs.test_translate import make_run

PAIR = ("The book on the desk is mine.", "机の上の本は私のです。")


@pytest.fixture(scope="module")
def run():
    return fa_jax.load_run("en-ja")


def by_hand(run, source, target, by):
    """Words by the marks of sentencepiece, and what `trace` says; for words of one script each."""
    trace = fa_jax.trace(run, source)
    assert trace.translation == target
    places = {"weight": trace.weights.argmax(1), "focus": np.rint(trace.focus).astype(int)}[by]
    in_front = np.cumsum([token.startswith("▁") for token in trace.source_tokens]) - 1
    letters, words = 0, []
    for token in trace.target_tokens[:-1]:
        words.append(letters)
        letters += len(token.replace("▁", ""))
    return {(in_front[place], begin) for place, begin in zip(places, words, strict=False)}


@pytest.mark.parametrize("by", ["weight", "focus"])
def test_words_are_linked_as_attention_looked(run, by):
    (found,) = fa_jax.align(run, [PAIR], by=by)
    assert found.source == PAIR[0].split() and "".join(found.target) == PAIR[1]
    begins = np.cumsum([0, *map(len, found.target)])
    expected = {
        (source, int(np.searchsorted(begins, begin, side="right")) - 1)
        for source, begin in by_hand(run, *PAIR, by)
    }
    assert {*found.links} == expected
    assert str(found) == " ".join(f"{s}-{t}" for s, t in sorted(expected))


def test_each_pair_by_itself_and_sentence_by_sentence(run):
    one, two = ("I like cats.", "私は猫が好きです。"), ("It rains.", "雨が降る。")
    first, second, both, empty, half = fa_jax.align(
        run, [one, two, (f"{one[0]} {two[0]}", one[1] + two[1]), ("", ""), ("I", "")]
    )
    shifted = [(s + len(first.source), t + len(first.target)) for s, t in second.links]
    assert both.links == [*first.links, *shifted] and both.source == first.source + second.source
    assert fa_jax.align(run, []) == []
    assert (empty.links, half.source, half.links) == ([], ["I"], [])


def test_words_may_be_given(run):
    """As gold alignments have them: the run reads them as people write them."""
    source, target = "I like cats .", "私 は 猫 が 好き です 。"
    (found,) = fa_jax.align(run, [(source, target)], tokenized=True)
    (whole,) = fa_jax.align(run, [("I like cats.", "私は猫が好きです。")])
    assert (found.source, found.target) == (source.split(), target.split())
    joined = {(min(s, 2), t) for s, t in found.links}  # "cats" and "." are one word there
    assert found.target == whole.target and joined == {*whole.links}


def test_the_other_direction_adds_what_the_first_lacks(run, monkeypatch):
    """Each step of the first looks at position 0; those of the other at their own place."""
    steps = iter([np.zeros(5, int), np.arange(5)])
    monkeypatch.setattr(aligning, "looked_at", lambda *given: [next(steps)])
    english = replace(run, target=run.source)
    back = replace(english, config=replace(run.config))
    (found,) = fa_jax.align(english, [("I like", "I like")], back=back, tokenized=True)
    assert found.links == [(0, 0), (0, 1), (1, 1)]
    with pytest.raises(UserError, match="does not translate the other way"):
        fa_jax.align(run, [PAIR], back=run)
    blind = make_run(attention=fa_jax.AttentionConfig("concat", "none"))
    with pytest.raises(UserError, match="the attention of tiny looks at nothing"):
        fa_jax.align(run, [PAIR], back=blind)


def test_grow_diag_final_and():
    """Koehn et al.'s rules, a case each."""
    first = [(0, 0)]
    assert grow_diag_final_and([*first, (1, 1)], first) == [(0, 0), (1, 1)]  # a diagonal
    assert grow_diag_final_and([*first, (0, 1)], first) == [(0, 0), (0, 1)]  # a neighbour
    assert grow_diag_final_and([*first, (5, 5)], first) == [(0, 0), (5, 5)]  # final
    assert grow_diag_final_and([*first, (5, 0)], first) == first  # and
    line = [(0, 0), (1, 1), (2, 2), (3, 3)]
    assert grow_diag_final_and(first, line) == line  # from neighbour to neighbour
