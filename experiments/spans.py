"""What does a trained run look at? Draws the vision span of each step over a sentence."""

from pathlib import Path

import tyro

import fa_jax
from fa_jax.plots import plot_spans


def main(
    run: tyro.conf.Positional[Path],
    sentence: str = "Tom hasn't finished all his homework yet.",
    threshold: float = 1.2,
    output: Path = Path("spans.png"),
):
    """Translates a sentence and writes the picture of its windows, weights, focus and strength.

    Args:
      run: a run's folder.
      sentence: source text.
      threshold: tau.
      output: PNG or SVG, by its suffix.
    """
    plot_spans(fa_jax.trace(fa_jax.load_run(run), sentence, threshold=threshold), output)


if __name__ == "__main__":
    tyro.cli(main)
