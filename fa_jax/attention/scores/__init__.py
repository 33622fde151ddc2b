"""The scores by name. To add one: a file here and a row of this table."""

from fa_jax.attention.score import Score
from fa_jax.attention.scores.concat import Concat
from fa_jax.attention.scores.dot import Dot
from fa_jax.attention.scores.feedback import Feedback
from fa_jax.attention.scores.fine_grained import FineGrained
from fa_jax.attention.scores.general import General
from fa_jax.attention.scores.location import Location
from fa_jax.attention.scores.recurrent import Recurrent
from fa_jax.attention.scores.tensor import Tensor

SCORES: dict[str, type[Score]] = {
    "dot": Dot,
    "general": General,
    "concat": Concat,
    "location": Location,
    "feedback": Feedback,
    "fine_grained": FineGrained,
    "tensor": Tensor,
    "recurrent": Recurrent,
}
