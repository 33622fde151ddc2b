"""Lines that wait together are one batch, and none waits for ever."""

import asyncio
import threading

import pytest

from fa_jax.serving import queue
from fa_jax.serving.queue import Full, LineQueue


class Upper:
    """An order that notes its batches, and waits until it may go on."""

    def __init__(self):
        self.batches, self.may_go = [], threading.Event()

    def __call__(self, lines):
        self.batches.append(list(lines))
        assert self.may_go.wait(10)
        if "bad" in lines:
            raise ValueError("bad")
        return [line.upper() for line in lines]


def during(test, most=100):
    """Runs a test of a queue that works."""

    async def run():
        lines = LineQueue(most)
        work = asyncio.create_task(lines.work())
        try:
            return await asyncio.wait_for(test(lines), 10)
        finally:
            work.cancel()

    return asyncio.run(run())


async def begun(order):
    """Until the order's first batch is at work."""
    while not order.batches:
        await asyncio.sleep(0)


def test_who_comes_while_it_works_makes_one_batch():
    order, other = Upper(), Upper()

    async def test(lines):
        first = asyncio.create_task(lines.ask(order, ["a"]))
        await begun(order)
        later = [lines.ask(order, [letter, letter * 2]) for letter in "bcd"]
        asked = asyncio.gather(first, *later, lines.ask(other, ["x"]))
        await asyncio.sleep(0)
        order.may_go.set(), other.may_go.set()
        return await asked

    assert during(test) == [["A"], ["B", "BB"], ["C", "CC"], ["D", "DD"], ["X"]]
    assert order.batches == [["a"], ["b", "bb", "c", "cc", "d", "dd"]]
    assert other.batches == [["x"]]


def test_a_batch_has_an_end_and_others_get_their_turn(monkeypatch):
    monkeypatch.setattr(queue, "TOGETHER", 3)
    order, other, turns = Upper(), Upper(), []
    order.may_go.set(), other.may_go.set()

    async def test(lines):
        async def ask(wanted, some):
            await lines.ask(wanted, some)
            turns.append("".join(some))

        await asyncio.gather(
            ask(order, ["a", "b"]), ask(order, ["c", "d"]), ask(other, ["x"]), ask(order, [*"efgh"])
        )

    during(test)
    assert turns == ["ab", "x", "cd", "efgh"]


def test_a_long_request_lets_others_pass(monkeypatch):
    monkeypatch.setattr(queue, "LETTERS", 4)
    order = Upper()

    async def test(lines):
        long = asyncio.create_task(lines.ask(order, ["aa", "bb", "cc", "dd"]))
        await begun(order)
        short = asyncio.create_task(lines.ask(order, ["x"]))
        await asyncio.sleep(0)
        order.may_go.set()
        return await asyncio.gather(long, short)

    assert during(test) == [["AA", "BB", "CC", "DD"], ["X"]]
    assert order.batches == [["aa", "bb"], ["x"], ["cc", "dd"]]


def test_of_a_long_request_that_was_given_up_the_rest_is_left(monkeypatch):
    monkeypatch.setattr(queue, "LETTERS", 4)
    order = Upper()

    async def test(lines):
        long = asyncio.create_task(lines.ask(order, ["aa", "bb", "cc", "dd"]))
        await begun(order)
        long.cancel()
        order.may_go.set()
        return await asyncio.gather(*(lines.ask(order, [letter] * 2) for letter in "fg"))

    assert during(test, most=4) == [["F", "F"], ["G", "G"]]  # nobody else waits
    assert order.batches == [["aa", "bb"], ["f", "f", "g", "g"]]


def test_a_batch_ends_with_its_letters_too(monkeypatch):
    monkeypatch.setattr(queue, "LETTERS", 4)
    monkeypatch.setattr(queue, "TOGETHER", 3)
    assert queue.in_pieces([]) == []
    lines = ["aaaaaa", "b", "ccc", "d", "", "", ""]
    assert queue.in_pieces(lines) == [["aaaaaa"], ["b", "ccc"], ["d", "", ""], [""]]


def test_a_request_that_fails_does_not_spoil_the_others():
    order = Upper()
    order.may_go.set()

    async def test(lines):
        asked = [lines.ask(order, [text]) for text in ("a", "bad", "c")]
        return await asyncio.gather(*asked, return_exceptions=True)

    first, error, last = during(test)
    assert (first, last) == (["A"], ["C"]) and isinstance(error, ValueError)


def test_too_many_are_told_so_and_who_left_costs_nothing():
    order = Upper()

    async def test(lines):
        first = asyncio.create_task(lines.ask(order, ["a"]))
        await begun(order)
        large = asyncio.create_task(lines.ask(order, ["b", "c", "d"]))  # nobody waits yet
        await asyncio.sleep(0)
        with pytest.raises(Full):
            await lines.ask(order, ["e"])
        large.cancel()
        order.may_go.set()
        assert await first == ["A"]
        return await lines.ask(order, ["f"])

    assert during(test, most=2) == ["F"]
    assert order.batches == [["a"], ["f"]]
