"""Settings by name: a size, and a system of one of the three papers in that size.

The papers: Shu and Nakayama 2017 (VS), Luong et al. 2015 (Luong), Choi et al. 2018 (FG).

`small`, `small-words-global`, `char-local-p`: SIZE or SIZE-SYSTEM. A size alone has flexible
attention.
"""

import math
from dataclasses import dataclass, field, fields, replace
from typing import Any

from fa_jax.attention import AttentionConfig
from fa_jax.config import Config, DataConfig, DecodingConfig, ModelConfig, TrainingConfig
from fa_jax.data.corpora import load_corpus
from fa_jax.errors import UserError
from fa_jax.finetuning_settings import BETA, THRESHOLD, WHOLE
from fa_jax.recipe import amount_of_text, fitted


def _units(units: int, **others: Any) -> ModelConfig:
    """A model whose layers all have so many units, but for some."""
    sizes = [item.name for item in fields(ModelConfig) if item.name.endswith("_size")]
    return ModelConfig(**dict.fromkeys(sizes, units) | others)


def _epochs(epochs: int, halve_from: int, batch_size: int) -> TrainingConfig:
    """So many, all of them; the rate is halved when one of them (counted from 1) begins, and with
    each that follows."""
    return TrainingConfig(
        batch_size=batch_size,
        epochs=float(epochs),
        optimizer="adam",
        learning_rate=1e-4,
        decay_from=(halve_from - 1) / epochs,
        halve_every=1 / epochs,
        validations=epochs,
    )


def _steps(steps: int) -> TrainingConfig:
    """So many, the second half of them in windows."""
    return TrainingConfig(
        epochs=math.inf,
        steps=steps,
        beta=BETA,
        threshold=THRESHOLD,
        windows_from=0.5,
        whole_sentences=WHOLE,
        validations=4,
    )


SIZES = {
    # Subwords; trained in minutes on 2 cores where sentences are short. With 256 units, the same
    # minutes are 1,500 steps, and learn less. The score reads the word written last: h_{t-1}, which
    # asks, does not know of it.
    "small": Config(
        model=_units(192, attention=AttentionConfig("feedback")), training=_steps(2500)
    ),
    # VS's word-level systems at a size for 2 cores.
    "small-words": Config(
        data=DataConfig(tokenizer="word", source_vocabulary=10_000, target_vocabulary=10_000),
        training=_steps(1500),
    ),
    # VS's character-level systems at a size for 2 cores. They learn to attend later: twice the
    # steps. σ is 1.5 words, in characters.
    "small-chars": Config(
        data=DataConfig(tokenizer="character", source_vocabulary=104, target_vocabulary=3004),
        training=_steps(3000),
    ),
    # The word-level model of VS 5.1.
    "paper": Config(
        data=DataConfig(
            tokenizer="word", source_vocabulary=80_000, target_vocabulary=40_000, max_length=50
        ),
        model=_units(1000, bottleneck_size=600),
        training=_epochs(6, halve_from=4, batch_size=64),
        decoding=DecodingConfig(beam_size=20, batch_size=32),
    ),
    # The character-level model of VS 5.4 (100 and 3,000 characters).
    "char": Config(
        data=DataConfig(
            tokenizer="character", source_vocabulary=104, target_vocabulary=3004, max_length=300
        ),
        model=_units(500, embedding_size=100, bottleneck_size=600, rematerialize=True),
        training=_epochs(20, halve_from=18, batch_size=64),
        decoding=DecodingConfig(beam_size=20, batch_size=32, max_source_length=2000),
    ),
    # The sizes of Luong et al. (2015), with Adam.
    "luong": Config(
        data=DataConfig(
            tokenizer="word", source_vocabulary=50_000, target_vocabulary=50_000, max_length=50
        ),
        model=_units(1000, layers=4),
        training=_epochs(12, halve_from=9, batch_size=128),
        decoding=DecodingConfig(beam_size=10, batch_size=32),
    ),
    # The sizes of Choi et al. (2018), 4.3.
    "fg": Config(
        data=DataConfig(source_vocabulary=30_000, target_vocabulary=30_000, max_length=50),
        model=_units(1000, embedding_size=620, attention_size=2000, bottleneck_size=620),
        training=_epochs(6, halve_from=4, batch_size=64),
        decoding=DecodingConfig(beam_size=12, batch_size=32),
    ),
}
SMALL_SIZES = ("small", "small-words", "small-chars")
"""For 2 cores; the others are for accelerators."""


@dataclass(frozen=True)
class System:
    """What a row of a results table changes, in any size. attention: of its score and span."""

    summary: str
    attention: dict[str, str] = field(default_factory=dict)
    model: dict[str, Any] = field(default_factory=dict)
    data: dict[str, Any] = field(default_factory=dict)
    decoding: dict[str, Any] = field(default_factory=dict)

    def of(self, model: ModelConfig) -> ModelConfig:
        """This system, in a model's size."""
        return replace(model, attention=replace(model.attention, **self.attention), **self.model)


GLOBAL = {"span": "global"}
NONE = {"score": "dot", "span": "none"}
GENERAL_LOCAL_P = {"score": "general", "span": "local_p"}
BASE = {"directions": "backward", "dropout": 0.0}
"""An encoder that reads the source from its last word."""
DROPPED = {"dropout": 0.2}
LUONGS = {"directions": "backward", "query": "current", **DROPPED}
"""The decoder's own state attends."""
FED = {**LUONGS, "input_feeding": True}
CONTEXT = {"contextualize": True}

SYSTEMS = {
    "flexible": System("flexible attention (VS)"),
    "flexible-1.2": System("... and translates at threshold 1.2", decoding={"threshold": 1.2}),
    "global": System("attention to all positions (VS Eq. 2)", GLOBAL),
    "local-p": System(
        "10 positions on either side of a predicted centre (VS Eq. 10)", {"span": "local_p"}
    ),
    "base": System(
        "no attention at all; the source is read from first to last word (Luong)",
        NONE,
        {**BASE, "directions": "forward"},
    ),
    "base-reverse": System("... but from last to first word (Luong)", NONE, BASE),
    "base-reverse-dropout": System("... and dropout (Luong)", NONE, {**BASE, **DROPPED}),
    "location": System(
        "... and global attention: location score, asked by the decoder's new state (Luong)",
        {"score": "location", **GLOBAL},
        LUONGS,
    ),
    "location-feed": System("... and input feeding (Luong)", {"score": "location", **GLOBAL}, FED),
    "general-local-m-feed": System(
        "... but general score, windows that move on by one word a step (Luong)",
        {"score": "general", "span": "local_m"},
        FED,
    ),
    "general-local-p-feed": System(
        "... but windows around a predicted centre (Luong)", GENERAL_LOCAL_P, FED
    ),
    "general-local-p-feed-unk": System(
        "... on words; unknown ones are translated by a dictionary, or copied (Luong)",
        GENERAL_LOCAL_P,
        FED,
        data={"tokenizer": "word"},
        decoding={"replace_unknown": True},
    ),
    "atty": System(
        "global; the score reads the word written last, too (FG, AttY)",
        {"score": "feedback", **GLOBAL},
    ),
    "atty2d": System(
        "... and has a value for each dimension (FG, AttY2D)", {"score": "fine_grained", **GLOBAL}
    ),
    "context": System("global; embeddings are contextualised (FG, C)", GLOBAL, CONTEXT),
    "context-atty": System("... and AttY (FG, C + AttY)", {"score": "feedback", **GLOBAL}, CONTEXT),
    "context-atty2d": System(
        "... but AttY2D in place of AttY (FG, C + AttY2D)",
        {"score": "fine_grained", **GLOBAL},
        CONTEXT,
    ),
    "recurrent": System(
        "flexible; positions remember the weights they received (Yang)", {"score": "recurrent"}
    ),
    "tensor": System("flexible; the score is a neural tensor layer (Socher)", {"score": "tensor"}),
    "monotonic": System(
        "monotonic chunkwise attention: a head that only moves forward (Chiu)",
        {"span": "monotonic_chunkwise"},
    ),
    "adaptive": System("a window whose size is learnt (Sukhbaatar)", {"span": "adaptive"}),
}
"""Rows of VS Tables 1 and 2, of Luong's table, of FG's Table 1, and their neighbours."""

NAMES = {size: (size, "flexible") for size in SIZES}
NAMES |= {f"{size}-{system}": (size, system) for size in SIZES for system in SYSTEMS}
VOCABULARIES = {("paper", "de-en"): {"source_vocabulary": 50_000, "target_vocabulary": 50_000}}
"""Where a size has others for a language pair (VS 5.1)."""


def preset(name: str, languages: str, corpus: str = "") -> Config:
    """The settings of a preset for a language pair and corpus.

    Those of the small sizes follow from how much text the corpus has (`fa_jax.recipe`).

    Args:
      name: SIZE or SIZE-SYSTEM, of `SIZES` and `SYSTEMS`.
      languages: source and target, such as "en-ja".
      corpus: as in `DataConfig`; empty: the languages' default.

    Returns:
      What `fa_jax.train` takes; `dataclasses.replace` changes it.

    Raises:
      UserError: an unknown name; the message lists the known ones. Or there is no such corpus.

    >>> fa_jax.preset("small-local-p", "de-en").model.attention
    AttentionConfig(score=Feedback(), span=LocalP(half_width=10))
    """
    if name not in NAMES:
        raise UserError(
            f"unknown preset {name!r}: choose {', '.join(SIZES)}, alone or followed by - and "
            f"one of {', '.join(SYSTEMS)}, such as small-global"
        )
    size, system = NAMES[name]
    config, changes, tokens_a_word = SIZES[size], SYSTEMS[system], 1.0
    if size in SMALL_SIZES:
        amount = amount_of_text(load_corpus(corpus, languages))
        config = fitted(config, amount)
        if config.data.tokenizer == "character":
            tokens_a_word = amount.characters
    vocabularies = VOCABULARIES.get((size, languages), {})
    text = {"languages": languages, "corpus": corpus, **vocabularies, **changes.data}
    model = changes.of(config.model)
    attention = model.attention
    score = attention.score.for_sources(config.decoding.max_source_length)
    span = attention.span.for_tokens(tokens_a_word)
    return replace(
        config,
        data=replace(config.data, **text),
        model=replace(model, attention=AttentionConfig(score, span)),
        decoding=replace(config.decoding, **changes.decoding),
        preset=name,
    )
