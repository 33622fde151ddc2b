"""Windows that a GPU may read in slices, on a CPU."""

from itertools import product

import pytest

from experiments.accelerator.agreement import Sizes, _attended, _inputs, difference
from experiments.accelerator.slices import reading_slices
from fa_jax.attention import AttentionConfig, windowed

SIZES = Sizes(sentences=2, queries=2, length=21, units=6)


@pytest.mark.parametrize(
    ("score", "span"),
    [*product(["concat", "tensor", "fine_grained", "location"], ["flexible"]), ("dot", "local_p")],
)
@pytest.mark.parametrize("widths", [[19], [3, 9, 21]])
def test_slices_agree_with_masking(score, span, widths):
    config = AttentionConfig(score, span)
    inputs = _inputs(config, SIZES)
    wanted = _attended(config, inputs, "dense", "highest")
    with reading_slices(widths):
        found = _attended(config, inputs, "windowed", "highest")
    assert difference(found, wanted) < 1e-5


def test_slices_that_are_too_narrow_are_seen():
    config = AttentionConfig("concat", "flexible")
    inputs, before = _inputs(config, SIZES), windowed.sums_in_windows
    wanted = _attended(config, inputs, "dense", "highest")
    with reading_slices([2]):
        found = _attended(config, inputs, "windowed", "highest")
    assert difference(found, wanted) > 1e-2 and windowed.sums_in_windows is before
