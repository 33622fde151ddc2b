"""What trains and translates on a CPU is lowered for accelerators, too."""

import sys

import pytest

from fa_jax.attention.gpus import lowers_gpu_kernels
from fa_jax.benchmarks.accelerator_programs import PROGRAMS, compiled, exported, report
from fa_jax.errors import UserError
from fa_jax.presets import preset


@pytest.mark.parametrize("program", PROGRAMS)
def test_a_program_lowers_for_gpus_and_tpus(program):
    gpu = () if program == "search_kernel" and not lowers_gpu_kernels() else ("cuda",)
    assert exported(program, preset("char", "en-ja", "")) == (*gpu, "tpu")


def test_training_of_large_presets_is_held_to_a_chips_memory():
    row = {"program": "training", "gb": 17.0, "seconds": 1.0}
    (headline,) = report([row | {"preset": "paper"}, row | {"preset": "paper-global"}]).headlines
    assert headline.row()[1:4] == ["17", "≤ 16", "no"]


def test_without_the_compiler_it_is_said_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "libtpu", None)
    with pytest.raises(UserError, match=r"pip install 'jax\[tpu\]'"):
        next(compiled("char"))
