"""The score that chooses a run's checkpoint: smoothed BLEU of greedy translations.

As Shu and Nakayama (2017) do, section 5.1.
"""

from dataclasses import replace

from fa_jax.config import Config
from fa_jax.data.encoded import PreparedData
from fa_jax.decoding.search import TrainedModel, search_translations
from fa_jax.evaluation.smoothed_bleu import mean_smoothed_bleu
from fa_jax.model.encoder_decoder import Params


def validate(params: Params, config: Config, data: PreparedData) -> float:
    """Mean smoothed sentence BLEU, 0 to 100, over the validation set's tokens, at τ = ∞."""
    greedy = replace(config.decoding, beam_size=1, threshold=float("inf"), batch_size=128)
    sources, references = zip(*data.corpus.validation, strict=True)
    encoded = [data.source.encode(text) for text in sources]
    results = search_translations([TrainedModel(params, config.model)], greedy, [encoded])
    return mean_smoothed_bleu(
        [data.target.tokens(result.hypotheses[0].words) for result in results],
        [data.target.tokenizer.tokenize(text) for text in references],
    )
