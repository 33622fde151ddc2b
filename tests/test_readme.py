"""The README's Python examples run as they stand; so does the tutorials' score and span."""

import re

import numpy as np

import fa_jax
from tests.command import REPOSITORY

TUTORIALS = REPOSITORY / "docs" / "pages" / "tutorials"


def examples(path):
    """The Python examples of a page."""
    return re.findall(r"```python\n(.*?)```", path.read_text(encoding="utf-8"), re.S)


def example(words, **names):
    """The names that the README's example with these words defines, beside those it is given."""
    (found,) = [code for code in examples(REPOSITORY / "README.md") if words in code]
    exec(found, names)
    return names


def test_it_can_be_read_in_ten_minutes():
    assert len((REPOSITORY / "README.md").read_text(encoding="utf-8").splitlines()) <= 150


def test_the_function_in_ten_lines():
    assert example("out = fa_jax.flexible_attention")["out"].context.shape == (8, 512)


def test_the_functions_behind_the_commands():
    names = example("fa_jax.load_run", fa_jax=fa_jax)
    assert names["records"][0]["translations"][0]["text"]
    assert names["trace"].windows.any(1).all()


def test_parts_with_settings():
    path, names = TUTORIALS / "your-jax-code.md", {}
    for code in examples(path):
        if "import fa_jax" in code or "fa_jax.LocalP(half_width=5)" in code:
            exec(code, names)
    assert names["out"].window.max() <= 11


def test_a_score_and_a_span_of_ones_own():
    names = {"__name__": "tutorial"}
    for code in examples(TUTORIALS / "your-own-score.md")[:3]:
        exec(code, names)
    out = names["out"]
    np.testing.assert_array_equal(out.window, 4)
    annotations = np.asarray(names["annotations"], np.float64)[:, :4]
    cosine = annotations.sum(-1) / np.linalg.norm(annotations, axis=-1) / np.sqrt(64)
    weights = np.exp(9 * cosine) / np.exp(9 * cosine).sum(1, keepdims=True)
    np.testing.assert_allclose(out.weights[:, :4], weights, rtol=1e-4)
    assert not out.weights[:, 4:].any()
