"""The names that `import fa_jax` offers, and what it does not load before it must."""

import ast
import inspect
import subprocess
import sys

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


def test_importing_it_loads_jax_and_attention_alone():
    code = f"import sys, fa_jax; print([m for m in {HEAVY!r} if m in sys.modules])"
    finished = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert finished.stdout.strip() == "[]", finished.stderr


def test_a_translation_waits_for_nothing_that_reads_corpora():
    code = "import sys, fa_jax.cli.translate, fa_jax.runs.translate; print(*sys.modules, sep='\\n')"
    finished = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    loaded = finished.stdout.splitlines()
    assert "fa_jax.decoding.beam_search" in loaded
    assert not {"tensorflow_datasets", "matplotlib", "nltk"} & {*loaded}
