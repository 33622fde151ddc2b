"""How much attention is helped: as long as it moves little, and whenever it has lost its way."""

import jax
import jax.numpy as jnp
import pytest

from fa_jax.training.alignment import ALIGNED, COVERED, LED, Alignment


def after(alignment, moved, covered, batches=1000):
    """Many batches of three sentences, of an even walk's variance 2."""
    batch = jnp.array([2 * moved, 2 * covered, 2.0])
    return jax.lax.fori_loop(0, batches, lambda _, before: before.after(*batch), alignment)


def helped(alignment, step):
    """What spans are left out of, and how much attention is led."""
    found = alignment.missing, alignment.led(jnp.int32(step))
    return pytest.approx(tuple(map(float, found)), abs=1e-3)


def test_attention_is_led_only_at_the_beginning_and_until_it_moves():
    first = Alignment.first(1000)
    assert helped(first, 0) == (1, 1)
    assert helped(after(first, ALIGNED / 2, 1.0), 1000 * LED - 1) == (0.5, 0.5)
    assert helped(after(first, ALIGNED / 2, 1.0), 1000 * LED) == (0.5, 0)
    assert helped(after(first, 0.9, 1.0), 0) == (0, 0)


def test_attention_that_has_lost_its_way_is_led_at_any_time():
    """It moves enough, but about one place; and so does attention that once was learnt."""
    for before in (Alignment.first(1000), Alignment.learnt()):
        lost = after(before, ALIGNED, COVERED / 4)
        assert helped(lost, 999) == (0.75, 0.75)
        assert helped(after(lost, ALIGNED, 1.0), 999) == (0, 0)
    assert helped(Alignment.learnt(), 0) == (0, 0)


def test_a_batch_without_a_walk_says_nothing():
    """Of sentences of one token, or of attention that is not led."""
    before = after(Alignment.first(1000), 0.1, 0.9)
    unchanged = float(before.missing), float(before.led(jnp.int32(0)))
    assert helped(before.after(*jnp.zeros(3)), 0) == unchanged
