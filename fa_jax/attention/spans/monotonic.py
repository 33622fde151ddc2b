"""Monotonic chunkwise attention (Chiu and Raffel 2018; Raffel et al. 2017)."""

from dataclasses import dataclass
from typing import ClassVar

import jax
import jax.numpy as jnp
from flax import struct
from jaxtyping import Array, Bool, Float, Int, Key, PRNGKeyArray

from fa_jax.attention.checks import check_positive
from fa_jax.attention.hidden_layer import hidden_layer_score
from fa_jax.attention.score import InputKernels, Sizes, at_least_float32, glorot
from fa_jax.attention.span import Reach, Span, by_position
from fa_jax.attention.step import Memory, Params, Step

INITIAL_STOP_BIAS = -1.0
"""A head that hardly stops at first sees far (Raffel et al. 2017, 2.4)."""
SCANNED_AT_ONCE = 8
"""Positions that a head looks at before it decides to go on."""


@struct.dataclass
class Head:
    """The span's state. place: where the head is, a distribution over positions. noise: in
    training, a sentence's random key, which every step folds its number into."""

    place: Float[Array, "B *K S"]
    noise: Key[Array, "B *K"] | None


@dataclass(frozen=True)
class MonotonicChunkwise(Span):
    """A head that only moves forward, and the chunk of w positions that ends where it stops.

    It stops at s with probability `p(s) = sigmoid(g v/|v| · tanh(W h_{t-1} + V h̄_s + b) + r)`, at
    the sentence's last position with certainty, so that no weight is lost. In training weights
    are expected ones, over all positions, and noise on p's logit makes it decide; otherwise the
    head stops where p first exceeds 1/2, and the chunk alone is scored. What the head reads on
    its way is not counted as scored.
    """

    network: ClassVar[str] = "stop"

    chunk: int = 8
    """Positions that end where the head stops, and are scored (w)."""
    noise: float = 1.0
    """Noise on the head's decisions in training, a standard deviation."""

    def __post_init__(self):
        check_positive(chunk=self.chunk, noise=self.noise)

    def init(self, key: PRNGKeyArray, sizes: Sizes) -> Params:
        query_key, memory_key, vector_key = jax.random.split(key, 3)
        stop = {
            "query_kernel": glorot(query_key, sizes.query, sizes.attention),
            "memory_kernel": glorot(memory_key, sizes.memory, sizes.attention),
            "bias": jnp.zeros(sizes.attention),
            "vector": glorot(vector_key, sizes.attention),
            "gain": jnp.asarray(sizes.attention**-0.5),
            "offset": jnp.asarray(INITIAL_STOP_BIAS),
        }
        return {"stop": stop}

    def kernels(self, params: Params, query_size: int) -> InputKernels:
        return params["stop"]["query_kernel"], None

    def keys(self, params: Params, annotations: Float[Array, "B S D"]) -> Float[Array, "B S A"]:
        return annotations @ params["stop"]["memory_kernel"] + params["stop"]["bias"][None, None]

    def initial_state(
        self, sentences: int, length: int, training_keys: Key[Array, " B"] | None
    ) -> Head:
        """The head at position 0."""
        place = jnp.zeros((sentences, length)).at[:, :1].set(1)
        return Head(place, training_keys)

    def needs_every_position(self, state: Head) -> bool:
        """In training: weights are expectations."""
        return state.noise is not None

    def reach(self, step: Step) -> Reach:
        before, lengths = step.state.span, step.memory.lengths
        index = jnp.arange(before.place.shape[-1])[None, None]
        if before.noise is not None:
            energy = _energy(step.params["stop"], step.span_query, step.memory.span_keys)
            noise = self._noise(before.noise, step.state.step, index.size)
            stop = jnp.where(index == lengths[:, None, None] - 1, 1, jax.nn.sigmoid(energy + noise))
            place = expected_head(stop, before.place)
            place = jnp.where(index < lengths[:, None, None], place, 0)
            first = jnp.zeros_like(step.state.step)
            state = before.replace(place=place)
            return Reach(first, first + lengths[:, None] - 1, prior=place, state=state)
        head = jnp.argmax(before.place, axis=-1)
        stopped = next_stop(step.params["stop"], step.span_query, step.memory, head)
        place = (index == stopped[..., None]).astype(before.place.dtype)
        return Reach(stopped - self.chunk + 1, stopped, state=before.replace(place=place))

    def weights(
        self,
        scores: Float[Array, "B K S *D"],
        window: Bool[Array, "B K S"],
        reach: Reach,
        positions: Float[Array, " S"],
    ) -> Float[Array, "B K S *D"]:
        """In training the softmax over the chunk, in expectation over where the head stopped."""
        if reach.state.noise is None:
            return super().weights(scores, window, reach, positions)
        behind, length, ndim = self.chunk - 1, scores.shape[2], scores.ndim
        nothing = [(0, 0)] * (ndim - 3)
        padded = jnp.pad(scores, [(0, 0), (0, 0), (behind, 0), *nothing], constant_values=-jnp.inf)
        # chunks[:, :, s, ..., i]: position s - behind + i, as seen by a head that stopped at s.
        chunks = jnp.stack([padded[:, :, i : i + length] for i in range(self.chunk)], -1)
        shares = by_position(reach.prior, ndim + 1) * jax.nn.softmax(chunks, axis=-1)
        ahead = jnp.pad(shares, [(0, 0), (0, 0), (0, behind), *nothing, (0, 0)])
        seen = (ahead[:, :, behind - i :][:, :, :length, ..., i] for i in range(self.chunk))
        return jnp.where(by_position(window, ndim), sum(seen), 0)

    def _noise(
        self, keys: Key[Array, "B K"], steps: Int[Array, "B K"], length: int
    ) -> Float[Array, "B K S"]:
        def draw(key, step):
            return jax.random.normal(jax.random.fold_in(key, step), (length,))

        return self.noise * jax.vmap(jax.vmap(draw))(keys, steps)


def _energy(
    params: Params, query: Float[Array, "N K A"], keys: Float[Array, "N S A"]
) -> Float[Array, "N K S"]:
    """The logit of p(s)."""
    gain, vector, offset = (at_least_float32(params[x]) for x in ("gain", "vector", "offset"))
    direction = gain * vector / jnp.linalg.norm(vector)
    return hidden_layer_score(direction, query, keys) + offset


def expected_head(
    stop: Float[Array, "B K S"], head: Float[Array, "B K S"]
) -> Float[Array, "B K S"]:
    """Where a head is that was distributed as `head` and stops with probability `stop`.

    `α_s = p_s q_s` with `q_s = (1 − p_{s-1}) q_{s-1} + α'_s` (Raffel et al. 2017, Eqs. 8 to 10);
    the recurrence is linear, so that a parallel scan has it without dividing by small products.
    """
    passed = jnp.pad(1 - stop[..., :-1], [(0, 0), (0, 0), (1, 0)])

    def join(first, second):
        return first[0] * second[0], first[1] * second[0] + second[1]

    _, arriving = jax.lax.associative_scan(join, (passed, head), axis=-1)
    return stop * arriving


def next_stop(
    params: Params,
    query: Float[Array, "B K A"],
    memory: Memory,
    head: Int[Array, "B K"],
) -> Int[Array, "B K"]:
    """The first position from the head on whose energy is above 0, else the sentence's last.

    Reads no further than the farthest head goes. A position has no gradient.
    """
    params, query, keys = jax.lax.stop_gradient((params, query, memory.span_keys))
    last = jnp.maximum(memory.lengths - 1, 0)[:, None]
    rows, queries = head.shape
    sentence = jnp.arange(rows)[:, None, None]

    def look(state: tuple[Array, Array]) -> tuple[Array, Array]:
        place, found = state
        seen = place[..., None] + jnp.arange(SCANNED_AT_ONCE)[None, None]
        block = keys[sentence, jnp.minimum(seen, last[..., None])]
        flat = query.reshape(rows * queries, 1, -1), block.reshape(-1, *block.shape[2:])
        energies = _energy(params, *flat).reshape(seen.shape)
        stops = (energies > 0) | (seen >= last[..., None])
        step = jnp.where(stops.any(-1), jnp.argmax(stops, axis=-1), SCANNED_AT_ONCE)
        return jnp.where(found, place, jnp.minimum(place + step, last)), found | stops.any(-1)

    start = head, jnp.zeros_like(head, bool)
    return jax.lax.while_loop(lambda state: ~state[1].all(), look, start)[0]
