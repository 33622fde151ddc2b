"""Work on all cores gives what one core gives."""

import os

import pytest

from fa_jax.processes import on_all_cores


@pytest.mark.parametrize("worth", [False, True])
def test_results_come_in_order(worth):
    found = [*on_all_cores(lambda x: (x * x, os.getpid()), range(9), worth=worth)]
    assert [square for square, _ in found] == [x * x for x in range(9)]
    assert (os.getpid() in {process for _, process in found}) == (not worth)


@pytest.mark.parametrize("worth", [False, True])
def test_an_error_is_raised_here(worth):
    with pytest.raises(ZeroDivisionError):
        [*on_all_cores(lambda x: 1 / x, [1, 0, 2], worth=worth)]
