"""Every setting of a run. Each field can be set from the command line, as `--model.dropout 0.1`."""

import operator
from dataclasses import dataclass, field, fields
from typing import Annotated, Literal

from fa_jax.attention import Attention, AttentionConfig
from fa_jax.errors import UserError

BOUNDS = {
    "at least": operator.ge,
    "at most": operator.le,
    "greater than": operator.gt,
    "less than": operator.lt,
}
Count = Annotated[int, ("at least", 1)]
CountOrZero = Annotated[int, ("at least", 0)]
VocabularySize = Annotated[int, ("at least", 5)]
NotNegative = Annotated[float, ("at least", 0)]
Positive = Annotated[float, ("greater than", 0)]


class Section:
    """Each field must be within the bounds of its type; a NaN is not."""

    def __post_init__(self):
        section = type(self).__name__.removesuffix("Config").lower()
        for item in fields(self):
            value = getattr(self, item.name)
            for words, limit in getattr(item.type, "__metadata__", ()):
                if not BOUNDS[words](value, limit):
                    raise UserError(f"{section}.{item.name} must be {words} {limit}, got {value}")


@dataclass(frozen=True)
class DataConfig(Section):
    """Which text is read, and how it becomes numbers."""

    languages: str = "en-ja"
    """Source and target language, two-letter codes."""
    corpus: str = ""
    """Name of a corpus, several joined by '+', or a folder; empty: the languages' default."""
    tokenizer: str = "subword"
    """Unit of text: word, character, subword, split (at spaces), or another of
    `fa_jax.data.tokenizers.TOKENIZERS`."""
    source_vocabulary: VocabularySize = 4000
    """Most frequent source tokens kept, special ones included."""
    target_vocabulary: VocabularySize = 4000
    """Most frequent target tokens kept, special ones included."""
    max_length: Count = 50
    """Longest training sentence in tokens, either side; test sentences are never dropped."""
    documents: bool = False
    """Learn from passages of documents, cut anew every epoch: consecutive sentences of up to
    `max_length` tokens. An empty line of the corpus ends a document."""
    padded_shapes: Count = 12
    """Number of different padded batch shapes; each is compiled once."""
    kytea_model: str = ""
    """A KyTea model file: Japanese words by KyTea instead of MeCab."""
    reverse_source: bool = False
    """Read source sentences from their end (Sutskever et al. 2014)."""


@dataclass(frozen=True)
class ModelConfig(Section):
    """Sizes of the network (symbols of the paper in brackets) and how it is computed."""

    embedding_size: Count = 256
    """Word embeddings, both languages (E)."""
    encoder_size: Count = 256
    """Each of the encoder's LSTMs (D = twice this where it reads in both directions)."""
    decoder_size: Count = 256
    """Each of the decoder's LSTMs (H)."""
    layers: Count = 1
    """LSTMs above each other, in the encoder as in the decoder; attention reads the topmost."""
    directions: Literal["both", "forward", "backward"] = "both"
    """How the encoder reads a sentence. In one direction alone it hands its states to the decoder
    as they are (Luong et al. 2015, who read backward)."""
    start: Literal["backward", "bridge", "zeros"] = "backward"
    """How the decoder starts where the encoder reads in both directions: each layer from the
    encoder layer's backward state; or, as JoeyNMT's does, all from tanh(W [both last states] + b),
    hidden states and cells; or from zeros."""
    query: Literal["previous", "current"] = "previous"
    """The decoder state that attends: h_{t-1}, before this step's word is read, or h_t, from which
    and its context the word is written (Luong et al. 2015)."""
    attention_size: Count = 256
    """Hidden layer of the score and strength networks (A)."""
    bottleneck_size: Count = 256
    """Linear layer before the softmax (F)."""
    attention: Attention = field(default_factory=AttentionConfig)
    """What the decoder reads the source by: a score under a span, or a summary."""
    input_feeding: bool = False
    """Feed tanh(W [c_t; h_t]) to the next step, and write words from it (Luong et al. 2015)."""
    attentional_bias: bool = False
    """A bias in that tanh, as JoeyNMT has it."""
    contextualize: bool = False
    """Gate all embeddings by the source sentence's mean (Choi et al. 2017)."""
    dropout: Annotated[float, ("at least", 0), ("less than", 1)] = 0.0
    """Share of units dropped in training: of embeddings, of the bottleneck, and between layers."""
    compute_dtype: Literal["float32", "bfloat16"] = "float32"
    """Precision of the products; parameters stay float32."""
    rematerialize: bool = False
    """Recompute the decoder's steps in the backward pass: less memory, more time."""

    def __post_init__(self):
        super().__post_init__()
        if self.directions != "both" and self.encoder_size != self.decoder_size:
            raise UserError(
                "an encoder that reads in one direction hands its states to the decoder: "
                f"model.encoder_size ({self.encoder_size}) must be model.decoder_size "
                f"({self.decoder_size}), or model.directions both, got {self.directions}"
            )
        if self.directions != "both" and self.start != "backward":
            raise UserError(
                f"model.start {self.start} is for an encoder that reads in both directions, got "
                f"model.directions {self.directions}"
            )
        if self.attentional_bias and not self.writes_attentional:
            raise UserError(
                "model.attentional_bias is for words that are written from tanh(W [c_t; h_t]): "
                "with model.input_feeding, or model.query current"
            )

    @property
    def annotation_size(self) -> int:
        """D: numbers that the encoder says of each position."""
        return self.encoder_size * (2 if self.directions == "both" else 1)

    @property
    def writes_attentional(self) -> bool:
        """Words are written from `tanh(W [c_t; h_t])`, not from h_t alone."""
        return self.input_feeding or self.query == "current"


@dataclass(frozen=True)
class TrainingConfig(Section):
    """How the parameters are learnt."""

    batch_size: Count = 128
    """Sentence pairs a step, over all devices."""
    epochs: Positive = 2.0
    """At most so many passes over the training set."""
    steps: CountOrZero = 0
    """And at most so many steps; 0: as many as the passes take."""
    patience: CountOrZero = 0
    """Validations without a better score after which the learning rate is halved; 0: none."""
    halvings: CountOrZero = 4
    """Training ends when patience would halve the rate once more than this."""
    learning_rate: Positive = 1e-3
    """Adam's."""
    span_teacher: Literal["attention", "loss"] = "attention"
    """What flexible and local-p spans learn from: attention, where it would look without them; or
    the translation's loss, as in the paper."""
    span_rate: NotNegative = 0.1
    """Learning rate of a span's network, such as that of g(t), relative to the others'."""
    warmup_steps: CountOrZero = 0
    """Steps over which the learning rate rises to `learning_rate`."""
    halve_from: NotNegative = 0.5
    """Share of the longest course after which the learning rate is halved, patience or not."""
    halve_every: Positive = 0.125
    """And again after each such share."""
    clip_norm: Positive = 3.0
    """Largest norm of the gradient."""
    label_smoothing: Annotated[float, ("at least", 0), ("less than", 1)] = 0.0
    """Share of each target word's weight that all words have alike (Szegedy et al. 2016)."""
    beta: NotNegative = 0.0
    """Reward for strong penalties (Eq. 9); the paper fine-tunes with 0.1."""
    threshold: Positive = float("inf")
    """Attention sees only the window of this threshold while it learns (tau)."""
    in_windows: bool = False
    """Compute attention and its gradient in the windows of `threshold` alone: long text is then
    learnt at the price of short text. Spans that learn from attention do so from inside them."""
    window: Annotated[float, ("at least", 0), ("at most", 1)] = 0.0
    """Share of the source that windows of `threshold` are to have: training looks for the price of
    a span's width that makes them so. 0: no order."""
    validations: Count = 8
    """Validations in the longest course; each may become the best checkpoint."""
    checkpoint_seconds: Positive = 60.0
    """Time between checkpoints to resume from."""
    seed: CountOrZero = 0
    """Of the initial parameters, the order of batches and dropout."""


@dataclass(frozen=True)
class DecodingConfig(Section):
    """How translations are searched for."""

    beam_size: Count = 5
    """Hypotheses a sentence."""
    threshold: Positive = float("inf")
    """Positions penalised this much or more are not scored (tau)."""
    batch_size: Count = 64
    """Sentences decoded together."""
    max_source_length: Count = 1000
    """Longer input is translated up to this many tokens, with a warning."""
    max_length_ratio: NotNegative = 2.0
    """A translation has at most this many tokens for each source token ..."""
    max_length_extra: Count = 10
    """... and so many on top."""
    length_exponent: NotNegative = 1.0
    """Hypotheses compete by their log p divided by length to this power: more favours longer."""
    implementation: Literal["auto", "dense", "windowed"] = "auto"
    """How attention is evaluated; the result is the same. auto: windowed where that was measured to
    pay for long sentences, by score and platform."""
    shortlist: CountOrZero = 0
    """Write only this many of the most frequent words, and likely translations of the source's
    words; 0: any word."""
    shortlist_translations: Count = 20
    """Likely translations of each source word, where there is a shortlist."""
    output_dtype: Literal["model", "bfloat16"] = "model"
    """Precision of the output layer's products. bfloat16: faster on processors that have it (on
    Linux /proc/cpuinfo says avx512_bf16 or amx_bf16), and scores differ in the third digit."""
    replace_unknown: bool = False
    """For unknown words write the translation of the source token with the highest weight, by a
    dictionary that is learnt on the run's corpus, or copy it where it has none."""
    dictionary: str = ""
    """For replace_unknown: a file of your own instead, with a source word, a tab and its
    translation on each line."""

    def __post_init__(self):
        super().__post_init__()
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
