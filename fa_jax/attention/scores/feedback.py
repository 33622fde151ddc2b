"""An additive score that also reads the word fed back (Choi et al. 2018)."""

from dataclasses import dataclass

from jaxtyping import PRNGKeyArray

from fa_jax.attention.hidden_layer import init_additive
from fa_jax.attention.score import Score, Sizes
from fa_jax.attention.scores.concat import Concat
from fa_jax.attention.step import Params


@dataclass(frozen=True)
class Feedback(Score):
    """`v · tanh(W [h_{t-1}; h̄_s; i_t])`: AttY, FG Eq. 6."""

    def init(self, key: PRNGKeyArray, sizes: Sizes) -> Params:
        return init_additive(key, sizes, feedback=True)

    evaluate = Concat.evaluate
