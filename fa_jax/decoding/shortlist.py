"""Words that a translation may use: the frequent ones and its source's likely translations.

The output layer is computed for them alone (L'Hostis et al. 2016). The frequent words are one
product for all sentences; a sentence's own candidates are few enough for a product each.
"""

from collections.abc import Callable

import jax.numpy as jnp
import numpy as np
from flax import struct
from jaxtyping import Array, Float, Int

from fa_jax.data.batches import pad
from fa_jax.data.vocabulary import PAD
from fa_jax.decoding.continuations import GROUP
from fa_jax.decoding.local_devices import enlarged
from fa_jax.model.encoder_decoder import Params

FEWEST_CANDIDATES = 64
"""Lists of candidates are padded to this many words, or twice, four times … as many."""
OwnWords = tuple[Float[Array, "B C F"], Float[Array, "B C"]]
"""The output layer's kernel and bias for the candidates of each sentence."""


@struct.dataclass
class Shortlist:
    """frequent: how many of the vocabulary, which is sorted by frequency. candidates: PAD where a
    sentence has fewer."""

    candidates: Int[Array, "B C"]
    frequent: int = struct.field(pytree_node=False)

    def words(self, chosen: Int[Array, "B K"]) -> Int[Array, "B K"]:
        """The vocabulary's numbers of places in the list."""
        place = chosen - self.frequent - self.empty
        own = jnp.take_along_axis(self.candidates, place, axis=1)
        return jnp.where(chosen < self.frequent, chosen, own)

    @property
    def empty(self) -> int:
        """Places of the list between its frequent words and a sentence's own: it has whole
        groups."""
        return -(self.frequent + self.candidates.shape[1]) % GROUP


def output_layer(
    output: Params, shortlist: Shortlist, dtype: str = "model"
) -> tuple[
    Callable[[Int[Array, "B C"]], OwnWords],
    Callable[[Float[Array, "B K F"], OwnWords], Float[Array, "B K L"]],
]:
    """The output layer of a list's words alone.

    output: kernel [F, V] and bias [V] of the decoder. dtype: of the products; "model": theirs.
    Returns
    a function of candidates, the sentences' own part, and one of what the layer reads and of own
    parts: scores of the words of the list, which share all probability; -inf at its empty places.
    """
    kernel = output["kernel"] if dtype == "model" else output["kernel"].astype(dtype)
    bias = output["bias"].astype(jnp.float32)
    frequent, float32 = shortlist.frequent, {"preferred_element_type": jnp.float32}
    of_frequent = jnp.pad(kernel[:, :frequent], ((0, 0), (0, shortlist.empty)))
    bias_of_frequent = jnp.pad(bias[:frequent], (0, shortlist.empty), constant_values=-jnp.inf)

    def own_words(own: Int[Array, "B C"]) -> OwnWords:
        return kernel.T[own], jnp.where(own == PAD, -jnp.inf, bias[own])

    def scores(x: Float[Array, "B K F"], own: OwnWords) -> Float[Array, "B K L"]:
        own_kernel, own_bias = own
        x = x.astype(kernel.dtype)
        flat = x.reshape(-1, x.shape[-1])  # one product for all sentences
        found = jnp.matmul(flat, of_frequent, **float32)
        found = found.reshape(*x.shape[:2], -1) + bias_of_frequent[None, None]
        of_own = jnp.einsum("bkf,bcf->bkc", x, own_kernel, **float32) + own_bias[:, None]
        return jnp.concatenate([found, of_own], axis=-1)

    return own_words, scores


def shortlist_for(
    sources: Int[np.ndarray, "B S"],
    lengths: Int[np.ndarray, " B"],
    frequent: int,
    vocabulary: int,
    lexicon: Int[np.ndarray, "words translations"] | None,
) -> Shortlist:
    """The frequent words, and each source's likely translations that are not frequent anyway.

    C is one of few widths, each compiled once: it holds the longest list of the batch, and is at
    most S × translations and the number of words that are not frequent. frequent: 0, or as many as
    the vocabulary has: any word, without candidates.

    Raises:
      ValueError: not all words are frequent, and there is no lexicon.
    """
    if not 0 < frequent < vocabulary:
        return Shortlist(np.zeros((len(sources), 0), np.int32), vocabulary)
    if lexicon is None:
        raise ValueError("decoding.shortlist needs a lexicon")
    own = [np.unique(lexicon[row[:n]]) for row, n in zip(sources, lengths, strict=True)]
    own = [words[words >= frequent] for words in own]
    widest = min(sources.shape[1] * lexicon.shape[1], vocabulary - frequent)
    width = min(widest, enlarged(FEWEST_CANDIDATES, max(map(len, own))))
    return Shortlist(pad(own, len(own), width)[0], frequent)
