"""Batches: every sentence once, few shapes, the same order again from any place."""

import itertools
import math
import operator
from functools import partial

import numpy as np
import pytest

from fa_jax.data import batches
from fa_jax.data.batches import (
    WORTH_COMPILING,
    WORTH_COMPILING_ON_ACCELERATORS,
    epoch_order,
    make_batch,
    merge_shapes,
    plan_batches,
    prefetch,
)
from fa_jax.data.encoded import EncodedPairs, EncodedTexts
from fa_jax.errors import UserError


def lengths(count=1000, seed=0):
    random = np.random.default_rng(seed)
    source = random.integers(0, 70, count)
    return source, np.clip(source + random.integers(-8, 9, count), 0, None)


def plan(source, target, **changes):
    options = {"batch_size": 64, "max_length": 50, "padded_shapes": 5}
    options |= {"steps": lambda epoch: math.inf, "worth_compiling": WORTH_COMPILING} | changes
    return plan_batches(np.stack([source, target]), **options)


def test_every_fitting_sentence_stands_in_one_batch():
    source, target = lengths()
    rows = plan(source, target).rows
    fitting = (np.maximum(source, target) <= 50) & (np.minimum(source, target) > 0)
    assert sorted(rows[rows >= 0]) == np.flatnonzero(fitting).tolist()


def test_shapes_are_few_and_hold_their_sentences():
    source, target = lengths()
    made = plan(source, target)
    assert len(np.unique(made.shapes, axis=0)) <= 5
    for rows, (s, t) in zip(made.rows, made.shapes, strict=True):
        assert source[rows[rows >= 0]].max() <= s
        assert target[rows[rows >= 0]].max() + 1 <= t


def test_merging_takes_the_pair_that_pads_least():
    needed = np.array([[4, 4], [5, 4], [20, 20]])
    assert merge_shapes(needed, 2).tolist() == [[5, 4], [5, 4], [20, 20]]
    assert merge_shapes(needed, 9).tolist() == needed.tolist()


def padded(needed, count):
    """Padded positions; each batch's shape must hold it, and there must be at most `count`."""
    shapes = merge_shapes(needed, count)
    assert (shapes >= needed).all()
    assert len(np.unique(shapes, axis=0)) <= count
    return shapes.sum()


def like_text(random, longest, count):
    """Lengths of two sides that go together; as many different ones as there are batches."""
    source = random.integers(1, longest, 3 * count)
    target = np.clip(source + random.normal(0, source / 5 + 1, 3 * count), 1, None)
    different = np.unique(np.stack([source, target.astype(int)], axis=1), axis=0)
    return random.permutation(different)[:count]


def greedy(needed, count, worth=0):
    """The definition: each pair is looked at each time; of equal ones the first is merged."""
    shapes = [[*shape, needed.count(shape)] for shape in sorted(set(needed))]
    became = {shape: number for number, shape in enumerate(sorted(set(needed)))}
    alive = list(range(len(shapes)))
    while len(alive) > 1:
        costs = []
        for i, j in itertools.combinations(alive, 2):
            (s, t, n), (u, v, m) = shapes[i], shapes[j]
            joint = max(s, u) + max(t, v)
            costs.append((joint * (n + m) - (s + t) * n - (u + v) * m, i, j))
        cost, i, j = min(costs)
        if len(alive) <= count and cost >= worth:
            break
        shapes[i] = [*map(max, shapes[i][:2], shapes[j][:2]), shapes[i][2] + shapes[j][2]]
        became = {shape: i if number == j else number for shape, number in became.items()}
        alive.remove(j)
    return [shapes[became[shape]][:2] for shape in needed]


@pytest.mark.parametrize("seed", range(20))
def test_merging_is_greedy(seed):
    random = np.random.default_rng(seed)
    needed = random.integers(1, (3, 6, 15, 60)[seed % 4], (random.integers(1, 60), 2))
    for count, worth in [(1, 0), (2, 0), (5, 0), (12, 0), (12, 9), (60, 30), (60, 300)]:
        merged = merge_shapes(needed, count, worth)
        assert merged.tolist() == greedy([*map(tuple, needed)], count, worth)


@pytest.mark.parametrize("worth", [WORTH_COMPILING, WORTH_COMPILING_ON_ACCELERATORS])
def test_a_short_training_compiles_only_what_saves_more_than_it_costs(worth):
    source, target = lengths()
    counts = []
    for epochs in (1, 10, 100, 1000):
        steps = partial(operator.mul, epochs * worth // WORTH_COMPILING)
        made = plan(source, target, padded_shapes=12, steps=steps, worth_compiling=worth)
        counts.append(len(np.unique(made.shapes, axis=0)))
        learnt = steps(64) * made.shapes.sum()
        for fixed in (1, 12):
            shapes = plan(source, target, padded_shapes=fixed).shapes
            assert learnt + worth * counts[-1] <= (
                steps(64) * shapes.sum() + worth * len(np.unique(shapes, axis=0))
            )
    assert counts[0] == 1 and counts == sorted(set(counts))


def test_five_hundred_shapes_are_merged_exactly(monkeypatch):
    needed = like_text(np.random.default_rng(0), 200, 500)
    assert len(needed) == 500
    merged = merge_shapes(needed, 12)
    monkeypatch.setattr(batches, "DISTINCT_SHAPES", len(needed))
    assert merge_shapes(needed, 12).tolist() == merged.tolist()


@pytest.mark.parametrize("distinct", [50, 100, 200])
def test_shapes_that_are_rounded_before_they_are_merged_pad_little_more(distinct, monkeypatch):
    random = np.random.default_rng(1)
    both = like_text(random, 100, 600), random.integers(1, 50, (600, 2))
    exactly = [padded(needed, 12) for needed in both]
    monkeypatch.setattr(batches, "DISTINCT_SHAPES", distinct)
    for needed, least in zip(both, exactly, strict=True):
        assert padded(needed, 12) < 1.04 * least


@pytest.mark.parametrize("count", [1, 12, 3_990, 5_000])
def test_four_thousand_shapes(count):
    """Takes seconds at most; with each pair looked at each time, hours."""
    needed = like_text(np.random.default_rng(2), 800, 4_000)
    assert len(needed) == 4_000
    assert padded(needed, count) >= needed.sum()


def test_orders_differ_by_epoch_and_seed_and_repeat():
    made = plan(*lengths())
    orders = [epoch_order(made, seed, epoch).tolist() for seed in (0, 1) for epoch in (0, 1)]
    assert all(sorted(order) == list(range(len(made))) for order in orders)
    assert len({tuple(order) for order in orders}) == 4
    assert epoch_order(made, 1, 1).tolist() == orders[3]


def test_a_batch_holds_its_sentences_and_empty_rows():
    source = EncodedTexts(np.array([5, 6, 7, 8, 9], np.int32), np.array([0, 2, 5]))
    target = EncodedTexts(np.array([4, 4, 4, 5], np.int32), np.array([0, 3, 4]))
    made = plan(source.lengths, target.lengths, batch_size=3)
    batch = make_batch(EncodedPairs(source, target), made, 0, np.ones(len(source), int))
    assert batch.source.shape == (3, 3)
    assert batch.target.shape == (3, 4)
    order = np.argsort(batch.ids)
    assert batch.ids[order].tolist() == [-1, 0, 1]
    assert batch.source[order].tolist() == [[0, 0, 0], [5, 6, 0], [7, 8, 9]]
    assert batch.target[order].tolist() == [[0, 0, 0, 0], [4, 4, 4, 2], [5, 2, 0, 0]]
    assert batch.target_lengths[order].tolist() == [0, 4, 2]


def test_nothing_left_says_why():
    with pytest.raises(UserError, match=r"of 2 .* 1 with more than 50 tokens .* 1 with an empty"):
        plan(np.array([60, 0]), np.array([3, 4]))


def test_prefetch_keeps_order_and_raises_what_its_source_raises():
    def broken():
        yield from range(5)
        raise RuntimeError("broken")

    assert list(prefetch(range(100))) == list(range(100))
    found = []
    with pytest.raises(RuntimeError, match="broken"):
        for item in prefetch(broken()):
            found.append(item)
    assert found == list(range(5))
    endless = prefetch(iter(int, 1))
    next(endless)
    endless.close()
