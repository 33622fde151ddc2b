"""Settings by name: a size, and a system of one of the three papers in that size.

The papers: Shu and Nakayama 2017 (VS), Luong et al. 2015 (Luong), Choi et al. 2018 (FG).

`small`, `small-words-global`, `char-local-p`: SIZE or SIZE-SYSTEM. A size alone has flexible
attention.
"""

from dataclasses import dataclass, field, fields, replace
from typing import Any

from fa_jax import attention
from fa_jax.config import Config, DataConfig, DecodingConfig, ModelConfig, TrainingConfig
from fa_jax.errors import UserError


def _units(units: int, **others: Any) -> ModelConfig:
    """A model whose layers all have so many units, but for some."""
    sizes = [item.name for item in fields(ModelConfig) if item.name.endswith("_size")]
    return ModelConfig(**dict.fromkeys(sizes, units) | others)


SMALL = Config(
    training=TrainingConfig(
        learning_rate=2e-3, strength_rate=0.05, halve_from=2.0, halve_every=0.25, validations=2
    ),
)
"""`small`: 256 units, 4,000 subwords a side; about 10 minutes on 2 cores (README)."""

SMALL_WORDS = replace(
    SMALL,
    data=DataConfig(tokenizer="word", source_vocabulary=10_000, target_vocabulary=10_000),
    preset="small-words",
)
"""`small-words`: VS's word-level systems at a size for 2 cores."""

SMALL_CHARACTERS = replace(
    SMALL,
    data=DataConfig(
        tokenizer="character", source_vocabulary=104, target_vocabulary=3004, max_length=150
    ),
    training=replace(SMALL.training, epochs=3.0, strength_rate=0.01, halve_from=3.0),
    preset="small-chars",
)
"""`small-chars`: VS's character-level systems at a size for 2 cores; three epochs, each as long as
two of words, because after one it has hardly learnt to attend (3.8 BLEU)."""

PAPER = Config(
    data=DataConfig(tokenizer="word", source_vocabulary=80_000, target_vocabulary=40_000),
    model=_units(1000, bottleneck_size=600),
    training=TrainingConfig(batch_size=64, epochs=6.0, learning_rate=1e-4, halve_from=4.0),
    decoding=DecodingConfig(beam_size=20, batch_size=32),
    preset="paper",
)
"""`paper`: the word-level model of VS 5.1, for accelerators."""

CHARACTER = Config(
    data=DataConfig(
        tokenizer="character", source_vocabulary=104, target_vocabulary=3004, max_length=300
    ),
    model=_units(500, embedding_size=100, bottleneck_size=600, rematerialize=True),
    training=TrainingConfig(batch_size=64, epochs=20.0, learning_rate=1e-4, halve_from=18.0),
    decoding=DecodingConfig(beam_size=20, batch_size=32, max_source_length=2000),
    preset="char",
)
"""`char`: the character-level model of VS 5.4 (100 and 3,000 characters), for accelerators."""

LUONG = Config(
    data=DataConfig(tokenizer="word", source_vocabulary=50_000, target_vocabulary=50_000),
    model=_units(1000),
    training=TrainingConfig(batch_size=128, epochs=12.0, learning_rate=1e-4, halve_from=9.0),
    decoding=DecodingConfig(beam_size=10, batch_size=32),
    preset="luong",
)
"""`luong`: the sizes of Luong et al. (2015), with one layer and Adam, for accelerators."""

FINE_GRAINED = Config(
    data=DataConfig(source_vocabulary=30_000, target_vocabulary=30_000),
    model=_units(1000, embedding_size=620, attention_size=2000, bottleneck_size=620),
    training=TrainingConfig(batch_size=64, epochs=6.0, learning_rate=1e-4, halve_from=4.0),
    decoding=DecodingConfig(beam_size=12, batch_size=32),
    preset="fg",
)
"""`fg`: the sizes of Choi et al. (2018), 4.3, for accelerators."""

SIZES = {
    config.preset: config
    for config in (SMALL, SMALL_WORDS, SMALL_CHARACTERS, PAPER, CHARACTER, LUONG, FINE_GRAINED)
}
SMALL_SIZES = ("small", "small-words", "small-chars")
"""For 2 cores; the others are for accelerators."""


@dataclass(frozen=True)
class System:
    """What a row of a results table changes, in any size."""

    summary: str
    model: dict[str, Any] = field(default_factory=dict)
    data: dict[str, Any] = field(default_factory=dict)
    decoding: dict[str, Any] = field(default_factory=dict)


CONCAT, GLOBAL, FLEXIBLE = attention.Concat(), attention.Global(), attention.Flexible()
DROPPED = {"dropout": 0.2}
NO_ATTENTION = {"attention": attention.NoAttention()}
LOCATION = {"attention": attention.AttentionConfig(attention.Location(), GLOBAL), **DROPPED}
LOCAL_P_FED = {
    "attention": attention.AttentionConfig(attention.General(), attention.LocalP()),
    "input_feeding": True,
    **DROPPED,
}
CONTEXT = {"contextualize": True}


def _reading(
    score: attention.Score, span: attention.Span = FLEXIBLE, **model: Any
) -> dict[str, Any]:
    return {"attention": attention.AttentionConfig(score, span), **model}


SYSTEMS = {
    "flexible": System("flexible attention (VS)"),
    "flexible-1.2": System("... decoding at threshold 1.2", decoding={"threshold": 1.2}),
    "global": System("attention to all positions (VS Eq. 2)", _reading(CONCAT, GLOBAL)),
    "local-p": System(
        "windows of 10 around a predicted centre (VS Eq. 10)", _reading(CONCAT, attention.LocalP())
    ),
    # The decoder starts from the encoder that reads backwards, which ends with the first word: what
    # Luong et al. gain by reversing the source is there unless the text itself is reversed.
    "base": System(
        "no attention at all, source read from its first word to its last (Luong)",
        NO_ATTENTION,
        data={"reverse_source": True},
    ),
    "base-reverse": System("... source read from its last word to its first (Luong)", NO_ATTENTION),
    "base-reverse-dropout": System("... and dropout (Luong)", {**NO_ATTENTION, **DROPPED}),
    "location": System("dropout, global attention with location score (Luong)", LOCATION),
    "location-feed": System("... and input feeding (Luong)", {**LOCATION, "input_feeding": True}),
    "general-local-p-feed": System(
        "dropout, local-p with general score, input feeding (Luong)", LOCAL_P_FED
    ),
    "general-local-p-feed-unk": System(
        "... on words, unknown ones replaced through the alignment (Luong)",
        LOCAL_P_FED,
        data={"tokenizer": "word"},
        decoding={"replace_unknown": True},
    ),
    "atty": System(
        "global, score reads the word fed back (FG, AttY)", _reading(attention.Feedback(), GLOBAL)
    ),
    "atty2d": System(
        "global, a score for each dimension (FG, AttY2D)", _reading(attention.FineGrained(), GLOBAL)
    ),
    "context": System(
        "global, contextualised embeddings (FG, C)", _reading(CONCAT, GLOBAL, **CONTEXT)
    ),
    "context-atty": System("... and AttY (FG)", _reading(attention.Feedback(), GLOBAL, **CONTEXT)),
    "context-atty2d": System(
        "... and AttY2D (FG)", _reading(attention.FineGrained(), GLOBAL, **CONTEXT)
    ),
    "recurrent": System(
        "flexible, positions remember their weights (Yang)", _reading(attention.Recurrent())
    ),
    "tensor": System("flexible, neural tensor score (Socher)", _reading(attention.Tensor())),
    "monotonic": System(
        "a head that moves forward, chunks (MoChA)",
        _reading(CONCAT, attention.MonotonicChunkwise()),
    ),
    "adaptive": System("a learnt extent (Sukhbaatar)", _reading(CONCAT, attention.Adaptive())),
    "linear": System("a summary of fixed size (de Brébisson)", {"attention": attention.Linear()}),
}
"""Rows of VS Tables 1 and 2, of Luong's table, of FG's Table 1, and their neighbours."""

PRESETS_HELP = (
    f"SIZE or SIZE-SYSTEM: settings that all other options start from. Sizes: {', '.join(SIZES)} "
    f"(all but {', '.join(SMALL_SIZES)} for accelerators). Systems (VS: Shu "
    "and Nakayama 2017; FG: Choi et al. 2018): "
    + "; ".join(f"{name}: {system.summary}" for name, system in SYSTEMS.items())
    + ". Fine-tuned systems: fa-jax finetune. Ensembles: fa-jax translate --ensemble."
)

WORD_VOCABULARIES = {"de-en": (50_000, 50_000)}
"""`paper` for VS 5.1's other language pair."""

SMALLER_CORPORA = {"de-en": 2.5, "bible_de_en": 4.0, "tatoeba_de_en": 4.0}
"""The small sizes take so many times as many epochs where a corpus is so much smaller."""

SLOWER_STRENGTH = {"bible_de_en": 0.01}
"""strength_rate of the small sizes where sentences are so long that looking near wins before
attention has learnt where to look."""

WINDOWS_IN_FINETUNING = {"threshold": 1.2, "strength_rate": 0.1}
"""The small sizes are fine-tuned as they decode: attention sees its windows alone."""

CHARACTERS_IN_FINETUNING = {"beta": 0.5, "threshold": 0.8, "strength_rate": 0.5}
CHARACTERS_SPAN = attention.Flexible(sigma=9.7)
"""Of characters, in fine-tuning: σ decides how narrow windows can become. At 1.5 g(t) stays near 0
or runs away, to windows of 3; near 10, VS 5.1's largest, it may come as near 1 as it likes."""

SHORT_SENTENCES = {
    "subword": {"threshold": 0.3, "strength_rate": 0.13},
    "word": {"threshold": 0.25, "strength_rate": 0.2},
}
NARROWER_WINDOWS = {"en-ja": SHORT_SENTENCES, "tatoeba_en_ja": SHORT_SENTENCES}
"""And narrower on corpora whose sentences, in such tokens, are too short for β to narrow their
windows."""


def preset(name: str, languages: str, corpus: str = "") -> Config:
    """The settings of a preset for a language pair and corpus.

    Args:
      name: SIZE or SIZE-SYSTEM, of `SIZES` and `SYSTEMS`.
      languages: source and target, such as "en-ja".
      corpus: as in `DataConfig`; empty: the languages' default.

    Returns:
      What `fa_jax.train` takes; `dataclasses.replace` changes it.

    Raises:
      UserError: an unknown name; the message lists the known ones.

    >>> fa_jax.preset("small-local-p", "de-en").model.attention
    AttentionConfig(score=Concat(), span=LocalP(half_width=10))
    """
    size, system = _size_and_system(name)
    if size not in SIZES or (system or "flexible") not in SYSTEMS:
        raise UserError(
            f"unknown preset {name!r}: choose {', '.join(SIZES)}, alone or followed by - and "
            f"one of {', '.join(SYSTEMS)}, such as small-global"
        )
    config, changes = SIZES[size], SYSTEMS[system or "flexible"]
    data, training = config.data, config.training
    if size == "paper" and languages in WORD_VOCABULARIES:
        source, target = WORD_VOCABULARIES[languages]
        data = replace(data, source_vocabulary=source, target_vocabulary=target)
    if size in SMALL_SIZES:
        longer = SMALLER_CORPORA.get(corpus or languages, 1.0)
        training = replace(
            training,
            epochs=training.epochs * longer,
            halve_from=1 + (training.halve_from - 1) * longer,
            halve_every=training.halve_every * longer,
            strength_rate=SLOWER_STRENGTH.get(corpus or languages, training.strength_rate),
        )
    model = replace(config.model, **changes.model)
    if isinstance(model.attention, attention.AttentionConfig):
        score = model.attention.score.for_sources(config.decoding.max_source_length)
        model = replace(model, attention=replace(model.attention, score=score))
    return Config(
        data=replace(data, languages=languages, corpus=corpus, **changes.data),
        model=model,
        training=training,
        decoding=replace(config.decoding, **changes.decoding),
        preset=name,
    )


def _size_and_system(name: str) -> tuple[str, str]:
    """`small-words-global`: the longest size that the name begins with, and what follows."""
    sizes = [size for size in SIZES if name == size or name.startswith(f"{size}-")]
    size = max(sizes, key=len, default=name)
    return size, name[len(size) + 1 :]


def finetuning(config: Config) -> Config:
    """The settings of fine-tuning: one epoch of Eq. 9 with β = 0.1 (VS 3.2).

    The small sizes are fine-tuned in windows, their characters with a σ and β of their own.

    Args:
      config: of the run to start from.

    Returns:
      What `fa_jax.finetune` takes.

    >>> fa_jax.finetuning(fa_jax.preset("paper", "en-ja")).training.beta
    0.1
    """
    training = replace(
        config.training,
        beta=0.1,
        epochs=1.0,
        steps=0,
        learning_rate=config.training.learning_rate / 2,
        halve_from=1.25,
        halve_every=0.25,
    )
    config = replace(config, training=training)
    if _size_and_system(config.preset)[0] not in SMALL_SIZES:
        return config
    span = getattr(config.model.attention, "span", None)
    if config.data.tokenizer == "character" and isinstance(span, type(CHARACTERS_SPAN)):
        wider = replace(config.model.attention, span=CHARACTERS_SPAN)
        return replace(
            config,
            model=replace(config.model, attention=wider),
            training=replace(training, **CHARACTERS_IN_FINETUNING),
        )
    narrower = NARROWER_WINDOWS.get(config.data.corpus or config.data.languages, {})
    windows = WINDOWS_IN_FINETUNING | narrower.get(config.data.tokenizer, {})
    return replace(config, training=replace(training, **windows))
