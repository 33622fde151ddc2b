"""Work on all cores gives what one core gives."""

import os
import sys

import pytest

from fa_jax.errors import UserError
from fa_jax.processes import by_beam, on_all_cores


@pytest.mark.parametrize("worth", [False, True])
def test_results_come_in_order(worth):
    found = [*on_all_cores(lambda x: (x * x, os.getpid()), range(9), worth=worth)]
    assert [square for square, _ in found] == [x * x for x in range(9)]
    assert (os.getpid() in {process for _, process in found}) == (not worth)


@pytest.mark.parametrize("worth", [False, True])
def test_an_error_is_raised_here(worth):
    with pytest.raises(ZeroDivisionError):
        [*on_all_cores(lambda x: 1 / x, [1, 0, 2], worth=worth)]


def test_without_beam_its_options_say_how_to_have_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "apache_beam", None)
    with pytest.raises(UserError, match=r"pip install 'fa-jax\[beam\]'"):
        by_beam([])


@pytest.mark.filterwarnings("ignore")  # of Beam
def test_what_beam_does_lies_where_all_find_it(tmp_path):
    """It is no part of what tests need: here where somebody has it."""
    pytest.importorskip("apache_beam")
    share = by_beam(["runner=DirectRunner"])
    done = share(lambda x: (tmp_path / str(x)).write_text("here"), range(5), worth=True)
    assert [*done] == [*range(5)]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["0", "1", "2", "3", "4"]
