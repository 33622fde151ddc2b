"""VS Figure 4: vision spans of six long sentences of the German–English development set."""

from kept_traces import kept_traces
from trained import RESULTS, Trained, announce

from fa_jax.plots import plot_span_grid

TRAINED = Trained("bible_de_en", "small-words", finetuned=True)
RUNS = (TRAINED,)


def main():
    """Writes results/figure4.png."""
    found = kept_traces("figure4", TRAINED, lengths=range(22, 27), count=6)
    plot_span_grid(found, RESULTS / "figure4.png")


if __name__ == "__main__":
    announce(RUNS)
    main()
