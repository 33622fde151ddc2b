"""The score that chooses a run's checkpoint: smoothed BLEU of greedy translations (VS 5.1)."""

from dataclasses import replace
from pathlib import Path

from fa_jax.config import Config
from fa_jax.data.prepared import PreparedData
from fa_jax.evaluation.smoothed_bleu import mean_smoothed_bleu
from fa_jax.model.encoder_decoder import Params
from fa_jax.runs.run import Run
from fa_jax.runs.search import search_lines


def validate(params: Params, threshold: float, config: Config, data: PreparedData) -> float:
    """Mean smoothed sentence BLEU, 0 to 100, over the validation set's tokens.

    Documents are translated whole, where the run learns from documents.
    """
    # Of all words: a shortlist is learnt when a run is there.
    changes = {"beam_size": 1, "threshold": threshold, "batch_size": 128, "shortlist": 0}
    validation = data.corpus.validation
    sources, references = zip(*validation, strict=True)
    found = search_lines(
        [Run(Path(), config, data.source, data.target, params, step=0, validation_bleu=0.0)],
        sources,
        replace(config.decoding, **changes),
        documents=validation.documents(),
    )
    return mean_smoothed_bleu(
        [data.target.tokens(result.hypotheses[0].words) for result in found.results],
        [data.target.tokenizer.tokenize(text) for text in references],
    )
