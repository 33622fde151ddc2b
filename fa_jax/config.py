"""Every setting of a run. Each field can be set from the command line, as `--model.dropout 0.1`."""

import math
import operator
from dataclasses import dataclass, field, fields
from numbers import Integral, Real
from typing import Annotated, Any, Literal, get_args, get_origin

from fa_jax.attention import AttentionConfig
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
Share = Annotated[float, ("at least", 0), ("at most", 1)]
Positive = Annotated[float, ("greater than", 0)]


class Section:
    """Each field must be one of its choices, or a number within its bounds; a NaN is not. Numbers
    become Python's own: JSON knows no other, and a step is compiled for floats, not for a 1."""

    def __post_init__(self):
        section = type(self).__name__.removesuffix("Config").lower()
        for item in fields(self):
            value = getattr(self, item.name)
            if wanted := _wanted(item.type, value):
                raise UserError(f"{section}.{item.name} must be {wanted}, got {value!r}")
            if (number := getattr(item.type, "__origin__", None)) in (int, float):
                object.__setattr__(self, item.name, number(value))


def _wanted(kind: Any, value: object) -> str:
    """What a value of this type must be and this one is not; empty if it is."""
    if get_origin(kind) is Literal and value not in get_args(kind):
        return f"one of {', '.join(get_args(kind))}"
    bounds = getattr(kind, "__metadata__", ())
    if not bounds or (value is None and type(None) in get_args(kind.__origin__)):
        return ""
    number, words = (Integral, "a whole number") if kind.__origin__ is int else (Real, "a number")
    if not isinstance(value, number):
        return words
    return next((f"{of} {end}" for of, end in bounds if not BOUNDS[of](value, end)), "")


@dataclass(frozen=True)
class DataConfig(Section):
    """Which text is read, and how it becomes numbers."""

    languages: str = "en-ja"
    """Source and target language, by their shortest codes (ISO 639)."""
    corpus: str = ""
    """Name of a corpus, several names joined by '+', or a folder. Empty: the default of the
    languages."""
    tokenizer: str = "subword"
    """What a token is: word, character, subword, split (at spaces), or another of
    `fa_jax.data.tokenizers.TOKENIZERS`."""
    source_vocabulary: VocabularySize = 4000
    """Size of the source vocabulary: the most frequent tokens, and four special ones."""
    target_vocabulary: VocabularySize = 4000
    """Size of the target vocabulary: the most frequent tokens, and four special ones."""
    max_length: CountOrZero = 0
    """Longest training sentence, in tokens of either side. Longer ones are not learnt from. 0: as
    long as 99 of 100 training pairs are, but at least 50 tokens (150 characters), at most 200
    (600). Test sentences are never dropped."""
    documents: bool = False
    """Learn from passages: consecutive sentences of a document, up to `max_length` tokens. They are
    cut anew every epoch. An empty line of the corpus ends a document."""
    padded_shapes: Count = 12
    """Different padded shapes of batches, at most. Each is compiled once, so a short training has
    fewer."""


@dataclass(frozen=True)
class ModelConfig(Section):
    """Sizes of the network, with the paper's symbols in brackets, and how it is computed."""

    embedding_size: Count = 256
    """Units of a word embedding, in both languages (E)."""
    encoder_size: Count = 256
    """Units of each of the encoder's LSTMs. D, an annotation, is twice that if `directions` is
    both."""
    decoder_size: Count = 256
    """Units of each of the decoder's LSTMs (H)."""
    layers: Count = 1
    """LSTMs on top of each other, in the encoder and in the decoder. Attention reads the
    topmost."""
    directions: Literal["both", "forward", "backward"] = "both"
    """In which directions the encoder reads a sentence. An encoder of one direction hands its last
    states to the decoder. Luong et al. (2015) read backward."""
    query: Literal["previous", "current"] = "previous"
    """Which decoder state asks attention. previous: h_{t-1}, before the decoder reads the last
    word. current: h_t, after it; the next word is written from h_t and its context (Luong et al.
    2015)."""
    attention_size: Count = 256
    """Units of the hidden layer that computes scores, and of the one that computes strengths
    (A)."""
    bottleneck_size: Count = 256
    """Units of the linear layer before the output softmax (F)."""
    attention: AttentionConfig = field(default_factory=AttentionConfig)
    """How the decoder reads the source: a score under a span."""
    input_feeding: bool = False
    """Input feeding: the next step reads tanh(W [c_t; h_t]), and words are written from it (Luong
    et al. 2015)."""
    contextualize: bool = False
    """Contextualise: gate all embeddings by the mean of the source sentence (Choi et al. 2017)."""
    dropout: Annotated[float, ("at least", 0), ("less than", 1)] = 0.0
    """Share of units that training drops: of embeddings, of the bottleneck, and between layers."""
    compute_dtype: Literal["float32", "bfloat16"] = "float32"
    """Precision of matrix products. Parameters stay float32."""
    rematerialize: bool = False
    """Compute the decoder's steps again in the backward pass: training takes less memory and more
    time."""

    def __post_init__(self):
        super().__post_init__()
        if self.directions != "both" and self.encoder_size != self.decoder_size:
            raise UserError(
                "an encoder that reads in one direction hands its states to the decoder: "
                f"model.encoder_size ({self.encoder_size}) must be model.decoder_size "
                f"({self.decoder_size}), or model.directions both, got {self.directions}"
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
    """Sentence pairs of a training step, over all devices."""
    epochs: Positive = 2.0
    """Passes over the training set, if `steps` are not over before. inf: as many as `steps`
    take."""
    steps: CountOrZero = 0
    """Steps, if `epochs` are not over before. 0: as many as `epochs` take."""
    optimizer: Literal["muon", "adam"] = "muon"
    """muon: Muon for the matrices between hidden layers, Adam for embeddings, output layer, vectors
    and biases (Jordan et al. 2024). adam: Adam for all, as in the papers."""
    learning_rate: Positive = 8e-3
    """Learning rate of the optimizer, before it falls."""
    warmup_steps: CountOrZero = 0
    """The learning rate rises to `learning_rate` over so many steps."""
    decay_from: Share = 0.4
    """After this share of training the learning rate falls, in a straight line to nothing."""
    halve_every: NotNegative = 0.0
    """If not 0: at `decay_from` the rate is halved, and again after each further share of this
    size, and does not fall in a line."""
    clip_norm: Positive = 3.0
    """Largest norm of the gradient."""
    label_smoothing: Annotated[float, ("at least", 0), ("less than", 1)] = 0.0
    """Share of a target word's probability that training spreads over all words (Szegedy et al.
    2016)."""
    beta: NotNegative = 0.0
    """β of Eq. 9, a reward for high strengths (nats a sentence). The paper fine-tunes with 0.1."""
    threshold: Positive = float("inf")
    """Threshold (tau) of the windows in training. Attention sees nothing outside them. They narrow
    to it from 8, which is as good as inf, in four fifths of the steps that have windows."""
    windows_from: Share = 0.0
    """β and `threshold` count after this share of training. Before, attention learns where to look.
    A reward from the beginning closes the windows for good."""
    whole_sentences: Share = 0.0
    """Share of the sentences that are read whole where the others are read in windows, drawn anew
    at every step. They teach which steps need wide windows."""
    in_windows: bool = False
    """Compute attention and its gradient only in the windows of `threshold`. A step then costs no
    more in long text than in short text. Otherwise all positions are computed, then masked."""
    validations: Count = 8
    """Validations in the whole training. The best one gives the run's parameters."""
    best_by: str = "bleu"
    """Score of the validation set that chooses the best checkpoint, of greedy translations. bleu:
    smoothed BLEU of sentences. Or another one of `fa_jax.evaluation.scores.METRICS`: bleu_word,
    ribes, chrf, ter."""
    checkpoint_seconds: Positive = 60.0
    """Seconds between checkpoints. A run that was stopped goes on from the last one."""
    seed: CountOrZero = 0
    """Random seed of the first parameters, the order of batches, and dropout."""

    def __post_init__(self):
        super().__post_init__()
        if math.isinf(self.epochs) and not self.steps:
            none = "training.steps is 0 and training.epochs is inf, so training has no end"
            raise UserError(f"{none}: set training.steps")

    @property
    def learnt_threshold(self) -> float:
        """τ of the windows that it learns in; ∞ where it learns in none."""
        return self.threshold if self.windows_from < 1 else math.inf

    @property
    def best_by_words(self) -> str:
        """`best_by` for a reader. Minus an error rate is best if highest."""
        words = {"bleu": "smoothed BLEU of sentences", "ter": "minus TER", "chrf": "chrF"}
        return words.get(self.best_by, self.best_by)


@dataclass(frozen=True)
class DecodingConfig(Section):
    """How translations are searched for."""

    beam_size: Count = 5
    """Hypotheses that beam search keeps for a sentence."""
    threshold: Positive = float("inf")
    """Threshold (tau): a position whose penalty reaches it is not scored. inf: all are scored."""
    batch_size: Count = 64
    """Sentences decoded together."""
    max_source_length: Count = 1000
    """Longest source, in tokens. The rest of a longer line is not translated; `fa-jax translate`
    names such lines."""
    max_length_ratio: Annotated[float, ("at least", 0), ("at most", 1000)] = 2.0
    """A translation has at most this many tokens for each source token, and `max_length_extra`
    more."""
    max_length_extra: Count = 10
    """Tokens that a translation may have beyond `max_length_ratio`."""
    length_exponent: Annotated[float | None, ("at least", 0)] = None
    """Hypotheses compete by log p ÷ length to this power. A larger one favours longer
    translations. None: training chooses the one with the best BLEU on the validation set; a run
    without a choice takes 1."""
    implementation: Literal["auto", "dense", "windowed"] = "auto"
    """How attention is computed. dense: score all positions, then mask. windowed: score the windows
    alone. auto: windowed, if it was measured to be faster for long sentences with this score on
    this platform. Both agree to rounding."""
    shortlist: CountOrZero = 0
    """Write only this many of the most frequent words, and likely translations of the words in the
    source. 0: write any word."""
    shortlist_translations: Annotated[int, ("at least", 1), ("at most", 100)] = 20
    """Likely translations of each source word that a shortlist has, at most 100."""
    output_dtype: Literal["model", "bfloat16"] = "model"
    """Precision of the products of the output layer. bfloat16 is faster on processors that have it:
    /proc/cpuinfo of Linux then says avx512_bf16 or amx_bf16. Scores differ in the third digit."""
    replace_unknown: bool = False
    """Replace unknown words. The source token with the highest weight is translated by a
    dictionary, which is learnt from the run's corpus. A token that is not in it is copied."""

    def __post_init__(self):
        super().__post_init__()
        if 0 < self.shortlist < 5:
            raise UserError(
                f"decoding.shortlist must be 0 (any word) or at least 5, got {self.shortlist}: the "
                "first 4 entries of a vocabulary are no words"
            )

    @property
    def length_power(self) -> float:
        """`length_exponent`, or 1 where nothing was chosen."""
        return 1.0 if self.length_exponent is None else self.length_exponent


@dataclass(frozen=True)
class Config:
    """A run: what `config.json` in its folder holds."""

    data: DataConfig = field(default_factory=DataConfig)
    model: ModelConfig = field(default_factory=ModelConfig)
    training: TrainingConfig = field(default_factory=TrainingConfig)
    decoding: DecodingConfig = field(default_factory=DecodingConfig)
    preset: str = "small"
    """The preset it started from."""
