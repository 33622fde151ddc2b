"""The score that chooses a checkpoint: greedy, of all words, with nothing left out."""

from dataclasses import replace
from pathlib import Path

import jax
import numpy as np
import pytest
from sacrebleu.metrics import BLEU, CHRF, TER

from fa_jax.config import Config, DataConfig, DecodingConfig, TrainingConfig
from fa_jax.data.codec import TextCodec
from fa_jax.data.corpora import Corpus
from fa_jax.data.corpora.pairs import Pairs
from fa_jax.data.encoded import EncodedPairs, EncodedTexts
from fa_jax.data.prepared import PreparedData
from fa_jax.data.tokenizers import Characters
from fa_jax.data.vocabulary import SPECIAL, Vocabulary
from fa_jax.errors import UserError
from fa_jax.model.encoder_decoder import init_encoder_decoder
from fa_jax.runs.run import Run
from fa_jax.runs.translate import translate
from fa_jax.runs.validation import check_best_by, validate
from tests.model.test_encoder_decoder import CONFIG

CODEC = TextCodec("en", Characters(), Vocabulary((*SPECIAL, *"abcdef")))


class Given(Pairs):
    """Pairs in memory, each by itself."""

    def __init__(self, *pairs):
        self._given = pairs

    def __len__(self):
        return len(self._given)

    def __getitem__(self, index):
        return self._given[index]

    def __iter__(self):
        return iter(self._given)

    def documents(self):
        return np.arange(len(self) + 1)


PAIRS = Given(("abc", "fed"), ("de", "ab"))
NOTHING = EncodedTexts(np.zeros(0, np.int32), np.zeros(1, np.int64))
DATA = PreparedData(
    corpus=Corpus("two pairs", "de", "en", "", PAIRS, PAIRS, PAIRS),
    source=CODEC,
    target=CODEC,
    train=EncodedPairs(NOTHING, NOTHING),
    max_length=50,
)


@pytest.mark.parametrize(
    ("name", "metric", "sign"), [("chrf", CHRF(), 1), ("ter", TER(), -1), ("bleu_word", None, 1)]
)
def test_another_metric_may_choose(name, metric, sign):
    size = len(CODEC.vocabulary)
    params = init_encoder_decoder(jax.random.key(0), CONFIG, size, size)
    config = Config(model=CONFIG, training=TrainingConfig(best_by=name))
    found = validate(params, float("inf"), config, DATA)
    run = Run(Path(), config, CODEC, CODEC, params, step=0, validation_score=0.0)
    sources, references = zip(*PAIRS, strict=True)
    records = translate(run, sources, replace(config.decoding, beam_size=1))
    texts = [record["translations"][0]["text"] for record in records]
    words = BLEU(tokenize="none", force=True) if metric is None else metric
    assert found == pytest.approx(sign * words.corpus_score(texts, [list(references)]).score)


@pytest.mark.parametrize(
    ("name", "languages", "words"),
    [
        ("meteor", "de-en", "must be bleu, bleu_char"),
        ("bleu_char", "en-de", "texts of 'de' do not"),
    ],
)
def test_a_metric_that_there_is_not(name, languages, words):
    data, training = DataConfig(languages=languages), TrainingConfig(best_by=name)
    with pytest.raises(UserError, match=words):
        check_best_by(Config(data=data, training=training))


def test_a_network_that_computes_no_numbers_has_no_score():
    size = len(CODEC.vocabulary)
    params = init_encoder_decoder(jax.random.key(0), CONFIG, size, size)
    params = jax.tree.map(lambda leaf: leaf * np.nan, params)
    with pytest.raises(UserError, match=r"are no numbers.*Lower training.learning_rate"):
        validate(params, float("inf"), Config(model=CONFIG), DATA)


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
