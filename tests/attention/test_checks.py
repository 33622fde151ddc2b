"""What cannot be is said: lengths whose values are known, a memory of another attention, shapes,
and rules that a part of one's own breaks."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import fa_jax
from fa_jax.attention.attention_config import title_of
from fa_jax.attention.checks import check_array

B, S, D = 3, 5, 4
ANNOTATIONS = jnp.ones((B, S, D))
SIZES = {"query_size": 2, "memory_size": D, "feedback_size": 3, "attention_size": 2}
LENGTHS = jnp.array([S, 2, 1])
CONFIGS = [
    fa_jax.AttentionConfig(fa_jax.Location(positions=8), "flexible"),
    fa_jax.AttentionConfig("tensor", "global"),
    fa_jax.AttentionConfig("concat", "monotonic_chunkwise"),
    fa_jax.AttentionConfig("general", "none"),
]


@pytest.fixture(scope="module")
def params():
    return fa_jax.init_flexible_attention(jax.random.key(0), **SIZES)


def step(params, memory):
    query, feedback, focus = jnp.ones((B, 2)), jnp.ones((B, 3)), jnp.zeros(B)
    return fa_jax.flexible_attention(params, query, feedback, focus, memory).context


def attended(config, params, memory, implementation=None):
    """A step; the query is as long as an annotation, for scores that multiply them."""
    query, feedback = jnp.ones((B, D)), jnp.ones((B, 3))
    state = fa_jax.initial_attention_state(memory, config)
    inputs = query, feedback, state, memory
    return fa_jax.attend(params, config, *inputs, implementation=implementation)


@pytest.mark.parametrize("wrong", [S + 1, -1])
def test_a_length_that_cannot_be_is_named(params, wrong):
    words = rf"lengths\[1\] must be from 0 to {S}, .*got {wrong}"
    with pytest.raises(ValueError, match=words):
        fa_jax.prepare_memory(params, ANNOTATIONS, jnp.array([S, wrong, wrong]))
    memory = fa_jax.prepare_memory(params, ANNOTATIONS, jnp.array([S, 0, 1]))
    with pytest.raises(ValueError, match=f"memory.{words}"):
        step(params, memory.replace(lengths=jnp.array([S, wrong, 0])))


def test_of_a_bias_row_and_query_are_named():
    strength = jnp.ones((2, 3))
    with pytest.raises(ValueError, match=rf"lengths\[1, 0\] must be from 0 to {S}, .*got 9"):
        fa_jax.flexible_bias(strength, strength, jnp.array([[S], [9]]), S)


def test_traced_lengths_pass(params):
    @jax.jit
    def traced(lengths):
        return step(params, fa_jax.prepare_memory(params, ANNOTATIONS, lengths))

    assert np.isfinite(traced(jnp.array([S + 4, S, 1]))[1:]).all()


@pytest.mark.parametrize("config", CONFIGS, ids=title_of)
def test_a_memory_of_another_attention_is_named(config):
    params = fa_jax.init_attention(jax.random.key(0), config, **SIZES)
    memory = fa_jax.prepare_memory(params, ANNOTATIONS, LENGTHS)
    words = f"prepared for Concat under Flexible, and this step is of {title_of(config)}: .*config"
    with pytest.raises(ValueError, match=words):
        attended(config, params, memory)


def test_a_memory_names_its_attention_wherever_it_passes(params):
    memory = jax.jit(jax.vmap(lambda x: fa_jax.prepare_memory(params, x[None], LENGTHS[:1])))
    passed = jax.tree.map(jnp.asarray, memory(ANNOTATIONS))
    here = fa_jax.prepare_memory(params, ANNOTATIONS, LENGTHS)
    assert passed.attention == here.attention == "Concat under Flexible"
    by_hand = fa_jax.Memory(ANNOTATIONS, ANNOTATIONS, LENGTHS)
    assert attended(fa_jax.AttentionConfig("dot", "global"), {"score": {}}, by_hand)


def test_sizes_that_may_be_any_have_the_letters_of_the_pages():
    with pytest.raises(ValueError, match=r"annotations must have shape \[B, S, 4\], got \[5, 4\]"):
        check_array("annotations", ANNOTATIONS[0], ("B", "S", D), jnp.floating)


@pytest.mark.parametrize(
    ("span", "entry"),
    [
        ("flexible", "strength"),
        ("local_p", "position"),
        ("adaptive", "extent"),
        ("monotonic_chunkwise", "stop"),
    ],
)
def test_parameters_without_the_spans_network_are_named(span, entry):
    config = fa_jax.AttentionConfig("dot", span)
    by_hand = fa_jax.Memory(ANNOTATIONS, ANNOTATIONS, LENGTHS)
    with pytest.raises(ValueError, match=f"params has no entry '{entry}', only 'score': hand in"):
        attended(config, {"score": {}}, by_hand)


class Turned(fa_jax.Score):
    def evaluate(self, params, query, keys, state):
        return jnp.einsum("nkd,nsd->nsk", query, keys)


class Unscored(fa_jax.Score):
    pass


class Unlimited(fa_jax.Span):
    pass


class Halves(Unlimited):
    def reach(self, step):
        return fa_jax.Reach(step.state.focus - 0.5, step.state.focus + 0.5)


class Pair(Unlimited):
    def reach(self, step):
        return step.state.step, step.state.step


@pytest.mark.parametrize("implementation", ["dense", "windowed"])
@pytest.mark.parametrize(
    ("score", "span", "words"),
    [
        (
            Turned(),
            "local_m",
            r"Turned.evaluate must return scores \[N, K, S\] .* \[.*\] here, got",
        ),
        (Unscored(), "local_m", r"Unscored must define evaluate\(self, params, query, keys, state"),
        ("dot", Unlimited(), r"Unlimited must define reach\(self, step\), .* fa_jax.Reach"),
        ("dot", Halves(), "first of Halves.reach must be an array of integer numbers, got float32"),
        ("dot", Pair(), "Pair.reach must return a fa_jax.Reach, got tuple"),
    ],
)
def test_a_rule_that_a_part_of_ones_own_breaks_is_named(score, span, words, implementation):
    config, params = fa_jax.AttentionConfig(score, span), {"score": {}}
    memory = fa_jax.prepare_memory(params, ANNOTATIONS, LENGTHS, config)
    with pytest.raises((ValueError, TypeError, NotImplementedError), match=words):
        attended(config, params, memory, implementation)
