"""Attention that looks only where it must. Imports nothing of the project outside this folder."""

from fa_jax.attention.flexible import (
    FlexibleAttentionOutput,
    attend_projected,
    flexible_attention,
    init_flexible_attention,
    prepare_memory,
)
from fa_jax.attention.linen import FlexibleAttention
from fa_jax.attention.memory import Memory

__all__ = [
    "FlexibleAttention",
    "FlexibleAttentionOutput",
    "Memory",
    "attend_projected",
    "flexible_attention",
    "init_flexible_attention",
    "prepare_memory",
]
