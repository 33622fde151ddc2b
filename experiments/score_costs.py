"""Does scoring the windows alone pay under every score? One attention step, windowed ÷ dense.

Flexible spans of a given window at random places of long sentences, on the model's small sizes.
Both sides alternate in one run, compiled before; medians. `linear` has no positions: it is shown
against the dense concat score. results/score_costs.json keeps what was measured.
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

SIGMA = 1.5


def main(
    length: int = 512,
    window: int = 64,
    sentences: int = 16,
    size: int = 256,
    rounds: int = 40,
    scores: tuple[str, ...] = tuple(fa_jax.SCORES),
    output: Path | None = None,
):
    """Prints, for each score, the time of windowed ÷ the time of dense.

    Args:
      size: units of the score network; annotations and decoder have twice as many.
      output: also write the JSON object to this file.
    """
    keep_freed_memory()
    baseline = _sides("concat", length, window, sentences, size)["dense"]
    rows = []
    for score in scores:
        sides = _sides(score, length, window, sentences, size) | {"baseline": baseline}
        seconds = _alternate(sides, rounds)
        ours = seconds.get("windowed", seconds["dense"])
        reference = seconds["dense"] if "windowed" in seconds else seconds["baseline"]
        row = {
            "score": score,
            "window": float(sides["dense"]().window.mean()),
            "windowed_to_dense": ours / reference,
            "dense_to_dense_concat": seconds["dense"] / seconds["baseline"],
        }
        rows.append(row)
        print(
            f"{score:13} window {row['window']:5.1f}   ÷ dense {row['windowed_to_dense']:.2f}   "
            f"(dense ÷ dense concat {row['dense_to_dense_concat']:.2f})"
        )
    if output is not None:
        settings = {"length": length, "sentences": sentences, "size": size, "rounds": rounds}
        content = {"benchmark": "score costs", **settings, "jax": jax.__version__, "rows": rows}
        output.write_text(json.dumps(content, indent=2) + "\n", encoding="utf-8")


def _sides(score: str, length: int, window: int, sentences: int, size: int) -> dict:
    """One step by each implementation, inputs included."""
    summary = issubclass(fa_jax.SCORES[score], fa_jax.Summary)
    config = fa_jax.AttentionConfig(
        score, None if summary else "flexible", sigma=SIGMA, positions=length
    )
    params = fa_jax.init_attention(
        jax.random.key(0),
        config,
        query_size=2 * size,
        memory_size=2 * size,
        feedback_size=size,
        attention_size=size,
    )
    if not summary:
        params["strength"]["bias"] = jnp.float32(20.0)  # g = 1: the threshold alone sets the width
    random = np.random.default_rng(0)
    annotations = jnp.asarray(random.normal(size=(sentences, length, 2 * size)), jnp.float32)
    memory = fa_jax.prepare_memory(params, annotations, jnp.full(sentences, length), config)
    query = jnp.asarray(random.normal(size=(sentences, 2 * size)), jnp.float32)
    feedback = jnp.asarray(random.normal(size=(sentences, size)), jnp.float32)
    focus = random.uniform(window / 2, length - window / 2, sentences).astype(np.float32)
    state = fa_jax.initial_attention_state(memory, config).replace(focus=jnp.asarray(focus))
    threshold = jnp.float32((window / 2) ** 2 / (2 * SIGMA**2))

    def side(implementation):
        # The state is consumed, as in a decoder's loop.
        step = jax.jit(
            lambda params, query, feedback, state, memory: fa_jax.attend(
                params,
                config,
                query,
                feedback,
                state,
                memory,
                threshold=threshold,
                implementation=implementation,
                details=False,
            )
        )
        return lambda: jax.block_until_ready(step(params, query, feedback, state, memory))

    names = ("dense",) if summary else ("dense", "windowed")
    return {name: side(name) for name in names}


def _alternate(sides: dict, rounds: int) -> dict[str, float]:
    """Median seconds of each side."""
    times = {name: [] for name in sides}
    for round_ in range(rounds + 1):
        for name, step in sides.items():
            began = time.perf_counter()
            step()
            if round_:  # the first one compiles
                times[name].append(time.perf_counter() - began)
    return {name: statistics.median(seconds) for name, seconds in times.items()}


if __name__ == "__main__":
    tyro.cli(main)
