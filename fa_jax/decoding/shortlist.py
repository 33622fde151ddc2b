"""Words that a translation may use: the frequent ones and its source's likely translations.

The output layer is computed for them alone (L'Hostis et al. 2016). The frequent words are one
product for all sentences; a sentence's own candidates are few enough for a product each.
"""

import jax
import jax.numpy as jnp
import numpy as np
from flax import struct
from jaxtyping import Array, Float, Int

from fa_jax.data.vocabulary import PAD
from fa_jax.model.translator import Params


@struct.dataclass
class Shortlist:
    """frequent: how many of the vocabulary, which is sorted by frequency. candidates: PAD where a
    sentence has fewer."""

    candidates: Int[Array, "B C"]
    frequent: int = struct.field(pytree_node=False)

    def words(self, chosen: Int[Array, "B K"]) -> Int[Array, "B K"]:
        """The vocabulary's numbers of places in the list."""
        if self.candidates.shape[1] == 0:
            return chosen
        own = jnp.maximum(chosen - self.frequent, 0)
        own = jnp.take_along_axis(self.candidates, own, axis=1)
        return jnp.where(chosen < self.frequent, chosen, own)


@struct.dataclass
class OutputLayer:
    """The rows of the output layer that a shortlist needs."""

    kernel: Float[Array, "F N"]
    bias: Float[Array, " N"]
    own_kernel: Float[Array, "B C F"]
    own_bias: Float[Array, "B C"]

    def log_probs(self, bottleneck: Float[Array, "B K F"]) -> Float[Array, "B K L"]:
        """Of the L = N + C words of the list, which share all probability."""
        x, float32 = bottleneck.astype(self.kernel.dtype), {"preferred_element_type": jnp.float32}
        flat = x.reshape(-1, x.shape[-1])  # one product for all sentences
        frequent = jnp.matmul(flat, self.kernel, **float32).reshape(*x.shape[:2], -1) + self.bias
        if self.own_kernel.shape[1] == 0:
            return jax.nn.log_softmax(frequent)
        own = jnp.einsum("bkf,bcf->bkc", x, self.own_kernel, **float32) + self.own_bias[:, None]
        return jax.nn.log_softmax(jnp.concatenate([frequent, own], axis=-1))

    def rows(self, chosen: Int[Array, " D"]) -> "OutputLayer":
        """Of some sentences."""
        return self.replace(own_kernel=self.own_kernel[chosen], own_bias=self.own_bias[chosen])


def output_layer(output: Params, shortlist: Shortlist, dtype: str | None = None) -> OutputLayer:
    """output: kernel [F, V] and bias [V] of the decoder. dtype: of the products; None: theirs."""
    own, first = shortlist.candidates, shortlist.frequent
    kernel = output["kernel"].astype(dtype or output["kernel"].dtype)
    bias = output["bias"].astype(jnp.float32)
    return OutputLayer(
        kernel=kernel[:, :first],
        bias=bias[:first],
        own_kernel=kernel.T[own],
        own_bias=jnp.where(own == PAD, -jnp.inf, bias[own]),
    )


def candidates(
    lexicon: Int[np.ndarray, "words translations"],
    sources: Int[np.ndarray, "B S"],
    lengths: Int[np.ndarray, " B"],
    frequent: int,
) -> Int[np.ndarray, "B C"]:
    """Each source's likely translations that are not frequent anyway; C = S × translations."""
    found = np.full((len(sources), sources.shape[1] * lexicon.shape[1]), PAD, np.int32)
    for row, (source, length) in enumerate(zip(sources, lengths, strict=True)):
        own = np.unique(lexicon[source[:length]])
        own = own[own >= frequent]
        found[row, : len(own)] = own
    return found
