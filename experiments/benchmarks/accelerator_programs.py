"""Do the programs compile for accelerators, and does a chip's memory hold them? None is needed.

The chips' own compilers make each program, and say how much memory it takes. Nothing is run.
"""

import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp

from experiments.benchmarks.chips import CHIPS, Chip
from experiments.benchmarks.report import Headline, Report
from experiments.benchmarks.training_memory import full_batch
from fa_jax.attention.implementation import IMPLEMENTATIONS
from fa_jax.config import Config
from fa_jax.decoding.beam_search import beam_search
from fa_jax.decoding.search import length_limits
from fa_jax.decoding.search_settings import SearchSettings
from fa_jax.errors import UserError
from fa_jax.model.encoder_decoder import (
    force_translation,
    init_encoder_decoder,
    read_source,
    word_log_probs,
)
from fa_jax.presets import SIZES, SMALL_SIZES, preset
from fa_jax.training.optimizer import make_optimizer
from fa_jax.training.schedule import StepSettings
from fa_jax.training.step import init_state, make_train_step

PRESETS = tuple(size for size in SIZES if size not in SMALL_SIZES)
NOTE = (
    "gb: arguments, results and the largest intermediate state of the program, in decimal "
    "gigabytes; a v5e has 16, an H100 80. tera operations: as the compiler counts them, a loop's "
    "once; the H100's compiler counts none. No TPU or GPU has run any of these programs."
)
LENGTH = 50
"""Words of a source that is searched; a training sentence has as many as the preset allows."""

Program = tuple[Callable, tuple[Any, ...]]
"""A compiled function, and its inputs as shapes on a device."""


def measure(rounds: int = 1, presets: tuple[str, ...] = PRESETS) -> Report:
    """A row for each program of each preset and chip whose compiler is there.

    rounds: times that each is compiled.

    Raises:
      UserError: there is no compiler.
    """
    chips = compilable()
    rows = [
        row for chip in chips for name in presets for row in compiled(chip, name, rounds=rounds)
    ]
    return report(rows)


def compilable() -> list[Chip]:
    """The chips that programs can be compiled for here, one at least.

    Raises:
      UserError: there is none.
    """
    found, missing = [], []
    for chip in CHIPS.values():
        try:
            chip.device()
            found.append(chip)
        except UserError as error:
            missing.append(str(error))
    if not found:
        raise UserError("; ".join(missing))
    return found


def report(rows: list[dict[str, Any]]) -> Report:
    """The table of `compiled` programs, and the headlines."""
    headlines = [
        Headline(
            f"{row['preset']}, {row['program']}, {row['chip']}: GB of its memory",
            row["gb"],
            CHIPS[row["chip"]].gigabytes,
        )
        for row in rows
        if row["program"] == "training" and row["preset"] in PRESETS and row["gb"] != ""
    ]
    return Report("accelerator_programs", {"chips": ", ".join(CHIPS)}, rows, [NOTE], headlines)


def compiled(
    chip: Chip, name: str, programs: Sequence[str] = (), rounds: int = 1
) -> Iterator[dict[str, Any]]:
    """A row for each program of a preset: seconds to compile, memory, operations, or what fails.

    programs: of `PROGRAMS`; none: all of them.

    Raises:
      UserError: the chip's compiler is not there.
    """
    config, _ = preset(name, "en-ja", ""), chip.device()
    for program in programs or PROGRAMS:
        about = {"chip": chip.name, "preset": name, "program": program}
        yield about | _compiled(program, config, chip, rounds)


def _compiled(program: str, config: Config, chip: Chip, rounds: int) -> dict[str, Any]:
    row = dict.fromkeys(("seconds", "gb", "tera_operations", "fails"), "")
    try:
        for _ in range(rounds):
            jax.clear_caches()
            function, inputs = PROGRAMS[program](config, chip.device())
            lowered = function.lower(*inputs)
            began = time.perf_counter()
            found = lowered.compile(compiler_options={**chip.options})
            row["seconds"] = time.perf_counter() - began
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
    return row | {"gb": sum(parts) / 1e9, "tera_operations": operations / 1e12 or ""}


def _training(config: Config, device: jax.Device) -> Program:
    optimizer, sizes = make_optimizer(config.training), _vocabularies(config)
    state = jax.eval_shape(partial(init_state, config, optimizer, *sizes))
    batch = full_batch(config.training.batch_size, *sizes, config.data.max_length)
    of_device = partial(jax.tree.map, lambda x: jax.ShapeDtypeStruct((1, *x.shape), x.dtype))
    step = make_train_step(config, optimizer, devices=[device])
    settings = StepSettings(config.training.learning_rate)
    return step, (of_device(state), of_device(batch), settings)


def _forced(config: Config, device: jax.Device) -> Program:
    def log_probs(params, source, lengths, target):
        read = read_source(params, config.model, source, lengths)
        bottleneck, _ = force_translation(params, config.model, read, source, target, threshold=1.2)
        return word_log_probs(params, bottleneck, target)

    params, source, lengths = _read(config, device)
    return jax.jit(log_probs), (params, source, lengths, source)


def _search(implementation: str, config: Config, device: jax.Device) -> Program:
    params, source, lengths = _read(config, device)
    settings = SearchSettings(
        configs=(config.model,),
        frequent=config.data.target_vocabulary,
        beam_size=config.decoding.beam_size,
        max_length=int(length_limits(LENGTH, config.decoding)),
        implementation=implementation,
    )
    limits, candidates = lengths, _shape(device, (*lengths.shape, 0))
    numbers = [_shape(device, (), jnp.float32)] * 2
    inputs = (params,), [source], [lengths], limits, candidates, *numbers
    return jax.jit(partial(beam_search, settings=settings)), inputs


PROGRAMS = {
    "training": _training,
    "forced": _forced,
    **{f"search_{name}": partial(_search, name) for name in IMPLEMENTATIONS},
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
