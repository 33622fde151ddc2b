"""Do the programs compile for a TPU, and does a chip's memory hold them? No TPU is needed.

libtpu's compiler makes each program for a v5e, and says how much memory it takes. Nothing is run.
"""

import os
import time
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
from jax import export

from fa_jax.attention.gpus import lowers_gpu_kernels
from fa_jax.attention.implementation import why_no_kernel
from fa_jax.benchmarks.report import Headline, Report
from fa_jax.benchmarks.training_memory import full_batch
from fa_jax.config import Config
from fa_jax.decoding.beam_search import beam_search
from fa_jax.decoding.search import length_limit
from fa_jax.decoding.shortlist import Shortlist
from fa_jax.errors import UserError
from fa_jax.model.encoder_decoder import (
    force_translation,
    init_encoder_decoder,
    word_log_probs,
)
from fa_jax.presets import SIZES, SMALL_SIZES, preset
from fa_jax.training.optimizer import make_optimizer
from fa_jax.training.step import init_state, make_train_step

CHIP, CHIP_GB = "v5e:2x2", 16
"""A host with four chips; programs are for one of them."""
PRESETS = tuple(size for size in SIZES if size not in SMALL_SIZES)
PROGRAMS = ("training", "forced", "search_dense", "search_windowed", "search_kernel")
LENGTH = 50
"""Words of a source that is searched; a training sentence has as many as the preset allows."""

Program = tuple[Callable, tuple[Any, ...]]
"""A compiled function, and its inputs as shapes on a device."""


def measure(rounds: int = 1, presets: tuple[str, ...] = PRESETS) -> Report:
    """A row for each program of each preset. rounds: times that each is compiled."""
    rows = [row for name in presets for row in compiled(name, rounds=rounds)]
    return report(rows)


def report(rows: list[dict[str, Any]]) -> Report:
    """The table of `compiled` programs, and the headlines."""
    notes = [
        "gb: arguments, results and the largest intermediate state of the program, in decimal "
        "gigabytes; a chip has 16. tera operations: as the compiler counts them, a loop's once. "
        "exports: platforms that `jax.export` lowers the program for. No TPU or GPU has run any of "
        "these programs."
    ]
    headlines = [
        Headline(f"{row['preset']}, {row['program']}: GB of a v5e's memory", row["gb"], CHIP_GB)
        for row in rows
        if row["program"] == "training" and row["preset"] in PRESETS and row["gb"] != ""
    ]
    return Report("accelerator_programs", {"chip": CHIP}, rows, notes, headlines)


def compiled(
    name: str, programs: tuple[str, ...] = PROGRAMS, rounds: int = 1
) -> Iterator[dict[str, Any]]:
    """A row for each program of a preset: seconds to compile, memory, operations, or what fails.

    Raises:
      UserError: libtpu is not there.
    """
    config, chip = preset(name, "en-ja", ""), _chip()
    for program in programs:
        if program == "search_kernel" and why_no_kernel(config.model.attention):
            continue
        yield {"preset": name, "program": program} | _compiled(program, config, chip, rounds)


def _compiled(program: str, config: Config, chip: jax.Device, rounds: int) -> dict[str, Any]:
    row = dict.fromkeys(("seconds", "gb", "tera_operations", "exports", "fails"), "")
    try:
        for _ in range(rounds):
            jax.clear_caches()
            function, inputs = _PROGRAMS[program](config, chip)
            lowered = function.lower(*inputs)
            began = time.perf_counter()
            found = lowered.compile()
            row["seconds"] = time.perf_counter() - began
        row["exports"] = ", ".join(exported(program, config))
    except Exception as error:  # whatever it is, it is the row's result
        return row | {"fails": f"{type(error).__name__}: {str(error).splitlines()[0][:200]}"}
    memory = found.memory_analysis()
    parts = (
        memory.argument_size_in_bytes,
        memory.output_size_in_bytes - memory.alias_size_in_bytes,
        memory.temp_size_in_bytes,
        memory.generated_code_size_in_bytes,
    )
    operations = (found.cost_analysis() or {}).get("flops", 0.0)
    return row | {"gb": sum(parts) / 1e9, "tera_operations": operations / 1e12}


def exported(program: str, config: Config) -> tuple[str, ...]:
    """The platforms that `jax.export` lowers a program for, of those that it should."""
    platforms = [("cuda", "tpu")]
    if program == "search_kernel":  # Pallas lowers for one platform at a time
        gpu = config.model.attention.score.in_gpu_kernel and lowers_gpu_kernels()
        platforms = [("cuda",), ("tpu",)] if gpu else [("tpu",)]
    function, inputs = _PROGRAMS[program](config, jax.devices("cpu")[0])
    lower = partial(export.export, jax.jit(function))
    return tuple(name for some in platforms for name in lower(platforms=some)(*inputs).platforms)


def _chip() -> jax.Device:
    try:
        import libtpu  # noqa: F401
        from jax.experimental import topologies

        # Without these libtpu asks a metadata server that is not there.
        os.environ.setdefault("TPU_SKIP_MDS_QUERY", "1")
        return topologies.get_topology_desc(platform="tpu", topology_name=CHIP).devices[0]
    except ImportError as error:
        raise UserError(
            "programs for a TPU need its compiler: pip install 'jax[tpu]', or make setup "
            "ACCELERATOR=tpu"
        ) from error


def _training(config: Config, device: jax.Device) -> Program:
    optimizer, sizes = make_optimizer(config), _vocabularies(config)
    state = jax.eval_shape(partial(init_state, config, optimizer, *sizes))
    batch = full_batch(config.training.batch_size, *sizes, config.data.max_length)
    of_device = partial(jax.tree.map, lambda x: jax.ShapeDtypeStruct((1, *x.shape), x.dtype))
    step = make_train_step(config, optimizer, devices=[device])
    return step, (of_device(state), of_device(batch), config.training.learning_rate)


def _forced(config: Config, device: jax.Device) -> Program:
    def log_probs(params, source, lengths, target):
        bottleneck, _ = force_translation(
            params, config.model, source, lengths, target, threshold=1.2, details=False
        )
        return word_log_probs(params, bottleneck, target)

    params, source, lengths = _read(config, device)
    return jax.jit(log_probs), (params, source, lengths, source)


def _search(implementation: str, config: Config, device: jax.Device) -> Program:
    params, source, lengths = _read(config, device)
    vocabulary = params["decoder"]["output"]["bias"].shape[0]
    shortlist = Shortlist(_shape(device, (*lengths.shape, 0)), vocabulary)
    search = partial(
        beam_search,
        configs=(config.model,),
        beam_size=config.decoding.beam_size,
        max_length=length_limit(LENGTH, config.decoding),
        implementation=implementation,
    )
    numbers = [_shape(device, (), jnp.float32)] * 2
    inputs = (params,), [source], [lengths], lengths, shortlist, *numbers
    return jax.jit(search), inputs


_PROGRAMS = {
    "training": _training,
    "forced": _forced,
    **{
        f"search_{implementation}": partial(_search, implementation)
        for implementation in ("dense", "windowed", "kernel")
    },
}


def _read(config: Config, device: jax.Device) -> tuple[Any, Any, Any]:
    """Parameters, sources and their lengths, as shapes on the device."""
    params = jax.eval_shape(
        lambda: init_encoder_decoder(jax.random.key(0), config.model, *_vocabularies(config))
    )
    params = jax.tree.map(lambda x: _shape(device, x.shape, x.dtype), params)
    rows = config.decoding.batch_size
    return params, _shape(device, (rows, LENGTH)), _shape(device, (rows,))


def _shape(device: jax.Device, shape: tuple[int, ...], dtype=jnp.int32) -> jax.ShapeDtypeStruct:
    return jax.ShapeDtypeStruct(shape, dtype, sharding=jax.sharding.SingleDeviceSharding(device))


def _vocabularies(config: Config) -> tuple[int, int]:
    return config.data.source_vocabulary, config.data.target_vocabulary
