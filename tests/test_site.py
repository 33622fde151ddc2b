"""The site: its examples run, its numbers come from files, its advice names real errors."""

import contextlib
import io
import re
from functools import cache
from unittest import mock

import pytest

import fa_jax
from docs import one_step
from docs.numbers import PAGES, README_NUMBERS, listed, rendered
from tests.command import REPOSITORY

FENCED = re.compile(r"^```(\w*)\n(.*?)^```$", re.M | re.S)
WITH_CODE = [path for path in sorted(PAGES.rglob("*.md")) if "```python" in path.read_text()]
MEASURED = re.compile(r"(?<![\w.])[+−]?\d[\d,]*(?:\.\d+%?|%)(?!\.\d)")
"""A number with a point or a percent sign."""
SETTINGS = {"τ = 1.2", "3.11", "1.5 words", "near 0.02", "40%", "0.90 on a processor", "BY 2.0"}
"""What pages may say with such a number, because nobody measured it here."""


def page(name):
    return (PAGES / name).read_text(encoding="utf-8")


@pytest.fixture(scope="module", autouse=True)
def shared():
    """The run that comes with fa_jax, read once; what pages register is forgotten."""
    with (
        mock.patch.object(fa_jax, "load_run", cache(fa_jax.load_run), create=True),
        mock.patch.dict(fa_jax.SCORES),
        mock.patch.dict(fa_jax.SPANS),
    ):
        yield


@pytest.mark.parametrize("path", WITH_CODE, ids=lambda path: path.stem)
def test_the_examples_of_a_page_run_in_order_and_print_what_it_says(path, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    names, printed, before = {"__name__": path.stem}, "", ""
    for language, code in FENCED.findall(path.read_text(encoding="utf-8")):
        if language == "python":
            with contextlib.redirect_stdout(io.StringIO()) as out:
                exec(compile(code, path.name, "exec"), names)
            printed = out.getvalue()
        elif language == "text" and before == "python" and printed:
            assert printed == code
        before = language


def test_a_page_cannot_hold_a_number_that_was_typed_by_hand():
    for path in PAGES.rglob("*.md"):
        text = FENCED.sub("", path.read_text(encoding="utf-8"))
        text = re.sub(r"\{[{%].*?[%}]\}|`[^`]*`", "", text, flags=re.S)
        for setting in SETTINGS:
            text = text.replace(setting, "")
        assert not MEASURED.findall(text), path.name


def test_a_number_is_read_from_its_file():
    line = '{{ number("benchmarks/peers.json", "rows/what=sentences decoded/ratio", ".1f") }} times'
    assert rendered(line) == "5.5 times"
    (shown,) = listed(line)
    assert (shown.text, shown.file) == ("5.5", "benchmarks/peers.json")
    with pytest.raises(LookupError, match="nothing at 'no such'"):
        rendered('{{ number("benchmarks/peers.json", "no such") }}')


def test_every_number_of_the_pages_is_on_the_list():
    table = rendered(page("results/numbers.md"))
    assert len(re.findall(r"^\| .* \| `(?:records|benchmarks)/", table, re.M)) > 50
    for name in ("results/index.md", "results/speed.md", "tutorials/long-text.md"):
        for one in listed(page(name)):
            assert (
                f"| {one.text} | [{name[:-3]}](../{name}) | `{one.file}` | `{one.place}` |" in table
            )


@pytest.fixture(scope="module")
def readme_list():
    """Lines that the README is to hold."""
    text = rendered(README_NUMBERS.read_text(encoding="utf-8"))
    _, *parts = re.split(r"^\[.*\]$", text, flags=re.M)
    return [line for part in parts for line in part.splitlines() if line]


def test_the_readme_says_what_the_files_say(readme_list):
    readme = (REPOSITORY / "README.md").read_text(encoding="utf-8")
    assert not [line for line in readme_list if line not in readme]


def test_every_measured_number_of_the_readme_is_on_the_list(readme_list):
    readme = FENCED.sub("", (REPOSITORY / "README.md").read_text(encoding="utf-8"))
    for line in sorted(readme_list, key=len, reverse=True):
        readme = readme.replace(line, "")
    readme = re.sub(r"`[^`\n]*`", "", readme)
    assert not MEASURED.findall(readme)


def test_the_drawing_of_a_step_is_made_from_the_run_that_comes_with_fa_jax(tmp_path, monkeypatch):
    monkeypatch.setattr(one_step, "ASSETS", tmp_path)
    one_step.main()
    assert {path.name for path in tmp_path.iterdir()} == {"near.svg", "far.svg"}
    assert all("<svg" in path.read_text(encoding="utf-8") for path in tmp_path.iterdir())


def test_the_reference_describes_every_public_function_and_class():
    text = "".join(rendered(p.read_text("utf-8")) for p in PAGES.glob("reference/api/*.md"))
    described = set(re.findall(r"^::: [\w.]+\.(\w+)$", text, re.M))
    tables = {"SCORES", "SPANS"}
    assert {*fa_jax.__all__} - tables <= described


def test_each_error_of_the_questions_is_one_that_fa_jax_says():
    parts = (path.read_text(encoding="utf-8") for path in (REPOSITORY / "fa_jax").rglob("*.py"))
    said = re.sub(r'"\s*\n\s*f?"', "", "\n".join(parts))  # a message on several lines
    errors = re.findall(r"^### `(.*)`", page("faq.md"), re.M)
    assert len(errors) > 15
    assert not [error for error in errors if error not in said]
