"""What a search is compiled for, as it follows from models and a user's settings."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from fa_jax.attention.implementation import for_search
from fa_jax.config import DecodingConfig, ModelConfig
from fa_jax.decoding.local_devices import TrainedModel


@dataclass(frozen=True)
class SearchSettings:
    """What a search is compiled for.

    configs: of each model: one, or an ensemble with one target vocabulary. frequent: words of the
    vocabulary, from the first one on, that any translation may use. beam_size: K. max_length: L, no
    translation may have more words. n_best: the search of a sentence goes on until so many
    hypotheses are safe. forbidden: words that no translation has, among the first 64.
    implementation: of attention; None: it chooses. output_dtype: of the output layer's products;
    "model": the model's.
    """

    configs: tuple[ModelConfig, ...]
    frequent: int
    beam_size: int
    max_length: int = 0
    n_best: int = 1
    forbidden: tuple[int, ...] = ()
    implementation: str | None = None
    output_dtype: str = "model"


def search_settings(
    members: Sequence[TrainedModel], decoding: DecodingConfig, **options: Any
) -> SearchSettings:
    """How these models search together. options: what `decoding` does not say."""
    vocabulary = members[0].vocabulary
    implementation = decoding.implementation
    if implementation == "auto":
        implementation = for_search([member.config.attention for member in members])
    return SearchSettings(
        configs=tuple(member.config for member in members),
        frequent=min(decoding.shortlist or vocabulary, vocabulary),
        beam_size=min(decoding.beam_size, vocabulary),
        implementation=implementation,
        output_dtype=decoding.output_dtype,
        **options,
    )
