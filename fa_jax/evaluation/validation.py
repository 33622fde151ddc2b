"""The score that chooses a run's checkpoint: smoothed BLEU of greedy translations.

As Shu and Nakayama (2017) do, section 5.1. Smoothed BLEU is that of Lin and Och (2004, ORANGE).
"""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from sacrebleu.metrics import BLEU

from fa_jax.config import Config
from fa_jax.data.prepared import PreparedData
from fa_jax.model.encoder_decoder import Params
from fa_jax.runs.run import Run
from fa_jax.runs.search import search_lines

_ADD_ONE = BLEU(smooth_method="add-k", smooth_value=1, tokenize="none", effective_order=False)


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


def mean_smoothed_bleu(
    hypotheses: Sequence[Sequence[str]], references: Sequence[Sequence[str]]
) -> float:
    """Mean over sentences of `smoothed_sentence_bleu`, 0 to 100.

    Raises:
      ValueError: the two sides differ in number.
    """
    pairs = zip(hypotheses, references, strict=True)
    return sum(smoothed_sentence_bleu(*pair) for pair in pairs) / len(references)


def smoothed_sentence_bleu(hypothesis: Sequence[str], reference: Sequence[str]) -> float:
    """BLEU of a corpus of one sentence of tokens, 0 to 100; one is added to counts for n > 1."""
    return _ADD_ONE.corpus_score([" ".join(hypothesis)], [[" ".join(reference)]]).score
