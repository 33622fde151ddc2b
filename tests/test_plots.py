"""Pictures as files; what they show is looked at."""

import pytest
from matplotlib.figure import Figure

from fa_jax.plots import plot_training

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
