"""Attention that looks only where it must. Imports nothing of the project outside this folder."""

from fa_jax.attention.attend import (
    AttentionConfig,
    AttentionOutput,
    attend,
    attend_projected,
    attention_kernels,
    init_attention,
    initial_attention_state,
    prepare_memory,
    project,
)
from fa_jax.attention.flexible import (
    FlexibleAttentionOutput,
    flexible_attention,
    flexible_bias,
    init_flexible_attention,
)
from fa_jax.attention.linen import FlexibleAttention
from fa_jax.attention.memory import Memory
from fa_jax.attention.score import Score, Sizes
from fa_jax.attention.scores import SCORES
from fa_jax.attention.span import AttentionState, Reach, Span
from fa_jax.attention.spans import SPANS
from fa_jax.attention.summary import NoAttention, Summary

__all__ = [
    "SCORES",
    "SPANS",
    "AttentionConfig",
    "AttentionOutput",
    "AttentionState",
    "FlexibleAttention",
    "FlexibleAttentionOutput",
    "Memory",
    "NoAttention",
    "Reach",
    "Score",
    "Sizes",
    "Span",
    "Summary",
    "attend",
    "attend_projected",
    "attention_kernels",
    "flexible_attention",
    "flexible_bias",
    "init_attention",
    "init_flexible_attention",
    "initial_attention_state",
    "prepare_memory",
    "project",
]
