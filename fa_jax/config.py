"""Every setting of a run. Each field can be set from the command line, as `--model.sigma 5`."""

from dataclasses import dataclass, field, fields
from typing import Any, Literal

from fa_jax.attention import Attention, AttentionConfig
from fa_jax.data.tokenizers import TOKENIZERS
from fa_jax.errors import UserError


def _check_at_least(config: Any, section: str, **lowest: float):
    """Each named field must be at least so much; a NaN is not."""
    for name, bound in lowest.items():
        value = getattr(config, name)
        if not value >= bound:
            raise UserError(f"{section}.{name} must be at least {bound:g}, got {value}")


def _check_above_zero(config: Any, section: str, *names: str):
    for name in names:
        value = getattr(config, name)
        if not value > 0:
            raise UserError(f"{section}.{name} must be greater than 0, got {value}")


@dataclass(frozen=True)
class DataConfig:
    """Which text is read, and how it becomes numbers."""

    languages: str = "en-ja"
    """Source and target language, two-letter codes."""
    corpus: str = ""
    """Name of a corpus, several joined by '+', or a folder; empty: the languages' default."""
    tokenizer: Literal[(*TOKENIZERS,)] = "subword"
    """Unit of text."""
    source_vocabulary: int = 4000
    """Most frequent source tokens kept, special ones included."""
    target_vocabulary: int = 4000
    """Most frequent target tokens kept, special ones included."""
    max_length: int = 50
    """Longest training sentence in tokens, either side; test sentences are never dropped."""
    padded_shapes: int = 12
    """Number of different padded batch shapes; each is compiled once."""
    kytea_model: str = ""
    """A KyTea model file: Japanese words by KyTea instead of MeCab."""
    reverse_source: bool = False
    """Read source sentences from their end (Sutskever et al. 2014)."""

    def __post_init__(self):
        _check_at_least(
            self,
            "data",
            source_vocabulary=5,
            target_vocabulary=5,
            max_length=1,
            padded_shapes=1,
        )


@dataclass(frozen=True)
class ModelConfig:
    """Sizes of the network (symbols of the paper in brackets) and how it is computed."""

    embedding_size: int = 256
    """Word embeddings, both languages (E)."""
    encoder_size: int = 256
    """Each of the encoder's two LSTMs (D = twice this)."""
    decoder_size: int = 256
    """The decoder's LSTM (H)."""
    attention_size: int = 256
    """Hidden layer of the score and strength networks (A)."""
    bottleneck_size: int = 256
    """Linear layer before the softmax (F)."""
    attention: Attention = field(default_factory=AttentionConfig)
    """What the decoder reads the source by: a score under a span, or a summary."""
    input_feeding: bool = False
    """Feed tanh(W [c_t; h_t]) to the next step, and write words from it (Luong et al. 2015)."""
    contextualize: bool = False
    """Gate all embeddings by the source sentence's mean (Choi et al. 2017)."""
    dropout: float = 0.0
    """Share of embedding and bottleneck units dropped in training."""
    compute_dtype: Literal["float32", "bfloat16"] = "float32"
    """Precision of the products; parameters stay float32."""
    rematerialize: bool = False
    """Recompute the decoder's steps in the backward pass: less memory, more time."""

    def __post_init__(self):
        sizes = [item.name for item in fields(self) if item.name.endswith("_size")]
        _check_at_least(self, "model", **dict.fromkeys(sizes, 1), dropout=0)
        if not self.dropout < 1:
            raise UserError(f"model.dropout must be less than 1, got {self.dropout}")


@dataclass(frozen=True)
class TrainingConfig:
    """How the parameters are learnt."""

    batch_size: int = 128
    """Sentence pairs a step, over all devices."""
    epochs: float = 2.0
    """Passes over the training set."""
    steps: int = 0
    """Stop after this many steps; 0: after `epochs`."""
    learning_rate: float = 1e-3
    """Adam's."""
    strength_rate: float = 1.0
    """Learning rate of a network that decides where attention may look, such as that of g(t),
    relative to the others'."""
    warmup_steps: int = 0
    """Steps over which the learning rate rises to `learning_rate`."""
    halve_from: float = 4.0
    """The learning rate is first halved when this epoch begins (the first is epoch 1)."""
    halve_every: float = 1.0
    """And again after each so many epochs."""
    clip_norm: float = 3.0
    """Largest norm of the gradient."""
    beta: float = 0.0
    """Reward for strong penalties (Eq. 9); the paper fine-tunes with 0.1."""
    threshold: float = float("inf")
    """Attention sees only the window of this threshold while it learns (tau)."""
    validations: int = 1
    """Validations an epoch; each may become the best checkpoint."""
    checkpoint_seconds: float = 60.0
    """Time between checkpoints to resume from."""
    seed: int = 0
    """Of the initial parameters, the order of batches and dropout."""

    def __post_init__(self):
        _check_at_least(
            self,
            "training",
            batch_size=1,
            steps=0,
            warmup_steps=0,
            halve_from=1,
            validations=1,
            beta=0,
            seed=0,
        )
        _check_above_zero(
            self,
            "training",
            "epochs",
            "learning_rate",
            "halve_every",
            "clip_norm",
            "threshold",
            "checkpoint_seconds",
        )


@dataclass(frozen=True)
class DecodingConfig:
    """How translations are searched for."""

    beam_size: int = 5
    """Hypotheses a sentence."""
    threshold: float = float("inf")
    """Positions penalised this much or more are not scored (tau)."""
    batch_size: int = 64
    """Sentences decoded together."""
    max_source_length: int = 1000
    """Longer input is translated up to this many tokens, with a warning."""
    max_length_ratio: float = 2.0
    """A translation has at most this many tokens for each source token ..."""
    max_length_extra: int = 10
    """... and so many on top."""
    length_exponent: float = 1.0
    """Hypotheses compete by their log p divided by length to this power: more favours longer."""
    implementation: Literal["auto", "dense", "windowed"] = "auto"
    """How attention is evaluated; the result is the same. auto: windowed where it was measured to
    win, which takes some seconds longer to compile."""
    shortlist: int = 0
    """Write only this many of the most frequent words, and likely translations of the source's
    words; 0: any word."""
    shortlist_translations: int = 20
    """Likely translations of each source word, where there is a shortlist."""
    output_dtype: Literal["model", "bfloat16"] = "model"
    """Precision of the output layer's products. bfloat16: faster on processors that have it (on
    Linux /proc/cpuinfo says avx512_bf16 or amx_bf16), and scores differ in the third digit."""
    replace_unknown: bool = False
    """Write the source token with the highest weight, or its translation, for unknown words."""
    dictionary: str = ""
    """For replace_unknown: a file with a source word, a tab and its translation on each line."""

    def __post_init__(self):
        _check_at_least(
            self,
            "decoding",
            beam_size=1,
            batch_size=1,
            max_source_length=1,
            max_length_ratio=0,
            max_length_extra=1,
            length_exponent=0,
            shortlist=0,
            shortlist_translations=1,
        )
        _check_above_zero(self, "decoding", "threshold")
        if 0 < self.shortlist < 5:
            raise UserError(
                f"decoding.shortlist must be 0 (any word) or at least 5, got {self.shortlist}: the "
                "first 4 are no words"
            )


@dataclass(frozen=True)
class Config:
    """A run: what `config.json` in its folder holds."""

    data: DataConfig = field(default_factory=DataConfig)
    model: ModelConfig = field(default_factory=ModelConfig)
    training: TrainingConfig = field(default_factory=TrainingConfig)
    decoding: DecodingConfig = field(default_factory=DecodingConfig)
    preset: str = "small"
    """The preset it started from."""
