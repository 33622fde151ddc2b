"""Speeches that are translated while they are heard, by the run that comes with fa_jax."""

from dataclasses import replace

import pytest

import fa_jax
from fa_jax.errors import UserError
from fa_jax.runs.simultaneous import average_lagging, units
from tests.runs.test_translate import make_run

LINES = ["The book on the desk is mine.", "", "I like cats. It was raining all day.", "Hello!"]


@pytest.fixture(scope="module")
def run():
    return fa_jax.load_run("en-ja")


@pytest.fixture(scope="module")
def records(run):
    return fa_jax.simultaneous(run, LINES, behind=1.0)


def test_who_hears_all_first_translates_as_ever(run):
    greedy = replace(run.config.decoding, beam_size=1)
    expected = [r["translations"][0]["text"] for r in fa_jax.translate(run, LINES, greedy)]
    found = fa_jax.simultaneous(run, LINES, behind=1000)
    assert [record["text"] for record in found] == expected
    assert {*found[0]["delays"]} == {7}
    # A sentence inside a line ends when the next one begins.
    assert {*found[2]["delays"]} == {4, 8}


def test_what_is_written_is_written_early_and_stays(run, records):
    for line, record in zip(LINES, records, strict=True):
        interpreter, words = fa_jax.Interpreter(run, behind=1.0), line.split()
        pieces = [
            interpreter.hear(word, last=number == len(words))
            for number, word in enumerate(words, start=1)
        ]
        assert interpreter.record() == record
        assert "".join(pieces) == record["text"] == "".join(record["words"])
        delays = [number for number, piece in enumerate(pieces, start=1) for _ in piece]
        assert record["delays"] == delays
    assert records[0]["delays"][0] < 7


def test_a_speech_may_end_after_its_last_word(run, records):
    interpreter = fa_jax.Interpreter(run, behind=1.0)
    for word in LINES[0].split():
        interpreter.hear(word)
    interpreter.hear("", last=True)
    assert interpreter.record() == records[0]


def test_words_are_shown_when_they_are_whole():
    """A word of letters goes on until a space; letters of a language without spaces are whole."""
    run = make_run()
    spaced = replace(run, target=replace(run.target, language="en"))
    for one, expected in ((run, True), (spaced, False)):
        interpreter = fa_jax.Interpreter(one, "wait-k", behind=1)
        assert bool(interpreter.hear("abbaabba")) is expected
        assert interpreter.hear("", last=True) or expected
    assert units("y<unk><", "ja") == ["y", "<unk>", "<"]


@pytest.mark.parametrize(
    ("delays", "source", "reference", "al", "laal"),
    [
        ([2, 3, 4, 5, 5], 5, 4, 1.625, 2.0),
        ([1, 1, 1, 2, 3], 3, 9, 0.93333, 0.93333),
        ([3, 3], 7, 2, 1.25, 1.25),
        ([1, 2, 7, 7, 7, 7], 7, 3, 1.0, 2.16667),
    ],
)
def test_lagging_is_simulevals(delays, source, reference, al, laal):
    """What SimulEval 1.1.4 says, AL and LAAL."""
    found = [average_lagging(delays, source, n) for n in (reference, max(reference, len(delays)))]
    assert found == pytest.approx([al, laal], rel=1e-4)


def test_errors_name_what_is_wrong(run):
    with pytest.raises(UserError, match="unknown policy 'focsu': choose focus, align-att"):
        fa_jax.Interpreter(run, "focsu")
    with pytest.raises(UserError, match="looks at nothing: choose wait-k"):
        fa_jax.Interpreter(make_run(attention=fa_jax.AttentionConfig("concat", "none")))
    with pytest.raises(UserError, match="a list of texts"):
        fa_jax.simultaneous(run, "I like cats.")
