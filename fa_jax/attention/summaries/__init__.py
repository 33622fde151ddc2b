"""The summaries by name. To add one: a file here and a row of this table."""

from fa_jax.attention.summaries.linear import Linear
from fa_jax.attention.summaries.none import NoAttention
from fa_jax.attention.summary import Summary

SUMMARIES: dict[str, type[Summary]] = {"linear": Linear, "none": NoAttention}
