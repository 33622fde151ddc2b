"""Words that a translation may use: the frequent ones and its source's likely translations.

The output layer is computed for them alone (L'Hostis et al. 2016). The frequent words are one
product for all sentences; a sentence's own candidates are few enough for a product each.
"""

import itertools
from collections.abc import Sequence

import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Float, Int

from fa_jax.data.batches import pad
from fa_jax.data.vocabulary import PAD
from fa_jax.decoding.continuations import GROUP
from fa_jax.decoding.local_devices import enlarged
from fa_jax.model.encoder_decoder import Params

OwnWords = tuple[Int[Array, "B C"], Float[Array, "B C F"], Float[Array, "B C"]]
"""Candidates of each sentence, PAD where it has fewer; the output layer's kernel and bias for
them."""


class OutputLayer:
    """The output layer of a list's words alone.

    output: kernel [F, V] and bias [V] of the decoder. frequent: words of every list, the first of
    the vocabulary, which is sorted by frequency. dtype: of the products; "model": theirs.
    """

    def __init__(self, output: Params, frequent: int, dtype: str = "model"):
        kernel = output["kernel"] if dtype == "model" else output["kernel"].astype(dtype)
        bias = output["bias"].astype(jnp.float32)
        empty = -frequent % GROUP  # places behind the frequent words: a list has whole groups
        self._kernel, self._bias = kernel, bias
        self._frequent, self._first_own = frequent, frequent + empty
        self._of_frequent = jnp.pad(kernel[:, :frequent], ((0, 0), (0, empty)))
        self._bias_of_frequent = jnp.pad(bias[:frequent], (0, empty), constant_values=-jnp.inf)

    def own_words(self, own: Int[Array, "B C"]) -> OwnWords:
        """The part for sentences with these candidates."""
        return own, self._kernel.T[own], jnp.where(own == PAD, -jnp.inf, self._bias[own])

    def scores(self, x: Float[Array, "B K F"], own: OwnWords) -> Float[Array, "B K L"]:
        """Of the words of the list, which share all probability; -inf at its empty places. x: what
        the layer reads."""
        _, own_kernel, own_bias = own
        float32 = {"preferred_element_type": jnp.float32}
        x = x.astype(self._kernel.dtype)
        flat = x.reshape(-1, x.shape[-1])  # one product for all sentences
        found = jnp.matmul(flat, self._of_frequent, **float32)
        found = found.reshape(*x.shape[:2], -1) + self._bias_of_frequent[None, None]
        of_own = jnp.einsum("bkf,bcf->bkc", x, own_kernel, **float32) + own_bias[:, None]
        return jnp.concatenate([found, of_own], axis=-1)

    def words(self, chosen: Int[Array, "B K"], own: OwnWords) -> Int[Array, "B K"]:
        """The vocabulary's numbers of places in the list."""
        of_own = jnp.take_along_axis(own[0], chosen - self._first_own, axis=1)
        return jnp.where(chosen < self._frequent, chosen, of_own)

    def places(self, words: Int[Array, "B N"], own: OwnWords) -> Int[Array, "B N"]:
        """Where words of the vocabulary stand in the list, which has them."""
        if not own[0].shape[1]:
            return words
        among_own = (own[0][:, None] == words[..., None]).argmax(-1).astype(words.dtype)
        return jnp.where(words < self._frequent, words, self._first_own + among_own)

    def listed(self, values: Bool[Array, " V"], own: OwnWords) -> Bool[Array, "B L"]:
        """Of the list's words, from those of the vocabulary; False at its empty places."""
        of_frequent = jnp.pad(values[: self._frequent], (0, self._first_own - self._frequent))
        of_frequent = jnp.broadcast_to(of_frequent, (len(own[0]), self._first_own))
        return jnp.concatenate([of_frequent, values[own[0]]], axis=1)


def candidates_for(
    sources: Int[np.ndarray, "B S"],
    lengths: Int[np.ndarray, " B"],
    frequent: int,
    vocabulary: int,
    lexicon: Int[np.ndarray, "words translations"] | None,
    wanted: Sequence[Sequence[int]] = (),
) -> Int[np.ndarray, "B C"]:
    """Each source's likely translations that are not frequent anyway; PAD where there are fewer.

    C is one of few widths, each compiled once: it holds the longest list of the batch, and has
    whole groups. Where as many words are frequent as the vocabulary has, it is 0. wanted: further
    words of each source; none for the last ones.

    Raises:
      ValueError: not all words are frequent, and there is no lexicon.
    """
    if frequent == vocabulary:
        return np.zeros((len(sources), 0), np.int32)
    if lexicon is None:
        raise ValueError("decoding.shortlist needs a lexicon")
    each = itertools.zip_longest(sources, lengths, wanted, fillvalue=())
    own = [np.union1d(lexicon[row[:n]], np.array(more, np.int32)) for row, n, more in each]
    own = [words[words >= frequent] for words in own]
    return pad(own, len(own), enlarged(GROUP, max(map(len, own))))[0]
