"""An attention is a score under a span."""

from dataclasses import dataclass

from fa_jax.attention.registry import value_of
from fa_jax.attention.score import Score
from fa_jax.attention.scores import SCORES
from fa_jax.attention.span import Span
from fa_jax.attention.spans import SPANS
from fa_jax.attention.summary import Summary


@dataclass(frozen=True)
class AttentionConfig:
    """Which attention: how well does a position match, and which positions count?

    score, span: values such as `Tensor(slices=2)` and `Flexible(sigma=3.0)`, which hold their own
    settings. A name of `SCORES` or `SPANS` stands for the value with its defaults. Both are values
    afterwards. Every score goes with every span.

    Raises:
      ValueError: an unknown name. TypeError: a value that is no score or span.

    >>> fa_jax.AttentionConfig("tensor", fa_jax.Flexible(sigma=3.0))
    AttentionConfig(score=Tensor(slices=4), span=Flexible(sigma=3.0))
    """

    score: Score | str = "concat"
    span: Span | str = "flexible"

    def __post_init__(self):
        chosen = {
            "score": (value_of(self.score, SCORES, "score"), Score),
            "span": (value_of(self.span, SPANS, "span"), Span),
        }
        for role, (value, kind) in chosen.items():
            if not isinstance(value, kind):
                raise TypeError(f"{role} must be a name or a {kind.__name__}, got {value!r}")
            object.__setattr__(self, role, value)


Attention = AttentionConfig | Summary
"""What a decoder reads its source by; a summary has no positions, so it takes no span."""
