"""Passages: all sentences of a document in their order, none of two documents together."""

import numpy as np

from fa_jax.data.batches import make_batch, plan_passages
from fa_jax.data.encoded import EncodedPairs, EncodedTexts
from fa_jax.data.passages import cut_passages
from fa_jax.data.vocabulary import END

LONGEST = 30


def corpus(count=400, seed=0):
    """Sentences of words that tell whose they are; the documents' boundaries."""
    random = np.random.default_rng(seed)
    source = random.integers(1, 12, count)
    target = np.clip(source + random.integers(-2, 3, count), 1, None)
    source[50], target[51], source[60] = 0, 0, LONGEST + 1

    def texts(lengths):
        return EncodedTexts(
            np.repeat(np.arange(count) + 10, lengths).astype(np.int32),
            np.append(0, np.cumsum(lengths)),
        )

    return EncodedPairs(texts(source), texts(target)), np.array([0, 1, 40, 300, count])


def cut(epoch=0, seed=0):
    pairs, documents = corpus()
    return (
        pairs,
        documents,
        cut_passages(pairs, documents, max_length=LONGEST, seed=seed, epoch=epoch),
    )


def words(tokens):
    return tokens[tokens != END].tolist()


def test_each_sentence_that_fits_stands_in_one_passage():
    pairs, documents, found = cut()
    left_out = {50, 51, 60}
    rows = []
    for number, (first, count) in enumerate(zip(found.first, found.sentences, strict=True)):
        own = list(range(first, first + count))
        rows += own
        assert len(set(np.searchsorted(documents, own, side="right").tolist())) == 1
        for side in ("source", "target"):
            passage, texts = getattr(found.pairs, side)[number], getattr(pairs, side)
            assert len(passage) <= LONGEST
            assert words(passage) == [word for row in own for word in texts[row].tolist()]
    assert rows == [row for row in range(400) if row not in left_out]


def test_an_end_stands_between_sentences_and_on_both_sides_alike():
    pairs, _, found = cut()
    kept = whole = 0
    for number, (first, count) in enumerate(zip(found.first, found.sentences, strict=True)):
        behind = []
        for side in ("source", "target"):
            passage, texts = getattr(found.pairs, side)[number], getattr(pairs, side)
            assert passage[-1] != END
            places = np.flatnonzero(passage == END)
            behind.append(passage[places - 1].tolist())
            assert all(texts[row][-1] == row + 10 for row in range(first, first + count))
        assert behind[0] == behind[1]
        kept += len(behind[0])
        whole += count - 1
    assert 0.3 * whole < kept < 0.7 * whole


def test_every_epoch_cuts_anew_and_the_same_again():
    first, again, other, of_other_seed = (
        cut(epoch, seed)[2].first.tolist() for epoch, seed in ((0, 0), (0, 0), (1, 0), (0, 1))
    )
    assert first == again
    assert len({tuple(one) for one in (first, other, of_other_seed)}) == 3


def test_passages_have_batches_of_so_many_tokens():
    _, _, found = cut()
    plan = plan_passages(found.pairs.lengths, tokens=100, max_length=LONGEST, multiple=2)
    _, _, other = cut(1)
    later = plan_passages(other.pairs.lengths, tokens=100, max_length=LONGEST, multiple=2)
    shapes = {tuple(shape) for of in (plan, later) for shape in of.shapes.tolist()}
    assert len(shapes) <= 6
    assert sorted(np.concatenate(plan.rows)[np.concatenate(plan.rows) >= 0]) == [
        *range(len(found.first))
    ]
    for index, rows in enumerate(plan.rows):
        assert len(rows) % 2 == 0
        assert len(rows) * plan.shapes[index, 0] <= max(100, 2 * plan.shapes[index, 0])
        batch = make_batch(found.pairs, plan, index, found.sentences)
        assert batch.source.shape[1] == plan.shapes[index, 0]
        assert batch.sentences.sum() == found.sentences[rows[rows >= 0]].sum()
