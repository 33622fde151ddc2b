"""Before anything imports jax: a CPU, 8 simulated devices, types checked, a cache of its own.

FA_JAX_TESTS_ON=cuda (or tpu, or cpu): those devices instead, as they are.

Compiled programs are kept for the next time that tests run, in the user's cache folder, those of
whole commands, too. JAX finds one by the program itself, so a changed test or package finds none of
an older one.
"""

import gc
import os
import tempfile
from pathlib import Path

import platformdirs

from tests import compiler

os.environ["JAX_PLATFORMS"] = os.environ.get("FA_JAX_TESTS_ON", "cpu")
if "FA_JAX_TESTS_ON" in os.environ:
    # Accelerators round the numbers that they multiply to half of their digits, if not asked.
    os.environ["JAX_DEFAULT_MATMUL_PRECISION"] = "highest"
    os.environ["XLA_PYTHON_CLIENT_PREALLOCATE"] = "false"  # several processes share a GPU
else:
    # Nor may a CPU, where training would do so.
    os.environ["JAX_DEFAULT_MATMUL_PRECISION"] = "default"
    os.environ["XLA_FLAGS"] = compiler.quick(devices=8)
# No array becomes another type or gets another axis unless the code says so.
os.environ["JAX_NUMPY_DTYPE_PROMOTION"] = "strict"
os.environ["JAX_NUMPY_RANK_PROMOTION"] = "raise"
os.environ.setdefault(
    "JAX_COMPILATION_CACHE_DIR",
    os.path.join(platformdirs.user_cache_dir("fa_jax"), "compiled-for-tests"),
)
os.environ.setdefault("JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS", "0")
# Without the lines of Python that wrote them programs are lowered sooner: two files of tests took
# 0.92 of the time, by hand.
os.environ.setdefault("JAX_TRACEBACK_IN_LOCATIONS_LIMIT", "0")

import pytest
from flax import struct
from jaxtyping import install_import_hook

import tests.type_checker  # noqa: F401 (the hook calls it by name)


def unchecked(make):
    """JAX rebuilds pytrees with placeholders in them: only functions' arguments are checked."""

    def dataclass(kind, **options):
        made = make(kind, **options)
        made.__no_type_check__ = True
        return made

    return dataclass


struct.dataclass = unchecked(struct.dataclass)
install_import_hook("fa_jax", "tests.type_checker.check")


def pytest_configure(config):
    """All processes of these tests have one cache folder, and it has the compiled programs."""
    gc.set_threshold(20_000)  # to trace a program makes many small objects, and leaves few
    compiled = os.environ["JAX_COMPILATION_CACHE_DIR"]
    Path(compiled).mkdir(parents=True, exist_ok=True)
    if "FA_JAX_CACHE" not in os.environ:
        folder = tempfile.TemporaryDirectory(prefix="fa-jax-tests-", ignore_cleanup_errors=True)
        config.add_cleanup(folder.cleanup)
        (Path(folder.name) / "compiled").symlink_to(Path(compiled).absolute())
        os.environ["FA_JAX_CACHE"] = folder.name
    _find_programs_by_what_they_are(compiled)


def _find_programs_by_what_they_are(folder):
    """And not by the package's source: a test may exchange a part."""
    import jax

    from fa_jax.cache import COMPILED_BYTES, remove_oldest_programs
    from fa_jax.kept_programs import KeptProgram

    by_source = KeptProgram.__call__
    remove_oldest_programs(Path(folder), COMPILED_BYTES)

    def call(self, *arguments):
        of_tests = jax.config.jax_compilation_cache_dir == folder
        return self._jitted(*arguments) if of_tests else by_source(self, *arguments)

    KeptProgram.__call__ = call


def pytest_runtest_setup():
    """The test before may have begun as a command does, which keeps other programs elsewhere."""
    import jax

    jax.config.update("jax_compilation_cache_dir", os.environ["JAX_COMPILATION_CACHE_DIR"])
    seconds = float(os.environ["JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS"])
    jax.config.update("jax_persistent_cache_min_compile_time_secs", seconds)


def pytest_addoption(parser):
    help_ = "write how near every score and span is to its reference to this file"
    parser.addoption("--agreement", help=help_)


@pytest.fixture(scope="session")
def agreement(request):
    """Collects largest errors: score, span, implementation, dtype, of values, of gradients."""
    rows = []
    yield lambda *row: rows.append(row)
    path = request.config.getoption("--agreement")
    if path:
        with open(path, "w", encoding="utf-8") as file:
            file.write(_table(rows))


def _table(rows):
    """A row for each score and span."""
    columns = [(i, d) for d in ("float32", "bfloat16") for i in ("dense", "windowed")]
    found = {}
    for score, span, implementation, dtype, value, slope in rows:
        cell = f"{value:.0e}" if slope is None else f"{value:.0e} / {slope:.0e}"
        found.setdefault((score, span), {})[implementation, dtype] = cell
    heads = [f"{implementation}, {dtype}" for implementation, dtype in columns]
    lines = [
        "# Agreement of every score under every span with a float64 reference",
        "",
        "Each cell is the largest error of all results, relative where a result is above 1. The "
        "second number of float32 is the largest error of a directional derivative, against finite "
        "differences; a windowed step takes the gradient of the dense one, which is compared once "
        "for each score and each span. The inputs have sentences of different lengths, 0 and 1 "
        "among them, focuses beyond the sentence, τ from 0.01 to ∞, and σ from 0.5 to 10. Written "
        "by `make test ARGS='tests/attention/test_attend.py --agreement "
        "experiments/results/benchmarks/agreement.md -n 0'`.",
        "",
        "| score | span | " + " | ".join(heads) + " |",
        "|---" * (len(heads) + 2) + "|",
    ]
    for (score, span), cells in found.items():
        shown = " | ".join(cells.get(column, "") for column in columns)
        lines.append(f"| {score} | {span} | {shown} |")
    return "\n".join(lines) + "\n"
