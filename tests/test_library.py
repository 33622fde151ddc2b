"""The names that `import fa_jax` offers, and what it does not load before it must."""

import ast
import inspect
import re
import subprocess
import sys
from pathlib import Path

import pytest

import fa_jax

HEAVY = ("fa_jax.model", "fa_jax.data", "fa_jax.runs", "orbax", "matplotlib", "tensorflow_datasets")


def test_every_name_is_there():
    for name in fa_jax.__all__:
        assert getattr(fa_jax, name) is not None
    assert len(fa_jax.__all__) == len({*fa_jax.__all__})
    assert {"train", "finetune", "evaluate", "select", "translate", "trace"} <= {*dir(fa_jax)}
    with pytest.raises(AttributeError, match="no attribute 'tarin'"):
        _ = fa_jax.tarin


def test_type_checkers_are_told_of_every_name_that_is_loaded_later():
    tree = ast.parse(inspect.getsource(fa_jax))
    blocks = [node for node in tree.body if isinstance(node, ast.If)]
    imports = [(i.module, i.names[0].name) for i in blocks[0].body]
    assert imports == sorted((f"fa_jax.{module}", name) for name, module in fa_jax._LATER.items())


def test_nothing_is_loaded_that_is_not_needed():
    """Of who imports it, all but JAX and attention. Nor does a command wait for what another one
    needs, or it itself at its own end: training, for what scores the test set."""
    code = """
import sys
import fa_jax
print(*sys.modules)
import fa_jax.cli.translate, fa_jax.runs.translate
print(*sys.modules)
import fa_jax.cli.train, fa_jax.runs.train
print(*sys.modules)
"""
    finished = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    imported, translation, training = map(str.split, finished.stdout.splitlines())
    assert not {*HEAVY} & {*imported}
    assert "fa_jax.decoding.beam_search" in translation and "fa_jax.training.loop" in training
    of_corpora, of_scores = {"tensorflow_datasets", "matplotlib"}, {"nltk", "scipy.optimize"}
    assert not (of_corpora | of_scores) & {*translation} and not of_scores & {*training}


def test_what_the_library_says_names_no_options_of_the_command_line():
    package = Path(fa_jax.__file__).parent
    others = (package / "cli", package / "exports" / "translate.py")  # commands of their own
    for path in package.rglob("*.py"):
        if not any(path.is_relative_to(other) for other in others):
            tree = ast.parse(path.read_text(encoding="utf-8"))
            said = [n.exc for n in ast.walk(tree) if isinstance(n, ast.Raise) and n.exc]
            texts = [n.value for one in said for n in ast.walk(one) if isinstance(n, ast.Constant)]
            assert not [t for t in texts if re.search("--[a-z]", str(t))], path
