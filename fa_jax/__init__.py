"""Neural machine translation with flexible attention: attention that looks only where it must.

`flexible_attention` and its neighbours are pure functions for JAX code of your own. `load_run`,
`translate` and `trace` use what `fa-jax train` has trained; they are loaded when first asked for.
"""

from importlib import import_module

from fa_jax.attention import (
    SCORES,
    SPANS,
    AttentionConfig,
    AttentionOutput,
    AttentionState,
    FlexibleAttention,
    FlexibleAttentionOutput,
    Memory,
    NoAttention,
    Reach,
    Score,
    Sizes,
    Span,
    Summary,
    attend,
    flexible_attention,
    flexible_bias,
    init_attention,
    init_flexible_attention,
    initial_attention_state,
    prepare_memory,
)

_LATER = {
    "load_run": "fa_jax.run",
    "translate": "fa_jax.translation",
    "trace": "fa_jax.translation",
}

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
    "flexible_attention",
    "flexible_bias",
    "init_attention",
    "init_flexible_attention",
    "initial_attention_state",
    "load_run",
    "prepare_memory",
    "trace",
    "translate",
]


def __getattr__(name: str):
    if name not in _LATER:
        raise AttributeError(f"module 'fa_jax' has no attribute {name!r}")
    return getattr(import_module(_LATER[name]), name)
