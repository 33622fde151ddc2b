"""VS Figure 1b: the vision span of each step of one English–Japanese translation."""

from kept_traces import kept_traces
from trained import RESULTS, Trained, announce

from fa_jax.plots import plot_spans

TRAINED = Trained("tatoeba_en_ja", "small-words", finetuned=True)
RUNS = (TRAINED,)


def main():
    """Writes results/figure1.png."""
    (found,) = kept_traces("figure1", TRAINED, lengths=range(12, 15), count=1)
    plot_spans(found, RESULTS / "figure1.png", found.translation)


if __name__ == "__main__":
    announce(RUNS)
    main()
