"""VS Figure 1b: the vision span of each step of one English–Japanese translation."""

from kept_traces import kept_traces
from trained import RESULTS, Trained, selected

from fa_jax.data.corpora import load_corpus
from fa_jax.plots import plot_spans

LENGTHS = range(12, 15)
"""Of the sentence, in words: the first of the development set that is so long."""


TRAINED = Trained("tatoeba_en_ja", "small-words", finetuned=True)
RUNS = (TRAINED,)


def main():
    """Writes results/figure1.png."""
    threshold = selected(TRAINED)
    pairs = load_corpus(TRAINED.corpus, TRAINED.languages).validation
    sentence = next(source for source, _ in pairs if len(source.split()) in LENGTHS)
    (found,) = kept_traces("figure1", TRAINED, [sentence], threshold)
    plot_spans(found, RESULTS / "figure1.png", found.translation)


if __name__ == "__main__":
    main()
