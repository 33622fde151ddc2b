"""How much attention is helped: as long as it moves little, and when it has lost its way."""

import jax
import jax.numpy as jnp
import pytest

from fa_jax.training.alignment import ALIGNED, COVERED, Alignment


def after(alignment, moved, covered, batches=1000):
    """Many batches of three sentences, of an even walk's variance 2."""
    batch = jnp.array([2 * moved, 2 * covered, 2.0])
    return jax.lax.fori_loop(0, batches, lambda _, before: before.after(*batch), alignment)


def helped(alignment):
    """What spans are left out of, and how much attention is led."""
    return pytest.approx((float(alignment.missing), float(alignment.lost)), abs=1e-3)


def test_spans_are_left_out_until_attention_moves():
    first = Alignment.first()
    assert helped(first) == (1, 0)
    assert helped(after(first, ALIGNED / 2, 1.0)) == (0.5, 0)
    assert helped(after(first, 0.9, 1.0)) == (0, 0)


def test_attention_that_has_lost_its_way_is_led():
    """It moves enough, but about one place; and so does attention that once was learnt."""
    for before in (Alignment.first(), Alignment.learnt()):
        assert helped(after(before, ALIGNED, COVERED / 4)) == (0.75, 0.75)
        assert helped(after(before, ALIGNED, 1.0)) == (0, 0)
    assert helped(Alignment.learnt()) == (0, 0)


def test_a_batch_without_a_walk_says_nothing():
    """Of sentences of one token, or of attention that is not led."""
    before = after(Alignment.first(), 0.1, 0.4)
    unchanged = float(before.missing), float(before.lost)
    assert helped(before.after(*jnp.zeros(3))) == unchanged
