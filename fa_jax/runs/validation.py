"""The score that chooses a run's checkpoint: by default smoothed BLEU of greedy translations
(VS 5.1)."""

from dataclasses import replace
from pathlib import Path

from fa_jax.config import Config
from fa_jax.data.prepared import PreparedData
from fa_jax.data.reading import read
from fa_jax.errors import UserError
from fa_jax.evaluation.scores import METRICS, score_translations
from fa_jax.evaluation.smoothed_bleu import mean_smoothed_bleu
from fa_jax.model.encoder_decoder import Params
from fa_jax.runs.run import Run
from fa_jax.runs.search import search_lines


def check_best_by(config: Config):
    """Raises UserError where texts of the target language have no such score."""
    name, language = config.training.best_by, config.data.languages.rpartition("-")[2]
    if name not in METRICS:
        raise UserError(f"training.best_by must be {', '.join(METRICS)}, got {name!r}")
    if not score_translations(["a"], ["a"], language, [name]):
        raise UserError(f"training.best_by is {name}, which texts of {language!r} do not have")


def validate(params: Params, threshold: float, config: Config, data: PreparedData) -> float:
    """The score of the validation set that `training.best_by` names; higher is better.

    By default it is the mean smoothed BLEU of sentences, 0 to 100, over tokens. Of a metric that is
    better if lower, it is minus the score. Documents are translated whole, where the run learns
    from documents. All hosts must call this: each searches its share.

    Raises:
      UserError: the network computes no probabilities, but infinities or NaN.
    """
    # Of all words: a shortlist, or a dictionary, is learnt when a run is there.
    changes = {"beam_size": 1, "threshold": threshold, "batch_size": 128, "shortlist": 0}
    validation = data.corpus.validation
    sources, references = zip(*validation, strict=True)
    found = search_lines(
        [Run(Path(), config, data.source, data.target, params, step=0, validation_score=0.0)],
        sources,
        replace(config.decoding, **changes, replace_unknown=False),
        documents=validation.documents(),
        on_all_hosts=True,
    )
    if not all(result.hypotheses for result in found.results):
        raise UserError(
            "the probabilities of words are no numbers: training went astray. Lower "
            "training.learning_rate"
        )
    name, target = config.training.best_by, data.target
    if name == "bleu":
        return mean_smoothed_bleu(
            [target.tokens(result.hypotheses[0].words) for result in found.results],
            [target.tokenizer.tokenize(read(text)) for text in references],
        )
    texts = [best for best, *_ in found.texts()]
    score = score_translations(texts, references, target.language, [name])[name]
    return -score if METRICS[name].lower_is_better else score
