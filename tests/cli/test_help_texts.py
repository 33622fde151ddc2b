"""Help flows in the width of the reader's terminal."""

from dataclasses import dataclass, field

import pytest
import tyro

from fa_jax.cli.help_texts import description, field_texts
from fa_jax.cli.parsing import COMMANDS


@dataclass(frozen=True)
class Base:
    of_base: int
    """One line."""


@dataclass(frozen=True)
class Other:
    """Its own text."""

    setting: float = 1.5
    """Words that go on
    in another line, where the source code
    breaks."""


@dataclass(frozen=True)
class Both(Base):
    other: Other = field(default_factory=Other)
    silent: str = "x"


def test_a_fields_text_is_one_paragraph():
    assert field_texts(Both) == {"of_base": "One line."}
    text = "Words that go on in another line, where the source code breaks."
    assert field_texts(Other) == {"setting": text}
    assert field_texts(type("Made", (Other,), {})) == {"setting": text}


def test_values_and_defaults_are_as_without_texts():
    from fa_jax.cli.attention_options import REGISTRY

    def parsed(*arguments, **default):
        return tyro.cli(Both, args=[*arguments], registry=REGISTRY, **default)

    assert parsed("--of-base", "3") == Both(3)
    own = Both(4, Other(2.5), "y")
    assert parsed(default=own) == own
    assert parsed("--other.setting", "0.5", default=own) == Both(4, Other(0.5), "y")
    with pytest.raises(SystemExit):
        parsed()


@pytest.mark.parametrize("width", [80, 120])
@pytest.mark.parametrize("command", COMMANDS)
def test_no_line_is_wider_than_the_terminal(cli_call, monkeypatch, command, width):
    monkeypatch.setenv("COLUMNS", str(width))
    status, out, _ = cli_call(command, "--help")
    lines = out.splitlines()
    assert status == 0 and max(map(len, lines[lines.index("") :])) <= width  # below the usage


def test_lines_break_where_the_terminal_ends_and_not_where_the_source_does(monkeypatch):
    monkeypatch.setenv("COLUMNS", "30")
    first, *rest = description("One two three\n    four five six.\n\n    Another one.").split("\n")
    assert (first, rest) == ("One two three four five six.", ["", "Another one."])
    first, second = description("word " * 10).split("\n")
    assert len(first) + len(" word") > 30 >= len(first) and second.startswith("  word")
