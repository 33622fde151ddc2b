"""Reading, and every tokenizer, of texts that no corpus has."""

import functools
import unicodedata

import pytest
from hypothesis import example, given

from fa_jax.data.codec import TextCodec
from fa_jax.data.reading import read
from fa_jax.data.tokenizers import TOKENIZERS
from fa_jax.data.tokenizers.tokenizer import SPACE
from fa_jax.data.vocabulary import BEGIN, END, PAD, SPECIAL, Vocabulary
from tests.torture.effort import tried
from tests.torture.letters import WORDS, lines

LEARNT = [
    " ".join(WORDS),
    "the cats like dogs .",
    "I saw the cat on the mat .",
    "猫が好きです。",
] * 9


@functools.cache
def codec(name, language):
    tokenizer = TOKENIZERS[name].learn([*map(read, LEARNT)], language, 90)
    tokens = dict.fromkeys(token for text in LEARNT for token in tokenizer.tokenize(read(text)))
    return TextCodec(language, tokenizer, Vocabulary((*SPECIAL, *tokens)))


each = pytest.mark.parametrize("language", ["en", "de", "ja"])
every = pytest.mark.parametrize("name", TOKENIZERS)


@tried(200)
@given(lines)
def test_reading_twice_is_reading_once(line):
    found = read(line)
    assert read(found) == found
    assert found == " ".join(found.split()) == unicodedata.normalize("NFC", found)


@every
@each
@tried(40)
@given(lines)
@example("a </s> <s> <pad> b")
@example("")
def test_text_is_text(name, language, line):
    """No line has a word that ends, begins or pads a sentence; what is written is one line."""
    found = codec(name, language)
    numbers = found.encode(line)
    assert not {PAD, BEGIN, END} & {*numbers}
    assert numbers == found.encode(read(line))
    assert len(found.decode(numbers).splitlines()) <= 1
    assert not {PAD, BEGIN, END} & {*found.encode(found.usual(line))}


@pytest.mark.parametrize("name", ["character", "subword", "split"])
@each
@tried(40)
@given(lines)
def test_what_was_read_comes_back(name, language, line):
    """Letter by letter; of a block, which stands for a space in a token, a low line."""
    tokenizer, text = codec(name, language).tokenizer, read(line)
    found = tokenizer.detokenize(tokenizer.tokenize(text))
    assert found.replace(SPACE, "_") == text.replace(SPACE, "_")
