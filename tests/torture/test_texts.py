"""Reading, and every tokenizer, of texts that no corpus has."""

import functools
import unicodedata
from itertools import product

from hypothesis import example, given

from fa_jax.data.codec import TextCodec
from fa_jax.data.reading import read
from fa_jax.data.tokenizers import TOKENIZERS
from fa_jax.data.tokenizers.tokenizer import SPACE
from fa_jax.data.vocabulary import BEGIN, END, PAD, SPECIAL, Vocabulary
from tests.torture.effort import tried
from tests.torture.letters import WORDS, some_lines

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


CODECS = [*product(TOKENIZERS, ("en", "de", "ja"))]
TO_AND_FRO = [of for of in CODECS if of[0] != "word"]
"""Words are joined as people write them, not as they were."""
texts = some_lines(25)


@tried(32)
@given(texts)
def test_reading_twice_is_reading_once(texts):
    for line in texts:
        found = read(line)
        assert read(found) == found, line
        assert found == " ".join(found.split()) == unicodedata.normalize("NFC", found), line


@tried(4)
@given(texts)
@example(["a </s> <s> <pad> b", ""])
def test_text_is_text(texts):
    """No line has a word that ends, begins or pads a sentence; what is written is one line."""
    for of, line in product(CODECS, texts):
        found = codec(*of)
        numbers = found.encode(line)
        assert not {PAD, BEGIN, END} & {*numbers}, (of, line)
        assert numbers == found.encode(read(line)), (of, line)
        assert len(found.decode(numbers).splitlines()) <= 1, (of, line)
        assert not {PAD, BEGIN, END} & {*found.encode(found.usual(line))}, (of, line)


@tried(32)
@given(texts)
def test_what_was_read_comes_back(texts):
    """Letter by letter; of a block, which stands for a space in a token, a low line."""
    for of, line in product(TO_AND_FRO, texts):
        tokenizer, text = codec(*of).tokenizer, read(line)
        found = tokenizer.detokenize(tokenizer.tokenize(text))
        assert found.replace(SPACE, "_") == text.replace(SPACE, "_"), (of, line)
