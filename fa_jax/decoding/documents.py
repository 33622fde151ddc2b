"""Beam search through documents, line by line.

A document is read whole. Where a line ends its best translation stays, and the next line is
searched from the state behind it, which knows what was written so far, with the focus in front of
the source's next line. So a hypothesis is never longer than a line, each line has its translation,
and a step costs what it costs in a sentence. Some lines are written at once; the next ones go on
from the states behind them.
"""

from collections.abc import Sequence

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, Int

from fa_jax.data.vocabulary import BEGIN, END
from fa_jax.decoding.beam import Beam, Places
from fa_jax.decoding.beam_search import (
    SHARE_TAKEN_IN,
    Hypotheses,
    Queue,
    free_places,
    new_queue,
    search_while,
    turned_over,
)
from fa_jax.decoding.ensemble import Ensemble, Read
from fa_jax.decoding.search_settings import SearchSettings
from fa_jax.model.decoder import DecoderState
from fa_jax.model.encoder_decoder import Params


def read_documents(
    params: Sequence[Params],
    sources: Sequence[Int[Array, "B S"]],
    lengths: Sequence[Int[Array, " B"]],
    candidates: Int[Array, "B C"],
    *,
    settings: SearchSettings,
) -> list[Read]:
    """What each model knows of each document.

    params, candidates: as of `beam_search`. sources, lengths: the documents as each model reads
    them, with an end of sentence between two lines.
    """
    return Ensemble(params, settings, jnp.inf, many=True).read(sources, lengths, candidates)


def write_lines(
    params: Sequence[Params],
    read: list[Read],
    states: list[DecoderState],
    limits: Int[Array, "B N"],
    fronts: Sequence[Int[Array, "B N"]],
    threshold: float | Float[Array, ""],
    length_exponent: float | Float[Array, ""],
    *,
    settings: SearchSettings,
) -> tuple[Hypotheses, list[DecoderState]]:
    """The best translations of the next N lines of each document, and the states behind them.

    Args:
      read: of `read_documents`. states: its starts; those behind lines, where some are written.
      limits: most words of each line's translation; 0 where a document has no line.
      fronts: of each line the end of sentence in front of it, as each model reads the document; of
        its first line -1.
      params, threshold, length_exponent: as of `beam_search`.
    """
    documents, lines = limits.shape
    beam = Beam(Ensemble(params, settings, threshold, many=True), length_exponent)

    def begin(rows: Int[Array, " R"], line: Int[Array, " R"], states: list[DecoderState]) -> Places:
        """In these documents these lines; nothing where there is no such line.

        Their focus is in front of them, as in training (`line_begins`): what went astray in one
        line does not in the next.
        """
        limit = limits.at[rows, line].get(mode="fill", fill_value=0)
        own = [of.at[rows, line].get(mode="fill", fill_value=-1) for of in fronts]
        number = jnp.where(limit > 0, rows * lines + line, limits.size)
        before = jnp.where(own[0] < 0, BEGIN, END)
        states = [state.looking_at(place) for state, place in zip(states, own, strict=True)]
        return beam.start(number, limit, before, states, goes_on=True)

    def next_lines(queue: Queue) -> Queue:
        """Behind lines that are done the next ones of their documents begin."""
        free = free_places(queue, beam, -(-documents // SHARE_TAKEN_IN))
        done = jax.tree.map(lambda leaf: leaf[free], queue.places)
        begun = begin(free, done.number - free * lines + 1, done.behind)
        return turned_over(queue, free, beam, places=begun)

    def busy(queue: Queue) -> Int[Array, ""]:
        return (queue.places.limits > 0).sum()

    rows = jnp.arange(documents)
    begun = begin(rows, jnp.zeros_like(rows), states)
    queue = jax.lax.while_loop(
        lambda queue: busy(queue) > 0,
        lambda queue: next_lines(search_while(queue, beam, busy(queue))),
        new_queue(beam, begun, read, limits.size),
    )
    found = jax.tree.map(lambda leaf: leaf.reshape(*limits.shape, *leaf.shape[1:]), queue.found)
    return found, queue.places.behind
