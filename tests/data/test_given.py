"""What a caller may give that is no text, or no run."""

import subprocess
import sys

import pytest

from fa_jax.data.given import checked_lines, checked_pairs
from fa_jax.errors import UserError


@pytest.mark.parametrize(
    "lines, words",
    [
        ("I like cats.", "must be a list of texts"),
        (b"I like cats.", "must be a list of texts"),
        (None, "must be a list of texts"),
        (7, "must be a list of texts"),
        (["a", None], "line 2 must be a text, got None"),
        ([b"a"], "line 1 must be a text, got b'a'"),
        (["a\ud83d"], r"line 1 is no UTF-8: character 2 is half a letter \(U\+D83D\)"),
        (["", "caf\udce9"], "line 2 is no UTF-8: character 4 is the byte 0xE9"),
    ],
)
def test_what_is_no_list_of_texts_is_said(lines, words):
    with pytest.raises(UserError, match=words):
        checked_lines(lines)


@pytest.mark.parametrize(
    "pairs, words",
    [
        ([("a", "b"), ("a", "b", "c")], "pair 2 must be two texts"),
        ([()], "pair 1 must be two texts"),
        (["ab"], "pair 1, texts must be a list"),
        ("ab", "pairs must be a list"),
        (None, "pairs must be a list"),
        ([("a", None)], "pair 1, text 2 must be a text"),
        ([("a", "b\ud83d")], "pair 1, text 2 is no UTF-8"),
    ],
)
def test_what_are_no_pairs_of_texts_is_said(pairs, words):
    with pytest.raises(UserError, match=words):
        checked_pairs(pairs)


CALLS = """
import fa_jax
run = fa_jax.load_run("en-ja")
for call in (
    lambda: fa_jax.translate(run, "I like cats."),
    lambda: fa_jax.translate(run, [None]),
    lambda: fa_jax.translate(run, ["a\\ud83d"]),
    lambda: fa_jax.trace(run, b"I like cats."),
    lambda: fa_jax.show(run, "caf\\udce9", "cats.html"),
    lambda: fa_jax.evaluate(run, pairs=[("a", "b", "c")]),
    lambda: fa_jax.perplexity(run, pairs=[("a", "b", "c")]),
    lambda: fa_jax.translate("en-ja", ["I like cats."]),
    lambda: fa_jax.trace("en-ja", "I like cats."),
    lambda: fa_jax.evaluate(["en-ja"]),
    lambda: fa_jax.evaluate(run, metrics=["BLEU"]),
    lambda: fa_jax.finetune("en-ja"),
    lambda: fa_jax.select(["en-ja"]),
    lambda: fa_jax.select(run, ["1.2"]),
    lambda: fa_jax.narrowest_windows("en-ja"),
    lambda: fa_jax.threshold_for_window("en-ja", 0.4),
    lambda: fa_jax.score_test("en-ja"),
    lambda: fa_jax.report("en-ja"),
    lambda: fa_jax.perplexity("en-ja"),
    lambda: fa_jax.export("en-ja", "exported"),
    lambda: fa_jax.serve("en-ja"),
    lambda: fa_jax.align(run, [("a", "b")], back="ja-en"),
    lambda: fa_jax.align(run, [("a", "b")], by="wieght"),
    lambda: fa_jax.translate(run, ["a"], n_best=2.5),
    lambda: fa_jax.translate(run, ["a"], glossary={"a": 3}),
    lambda: fa_jax.translate(run, ["a"], glossary=[("a", "b")]),
):
    try:
        print(call())
    except fa_jax.UserError as error:
        print("said:", error)
"""


def test_every_function_says_it():
    """Outside of this process, whose type checker would be the first to say it."""
    finished = subprocess.run([sys.executable, "-c", CALLS], capture_output=True, text=True)
    said = finished.stdout.splitlines()
    assert [line.partition(":")[0] for line in said] == ["said"] * 26, finished.stderr


def test_lines_and_pairs_come_back_from_anything_that_holds_them():
    assert checked_lines(iter(["a", ""])) == ["a", ""]
    assert checked_pairs(iter([["a", "b"]])) == [("a", "b")]
