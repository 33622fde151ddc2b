"""Words are put together from tokens, and so is how sure they are."""

import numpy as np
import pytest

from fa_jax.runs.translate import word_confidences


@pytest.mark.parametrize(
    ("tokens", "language", "words"),
    [
        ("▁I ▁li ke ▁cats . </s>", "en", {"I": [0], "like": [1, 2], "cats.": [3, 4]}),
        ("▁A . </s> ▁B </s>", "en", {"A.": [0, 1], "B": [3]}),
        ("a ▁ b c </s>", "en", {"a": [0], "bc": [1, 2, 3]}),
        ("I like cats </s>", "en", {"I": [0], "like": [1], "cats": [2]}),
        ("▁猫 が </s>", "ja", {"猫": [0], "が": [1]}),
        ("</s>", "en", {}),
    ],
)
def test_of_each_word_the_geometric_mean_of_its_tokens(tokens, language, words):
    tokens = tokens.split()
    p = np.linspace(0.9, 0.2, len(tokens))
    found = word_confidences(tokens, np.log(p).tolist(), language)
    assert [word for word, _ in found] == [*words]
    expected = [p[places].prod() ** (1 / len(places)) for places in words.values()]
    assert [confidence for _, confidence in found] == pytest.approx(expected)
