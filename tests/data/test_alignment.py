"""The vectorised aligner against nltk's, and what it is for: words find their translations."""

import warnings

import numpy as np

from fa_jax.config import DataConfig
from fa_jax.data import alignment
from fa_jax.data.alignment import ITERATIONS, learn_dictionary, learn_lexicon
from fa_jax.data.encoded import EncodedPairs, EncodedTexts
from fa_jax.data.prepared import prepare


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


def test_what_stands_at_the_end_of_a_large_corpus_is_learnt(monkeypatch):
    """It is read in part: not its beginning alone."""
    rng = np.random.default_rng(0)
    sources = [rng.integers(4, 10, 5).tolist() for _ in range(1000)]
    for sentence in sources[-100:]:
        sentence[2] = 10
    targets = [[w + 10 for w in sentence] for sentence in sources]
    pairs = EncodedPairs(encoded(sources), encoded(targets))

    def learnt(read):
        monkeypatch.setattr(alignment, "PAIRS_OF_WORDS", read)
        return learn_lexicon(pairs, 11, 21, 3)

    found = learnt(250 * 6 * 5)
    assert found[4:, 0].tolist() == list(range(14, 21))
    assert (found == learnt(250 * 6 * 5)).all()
    assert (learnt(1000 * 6 * 5) == learnt(10**9)).all()
    assert (learnt(29) == 0).all()


def test_a_pair_that_is_too_long_leaves_room_for_the_others(monkeypatch):
    monkeypatch.setattr(alignment, "PAIRS_OF_WORDS", 10_000)
    long, short = [4, 5] * 100, [[4, 5], [4], [5]] * 9
    pairs = EncodedPairs(encoded([long, *short]), encoded([long, *short]))
    assert learn_lexicon(pairs, 6, 6, 1)[4:, 0].tolist() == [4, 5]


def test_words_never_seen_have_none():
    pairs = EncodedPairs(encoded([[4, 5], [4]]), encoded([[6, 7], [6]]))
    found = learn_lexicon(pairs, 9, 9, 4)
    assert found[8].tolist() == [0, 0, 0, 0]
    assert found[4, 0] == 6


def write(folder, pairs):
    for split, chosen in {"train": pairs, "validation": pairs[:2], "test": pairs[:2]}.items():
        lines = "".join(f"{source}\t{target}\n" for source, target in [("de", "en"), *chosen])
        (folder / f"{split}.tsv").write_text(lines, encoding="utf-8")


def test_a_rare_word_is_translated_by_what_it_stands_beside_and_a_name_is_copied(tmp_path):
    """Frequent words are known: none of them is what an unknown word stands for."""
    rng = np.random.default_rng(0)
    common = {f"wort{n}": f"word{n}" for n in range(6)}
    rare = {f"selten{n}": f"scarce{n}" for n in range(20)} | {"Petra": "Petra"}
    pairs = []
    for source, target in [*rare.items(), *rare.items()]:
        beside = rng.choice([*common], 3, replace=False).tolist()
        pairs.append((" ".join([*beside, source]), " ".join([target, *map(common.get, beside)])))
    write(tmp_path, pairs)
    config = DataConfig(
        languages="de-en",
        corpus=str(tmp_path),
        tokenizer="word",
        source_vocabulary=10,
        target_vocabulary=10,
    )
    found = learn_dictionary(config, prepare(config).target)
    assert {word: found.get(word, word) for word in rare} == rare
    assert "Petra" not in found and not {*found.values()} & {*common.values()}
