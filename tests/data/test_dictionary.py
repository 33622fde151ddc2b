"""A dictionary of rare words, learnt on a corpus whose words are known to go together."""

import numpy as np

from fa_jax.config import DataConfig
from fa_jax.data.dictionary import learn_dictionary
from fa_jax.data.prepared import prepare


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
