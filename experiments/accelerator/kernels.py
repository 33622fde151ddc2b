"""What makes windows win on a GPU? Candidates, in whole computations.

The candidates are in `tiles`, `slices` and `steps_together`. A row says how far each side is from
masking, and how long it takes.
"""

from collections.abc import Callable
from contextlib import AbstractContextManager, ExitStack
from dataclasses import replace
from functools import lru_cache, partial
from typing import Any, NamedTuple
from unittest import mock

import jax
import jax.numpy as jnp
import numpy as np

from experiments import forced_decoding
from experiments.accelerator.agreement import difference
from experiments.accelerator.conditions import Conditions
from experiments.accelerator.search import THRESHOLD
from experiments.accelerator.slices import reading_slices
from experiments.accelerator.steps_together import steps_together
from experiments.accelerator.tiles import Tiling, computing_windows
from experiments.benchmarks import training_length
from experiments.benchmarks.steps import attention_sides
from experiments.benchmarks.timing import alternate
from fa_jax.attention import AttentionConfig, Concat, Flexible, Global
from fa_jax.compiler import PRODUCTS_BY_CUBLAS
from fa_jax.data.corpora import load_corpus
from fa_jax.decoding.local_devices import on_local_devices
from fa_jax.decoding.search import search
from fa_jax.presets import preset
from fa_jax.runs.run import load_run

TILINGS = [
    Tiling(positions, parts, warps)
    for positions, parts, warps in ((8, 2, 4), (8, 4, 4), (16, 1, 8), (16, 2, 8), (16, 4, 8))
]
"""None of them spills registers, by the compiler for an H100 (concat, 500 and 1,000 units)."""
INTERPRETED = [Tiling(4, 2, interpret=True)]
WIDTHS = 8, 32, 64, 128, 256, 512
"""Positions of slices, those of 8 for the smallest sizes."""


class Trace(NamedTuple):
    """Forced decoding: sentences, positions, the windows' share, and units of the model."""

    sentences: int
    positions: int
    share: float
    units: int = 500


TRACES = Trace(64, 145, 0.53), Trace(64, 1024, 0.05), Trace(1, 145, 0.53), Trace(1, 4096, 0.01)
CANDIDATES = "tiles", "slices"
TOGETHER = 4
"""Steps of a search between two questions whether it is done."""
STEPS, LENGTHS = (64, 8192), (128, 1024, 4096)


def cases(conditions: Conditions) -> dict[str, Callable[[], dict[str, Any]]]:
    """Rows of forced decoding, of long inputs, of training and of beam search."""
    small = conditions.smallest
    tilings = TILINGS if conditions.platform == "gpu" else INTERPRETED
    best, rounds = tilings[len(tilings) // 2], 1 if small else 5
    traces = [Trace(2, 24, 0.3, 12)] if small else TRACES
    steps, lengths = ((24,), (16,)) if small else (STEPS, LENGTHS)
    texts = [(1, 4)] if small else [(1, 1000), (25, 125)]
    return {
        **{
            f"forced decoding, {t.sentences} × {t.positions:,}, {t.share:.0%}": partial(
                _forced, t, tilings, rounds
            )
            for t in traces
        },
        **{f"a step, {n:,} positions": partial(_step, n, tilings, rounds) for n in steps},
        **{f"training, {n:,} words": partial(_training, best, n, rounds) for n in lengths},
        **{
            f"beam search, {count:,} × {joined} lines": partial(
                _search, best, joined, count, rounds
            )
            for joined, count in texts
        },
    }


def _name(tiling: Tiling) -> str:
    return f"tiles of {tiling.positions}, {tiling.parts} a row"


def _tiles(tilings: list[Tiling]) -> dict[str, AbstractContextManager]:
    return {_name(tiling): computing_windows(tiling) for tiling in tilings}


def _slices(widest: int, positions: int) -> dict[str, AbstractContextManager]:
    """Of the width that the widest window needs, and of the width that each step needs."""
    narrower = [width for width in WIDTHS if width < widest]
    holds = min([width for width in WIDTHS if width >= widest] + [positions])
    found = {f"slices of {holds}": reading_slices([holds])} if holds < positions else {}
    return found | {"slices by step": reading_slices([*narrower, holds])}


def _forced(trace: Trace, tilings: list[Tiling], rounds: int) -> dict[str, Any]:
    random, units = np.random.default_rng(0), trace.units
    lengths, first, last = forced_decoding.record(
        trace.sentences, random, trace.positions, trace.share
    )
    model = replace(
        preset("char", "en-ja", "").model,
        **{f"{name}_size": units for name in ("encoder", "decoder", "attention")},
    )
    vocabularies, steps = forced_decoding.VOCABULARIES, len(first)
    shapes = (trace.sentences, -(-trace.positions // 8) * 8), (trace.sentences, steps)
    source, target = (
        random.integers(4, words, shape).astype(np.int32)
        for words, shape in zip(vocabularies, shapes, strict=True)
    )
    windows = forced_decoding.Replayed(Flexible(), jnp.asarray(first), jnp.asarray(last))

    def side(span: Any, implementation: str, *of_source: np.ndarray) -> Callable:
        attention = AttentionConfig("concat", span)
        config = replace(model, attention=attention)
        return forced_decoding.writing(config, implementation, *of_source, target)

    whole, one_word = (source, lengths), (source[:, :1], np.ones_like(lengths))
    sides = {
        "global": side(Global(), "dense", *whole),
        "masked": side(windows, "dense", *whole),
        "chunks": side(windows, "windowed", *whole),
        "without attention": side(Global(), "dense", *one_word),
    }
    widest = int((last - first).max()) + 1
    for name, candidate in (_tiles(tilings) | _slices(widest, trace.positions)).items():
        with candidate:
            sides[name] = side(windows, "windowed", *whole)
            sides[name]()
    return _differs(sides, lambda found: found[0]) | _times(sides, rounds, steps)


def _step(length: int, tilings: list[Tiling], rounds: int) -> dict[str, Any]:
    """In windows of 16 positions. All lengths should take the same time."""
    sentences, units = (64, 500) if rounds > 1 else (2, 8)
    arguments = Concat(), length, 16, sentences, 1, units
    sides, _ = attention_sides(*arguments)
    sides = {"masked": sides["dense"], "chunks": sides["windowed"]}
    for name, candidate in (_tiles(tilings) | _slices(17, length)).items():
        with candidate:
            sides[name] = attention_sides(*arguments)[0]["windowed"]
            sides[name]()
    return _differs(sides, lambda found: found.context) | _times(sides, 8 * rounds)


def _training(tiling: Tiling, length: int, rounds: int) -> dict[str, Any]:
    """A gradient step of passages of one length."""
    words = training_length.WORDS if rounds > 1 else length
    sides = {
        "masked" if name == "dense" else "chunks": partial(step, *inputs)
        for name, (step, *inputs) in training_length.compiled(length, words).items()
    }
    with computing_windows(tiling):
        step, *inputs = training_length.compiled(length, words)["windows"]
    sides[_name(tiling)] = partial(step, *inputs)
    return _differs(sides, wanted="chunks") | _times(sides, rounds)


def _search(tiling: Tiling, joined: int, count: int, rounds: int) -> dict[str, Any]:
    """By the run that comes with fa_jax."""
    run, test = load_run("en-ja"), load_corpus("tatoeba_en_ja", "en-ja").test
    lines = [test[row % len(test)][0] for row in range(joined * count)]
    texts = [" ".join(lines[i : i + joined]) for i in range(0, len(lines), joined)]
    sources = [[run.source.encode(text)] for text in texts]
    jax.config.update("jax_compilation_cache_dir", None)  # it does not see the candidates

    def side(implementation: str, *candidates: AbstractContextManager) -> Callable[[], list]:
        decoding = replace(run.config.decoding, threshold=THRESHOLD, implementation=implementation)
        own = lru_cache(on_local_devices.__wrapped__)  # programs of this side alone

        def translate() -> list[list[int]]:
            with mock.patch("fa_jax.decoding.search.on_local_devices", own):
                found = search([run.model], decoding, [sources])
            return [result.hypotheses[0].words for result in found]

        with ExitStack() as stack:
            for candidate in candidates:
                stack.enter_context(candidate)
            translate()
        return translate

    name = _name(tiling)
    sides = {
        "masked": side("dense"),
        f"masked, {TOGETHER} steps": side("dense", steps_together(TOGETHER)),
        "masked, command buffers": side("dense", _loops_in_command_buffers()),
        "chunks": side("windowed"),
        name: side("windowed", computing_windows(tiling)),
        f"{name}, {TOGETHER} steps": side(
            "windowed", computing_windows(tiling), steps_together(TOGETHER)
        ),
    }
    found = [side() for side in sides.values()]
    alike = min(sum(a == b for a, b in zip(one, found[0], strict=True)) for one in found)
    return {"alike": alike / count} | _times(sides, rounds)


def _loops_in_command_buffers() -> AbstractContextManager:
    """Here searches are compiled so that a GPU takes whole loops at once."""
    kinds = "FUSION,CUBLAS,CUBLASLT,CUDNN,CUSTOM_CALL,DYNAMIC_SLICE_FUSION,CONDITIONAL,WHILE"
    options = PRODUCTS_BY_CUBLAS | {"xla_gpu_enable_command_buffer": kinds}
    return mock.patch("fa_jax.decoding.local_devices.compiler_options", lambda *of: options)


def _differs(
    sides: dict[str, Callable[[], Any]],
    of: Callable[[Any], Any] = lambda found: found,
    wanted: str = "masked",
) -> dict[str, Any]:
    """How far the candidates are from another side. of: what of the results is compared."""
    candidates = [side for name, side in sides.items() if name.startswith(CANDIDATES)]
    reference = of(sides[wanted]())
    return {"differs": max(difference(of(side()), reference) for side in candidates)}


def _times(sides: dict[str, Callable[[], Any]], rounds: int, steps: int = 1) -> dict[str, Any]:
    """Milliseconds of each side, and the fastest candidate's time ÷ masking's and ÷ global's."""
    times = alternate(sides, rounds)
    seconds = {name: timing.seconds for name, timing in times.items()}
    ratios = {}
    for kind in CANDIDATES:
        of_kind = [value for name, value in seconds.items() if name.startswith(kind)]
        for name in ("masked", "global"):
            if of_kind and name in seconds:
                ratios[f"{kind} ÷ {name}"] = min(of_kind) / seconds[name]
    return {
        **ratios,
        **{name: value / steps * 1e3 for name, value in seconds.items()},
        "spread": max(timing.spread for timing in times.values()),
    }
