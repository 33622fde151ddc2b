"""Corpora as a user brings them, and every way in which they can be wrong."""

import gzip
import hashlib
import itertools
import lzma

import pytest

from fa_jax.data import corpora
from fa_jax.data.corpora import builders, load_corpus, pairs, repeated, text_files
from fa_jax.errors import UserError

ENGLISH = ["I am here.", "It rains.", "Good night."]
JAPANESE = ["私はここにいる。", "雨が降る。", "おやすみ。"]


@pytest.fixture
def folder(tmp_path):
    folder = tmp_path / "my text"
    folder.mkdir()
    for split in ("train", "validation", "test"):
        write(folder / f"{split}.en", ENGLISH)
        write(folder / f"{split}.ja", JAPANESE)
    return folder


def write(path, lines):
    path.write_text("".join(line + "\n" for line in lines), encoding="utf-8")


def write_table(path, lines):
    """In the place of two files."""
    for language in ("en", "ja"):
        path.with_suffix(f".{language}").unlink()
    write(path, lines)


def message(folder, languages="en-ja"):
    with pytest.raises(UserError) as error:
        load_corpus(str(folder), languages)
    return str(error.value)


@pytest.mark.parametrize(
    ("name", "languages", "sizes", "first"),
    [
        ("", "en-ja", (199_448, 1000, 1000), "Here's to a long and happy life!"),
        ("", "de-en", (63_970, 2000, 2000), "Durch mich regieren Könige, und Fürsten treffen"),
        ("tatoeba_de_en", "en-de", (35_974, 1000, 1000), "The pain has gone."),
        ("bible_de_en_chapters", "de-en", (29_363, 752, 987), "Im Anfang schuf Gott die Himmel"),
    ],
)
def test_embedded_corpora(name, languages, sizes, first):
    corpus = load_corpus(name, languages)
    assert (len(corpus.train), len(corpus.validation), len(corpus.test)) == sizes
    assert corpus.train[0][0].startswith(first)
    assert list(corpus.test)[-1] == corpus.test[sizes[2] - 1]
    with pytest.raises(IndexError):
        corpus.test[sizes[2]]


def test_a_corpus_is_a_folder_and_a_row(monkeypatch):
    assert "no corpus is included for fr-de" in message("", "fr-de")
    monkeypatch.setitem(corpora.EMBEDDED, "one", ("de", "fr"))
    assert "de-en, de-fr, en-ja" in message("", "en-fr")
    monkeypatch.setitem(corpora.EMBEDDED, "two", ("fr", "de"))
    assert corpora.default_corpus(("fr", "de")) == "one+two"
    assert "two has no train set for fr-de" in message("two", "fr-de")


def test_no_sentence_is_in_two_splits():
    corpus = load_corpus("tatoeba_de_en", "de-en")
    train = {side for pair in corpus.train for side in pair}
    assert not any(side in train for pair in corpus.test for side in pair)


def test_test_pairs_that_are_training_pairs_are_counted(folder):
    write(folder / "validation.en", ["It snows.", "Good night."])
    write(folder / "validation.ja", JAPANESE[1:])
    found = repeated(load_corpus(str(folder), "en-ja"))
    assert [line.partition(" pairs are training pairs, too")[0] for line in found] == [
        "1 of 2 validation",
        "3 of 3 test",
    ]


def test_two_files_a_split(folder):
    corpus = load_corpus(str(folder), "en-ja")
    expected = list(zip(ENGLISH, JAPANESE, strict=True))
    assert list(corpus.train) == list(corpus.test) == expected
    assert list(load_corpus(str(folder), "ja-en").train) == [(b, a) for a, b in expected]


def test_tables_compressed_or_not_with_a_header_or_not(tmp_path):
    plain = [f"{a}\t{b}" for a, b in zip(ENGLISH, JAPANESE, strict=True)]
    swapped = [f"{b}\t{a}" for a, b in zip(ENGLISH, JAPANESE, strict=True)]
    write(tmp_path / "train.tsv", ["ja\ten", *swapped])
    with gzip.open(tmp_path / "validation.tsv.gz", "wt", encoding="utf-8") as file:
        file.write("\n".join(["en\tja", *plain]))
    with lzma.open(tmp_path / "test.tsv.xz", "wt", encoding="utf-8") as file:
        file.write("\n".join(plain) + "\n")
    corpus = load_corpus(str(tmp_path), "en-ja")
    expected = list(zip(ENGLISH, JAPANESE, strict=True))
    assert list(corpus.train) == list(corpus.validation) == list(corpus.test) == expected


def test_empty_lines_end_documents_and_are_no_sentences(folder):
    write(folder / "train.en", [ENGLISH[0], " ", *ENGLISH[1:], ""])
    write(folder / "train.ja", [JAPANESE[0], "", *JAPANESE[1:], "\u3000"])
    table = map("\t".join, zip(ENGLISH, JAPANESE, strict=True))
    write_table(folder / "test.tsv", ["en\tja", next(table), "", *table])
    corpus = load_corpus(str(folder), "en-ja")
    assert list(corpus.train) == list(corpus.test) == list(zip(ENGLISH, JAPANESE, strict=True))
    assert corpus.train.documents().tolist() == corpus.test.documents().tolist() == [0, 1, 3]
    assert corpus.train[1:] == [*corpus.train][1:] and corpus.train[-1] == [*corpus.train][-1]
    # Where no empty line divides the text, each pair stands by itself.
    assert corpus.validation.documents().tolist() == [0, 1, 2, 3]


def test_documents_of_an_included_corpus():
    corpus = load_corpus("bible_de_en_chapters", "en-de")
    numbers = [
        len(split.documents()) - 1 for split in (corpus.train, corpus.validation, corpus.test)
    ]
    assert numbers == [1109, 33, 47]
    joined = load_corpus("bible_de_en_chapters+tatoeba_de_en", "en-de").train
    assert joined.documents()[[0, 1109, 1110, -1]].tolist() == [0, 29_363, 29_364, len(joined)]


def test_changed_files_are_read_again(folder):
    load_corpus(str(folder), "en-ja")
    write(folder / "train.en", ["Changed.", *ENGLISH[1:]])
    assert load_corpus(str(folder), "en-ja").train[0][0] == "Changed."


def test_files_of_unequal_length(folder):
    write(folder / "train.ja", JAPANESE[:2])
    text = message(folder)
    assert "train.ja has 2 lines" in text
    assert "train.en has 3" in text
    assert "line 3 of train.en has no partner" in text


def test_not_utf8(folder):
    (folder / "test.ja").write_bytes("雨が降る。\n".encode() + "雨\n".encode("shift-jis"))
    assert "test.ja, line 2: not UTF-8" in message(folder)


def test_sides_without_text(folder):
    write(folder / "validation.en", [])
    write(folder / "validation.ja", [])
    assert "validation.en has no en text" in message(folder)
    write(folder / "train.ja", [" "] * 3)
    assert "train.ja has no ja text" in message(folder)


def test_two_texts_of_a_split(folder):
    write(folder / "train.tsv", ["a\tb"])
    assert "train.tsv and" in (text := message(folder)) and "keep one of them" in text


def test_missing_file(folder):
    (folder / "test.ja").unlink()
    assert "looked for test.tsv and for test.en with test.ja" in message(folder)


def test_table_without_a_tab(folder):
    write_table(folder / "train.tsv", ["en\tja", "I am here.\t私はここにいる。", "no tab"])
    assert "train.tsv, line 3: 0 tabs" in message(folder)


def test_table_of_other_languages(folder):
    write_table(folder / "train.tsv", ["de\tfr", "eins\tun"])
    assert "headed de, fr" in message(folder)


def test_a_table_may_begin_with_two_short_words(folder):
    write_table(folder / "train.tsv", ["Hi\tやあ", "I am here.\t私はここにいる。"])
    assert load_corpus(str(folder), "en-ja").train[0] == ("Hi", "やあ")


def test_damaged_archive(folder):
    (folder / "train.en").unlink()
    (folder / "train.en.xz").write_bytes(b"\xfd7zXZ no archive")
    assert "train.en.xz cannot be read" in message(folder)
    (folder / "train.en.xz").unlink()
    archive = bytearray(gzip.compress(b"I am here.\n"))
    archive[12] ^= 255
    (folder / "train.en.gz").write_bytes(archive)
    assert "train.en.gz cannot be read" in message(folder)


def test_unknown_names(folder):
    assert "tatoeba_en_ja" in message("tatoeba", "en-ja")
    assert "does not exist" in message("./nowhere", "en-ja")
    assert "is a file: name the folder" in message(__file__, "en-ja")
    assert "holds en-ja, not de-en" in message("tatoeba_en_ja", "de-en")
    assert "no corpus is included for en-fr" in message("", "en-fr")
    for languages in ("english", "en-en", "EN-JA", "en_US.UTF-8", ""):
        assert "two different codes" in message("", languages)
    for languages in ("eng-jpn", "en-jpn", "eng-ja"):
        said = message(folder, languages)
        assert "say en-ja" in said and "train.en" in said
    said = message(folder, "haw-yue")  # they have no shorter ones
    assert "train.haw" in said and "say" not in said


def test_aspec_takes_the_best_pairs_in_their_order(tmp_path):
    for name in ("train", "dev", "test"):
        (tmp_path / name).mkdir()
    rows = [(0.2, "一", "one"), (0.9, "二", "two"), (0.5, "三", "three"), (0.9, "四", "four")]
    lines = [f"{score} ||| A-1 ||| 1 ||| {ja} ||| {en}" for score, ja, en in rows]
    write(tmp_path / "train" / "train-1.txt", lines[:3])
    write(tmp_path / "train" / "train-2.txt", lines[3:])
    write(tmp_path / "dev" / "dev.txt", ["A-1 ||| 1 ||| 五 ||| five"])
    write(tmp_path / "test" / "test.txt", ["A-1 ||| 1 ||| 六 ||| six"])
    best = (pair for _, pair in text_files.read_aspec(tmp_path, "train", best=3))
    assert list(best) == [("two", "二"), ("three", "三"), ("four", "四")]
    corpus = load_corpus(f"aspec:{tmp_path}", "ja-en")
    assert list(corpus.train) == [(ja, en) for _, ja, en in rows]
    assert list(corpus.test) == [("六", "six")]
    write(tmp_path / "dev" / "dev.txt", ["A-1 ||| 五 ||| five"])
    assert "dev.txt, line 1: 3 fields instead of 4" in message(f"aspec:{tmp_path}")
    assert "licensed" in message("aspec")


def test_sets_of_tfds_need_tensorflow(monkeypatch):
    monkeypatch.setattr(builders, "find_spec", lambda name: None)
    assert "fa-jax[tensorflow]" in message("wmt15_translate/de-en", "de-en")


class OnePairAnExample(builders.tfds.core.GeneratorBasedBuilder):
    """As TFDS's own sets are. Ours have no name that TFDS knows without a network."""

    VERSION = builders.tfds.core.Version("1.0.0")

    def _info(self):
        texts = {code: builders.tfds.features.Text() for code in ("en", "ja")}
        features = builders.tfds.features.FeaturesDict(texts)
        return builders.tfds.core.DatasetInfo(
            builder=self, features=features, disable_shuffling=True
        )

    def _split_generators(self, dl_manager):
        return {split: self._generate_examples() for split in ("train", "validation", "test")}

    def _generate_examples(self):
        for row, (en, ja) in enumerate(zip(ENGLISH, JAPANESE, strict=True)):
            yield row, {"en": en, "ja": ja}


@pytest.fixture
def of_tfds(tmp_path):
    builder = OnePairAnExample(data_dir=tmp_path / "tfds", file_format="array_record")
    builder.download_and_prepare()
    return builder


def test_sets_of_tfds_are_read_through_their_builder(of_tfds, monkeypatch):
    monkeypatch.setattr(builders.tfds, "builder", lambda name, file_format: of_tfds)
    corpus = load_corpus("any_translate/ja-en", "ja-en")
    assert [*corpus.test] == [*zip(JAPANESE, ENGLISH, strict=True)]
    assert corpus.test.documents().tolist() == [0, 1, 2, 3]
    assert "holds en, ja, not de-en" in message("any_translate/ja-en", "de-en")
    monkeypatch.setattr(builders, "SPLITS", (*builders.SPLITS, "other"))
    assert "has no other set: write its pairs into a folder" in message("any_translate/ja-en")

    def without(name, file_format):
        raise ValueError("BuilderConfig xx not found")

    monkeypatch.setattr(builders.tfds, "builder", without)
    monkeypatch.setattr(builders, "find_spec", lambda name: True)
    assert "TFDS has no corpus any_translate/xx: BuilderC" in message("any_translate/xx")


def test_pairs_are_those_that_tfds_decodes(folder, of_tfds):
    """Of sets that stand behind each other, whether an example has one pair or all."""
    ours, _ = builders.builder_of(str(folder), ("en", "ja"))
    decoded = [*of_tfds.as_data_source(split="train"), *ours.as_data_source(split="train")]
    expected = [
        pair
        for one in decoded
        for pair in zip(*(one[code].decode().split("\n") for code in ("ja", "en")), strict=True)
    ]
    found = pairs.Pairs([of_tfds, ours, of_tfds], "train", ("ja", "en"))
    expected += expected[:3]
    assert [*found] == expected
    assert [found[row] for row in range(len(found))] == expected
    assert len(found) == len(expected) == 9
    for first, last in itertools.combinations(range(10), 2):
        assert [*found.side(1, first, last)] == [en for _, en in expected[first:last]]
    with pytest.raises(IndexError):
        found[9]


def test_text_of_many_files_and_examples_is_whole(folder, monkeypatch):
    """TFDS's builders need TensorFlow beyond a gigabyte; what is written example by example does
    not, and has several files."""
    monkeypatch.setattr(builders, "PAIRS_OF_EXAMPLE", 2)
    monkeypatch.setattr(builders, "EXAMPLES_OF_FILE", 3)
    lines = [f"{row} is here." for row in range(15)]
    write(folder / "train.en", [*lines[:9], "", *lines[9:]])
    write(folder / "train.ja", [*lines[:9], "", *lines[9:]])
    builder, _ = builders.builder_of(str(folder), ("en", "ja"))
    assert builder.info.splits["train"].shard_lengths == [3, 3, 2]
    corpus = load_corpus(str(folder), "en-ja")
    assert [*corpus.train] == [(line, line) for line in lines]
    assert [corpus.train[row][0] for row in range(15)] == lines
    assert corpus.train.documents().tolist() == [0, 9, 15]


def test_a_digest_is_computed_once_for_a_file_that_stays(folder, monkeypatch):
    digests, digest = [], builders._digest
    monkeypatch.setattr(builders, "_digest", lambda parts: digests.append(parts) or digest(parts))
    path = folder / "train.en"
    first = builders.digest_of("en", path)
    assert builders.digest_of("en", path) == first and len(digests) == 1
    write(path, [*ENGLISH[:2], "Good nights."])
    assert builders.digest_of("en", path) != first and len(digests) == 2
    expected = b"en\0" + path.read_bytes() + b"\0"
    assert builders.digest_of("en", path) == hashlib.sha256(expected).hexdigest()[:12]
