"""A price settles where windows hold the ordered share of all positions, however batches differ."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from fa_jax.training.price import PRICES, Price


def settled(order, lengths, narrowest=3.0, seed=0):
    """The price, and the share that windows held, after many batches of such source lengths.

    Windows are as wide as a price leaves them, but no narrower than three positions.
    """
    drawn = jnp.asarray(np.random.default_rng(seed).choice(lengths, 6000), jnp.float32)

    def step(price, length):
        window = jnp.clip(length / price.nats, narrowest, length)
        return price.after(window * length, length**2, order), (window * length, length**2)

    price, counted = jax.lax.scan(step, Price.first(), drawn)
    scored, positions = (float(of[-3000:].sum()) for of in counted)
    return float(price.nats), scored / positions


@pytest.mark.parametrize("lengths", [[20], [3, 4, 5, 6, 40], [5] * 9 + [60], [10, 30]])
@pytest.mark.parametrize("order", [0.3, 0.6])
def test_windows_hold_the_ordered_share_of_all_positions(order, lengths):
    _, share = settled(order, lengths)
    assert share == pytest.approx(order, rel=0.1)


def test_an_order_that_cannot_be_met_does_not_run_away_with_the_price():
    """Three of four positions at the least, and a tenth ordered."""
    price, share = settled(0.1, [4])
    assert price == PRICES[1] and share == 0.75
