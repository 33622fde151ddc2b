"""The score that chooses a checkpoint: greedy, of all words, with nothing left out."""

from dataclasses import replace

import jax
import numpy as np

from fa_jax.config import Config, DecodingConfig
from fa_jax.data.codec import TextCodec
from fa_jax.data.corpora import Corpus, Pairs
from fa_jax.data.encoded import EncodedPairs, EncodedTexts
from fa_jax.data.prepared import PreparedData
from fa_jax.data.tokenizers import Characters
from fa_jax.data.vocabulary import SPECIAL, Vocabulary
from fa_jax.model.encoder_decoder import init_encoder_decoder
from fa_jax.runs.validation import validate
from tests.model.test_encoder_decoder import CONFIG

CODEC = TextCodec("en", Characters(), Vocabulary((*SPECIAL, *"abcdef")))


class Rows(list):
    """A data source that is in memory."""

    def __getitems__(self, rows):
        return [self[row] for row in rows]


PAIRS = Pairs([Rows([{"de": b"abc", "en": b"fed"}, {"de": b"de", "en": b"ab"}])], ("de", "en"))
NOTHING = EncodedTexts(np.zeros(0, np.int32), np.zeros(1, np.int64))
DATA = PreparedData(
    corpus=Corpus("two pairs", "de", "en", "", PAIRS, PAIRS, PAIRS),
    source=CODEC,
    target=CODEC,
    train=EncodedPairs(NOTHING, NOTHING),
    max_length=50,
)


def test_how_a_run_will_decode_does_not_matter():
    size = len(CODEC.vocabulary)
    params = init_encoder_decoder(jax.random.key(0), CONFIG, size, size)
    plain = Config(model=CONFIG)
    other = DecodingConfig(beam_size=3, threshold=0.1, shortlist=5)
    scores = [
        validate(params, float("inf"), config, DATA)
        for config in (plain, replace(plain, decoding=other))
    ]
    assert scores[0] == scores[1] and np.isfinite(scores[0])
