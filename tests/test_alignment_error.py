"""The alignment error rate of several lines together, by its definition."""

import pytest

import fa_jax
from experiments.alignment_error import error_rates
from fa_jax.errors import UserError

PAIRS = [
    ("I like cats .", "私 は 猫 が 好き です 。"),
    ("The book on the desk is mine .", "机 の 上 に 本 は 私 の です 。"),
]
SURE, POSSIBLE = ["0-0 2-2 3-6", "1-4 4-0"], ["0p1 1p4", "2p3 5p8"]


def test_rates_are_those_of_the_definition():
    run = fa_jax.load_run("en-ja")
    rates = error_rates(run, PAIRS, [" ".join(line) for line in zip(SURE, POSSIBLE)])
    for by, rate in rates.items():
        found = fa_jax.align(run, PAIRS, by=by, tokenized=True)
        a, s, p = 0, 0, 0
        for one, sure, possible in zip(found, SURE, POSSIBLE, strict=True):
            links, sure = {*str(one).split()}, {*sure.split()}
            a += len(links) + len(sure)
            s += len(links & sure)
            p += len(links & (sure | {*possible.replace("p", "-").split()}))
        assert 0 < rate < 1 and rate == pytest.approx(1 - (s + p) / a)
    exact = error_rates(run, PAIRS, [str(one) for one in found])
    assert exact["focus"] == 0 < exact["weight"]


def test_what_is_no_gold_is_refused():
    with pytest.raises(UserError, match="'1:2' is no link"):
        error_rates(fa_jax.load_run("en-ja"), PAIRS[:1], ["1:2"])
    with pytest.raises(UserError, match="2 pairs, but 1 lines"):
        error_rates(fa_jax.load_run("en-ja"), PAIRS, ["1-2"])
