"""What do windows save of decoding? The paper's character model writes given translations.

Sizes of VS 5.4 (E 100, H 500, D 1,000, A 500, bottleneck 600, 3,000 characters), sources of about
145 characters, windows of a recorded trace: 53% of the source on average. As in VS 5.5, what is
computed once a sentence (annotations, keys) is there before the clock starts; a step is strength,
scores, context, LSTM and output layer. Parameters are random: the time does not depend on them.

*Windowed* computes the windows alone. *Dense* scores all positions, then masks. *Flexible* is the
one of both that the library picks by itself for that score.

*Bound* is an estimate by Amdahl's law. Global attention adds time to a step without attention. That
time shrinks to the windows' share of the source, the rest of the step stays, and the strength
network comes on top. The estimate is made of times measured apart, so a measured ratio may lie
below it. The step without attention reads sources of one word: attention to it costs next to
nothing, and the rest of the step is the same.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Int, PRNGKeyArray, PyTree

from experiments.benchmarks.report import Headline, Report, publish
from experiments.benchmarks.timing import alternate
from experiments.measuring.folders import BENCHMARKS
from fa_jax.attention import AttentionConfig, Flexible, Global, Reach, Sizes, Span, Step
from fa_jax.attention.score import InputKernels
from fa_jax.attention.step import Params
from fa_jax.cache import set_up_process
from fa_jax.config import ModelConfig
from fa_jax.model import decoder
from fa_jax.model.encoder_decoder import BEGIN, embed_target, init_encoder_decoder, read_source
from fa_jax.model.fused import fuse, fused_products
from fa_jax.presets import preset

VOCABULARIES = 104, 3004
SOURCE_LENGTH, STEPS, SHARE = 145, 48, 0.53
CASES = {
    ("concat", 64): 0.80,
    ("concat", 1): 1.00,
    ("fine_grained", 64): 0.65,
    ("tensor", 64): 0.65,
    ("recurrent", 64): 0.65,
}
"""Score and batch size, and what flexible ÷ global should be at most."""


def measure(rounds: int = 7, cases: Mapping[tuple[str, int], float] = CASES) -> Report:
    """A row for each score and batch size. rounds: times that each side is timed."""
    rows = []
    for score, sentences in cases:
        sides, share = _sides(preset("char", "en-ja", "").model, score, sentences)
        times = alternate(sides, rounds)
        seconds = {name: timing.seconds for name, timing in times.items()}
        attention = seconds["global"] - seconds["no attention"]
        strength = seconds["strength alone"] - seconds["no attention"]
        bound = seconds["no attention"] + max(strength, 0) + share * attention
        rows.append(
            {
                "score": score,
                "batch": sentences,
                "windows": share,
                "flexible_to_global": seconds["flexible"] / seconds["global"],
                "windowed_to_global": seconds["windowed"] / seconds["global"],
                "bound": bound / seconds["global"],
                "global_ms_a_step": seconds["global"] / STEPS * 1e3,
                "no_attention_to_global": seconds["no attention"] / seconds["global"],
                "spread": max(timing.spread for timing in times.values()),
            }
        )
    settings = {"source_length": SOURCE_LENGTH, "steps": STEPS, "rounds": rounds}
    headlines = [
        Headline(
            f"flexible ÷ global, {row['score']}, batch {row['batch']}",
            row["flexible_to_global"],
            target,
            bound=row["bound"],
        )
        for row, target in zip(rows, cases.values(), strict=True)
    ]
    return Report(
        "forced_decoding",
        settings,
        rows,
        headlines=headlines,
        question="what do windows save of decoding with the paper's character model?",
        command="python -m experiments.forced_decoding",
    )


def record(
    sentences: int,
    random: np.random.Generator,
    source_length: int = SOURCE_LENGTH,
    share: float = SHARE,
) -> tuple[Int[np.ndarray, " B"], Int[np.ndarray, "T B"], Int[np.ndarray, "T B"]]:
    """Lengths, and first and last position of each step's window: a trace to be replayed.

    The focus goes through the sentence with the steps, with jumps; windows are wide at some steps
    and narrow at most, as VS Figure 4 shows them, and cover that share of the sources on average.
    """
    lengths = random.integers(source_length * 5 // 6, source_length + 1, sentences)
    pace = (np.arange(STEPS)[:, None] + 0.5) / STEPS * lengths
    focus = np.clip(pace + random.normal(0, 8, pace.shape), 0, lengths - 1)
    widths = random.lognormal(0, 0.7, pace.shape)

    def windows(scale: float) -> tuple[np.ndarray, np.ndarray]:
        first = np.ceil(np.maximum(focus - scale * widths, 0))
        last = np.floor(np.minimum(focus + scale * widths, lengths - 1))
        return first.astype(np.int32), last.astype(np.int32)

    low, high = 1.0, 1000.0
    for _ in range(40):  # bisection: the share grows with the scale
        middle = (low + high) / 2
        first, last = windows(middle)
        low, high = (low, middle) if share_of(first, last, lengths) > share else (middle, high)
    return lengths.astype(np.int32), *windows(low)


def share_of(first: np.ndarray, last: np.ndarray, lengths: np.ndarray) -> float:
    return float(((last - first + 1) / lengths).mean())


@dataclass(frozen=True, eq=False)
class Replayed(Span):
    """A flexible span's strength network and penalty, but windows as they were recorded.

    first, last: of each step and sentence.
    """

    flexible: Flexible
    first: Int[Array, "T B"]
    last: Int[Array, "T B"]

    def init(self, key: PRNGKeyArray, sizes: Sizes) -> Params:
        return self.flexible.init(key, sizes)

    def kernels(self, params: Params, query_size: int) -> InputKernels:
        return self.flexible.kernels(params, query_size)

    def reach(self, step: Step) -> Reach:
        now = step.state.step[0, 0]
        windows = {"first": self.first[now][:, None], "last": self.last[now][:, None]}
        return self.flexible.reach(step).replace(**windows)

    def bias(self, prior: PyTree, positions: Float[Array, "N K P"]) -> Float[Array, "N K P"]:
        return self.flexible.bias(prior, positions)


def _sides(
    model: ModelConfig, score: str, sentences: int
) -> tuple[dict[str, Callable[[], tuple[Array, Array]]], float]:
    """Each side's way of writing, and the windows' share of the sources."""
    random = np.random.default_rng(0)
    lengths, first, last = record(sentences, random, SOURCE_LENGTH)
    size = -(-SOURCE_LENGTH // 8) * 8
    source = random.integers(4, VOCABULARIES[0], (sentences, size)).astype(np.int32)
    target = random.integers(4, VOCABULARIES[1], (sentences, STEPS)).astype(np.int32)
    windows = Replayed(Flexible(), jnp.asarray(first), jnp.asarray(last))
    one_position = replace(windows, first=jnp.zeros_like(first), last=jnp.zeros_like(last))
    sides = {
        "global": (AttentionConfig(score, Global()), "dense"),
        "flexible": (AttentionConfig(score, windows), None),
        "windowed": (AttentionConfig(score, windows), "windowed"),
        "strength alone": (AttentionConfig("concat", one_position), "windowed"),
    }

    def writes(attention: AttentionConfig, implementation: str | None, *of_source: np.ndarray):
        return writing(replace(model, attention=attention), implementation, *of_source, target)

    made = {name: writes(*side, source, lengths) for name, side in sides.items()}
    one_word = source[:, :1], np.ones_like(lengths)
    made["no attention"] = writes(AttentionConfig("general", Global()), "dense", *one_word)
    return made, share_of(first, last, lengths)


def writing(
    config: ModelConfig,
    implementation: str | None,
    source: np.ndarray,
    lengths: np.ndarray,
    target: np.ndarray,
) -> Callable:
    """Writes the target; returns its log probability and the number of scores."""
    params = jax.jit(init_encoder_decoder, static_argnums=(1, 2, 3))(
        jax.random.key(0), config, *VOCABULARIES
    )
    source, lengths, target = map(jnp.asarray, (source, lengths, target))
    read = jax.jit(lambda p, s, n: read_source(p, config, s, n))(params, source, lengths)

    @jax.jit
    def write(params, read, target):
        kernels = decoder.step_kernels(params["decoder"], config)
        fused = fuse(kernels)
        products = fused_products(kernels, lambda name, x: x @ fused[name])
        begin = jnp.full_like(target[:, :1], BEGIN)
        fed_back = jnp.concatenate([begin, target[:, :-1]], axis=1)
        embedded = embed_target(params, read, fed_back).swapaxes(0, 1)

        def step(state, inputs):
            embedding, word = inputs
            state, attended = decoder.decoder_step(
                params["decoder"],
                config,
                products,
                state,
                decoder.feed_back(params["decoder"], config, embedding),
                read.memory,
                threshold=jnp.float32(1e9),
                implementation=implementation,
                details=False,
            )
            bottleneck = decoder.bottleneck(params["decoder"], state.output)
            log_probs = jax.nn.log_softmax(decoder.logits(params["decoder"], bottleneck))
            chosen = jnp.take_along_axis(log_probs, word[:, None], axis=1)
            return state, (chosen, attended.window)

        return jax.lax.scan(step, read.start, (embedded, target.T))[1]

    return lambda: write(params, read, target)


def main():
    """Measures; writes results/benchmarks."""
    set_up_process()
    publish([measure()], BENCHMARKS)


if __name__ == "__main__":
    main()
