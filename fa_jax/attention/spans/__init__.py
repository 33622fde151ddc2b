"""The spans by name. To add one: a file here and a row of this table."""

from fa_jax.attention.span import Span
from fa_jax.attention.spans.adaptive import Adaptive
from fa_jax.attention.spans.everywhere import Global
from fa_jax.attention.spans.flexible import Flexible
from fa_jax.attention.spans.local_m import LocalM
from fa_jax.attention.spans.local_p import LocalP
from fa_jax.attention.spans.monotonic import MonotonicChunkwise
from fa_jax.attention.spans.none import NoAttention

SPANS: dict[str, type[Span]] = {
    "global": Global,
    "local_m": LocalM,
    "local_p": LocalP,
    "flexible": Flexible,
    "monotonic_chunkwise": MonotonicChunkwise,
    "adaptive": Adaptive,
    "none": NoAttention,
}
