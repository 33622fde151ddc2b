"""A number between 0 and 1 that a span decides on at each step: `sigmoid(v · tanh(W x) + b)`."""

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, PRNGKeyArray

from fa_jax.attention.hidden_layer import project_hidden
from fa_jax.attention.params import Params
from fa_jax.attention.score import glorot


def init_decision(key: PRNGKeyArray, inputs: int, units: int) -> Params:
    """W [inputs, units] and v; a bias is added by those that have one."""
    kernel_key, vector_key = jax.random.split(key)
    return {"kernel": glorot(kernel_key, inputs, units), "vector": glorot(vector_key, units)}


def decide(params: Params, hidden: Float[Array, "*N A"]) -> Float[Array, "*N"]:
    """The number, from `W x`."""
    product = project_hidden(jnp.tanh(hidden), params["vector"])
    return jax.nn.sigmoid(product + params.get("bias", 0.0))
