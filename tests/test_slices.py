"""Windows that a GPU may read in slices, on a CPU."""

from itertools import product

import pytest

from experiments.accelerator.slices import reading_slices
from fa_jax.attention import AttentionConfig, windowed
from tests.test_tiles import distance


@pytest.mark.parametrize(
    ("score", "span"),
    [*product(["concat", "tensor", "fine_grained", "location"], ["flexible"]), ("dot", "local_p")],
)
@pytest.mark.parametrize("widths", [[19], [3, 9, 21]])
def test_slices_agree_with_masking(score, span, widths):
    assert distance(AttentionConfig(score, span), reading_slices(widths)) < 1e-5


def test_slices_that_are_too_narrow_are_seen():
    before = windowed.sums_in_windows
    assert distance(AttentionConfig("concat", "flexible"), reading_slices([2])) > 1e-2
    assert windowed.sums_in_windows is before
