"""Attention that looks only where it must. Imports nothing of the project outside this folder."""

from fa_jax.attention.attend import (
    AttentionOutput,
    attend,
    init_attention,
    initial_attention_state,
)
from fa_jax.attention.attention_config import AttentionConfig
from fa_jax.attention.flexible import (
    FlexibleAttentionOutput,
    flexible_attention,
    flexible_bias,
    init_flexible_attention,
)
from fa_jax.attention.learnt_in_windows import learn_in_windows
from fa_jax.attention.memory import prepare_memory
from fa_jax.attention.score import Score, Sizes
from fa_jax.attention.scores import (
    SCORES,
    Concat,
    Dot,
    Feedback,
    FineGrained,
    General,
    Location,
    Recurrent,
    Tensor,
)
from fa_jax.attention.span import Reach, Span
from fa_jax.attention.spans import (
    SPANS,
    Adaptive,
    Flexible,
    Global,
    LocalM,
    LocalP,
    MonotonicChunkwise,
    NoAttention,
)
from fa_jax.attention.step import AttentionState, Memory, Step

__all__ = [
    "SCORES",
    "SPANS",
    "Adaptive",
    "AttentionConfig",
    "AttentionOutput",
    "AttentionState",
    "Concat",
    "Dot",
    "Feedback",
    "FineGrained",
    "Flexible",
    "FlexibleAttentionOutput",
    "General",
    "Global",
    "LocalM",
    "LocalP",
    "Location",
    "Memory",
    "MonotonicChunkwise",
    "NoAttention",
    "Reach",
    "Recurrent",
    "Score",
    "Sizes",
    "Span",
    "Step",
    "Tensor",
    "attend",
    "flexible_attention",
    "flexible_bias",
    "init_attention",
    "init_flexible_attention",
    "initial_attention_state",
    "learn_in_windows",
    "prepare_memory",
]
