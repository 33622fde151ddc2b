"""The scores by name. To add one: a file here and a row of this table."""

from fa_jax.attention.scores.concat import Concat, Feedback
from fa_jax.attention.scores.fine_grained import FineGrained
from fa_jax.attention.scores.linear import Linear
from fa_jax.attention.scores.location import Location
from fa_jax.attention.scores.multiplicative import Dot, General
from fa_jax.attention.scores.recurrent import Recurrent
from fa_jax.attention.scores.tensor import Tensor

SCORES = {
    "dot": Dot,
    "general": General,
    "concat": Concat,
    "location": Location,
    "feedback": Feedback,
    "fine_grained": FineGrained,
    "tensor": Tensor,
    "recurrent": Recurrent,
    "linear": Linear,
}
