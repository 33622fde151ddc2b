"""The LSTM against Flax's own, sentence by sentence without padding."""

from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from flax import linen as nn

from fa_jax.model.lstm import init_lstm, lstm_states, lstm_update, zero_state
from fa_jax.model.product import dense

STEPS, BATCH, SIZE, INPUT = 9, 4, 5, 3
LENGTHS = np.array([9, 1, 0, 6])


def flax_parameters(params):
    """The same weights under the names of Flax's cell."""
    order = ("i", "f", "g", "o")
    inputs = jnp.split(params["input_kernel"], 4, axis=1)
    recurrent = jnp.split(params["recurrent_kernel"], 4, axis=1)
    biases = jnp.split(params["bias"], 4)
    tree = {f"i{g}": {"kernel": k} for g, k in zip(order, inputs, strict=True)}
    both = zip(order, recurrent, biases, strict=True)
    return {"params": tree | {f"h{g}": {"kernel": k, "bias": b} for g, k, b in both}}


def flax_states(params, sentence):
    """Hidden states over one unpadded sentence."""
    return flax_states_and_cell(params, sentence)[0]


def flax_states_and_cell(params, sentence):
    carry = (jnp.zeros(SIZE), jnp.zeros(SIZE))
    step = partial(nn.OptimizedLSTMCell(SIZE).apply, flax_parameters(params))
    (cell, _), states = jax.lax.scan(step, carry, sentence)
    return states, cell


@pytest.fixture(scope="module")
def setting():
    keys = jax.random.split(jax.random.key(0), 3)
    params = [init_lstm(key, INPUT, SIZE) for key in keys[:2]]
    return params, jax.random.normal(keys[2], (STEPS, BATCH, INPUT))


def gates_of(params, x):
    """The input's part of the gates."""
    return dense(x, params["input_kernel"], params["bias"])


def states(params, x):
    """Both LSTMs at once: the first reads forward, the second each sentence backward."""
    return states_and_cells(params, x)[0]


def states_and_cells(params, x):
    return lstm_states(*kernels_and_words(params, x), zero_state((2, BATCH), SIZE, x.dtype))


def kernels_and_words(params, x):
    inside = np.arange(STEPS)[:, None] < LENGTHS
    inputs = [gates_of(params[0], x), gates_of(params[1], x[::-1])]
    return (
        jnp.stack([p["recurrent_kernel"] for p in params]),
        jnp.stack(inputs, axis=1),
        jnp.stack([inside, inside[::-1]], axis=1),
    )


def total(params, x):
    weights = jnp.sin(jnp.arange(STEPS * 2 * BATCH * SIZE)).reshape(STEPS, 2, BATCH, SIZE)
    found = states(params, x)
    inside = np.arange(STEPS)[:, None] < LENGTHS
    mask = jnp.stack([inside, inside[::-1]], axis=1)[..., None]
    return jnp.where(mask, found * weights, 0).sum()


def flax_total(params, x):
    weights = jnp.sin(jnp.arange(STEPS * 2 * BATCH * SIZE)).reshape(STEPS, 2, BATCH, SIZE)
    result = 0.0
    for row, length in enumerate(LENGTHS):
        if length:
            forward = flax_states(params[0], x[:length, row])
            backward = flax_states(params[1], x[:length, row][::-1])
            result += (forward * weights[:length, 0, row]).sum()
            result += (backward * weights[STEPS - length :, 1, row]).sum()
    return result


def agree_with_gradients(function, flax_function, params, x):
    value, gradients = jax.jit(jax.value_and_grad(function, (0, 1)))(params, x)
    expected, expected_gradients = jax.jit(jax.value_and_grad(flax_function, (0, 1)))(params, x)
    np.testing.assert_allclose(value, expected, rtol=1e-5)
    jax.tree.map(
        lambda a, b: np.testing.assert_allclose(a, b, rtol=1e-4, atol=1e-5),
        gradients,
        expected_gradients,
    )


def test_states_and_gradients_are_flax_own(setting):
    params, x = setting
    agree_with_gradients(total, flax_total, params, x)


def test_the_last_cells_and_their_gradients_are_flax_own(setting):
    params, x = setting

    def last_cells(params, x):
        return states_and_cells(params, x)[1].sum()

    def flax_last_cells(params, x):
        total = 0.0
        for row, length in enumerate(LENGTHS):
            for lstm, sentence in zip(params, (x[:length, row], x[:length, row][::-1])):
                if length:
                    total += flax_states_and_cell(lstm, sentence)[1].sum()
        return total

    agree_with_gradients(last_cells, flax_last_cells, params, x)


def test_reading_on_from_a_state_is_reading_at_once(setting):
    params, x = setting

    def in_two_parts(params, x):
        kernel, inputs, inside = kernels_and_words(params, x)
        start = zero_state((2, BATCH), SIZE, x.dtype)
        first, cell = lstm_states(kernel, inputs[:4], inside[:4], start)
        then, _ = lstm_states(kernel, inputs[4:], inside[4:], (first[-1], cell))
        return jnp.sin(jnp.concatenate([first, then])).sum()

    agree_with_gradients(in_two_parts, lambda *x: jnp.sin(states(*x)).sum(), params, x)


def test_padding_leaves_the_state_alone(setting):
    params, x = setting
    found = states(params, x)
    np.testing.assert_array_equal(found[:, :, 2], 0)
    np.testing.assert_array_equal(found[5, 0, 3], found[8, 0, 3])


def test_one_step_is_flax_own(setting):
    params, x = setting
    cell, hidden = jnp.full((BATCH, SIZE), 0.3), jnp.full((BATCH, SIZE), -0.2)
    gates = gates_of(params[0], x[0]) + hidden @ params[0]["recurrent_kernel"]
    found = lstm_update(gates, cell)
    module = nn.OptimizedLSTMCell(SIZE)
    (new_cell, new_hidden), _ = module.apply(flax_parameters(params[0]), (cell, hidden), x[0])
    np.testing.assert_allclose(found[0], new_hidden, atol=1e-6)
    np.testing.assert_allclose(found[1], new_cell, atol=1e-6)


def test_initial_weights():
    params = init_lstm(jax.random.key(1), INPUT, SIZE)
    for gate in jnp.split(params["recurrent_kernel"], 4, axis=1):
        np.testing.assert_allclose(gate.T @ gate, np.eye(SIZE), atol=1e-5)
    np.testing.assert_array_equal(params["bias"], np.repeat([0, 1, 0, 0], SIZE))


def test_cells_add_up_in_float32_where_products_are_bfloat16():
    """A gate that forgets nothing and adds 1/200 a step: 200 steps make 1."""
    low = 40 * jnp.array([0.0, 1.0, 0.0, 1.0]).at[0].set(-np.log(199) / 40)
    gates = low.at[2].set(20.0).astype(jnp.bfloat16)
    inputs = jnp.broadcast_to(gates, (200, 1, 1, 4))
    kernel, inside = jnp.zeros((1, 1, 4), jnp.bfloat16), jnp.ones((200, 1, 1), bool)
    found, _ = lstm_states(kernel, inputs, inside, zero_state((1, 1), 1, inputs.dtype))
    assert found.dtype == jnp.bfloat16
    np.testing.assert_allclose(found[-1, 0, 0, 0].astype(float), np.tanh(1), rtol=0.02)


@pytest.mark.parametrize("size", [1, 2, 5, 64])
def test_recurrent_kernels_start_as_lapack_would_orthogonalize_random_ones(size: int):
    key = jax.random.key(3)
    kernel = init_lstm(key, INPUT, size)["recurrent_kernel"]
    of_gates = jax.random.split(jax.random.split(key)[1], 4)
    for gate, one in zip(np.split(np.asarray(kernel, np.float64), 4, axis=1), of_gates):
        orthogonal, rest = np.linalg.qr(np.asarray(jax.random.normal(one, (size, size)), float))
        np.testing.assert_allclose(gate, orthogonal * np.sign(np.diag(rest)), atol=1e-5)
        np.testing.assert_allclose(gate @ gate.T, np.eye(size), atol=2e-6)


def test_first_parameters_need_no_lapack():
    # Two factorizations at once wait for each other without end on a CPU of two threads.
    lowered = jax.jit(lambda key: init_lstm(key, INPUT, SIZE)).lower(jax.random.key(0)).as_text()
    assert "lapack" not in lowered
