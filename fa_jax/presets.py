"""Settings by name. Each says what it is, where it runs, and how long it takes there."""

from dataclasses import replace

from fa_jax.config import Config, DataConfig, DecodingConfig, ModelConfig, TrainingConfig
from fa_jax.errors import UserError

SMALL = Config(
    data=DataConfig(),
    model=ModelConfig(),
    training=TrainingConfig(
        batch_size=128,
        epochs=2.0,
        learning_rate=2e-3,
        strength_rate=0.05,
        halve_from=2.0,
        halve_every=0.25,
        validations=2,
    ),
    decoding=DecodingConfig(beam_size=5, batch_size=64),
)
"""`small`: 256 units, 4,000 subwords a side; about 10 minutes on 2 cores (README)."""

PAPER = Config(
    data=DataConfig(tokenizer="word", source_vocabulary=80_000, target_vocabulary=40_000),
    model=ModelConfig(
        embedding_size=1000,
        encoder_size=1000,
        decoder_size=1000,
        attention_size=1000,
        bottleneck_size=600,
    ),
    training=TrainingConfig(batch_size=64, epochs=6.0, learning_rate=1e-4, halve_from=4.0),
    decoding=DecodingConfig(beam_size=20, batch_size=32),
    preset="paper",
)
"""`paper`: the word-level model of VS 5.1, for accelerators."""

CHARACTER = Config(
    data=DataConfig(
        tokenizer="character", source_vocabulary=104, target_vocabulary=3004, max_length=300
    ),
    model=ModelConfig(
        embedding_size=100,
        encoder_size=500,
        decoder_size=500,
        attention_size=500,
        bottleneck_size=600,
        rematerialize=True,
    ),
    training=TrainingConfig(batch_size=64, epochs=20.0, learning_rate=1e-4, halve_from=18.0),
    decoding=DecodingConfig(beam_size=20, batch_size=32, max_source_length=2000),
    preset="char",
)
"""`char`: the character-level model of VS 5.4 (100 and 3,000 characters), for accelerators."""

PRESETS = {"small": SMALL, "paper": PAPER, "char": CHARACTER}

WORD_VOCABULARIES = {"de-en": (50_000, 50_000)}
"""`paper` for VS 5.1's other language pair."""

SMALLER_CORPORA = {"de-en": 2.5}
"""`small` takes so many times as many epochs where the default corpus is so much smaller."""

WINDOWS_IN_FINETUNING = {"threshold": 1.2, "strength_rate": 0.1}
"""`small` is fine-tuned as it decodes: attention sees its windows alone."""

NARROWER_WINDOWS = {"en-ja": {"threshold": 0.3, "strength_rate": 0.13}}
"""And so on the default corpora whose sentences are too short for β to narrow their windows."""


def preset(name: str, languages: str, corpus: str) -> Config:
    """A preset for a language pair and corpus.

    Raises:
      UserError: an unknown name; the message lists the known ones.
    """
    if name not in PRESETS:
        raise UserError(f"unknown preset {name!r}: choose {', '.join(PRESETS)}")
    config = PRESETS[name]
    data, training = config.data, config.training
    if name == "paper" and languages in WORD_VOCABULARIES:
        source, target = WORD_VOCABULARIES[languages]
        data = replace(data, source_vocabulary=source, target_vocabulary=target)
    if name == "small" and not corpus:
        training = _longer(training, SMALLER_CORPORA.get(languages, 1.0))
    data = replace(data, languages=languages, corpus=corpus)
    return replace(config, data=data, training=training)


def finetuning(config: Config) -> TrainingConfig:
    """One epoch of Eq. 9 with β = 0.1 (VS 3.2) for a run of this config."""
    training = replace(
        config.training,
        beta=0.1,
        epochs=1.0,
        steps=0,
        learning_rate=config.training.learning_rate / 2,
        halve_from=1.25,
        halve_every=0.25,
    )
    if config.preset != "small":
        return training
    narrower = {} if config.data.corpus else NARROWER_WINDOWS.get(config.data.languages, {})
    return replace(training, **WINDOWS_IN_FINETUNING | narrower)


def _longer(training: TrainingConfig, factor: float) -> TrainingConfig:
    """The same course over more epochs."""
    return replace(
        training,
        epochs=training.epochs * factor,
        halve_from=1 + (training.halve_from - 1) * factor,
        halve_every=training.halve_every * factor,
    )
