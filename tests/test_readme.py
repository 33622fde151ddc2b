"""The README's Python examples run as they stand."""

import re

import jax
import jax.numpy as jnp
import numpy as np

import fa_jax
from tests.command import REPOSITORY


def example(words, **names):
    """The names that the example with these words defines, beside those that it is given."""
    text = (REPOSITORY / "README.md").read_text(encoding="utf-8")
    (found,) = [code for code in re.findall(r"```python\n(.*?)```", text, re.S) if words in code]
    exec(found, names)
    return names


def test_the_function_in_ten_lines():
    assert example("out = fa_jax.flexible_attention")["out"].context.shape == (8, 512)


def test_the_functions_behind_the_commands():
    names = example("fa_jax.load_run", fa_jax=fa_jax)
    assert names["records"][0]["translations"][0]["text"]
    assert names["trace"].windows.any(1).all()


def test_parts_with_settings():
    names = example("fa_jax.LocalP(half_width=5)", fa_jax=fa_jax, jax=jax, jnp=jnp)
    assert names["out"].window.max() <= 11


def test_a_score_and_a_span_of_ones_own():
    names = example("class Cosine")
    out = names["out"]
    np.testing.assert_array_equal(out.window, 9)
    annotations = np.asarray(names["annotations"], np.float64)[:, :9]
    cosine = annotations.sum(-1) / np.linalg.norm(annotations, axis=-1) / np.sqrt(64)
    weights = np.exp(9 * cosine) / np.exp(9 * cosine).sum(1, keepdims=True)
    np.testing.assert_allclose(out.weights[:, :9], weights, rtol=1e-4)
    assert not out.weights[:, 9:].any()
