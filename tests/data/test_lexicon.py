"""The vectorised aligner against nltk's, and what it is for: words find their translations."""

import warnings

import numpy as np

from fa_jax.data.encoded import EncodedPairs, EncodedTexts
from fa_jax.data.lexicon import ITERATIONS, learn_lexicon


def encoded(texts):
    offsets = np.cumsum([0, *map(len, texts)])
    return EncodedTexts(np.concatenate([np.array(t, np.int32) for t in texts]), offsets)


def test_it_is_ibm_model_1():
    rng = np.random.default_rng(0)
    translation = rng.permutation(np.arange(4, 14))
    # No word twice in a sentence: nltk counts such a word's alignments twice.
    sources = [rng.permutation(np.arange(4, 14))[: rng.integers(1, 6)].tolist() for _ in range(60)]
    targets = [[int(translation[w - 4]) for w in rng.permutation(s)] + [14] for s in sources]
    found = learn_lexicon(EncodedPairs(encoded(sources), encoded(targets)), 14, 16, 3)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from nltk.translate import AlignedSent, IBMModel1

        model = IBMModel1(
            [AlignedSent(t, s) for s, t in zip(sources, targets, strict=True)], ITERATIONS
        )
    for word in range(4, 14):
        probabilities = [model.translation_table[t][word] for t in range(15)]
        best = sorted(probabilities, reverse=True)[:3]
        np.testing.assert_allclose([probabilities[t] for t in found[word]], best, atol=1e-9)
        assert found[word, 0] == translation[word - 4]


def test_what_stands_at_the_end_of_a_large_corpus_is_learnt():
    """It is read in part: not its beginning alone."""
    rng = np.random.default_rng(0)
    sources = [rng.integers(4, 10, 5).tolist() for _ in range(1000)]
    for sentence in sources[-100:]:
        sentence[2] = 10
    targets = [[w + 10 for w in sentence] for sentence in sources]
    pairs = EncodedPairs(encoded(sources), encoded(targets))
    read = 250 * 6 * 5
    found = learn_lexicon(pairs, 11, 21, 3, pairs_of_words=read)
    assert found[4:, 0].tolist() == list(range(14, 21))
    assert (found == learn_lexicon(pairs, 11, 21, 3, pairs_of_words=read)).all()
    exactly = [learn_lexicon(pairs, 11, 21, 3, pairs_of_words=n) for n in (1000 * 6 * 5, 10**9)]
    assert (exactly[0] == exactly[1]).all()
    assert (learn_lexicon(pairs, 11, 21, 3, pairs_of_words=29) == 0).all()


def test_words_never_seen_have_none():
    pairs = EncodedPairs(encoded([[4, 5], [4]]), encoded([[6, 7], [6]]))
    found = learn_lexicon(pairs, 9, 9, 4)
    assert found[8].tolist() == [0, 0, 0, 0]
    assert found[4, 0] == 6
