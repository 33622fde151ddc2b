"""What do windows save of decoding? The paper's character model writes given translations.

Sizes of VS 5.4 (E 100, H 500, D 1,000, A 500, bottleneck 600, 3,000 characters), sources of about
145 characters, windows of a recorded trace: 53% of the source on average. As in VS 5.5, what is
computed once a sentence (annotations, keys) is there before the clock starts; a step is strength,
scores, context, LSTM and output layer. Parameters are random: the time does not depend on them.

The bound is Amdahl's: all that global attention adds to a model without attention shrinks to the
windows' share, all else stays, the strength network comes on top.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Int

from fa_jax.attention import AttentionConfig
from fa_jax.attention.attend import DEFAULT
from fa_jax.attention.span import Reach
from fa_jax.attention.spans.flexible import Flexible
from fa_jax.attention.summary import Summary
from fa_jax.benchmarks import BENCHMARKS
from fa_jax.benchmarks.report import Headline, Report
from fa_jax.benchmarks.timing import alternate
from fa_jax.config import ModelConfig
from fa_jax.model import decoder
from fa_jax.model.translator import BEGIN, embed_target, init_translator, read_source
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


def measure(rounds: int = 7) -> Report:
    """A row for each score and batch size."""
    rows = []
    for score, sentences in CASES:
        model = replace(preset("char", "en-ja", "").model, score=score)
        sides, share = _sides(model, sentences)
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
        for row, target in zip(rows, CASES.values(), strict=True)
    ]
    return Report(
        "forced_decoding", BENCHMARKS["forced_decoding"], settings, rows, headlines=headlines
    )


def record(sentences: int, random: np.random.Generator) -> tuple[np.ndarray, ...]:
    """Lengths, and first and last position of each step's window: a trace to be replayed.

    The focus goes through the sentence with the steps, with jumps; windows are wide at some steps
    and narrow at most, as VS Figure 4 shows them, and cover SHARE of the sources on average.
    """
    lengths = random.integers(SOURCE_LENGTH - 25, SOURCE_LENGTH + 1, sentences)
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
        low, high = (low, middle) if _share(first, last, lengths) > SHARE else (middle, high)
    return lengths.astype(np.int32), *windows(low)


def _share(first: np.ndarray, last: np.ndarray, lengths: np.ndarray) -> float:
    return float(((last - first + 1) / lengths).mean())


@dataclass(frozen=True, eq=False)
class Replayed(Flexible):
    """The flexible span, strength network and penalty, but windows as they were recorded."""

    first: Int[Array, "T B"] | None = None
    last: Int[Array, "T B"] | None = None

    def narrows(self, threshold) -> bool:
        return True

    def reach(self, params, projected, state, memory, threshold, training_keys) -> Reach:
        reach = super().reach(params, projected, state, memory, threshold, training_keys)
        step = state.step[0, 0]
        return reach.replace(first=self.first[step][:, None], last=self.last[step][:, None])


@dataclass(frozen=True, eq=False)
class StrengthAlone(Flexible):
    """The strength network without any scores: what it costs by itself."""

    def reach(self, params, projected, state, memory, threshold, training_keys) -> Reach:
        reach = super().reach(params, projected, state, memory, threshold, training_keys)
        nothing = jnp.zeros_like(reach.first)
        return reach.replace(first=nothing, last=nothing)

    def narrows(self, threshold) -> bool:
        return True


@dataclass(frozen=True)
class FirstAnnotation(Summary):
    """A context that costs nothing: what remains is a step without attention.

    It reads a little of the query, or its product with the kernel would leave the loop.
    """

    def summarize(self, params, annotations, lengths) -> Array:
        return annotations[:, 0]

    def read(self, params, query, summary, size) -> Array:
        return summary[:, None] + 1e-9 * query[..., :1]


@dataclass(frozen=True)
class Attending(ModelConfig):
    """A model with attention of one's own."""

    own: AttentionConfig = DEFAULT

    @property
    def attention(self) -> AttentionConfig:
        return self.own


def _attending(model: ModelConfig, **parts) -> Attending:
    return Attending(**vars(model), own=replace(model.attention, **parts))


def _sides(model: ModelConfig, sentences: int) -> tuple[dict[str, Callable], float]:
    random = np.random.default_rng(0)
    lengths, first, last = record(sentences, random)
    size = -(-SOURCE_LENGTH // 8) * 8
    source = random.integers(4, VOCABULARIES[0], (sentences, size)).astype(np.int32)
    target = random.integers(4, VOCABULARIES[1], (sentences, STEPS)).astype(np.int32)
    replayed = Replayed(1.5, jnp.asarray(first), jnp.asarray(last))
    sides = {
        "global": (_attending(model, span="global"), "dense"),
        "flexible": (_attending(model, span=replayed), "windowed"),
        "strength alone": (_attending(model, score="concat", span=StrengthAlone()), "windowed"),
        "no attention": (_attending(model, score=FirstAnnotation(), span=None), "dense"),
    }
    made = {
        name: _writes(config, implementation, source, lengths, target)
        for name, (config, implementation) in sides.items()
    }
    return made, _share(first, last, lengths)


def _writes(
    config: ModelConfig,
    implementation: str,
    source: np.ndarray,
    lengths: np.ndarray,
    target: np.ndarray,
) -> Callable:
    """Writes the target; returns its log probability and the number of scores."""
    params = jax.jit(init_translator, static_argnums=(1, 2, 3))(
        jax.random.key(0), config, *VOCABULARIES
    )
    source, lengths, target = map(jnp.asarray, (source, lengths, target))
    read = jax.jit(lambda p, s, n: read_source(p, config, s, n))(params, source, lengths)

    @jax.jit
    def write(params, read, target):
        kernels = decoder.step_kernels(params["decoder"], config)
        begin = jnp.full_like(target[:, :1], BEGIN)
        fed_back = jnp.concatenate([begin, target[:, :-1]], axis=1)
        embedded = embed_target(params, read, fed_back).swapaxes(0, 1)

        def step(state, inputs):
            embedding, word = inputs
            state, attended = decoder.decoder_step(
                params["decoder"],
                config,
                lambda name, x: x @ kernels[name],
                state,
                decoder.feed_back(params["decoder"], config, embedding),
                read.memory,
                threshold=jnp.float32(1e9),
                implementation=implementation,
                training_keys=None,
                details=False,
            )
            bottleneck = decoder.bottleneck(params["decoder"], state.output)
            log_probs = jax.nn.log_softmax(decoder.logits(params["decoder"], bottleneck))
            chosen = jnp.take_along_axis(log_probs, word[:, None], axis=1)
            return state, (chosen, attended.window)

        return jax.lax.scan(step, read.start, (embedded, target.T))[1]

    return lambda: write(params, read, target)
