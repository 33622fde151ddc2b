"""How long does a user wait for the compiler? The program of a beam search, dense and windowed.

One windowed program serves every threshold and sentences of very different lengths; a dense one is
compiled for each doubling of the length.
"""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from statistics import median

import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental.compilation_cache import compilation_cache

from experiments.benchmarks.report import Headline, Report
from fa_jax.config import DecodingConfig, ModelConfig
from fa_jax.decoding.beam_search import beam_search
from fa_jax.decoding.local_devices import on_local_devices
from fa_jax.decoding.search import length_limits
from fa_jax.decoding.search_settings import SearchSettings
from fa_jax.model.encoder_decoder import init_encoder_decoder

LENGTHS = (128, 512, 2048)
IMPLEMENTATIONS = ("dense", "windowed")
COLUMN = "windowed_to_dense"
DECODING = DecodingConfig()


def measure(rounds: int = 3, vocabulary: int = 4000, queued: int = 512) -> Report:
    """A row for each padded length: seconds of the processor, tracing included; sides alternate.

    rounds: times that each is compiled. vocabulary: words of either side. queued: sentences.
    """
    model = ModelConfig()
    params = init_encoder_decoder(jax.random.key(0), model, vocabulary, vocabulary)
    sides = [(length, name) for length in LENGTHS for name in IMPLEMENTATIONS]
    found = {side: [] for side in sides}
    with _nothing_kept():
        for _ in range(rounds):
            for length, name in sides:
                found[length, name].append(_seconds(params, model, length, name, queued))
    rows = [
        {
            "length": length,
            **{f"{name}_seconds": median(found[length, name]) for name in IMPLEMENTATIONS},
            COLUMN: median(
                a / b
                for a, b in zip(found[length, "windowed"], found[length, "dense"], strict=True)
            ),
        }
        for length in LENGTHS
    ]
    headlines = [
        Headline(
            f"compiling a search in windows ÷ dense, {row['length']} positions", row[COLUMN], 1.2
        )
        for row in rows
    ]
    settings = {"vocabulary": vocabulary, "queued": queued, "rounds": rounds}
    return Report("search_compilation", settings, rows, headlines=headlines)


@contextmanager
def _nothing_kept() -> Iterator[None]:
    """Nothing is read from the cache of compiled programs, or written there."""
    before = jax.config.jax_enable_compilation_cache
    try:
        jax.config.update("jax_enable_compilation_cache", False)
        compilation_cache.reset_cache()
        yield
    finally:
        jax.config.update("jax_enable_compilation_cache", before)
        compilation_cache.reset_cache()


def _seconds(params, model: ModelConfig, length: int, implementation: str, queued: int) -> float:
    jax.clear_caches()
    search = on_local_devices(
        beam_search,
        4,
        2,
        settings=SearchSettings(
            configs=(model,),
            frequent=params["decoder"]["output"]["bias"].shape[0],
            beam_size=DECODING.beam_size,
            max_length=int(length_limits(length, DECODING)),
            implementation=implementation,
        ),
        places=DECODING.batch_size,
    )
    ids, zeros = np.zeros((queued, length), np.int32), np.zeros(queued, np.int32)
    limits, candidates = zeros, np.zeros((queued, 0), np.int32)
    began = time.process_time()
    numbers = jnp.float32(1.2), jnp.float32(1)
    search.lower((params,), [ids], [zeros], limits, candidates, *numbers).compile()
    return time.process_time() - began
