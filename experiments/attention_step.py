"""When does scoring the windows alone pay? One attention step, dense against windowed.

Both sides alternate in one run, compiled before; medians. The model's small and paper sizes,
windows of a given share of the sentence at random places. results/attention_step.json keeps what
was measured; `WINDOWED_FROM_LENGTH` in fa_jax/attention/flexible.py follows it.
"""

import json
import statistics
import time
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
import tyro

import fa_jax
from fa_jax.host_memory import keep_freed_memory

LENGTHS = (16, 32, 64, 128, 256, 512)
SHARES = (0.1, 0.25, 0.5)
SIGMA = 1.5


def main(
    size: int = 256,
    sentences: int = 64,
    beam: int = 5,
    rounds: int = 30,
    output: Path | None = None,
):
    """Prints, for each length and share, the time of windowed ÷ the time of dense.

    Args:
      size: units of decoder and score network; annotations have twice as many.
      output: also write the JSON object to this file.
    """
    keep_freed_memory()
    params = fa_jax.init_flexible_attention(
        jax.random.key(0),
        query_size=size,
        memory_size=2 * size,
        feedback_size=size,
        attention_size=size,
    )
    params["strength"]["bias"] = jnp.float32(20.0)  # g = 1: the threshold alone sets the width
    rows = []
    for length in LENGTHS:
        random = np.random.default_rng(length)
        annotations = random.normal(size=(sentences, length, 2 * size)).astype(np.float32)
        memory = jax.jit(fa_jax.prepare_memory)(params, annotations, jnp.full(sentences, length))
        query, feedback = random.normal(size=(2, sentences, beam, size)).astype(np.float32)
        focus = random.uniform(0, length, (sentences, beam)).astype(np.float32)
        for share in SHARES:
            threshold = jnp.float32((share * length / 2) ** 2 / (2 * SIGMA**2))
            sides = {name: _step(name) for name in ("dense", "windowed")}
            inputs = (params, query, feedback, focus, memory, threshold)
            window = float(sides["dense"](*inputs).window.mean())
            seconds = _alternate(sides, inputs, rounds)
            ratio = seconds["windowed"] / seconds["dense"]
            rows.append({"length": length, "window": window, "windowed_to_dense": ratio})
            print(f"length {length:4}  window {window:6.1f}  windowed ÷ dense {ratio:.2f}")
    if output is not None:
        settings = {"size": size, "sentences": sentences, "beam": beam, "rounds": rounds}
        content = {"benchmark": "attention step", **settings, "jax": jax.__version__, "rows": rows}
        output.write_text(json.dumps(content, indent=2) + "\n", encoding="utf-8")


def _step(implementation: str):
    @jax.jit
    def step(params, query, feedback, focus, memory, threshold):
        return fa_jax.flexible_attention(
            params,
            query,
            feedback,
            focus,
            memory,
            sigma=SIGMA,
            threshold=threshold,
            implementation=implementation,
        )

    return step


def _alternate(sides: dict, inputs: tuple, rounds: int) -> dict[str, float]:
    """Median seconds of each side."""
    times = {name: [] for name in sides}
    for round_ in range(rounds + 1):
        for name, step in sides.items():
            began = time.perf_counter()
            jax.block_until_ready(step(*inputs))
            if round_:  # the first one compiles
                times[name].append(time.perf_counter() - began)
    return {name: statistics.median(seconds) for name, seconds in times.items()}


if __name__ == "__main__":
    tyro.cli(main)
