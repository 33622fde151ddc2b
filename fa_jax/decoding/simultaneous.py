"""Translation while someone speaks: how it would go on, and what of that can be written already.

What was heard is read anew, as a sentence. What was written of its translation stays: the decoder
is fed it again, and goes on with the likeliest words. Each needs a place of the source. Words whose
places lie far enough from the end of what was heard are written; the others wait for more.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Float, Int

from fa_jax.attention import AttentionOutput
from fa_jax.config import DecodingConfig
from fa_jax.data.batches import pad
from fa_jax.data.vocabulary import BEGIN, END, PAD
from fa_jax.decoding.ensemble import Member
from fa_jax.decoding.forced import LOOKED_AT
from fa_jax.decoding.local_devices import (
    SMALLEST_BATCH,
    TrainedModel,
    batch_rows,
    of_each,
    on_local_devices,
    padded_batches,
)
from fa_jax.decoding.search import length_limits
from fa_jax.decoding.search_settings import SearchSettings, search_settings
from fa_jax.model import decoder
from fa_jax.model.encoder_decoder import Params

Policy = Callable[[AttentionOutput, Int[Array, " B"]], Float[Array, " B"]]
PolicyName = Literal["focus", "align-att", "wait-k"]
POLICIES: dict[str, Policy] = {
    "focus": lambda attended, written: attended.state.focus,
    "align-att": lambda attended, written: LOOKED_AT["weight"](attended).astype(jnp.float32),
    "wait-k": lambda attended, written: written.astype(jnp.float32) - 1,
}
"""Which place of the source a step needs, given what attention did and how many tokens of the
translation stand before it: p_t, the highest weight (Papi et al. 2023), or the place of the token
written last, whatever attention does (Ma et al. 2019)."""


@dataclass(frozen=True)
class Continuation:
    """All words of a translation, those that were there before included, without the end of
    sentence. needed: by each policy the place that a word needs; of the end of sentence, too."""

    words: list[int]
    needed: dict[str, Float[np.ndarray, " steps"]]

    def writable(self, policy: str, behind: float, heard: int, written: int) -> list[int]:
        """The words in front of the first new one that must wait. Behind the place that a word
        needs so many tokens, `behind`, must have been heard. The last word waits, too: it ends the
        sentence, as a full stop does. heard, written: tokens so far."""
        safe = self.needed[policy][: len(self.words)] + behind <= heard - 1
        safe[-1:] = False
        safe[:written] = True
        return self.words[: int(np.append(safe, False).argmin())]


def continuations(
    model: TrainedModel,
    decoding: DecodingConfig,
    heard: Sequence[Sequence[int]],
    written: Sequence[Sequence[int]],
    forbidden: Sequence[int] = (),
) -> list[Continuation]:
    """How translations go on if nothing more is said. What is alike is computed once.

    Args:
      heard: of each source. written: of their translations. forbidden: words that none has.
    """
    asked = [(tuple(source), tuple(words)) for source, words in zip(heard, written, strict=True)]
    different = sorted({*asked}, key=lambda one: len(one[1]))  # so that words are known together
    most = batch_rows(len(different), decoding)
    decoding = replace(decoding, implementation="dense")
    settings = search_settings([model], decoding, forbidden=(PAD, BEGIN, *forbidden))
    few = len(different) <= SMALLEST_BATCH
    program = on_local_devices(_go_on, 5, 1, few=few, settings=settings)
    sources, begun = ([one[side] for one in different] for side in (0, 1))
    found = {(): Continuation([], dict.fromkeys(POLICIES, np.zeros(0)))}
    for rows, [(source, lengths)] in padded_batches([sources], lambda *_: most):
        longest = int(length_limits(source.shape[1], decoding))
        before = [begun[row][:longest] if row >= 0 else () for row in rows]
        given = source, lengths, *pad(before, most, longest), length_limits(lengths, decoding)
        gone_on = program(model.on_devices, *given, jnp.float32(decoding.threshold))
        for row, (words, count, needed) in of_each(rows, gone_on):
            found[different[row]] = Continuation(words[:count].tolist(), needed)
    return [found[one if one[0] else ()] for one in asked]


def _go_on(
    params: Params,
    source: Int[Array, "B S"],
    lengths: Int[Array, " B"],
    written: Int[Array, "B L"],
    counts: Int[Array, " B"],
    limits: Int[Array, " B"],
    threshold: Float[Array, ""],
    *,
    settings: SearchSettings,
) -> tuple[Int[Array, "B L"], Int[Array, " B"], dict[str, Float[Array, "B L"]]]:
    """All words, how many, and the places that they need. limits: most words."""
    member = Member(params, *settings.configs, settings, threshold, many=False)
    begin = jnp.full_like(lengths, BEGIN)
    read, _ = member.read(source, lengths, jnp.zeros((len(begin), 0), begin.dtype))

    def likeliest(output: Float[Array, "B H"]) -> Int[Array, " B"]:
        bottleneck = decoder.bottleneck(member.decoder, output)
        logits = decoder.logits(member.decoder, bottleneck)
        return logits.at[:, settings.forbidden].set(-jnp.inf).argmax(1).astype(begin.dtype)

    def step(carry: tuple) -> tuple:
        number, state, last, words, total, needed = carry
        state, attended = member.step(read, state, last, details=True)
        known = number < counts
        best = jax.lax.cond(known.all(), lambda _: begin, likeliest, state.output)
        last = jnp.where(known, words[:, number], best)
        goes_on = (total == number) & (known | ((last != END) & (number < limits)))
        needed = {
            name: places.at[:, number].set(POLICIES[name](attended, jnp.full_like(total, number)))
            for name, places in needed.items()
        }
        words = words.at[:, number].set(last)
        return number + 1, state, last, words, total + goes_on.astype(total.dtype), needed

    def is_open(carry: tuple) -> Bool[Array, ""]:
        number, *_, total, _ = carry
        return (total == number).any() & (number < written.shape[1])

    nothing = {name: jnp.zeros(written.shape, jnp.float32) for name in POLICIES}
    none = jnp.where(lengths > 0, 0, -1).astype(begin.dtype)  # rows that are no sentences are done
    start = jnp.int32(0), read.start, begin, written, none, nothing
    *_, words, total, needed = jax.lax.while_loop(is_open, step, start)
    return words, total, needed
