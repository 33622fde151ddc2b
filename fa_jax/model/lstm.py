"""Long short-term memory: one step, and whole padded batches in one scan.

The four gates (input, forget, candidate, output) stand behind each other in one kernel, so that a
step is one product. The input's part of it does not depend on the recurrence and is computed for
all steps at once, outside; so are, in the backward pass, the slopes of all gates and the gradient
of the recurrent kernel. Cells, which add up over steps, and their gradients are float32, also where
products are bfloat16.
"""

from functools import partial

import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Float, PRNGKeyArray

from fa_jax.attention.score import at_least_float32, glorot
from fa_jax.attention.step import Params
from fa_jax.model.product import contract

State = tuple[Float[Array, "*N H"], Float[Array, "*N H"]]
"""Hidden state and cell."""


def init_lstm(key: PRNGKeyArray, input_size: int, size: int) -> Params:
    """Glorot input weights [I, 4H], orthogonal recurrent weights [H, 4H] gate by gate, and a bias
    [4H] that is 1 for the forget gate, 0 for the others."""
    input_key, recurrent_key = jax.random.split(key)
    return {
        "input_kernel": glorot(input_key, input_size, 4 * size),
        "recurrent_kernel": jnp.concatenate(_orthogonal(recurrent_key, 4, size), axis=1),
        "bias": jnp.zeros(4 * size).at[size : 2 * size].set(1.0),
    }


@partial(jax.jit, static_argnames=("count", "size"))
def _orthogonal(key: PRNGKeyArray, count: int, size: int) -> Float[Array, "count H H"]:
    """Random matrices, their columns made orthonormal one after the other: by Gram and Schmidt,
    twice, which is enough (Giraud et al. 2005).

    LAPACK's factorization gives the same. But XLA waits without end on a CPU of two threads where
    two factorizations run at once (jaxlib 0.10.2).
    """

    def with_column(matrix, step):
        column, place = step
        for _ in range(2):
            column -= matrix @ (column @ matrix)
        return matrix.at[:, place].set(column / jnp.sqrt(column @ column)), None

    @jax.vmap
    def drawn(key):
        columns = jax.random.normal(key, (size, size)).T
        return jax.lax.scan(with_column, jnp.zeros((size, size)), (columns, jnp.arange(size)))[0]

    return drawn(jax.random.split(key, count))


def lstm_update(gates: Float[Array, "*N G"], cell: Float[Array, "*N H"]) -> State:
    """Hidden and cell state from the gates' sums and the last cell state, as precise as it."""
    return _advance(_activate(gates), cell)


def _advance(gates, cell):
    input_, forget, candidate, output = jnp.split(gates, 4, axis=-1)
    cell = forget * cell + input_ * candidate
    return output * jnp.tanh(cell), cell


def _activate(gates: Float[Array, "*N G"]) -> Float[Array, "*N G"]:
    """tanh for the candidate, sigmoid for the others, as one tanh: σ(x) = tanh(x/2)/2 + 1/2."""
    size = gates.shape[-1] // 4
    scale = jnp.where(jnp.arange(4 * size) // size == 2, 1, 0.5).astype(gates.dtype)
    scale = jnp.expand_dims(scale, range(gates.ndim - 1))
    return jnp.tanh(gates * scale) * scale + (1 - scale)


def zero_state(rows: tuple[int, ...], size: int, dtype: jnp.dtype) -> State:
    """Hidden state and cell before anything is read. rows: leading shape. dtype: of the inputs."""
    zero = jnp.zeros((*rows, size), dtype)
    return zero, at_least_float32(zero)


@jax.custom_vjp
def lstm_states(
    recurrent_kernel: Float[Array, "L H G"],
    inputs: Float[Array, "S L B G"],
    inside: Bool[Array, "S L B"],
    start: State,
) -> tuple[Float[Array, "S L B H"], Float[Array, "L B H"]]:
    """Hidden states over time, as precise as the inputs, and last cells of L independent LSTMs.

    recurrent_kernel: may have a higher precision, which its gradient has too. inputs: the input's
    part of the gates, bias included. inside: False on padding, which leaves the state alone.
    start: as of `zero_state`.
    """
    return _forward(recurrent_kernel, inputs, inside, start)[0]


def _forward(recurrent_kernel, inputs, inside, start):
    rounded = recurrent_kernel.astype(inputs.dtype)

    def step(state, step_inputs):
        hidden, cell = state
        gates, here = step_inputs
        gates = _activate(at_least_float32(gates) + contract("lbh,lhg->lbg", hidden, rounded))
        new_hidden, new_cell = _advance(gates, cell)
        new_cell = jnp.where(here[..., None], new_cell, cell)
        new_hidden = jnp.where(here[..., None], new_hidden.astype(hidden.dtype), hidden)
        residuals = hidden, cell, new_cell, gates.astype(hidden.dtype)
        return (new_hidden, new_cell), (new_hidden, *residuals)

    (_, cell), (hidden, *residuals) = jax.lax.scan(step, start, (inputs, inside))
    return (hidden, cell), (recurrent_kernel, inside, residuals)


def _backward(residuals, gradients):
    gradient, of_last_cell = gradients
    recurrent_kernel, inside, (last_hidden, last_cell, cell, gates) = residuals
    here, dtype = inside[..., None], gates.dtype
    input_, forget, candidate, output = jnp.split(at_least_float32(gates), 4, axis=-1)
    tanh_cell = jnp.tanh(cell)
    # What a gate's sum adds to the cell (the first three) or to the hidden state (the last).
    slopes = [
        candidate * input_ * (1 - input_),
        last_cell * forget * (1 - forget),
        input_ * (1 - jnp.square(candidate)),
        tanh_cell * output * (1 - output),
    ]
    slopes = jnp.where(here, jnp.concatenate(slopes, axis=-1), 0)
    hidden_to_cell = jnp.where(here, output * (1 - jnp.square(tanh_cell)), 0)
    kept_cell = jnp.where(here, forget, 1)
    rounded = recurrent_kernel.astype(dtype)

    def step(state, step_inputs):
        hidden, cell = state
        gradient, slopes, hidden_to_cell, kept_cell, here = step_inputs
        hidden = hidden + gradient.astype(hidden.dtype)
        cell = cell + hidden * hidden_to_cell
        gates = (jnp.concatenate([cell, cell, cell, hidden], axis=-1) * slopes).astype(dtype)
        through_gates = contract("lbg,lhg->lbh", gates, rounded)
        return (jnp.where(here, 0, hidden) + through_gates, cell * kept_cell), gates

    steps = gradient, slopes, hidden_to_cell, kept_cell, here
    last = jnp.zeros_like(of_last_cell), of_last_cell
    of_start, gates = jax.lax.scan(step, last, steps, reverse=True)
    for_kernel = contract("slbh,slbg->lhg", last_hidden, gates)
    of_start = of_start[0].astype(dtype), of_start[1]
    return for_kernel.astype(recurrent_kernel.dtype), gates, None, of_start


lstm_states.defvjp(_forward, _backward)
