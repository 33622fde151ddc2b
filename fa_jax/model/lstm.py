"""Long short-term memory: one step, and whole padded batches in one scan.

The four gates (input, forget, candidate, output) stand behind each other in one kernel, so that a
step is one product. The input's part of it does not depend on the recurrence and is computed for
all steps at once, outside; so are, in the backward pass, the slopes of all gates and the gradient
of the recurrent kernel.
"""

import jax
import jax.numpy as jnp
from flax.linen import initializers
from jaxtyping import Array, Bool, Float, PRNGKeyArray

from fa_jax.attention.params import Params
from fa_jax.model.dense import dense


def init_lstm(key: PRNGKeyArray, input_size: int, size: int) -> Params:
    """Glorot input weights, orthogonal recurrent weights gate by gate, forget bias 1."""
    input_key, recurrent_key = jax.random.split(key)
    gates = [
        initializers.orthogonal()(gate_key, (size, size))
        for gate_key in jax.random.split(recurrent_key, 4)
    ]
    return {
        "input_kernel": initializers.glorot_uniform()(input_key, (input_size, 4 * size)),
        "recurrent_kernel": jnp.concatenate(gates, axis=1),
        "bias": jnp.zeros(4 * size).at[size : 2 * size].set(1.0),
    }


def lstm_inputs(params: Params, inputs: Float[Array, "*N I"]) -> Float[Array, "*N G"]:
    """The input's part of the gates, for all steps in one product, bias included."""
    return dense(inputs, params["input_kernel"], params["bias"])


def lstm_update(
    gates: Float[Array, "*N G"], cell: Float[Array, "*N H"]
) -> tuple[Float[Array, "*N H"], Float[Array, "*N H"]]:
    """Hidden and cell state from the gates' sums and the last cell state."""
    input_, forget, candidate, output = jnp.split(_activate(gates), 4, axis=-1)
    cell = forget * cell + input_ * candidate
    return output * jnp.tanh(cell), cell


def _activate(gates: Float[Array, "*N G"]) -> Float[Array, "*N G"]:
    """tanh for the candidate, sigmoid for the others, as one tanh: σ(x) = tanh(x/2)/2 + 1/2."""
    size = gates.shape[-1] // 4
    scale = jnp.where(jnp.arange(4 * size) // size == 2, 1, 0.5).astype(gates.dtype)
    return jnp.tanh(gates * scale) * scale + (1 - scale)


@jax.custom_vjp
def lstm_states(
    recurrent_kernel: Float[Array, "L H G"],
    inputs: Float[Array, "S L B G"],
    inside: Bool[Array, "S L B"],
) -> Float[Array, "S L B H"]:
    """Hidden states over time, from zero states, of L independent LSTMs.

    inputs: the input's part of the gates, bias included. inside: False on padding, which leaves
    the state alone.
    """
    return _forward(recurrent_kernel, inputs, inside)[0]


def _forward(recurrent_kernel, inputs, inside):
    def step(state, step_inputs):
        hidden, cell = state
        gates, here = step_inputs
        gates = _activate(gates + _product(hidden, recurrent_kernel))
        input_, forget, candidate, output = jnp.split(gates, 4, axis=-1)
        new_cell = jnp.where(here[..., None], forget * cell + input_ * candidate, cell)
        new_hidden = jnp.where(here[..., None], output * jnp.tanh(new_cell), hidden)
        return (new_hidden, new_cell), (new_hidden, hidden, cell, new_cell, gates)

    zero = jnp.zeros((*inputs.shape[1:-1], recurrent_kernel.shape[1]), inputs.dtype)
    _, (hidden, *residuals) = jax.lax.scan(step, (zero, zero), (inputs, inside))
    return hidden, (recurrent_kernel, inside, residuals)


def _backward(residuals, gradient):
    recurrent_kernel, inside, (last_hidden, last_cell, cell, gates) = residuals
    here = inside[..., None]
    input_, forget, candidate, output = jnp.split(gates, 4, axis=-1)
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
    transposed = recurrent_kernel.swapaxes(1, 2)

    def step(state, step_inputs):
        hidden, cell = state
        gradient, slopes, hidden_to_cell, kept_cell, here = step_inputs
        hidden = hidden + gradient
        cell = cell + hidden * hidden_to_cell
        gates = jnp.concatenate([cell, cell, cell, hidden], axis=-1) * slopes
        hidden = jnp.where(here, 0, hidden) + _product(gates, transposed)
        return (hidden, cell * kept_cell), gates

    zero = jnp.zeros_like(gradient[0])
    _, gates = jax.lax.scan(
        step,
        (zero, zero),
        (gradient, slopes, hidden_to_cell, kept_cell, here),
        reverse=True,
    )
    return jnp.einsum("slbh,slbg->lhg", last_hidden, gates), gates, None


def _product(x: Float[Array, "L B I"], kernel: Float[Array, "L I J"]) -> Float[Array, "L B J"]:
    return jnp.einsum("lbi,lij->lbj", x, kernel)


lstm_states.defvjp(_forward, _backward)
