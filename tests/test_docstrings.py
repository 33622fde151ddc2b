"""What is public says how it is used, and its example runs as it stands."""

import doctest
import inspect
from functools import cache

import flax
import jax
import jax.numpy as jnp
import pytest

import fa_jax

OBJECTS = {
    name: found
    for name in fa_jax.__all__
    for found in [getattr(fa_jax, name)]
    if getattr(found, "__module__", "").startswith("fa_jax") and not hasattr(found, "__args__")
}
NAMES = {"fa_jax": fa_jax, "flax": flax, "jax": jax, "jnp": jnp}
PARSER = doctest.DocTestParser()
load_run = cache(fa_jax.load_run)


@pytest.mark.parametrize("name", OBJECTS)
def test_it_is_explained(name):
    found = OBJECTS[name]
    text = inspect.getdoc(found)
    assert text and not text.startswith(f"{name}("), "no docstring of its own"
    if inspect.isfunction(found):
        assert ">>>" in text
        arguments = inspect.signature(found).parameters
        assert not arguments or "Args:" in text
        assert "Returns:" in text or "->" not in str(inspect.signature(found))
        missing = [argument for argument in arguments if f"{argument}:" not in text]
        assert not missing


@pytest.mark.parametrize(
    "name", [n for n, found in OBJECTS.items() if ">>>" in (found.__doc__ or "")]
)
def test_its_example_runs(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(fa_jax, "load_run", load_run)
    example = PARSER.get_doctest(inspect.getdoc(OBJECTS[name]), dict(NAMES), name, None, 0)
    found = []
    runner = doctest.DocTestRunner(verbose=False, optionflags=doctest.ELLIPSIS)
    runner.run(example, out=found.append)
    assert not found, "".join(found)
