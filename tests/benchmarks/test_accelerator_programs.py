"""What trains and translates on a CPU is lowered for accelerators, too."""

import jax
import pytest
from jax import export
from jax.experimental import topologies

from experiments.benchmarks.accelerator_programs import PROGRAMS, compilable, report
from fa_jax.errors import UserError
from fa_jax.presets import preset


@pytest.mark.parametrize("program", PROGRAMS)
def test_a_program_lowers_for_gpus_and_tpus(program):
    function, inputs = PROGRAMS[program](preset("char", "en-ja", ""), jax.devices("cpu")[0])
    platforms = "cuda", "tpu"
    lowered = export.export(jax.jit(function), platforms=platforms)(*inputs)
    assert lowered.platforms == platforms and len(lowered.mlir_module_serialized) > 10_000


def test_training_of_large_presets_is_held_to_a_chips_memory():
    row = {"program": "training", "gb": 17.0, "chip": "v5e", "preset": "paper"}
    rows = [row, row | {"chip": "H100"}, row | {"preset": "paper-global"}]
    small, large = report(rows).headlines
    assert small.row()[1:4] == ["17", "≤ 16", "no"]
    assert large.row()[1:4] == ["17", "≤ 80", "yes"]


def test_without_a_compiler_it_is_said_what_to_install(monkeypatch):
    def missing(**of):
        raise RuntimeError("no compiler\nat all")

    monkeypatch.setattr(topologies, "get_topology_desc", missing)
    with pytest.raises(UserError, match=r"jax\[tpu\].*no compiler\).*jax\[cuda13\]"):
        compilable()
