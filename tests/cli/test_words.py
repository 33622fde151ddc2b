"""Words as they come in pieces of text, and what the command writes meanwhile."""

import json

import pytest

import fa_jax
from fa_jax.cli.words import arrived_words


class Typed:
    """Stdin that gives a piece each time it is read."""

    def __init__(self, *pieces):
        self._pieces = iter(
            piece if isinstance(piece, bytes) else piece.encode() for piece in pieces
        )

    def read1(self, size):
        return next(self._pieces, b"")


@pytest.mark.parametrize(
    ("language", "pieces", "expected"),
    [
        ("en", ["I li", "ke  ", "cats.\n"], [("I", False), ("like", False), ("cats.", True)]),
        ("en", ["\ufeffa b \n", "\n c"], [("a", False), ("b", True), ("", True), ("c", True)]),
        ("en", ["a ", "\nb\r\n"], [("a", False), ("", True), ("b", True)]),
        ("en", ["a "], [("a", False), ("", True)]),
        ("ja", ["猫".encode()[:2], "猫".encode()[2:], "が\n"], [("猫", False), ("が", True)]),
        ("ja", ["猫"], [("猫", False), ("", True)]),
        ("en", [], []),
    ],
)
def test_a_word_is_there_when_it_is_whole(monkeypatch, language, pieces, expected):
    monkeypatch.setattr("sys.stdin", type("Stdin", (), {"buffer": Typed(*pieces)}))
    assert [*arrived_words([], language)] == expected


def test_given_lines_are_heard_word_by_word():
    assert [*arrived_words(["a b", ""], "en")] == [("a", False), ("b", True), ("", True)]


def test_the_command_writes_what_the_function_does(cli_call):
    text = "I like cats. It was raining.\n\nHello!"
    options = ("translate", "en-ja", "--simultaneous", "focus", "--behind", 1)
    status, out, err = cli_call(*options, stdin=text.encode())
    records = fa_jax.simultaneous(fa_jax.load_run("en-ja"), text.split("\n"), behind=1.0)
    assert (status, out.splitlines()) == (0, [record["text"] for record in records]), err
    _, out, _ = cli_call(*options, "--details", *text.split("\n"))
    assert [json.loads(line) for line in out.splitlines()] == records


def test_what_cannot_be_is_refused(cli_call):
    options = ("translate", "en-ja", "--simultaneous", "focus")
    assert "leave out" in cli_call(*options, "--n-best", 2, stdin=b"a")[2]
    assert "stdin is not UTF-8" in cli_call(*options, stdin=b"\xff ")[2]
