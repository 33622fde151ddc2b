"""VS Figure 4: vision spans of six long sentences of the German–English development set."""

from kept_traces import kept_traces
from trained import RESULTS, Trained, selected

from fa_jax.data.corpora import load_corpus
from fa_jax.plots import plot_span_grid

SENTENCES = 6
LENGTHS = range(22, 27)
"""Of the sentences, in words: the first six of the development set that are so long."""


TRAINED = Trained("bible_de_en", "small-words", finetuned=True)
RUNS = (TRAINED,)


def main():
    """Writes results/figure4.png."""
    threshold = selected(TRAINED)
    pairs = load_corpus(TRAINED.corpus, TRAINED.languages).validation
    long = [source for source, _ in pairs if len(source.split()) in LENGTHS][:SENTENCES]
    plot_span_grid(kept_traces("figure4", TRAINED, long, threshold), RESULTS / "figure4.png")


if __name__ == "__main__":
    main()
