"""Pictures as files; what they show is looked at."""

from dataclasses import replace

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from experiments.pictures import plot_alignment, plot_dimensions, plot_span_grid
from fa_jax.decoding.forced import SpanTrace
from fa_jax.errors import UserError
from fa_jax.plots import plot_spans, plot_training

ROWS = [
    {"step": step, "loss_per_token": 1 / step, "strength": 0.1, "tokens_per_second": 9.0}
    for step in (20, 40)
] + [{"step": 40, "validation_bleu": 3.0}]


@pytest.mark.parametrize(("name", "begins"), [("a.png", b"\x89PNG"), ("a.svg", b"<?xml")])
def test_the_suffix_says_which_kind(name, begins, tmp_path):
    plot_training(ROWS, tmp_path / name)
    assert (tmp_path / name).read_bytes().startswith(begins)
    assert [path.name for path in tmp_path.iterdir()] == [name]


def test_a_picture_that_fails_leaves_the_old_one(tmp_path, monkeypatch):
    path = tmp_path / "a.png"
    path.write_bytes(b"old")

    def fail(figure, to, **options):
        with to.open("wb") if hasattr(to, "open") else to as file:
            file.write(b"half")
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Figure, "savefig", fail)
    with pytest.raises(OSError, match="No space left"):
        plot_training(ROWS, path)
    assert path.read_bytes() == b"old"


@pytest.fixture
def alignment():
    """One weight a step, position and dimension."""
    return np.random.default_rng(0).dirichlet(np.ones(4), size=(3, 5)).swapaxes(1, 2)


@pytest.fixture
def trace(alignment):
    return SpanTrace(
        log_probs=np.zeros(3),
        weights=alignment.mean(2),
        windows=np.ones((3, 4), bool),
        focus=np.zeros(3),
        strength=np.zeros(3),
        by_dimension=alignment,
        alternatives=[],
        translation="a b",
        source_tokens=["c", "d", "e", "f"],
        target_tokens=["a", "b", "</s>"],
        threshold=1.2,
    )


@pytest.fixture
def drawn(monkeypatch):
    """The numbers of each heat map, as they are drawn."""
    found = []
    draw = Axes.imshow
    monkeypatch.setattr(Axes, "imshow", lambda *a, **o: found.append(a[1]) or draw(*a, **o))
    return found


def test_summaries_and_slices(alignment, trace, drawn, tmp_path):
    assert alignment.shape == (3, 4, 5)
    plot_alignment(trace, tmp_path / "mean.png")
    plot_dimensions(trace, tmp_path / "words.png", 4)
    for d in range(5):
        plot_alignment(trace, tmp_path / f"{d}.png", d)
    flat, by_word, *slices = drawn
    assert by_word.shape == (4, 4)
    np.testing.assert_allclose(flat.sum(1), 1)
    for t, s, d in np.ndindex(alignment.shape):
        np.testing.assert_allclose(flat[t, s], sum(alignment[t, s, i] for i in range(5)) / 5)
        assert slices[d][t, s] == alignment[t, s, d]
        if d < 4:
            np.testing.assert_allclose(by_word[s, d], sum(alignment[i, s, d] for i in range(3)) / 3)


@pytest.mark.parametrize("token", ["$5_", "$$", "$7 or $8", r"\$"])
def test_a_dollar_sign_is_no_formula(token, trace, tmp_path):
    trace = replace(trace, target_tokens=[token, token, "</s>"])
    plot_span_grid([trace], tmp_path / "b.svg")
    with mpl.rc_context({"svg.fonttype": "none"}):
        plot_spans(trace, tmp_path / "a.svg", f"Pay {token} now.")
    assert f">Pay {token} now.<" in (tmp_path / "a.svg").read_text(encoding="utf-8")


@pytest.mark.parametrize("dimension", [-1, 5])
def test_a_dimension_that_is_not_there(dimension, trace, tmp_path):
    with pytest.raises(ValueError, match=f"dimension must be 0 to 4, got {dimension}"):
        plot_alignment(trace, tmp_path / "a.png", dimension)
    assert not list(tmp_path.iterdir())


def test_a_score_of_one_weight_a_position_has_no_dimensions(trace, tmp_path):
    trace = replace(trace, by_dimension=None)
    plot_alignment(trace, tmp_path / "alignment.png")
    assert (tmp_path / "alignment.png").stat().st_size > 5_000
    with pytest.raises(UserError, match="only fine_grained has one a dimension"):
        plot_dimensions(trace, tmp_path / "dimensions.png")
