"""Neural machine translation with flexible attention: attention that looks only where it must."""

from fa_jax.attention import (
    FlexibleAttention,
    FlexibleAttentionOutput,
    Memory,
    flexible_attention,
    init_flexible_attention,
    prepare_memory,
)

__all__ = [
    "FlexibleAttention",
    "FlexibleAttentionOutput",
    "Memory",
    "flexible_attention",
    "init_flexible_attention",
    "prepare_memory",
]
