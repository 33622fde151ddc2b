"""A score under a span, as a value."""

import dataclasses

import pytest

import fa_jax


@pytest.mark.parametrize(
    ("parts", "words"),
    [
        ((fa_jax.NoAttention(), "flexible"), r"score.*NoAttention\(\)"),
        (("dot", None), "span.*None"),
        ((fa_jax.Global(), fa_jax.Dot()), r"score.*Global\(\)"),
    ],
)
def test_a_part_in_the_wrong_place_is_named(parts, words):
    with pytest.raises(TypeError, match=f"(?s){words}"):
        fa_jax.AttentionConfig(*parts)


def test_a_name_stands_for_the_value_with_its_defaults():
    for score, of_score in fa_jax.SCORES.items():
        for span, of_span in fa_jax.SPANS.items():
            values = fa_jax.AttentionConfig(of_score(), of_span())
            assert fa_jax.AttentionConfig(score, span) == values


def test_parts_inherit_from_their_base_alone():
    bases = {"SCORES": fa_jax.Score, "SPANS": fa_jax.Span}
    for registry, base in bases.items():
        for kind in getattr(fa_jax, registry).values():
            assert kind.__bases__ == (base,)


def test_config_can_be_static():
    config = fa_jax.AttentionConfig("general", "local_p")
    assert hash(config) == hash(dataclasses.replace(config))
