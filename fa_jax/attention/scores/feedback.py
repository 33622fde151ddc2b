"""An additive score that also reads the word fed back (Choi et al. 2018)."""

from dataclasses import dataclass
from typing import ClassVar

from fa_jax.attention.scores.concat import Concat


@dataclass(frozen=True)
class Feedback(Concat):
    """`v · tanh(W [h_{t-1}; h̄_s; i_t])`: AttY, FG Eq. 6."""

    reads_feedback: ClassVar[bool] = True
