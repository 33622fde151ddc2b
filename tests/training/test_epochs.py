"""A run's batches: the same from any step on, of sentences and of documents."""

from dataclasses import replace

import jax
import numpy as np
import pytest

from fa_jax.data.prepared import prepare
from fa_jax.errors import UserError
from fa_jax.training.epochs import Epochs
from tests.training.test_failures import setting  # noqa: F401


@pytest.fixture(scope="module")
def of_documents(setting, tmp_path_factory):  # noqa: F811
    """The same text in documents of five sentences."""
    config, data = setting
    folder = tmp_path_factory.mktemp("documents")
    for split in ("train", "validation", "test"):
        pairs = ["\t".join(pair) for pair in getattr(data.corpus, split)]
        pairs = [pair + "\n" * (number % 5 == 4) for number, pair in enumerate(pairs)]
        (folder / f"{split}.tsv").write_text("en\tja\n" + "\n".join(pairs), encoding="utf-8")
    config = replace(
        config, data=replace(config.data, corpus=str(folder), documents=True, max_length=90)
    )
    return config, prepare(config.data)


@pytest.mark.parametrize("documents", [False, True])
def test_a_batch_is_a_function_of_its_step(setting, of_documents, documents):  # noqa: F811
    config, data = of_documents if documents else setting
    all_of_them = list(Epochs(config, data).batches(0, 25))
    assert Epochs(config, data).steps < 20  # more than an epoch
    for (rows, batch), (same_rows, same) in zip(
        all_of_them[13:], Epochs(config, data).batches(13, 25), strict=True
    ):
        np.testing.assert_array_equal(rows, same_rows)
        jax.tree.map(np.testing.assert_array_equal, batch, same)


def test_an_epoch_of_passages_has_every_sentence_once(of_documents):
    config, data = of_documents
    epochs = Epochs(config, data)
    rows, batches = zip(*epochs.batches(0, epochs.steps), strict=True)
    assert sorted(np.concatenate(rows)) == list(range(160))
    assert sum(batch.sentences.sum() for batch in batches) == 160
    assert max(batch.sentences.max() for batch in batches) > 2
    assert epochs.shapes == len({batch.source.shape for batch in batches}) > 1


def test_text_without_documents_says_so(setting):  # noqa: F811
    config, data = setting
    config = replace(config, data=replace(config.data, documents=True))
    with pytest.raises(UserError, match="has no documents: put an empty line between them"):
        Epochs(config, data)
