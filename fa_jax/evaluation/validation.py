"""The score that chooses a run's checkpoint: smoothed BLEU of greedy translations.

As Shu and Nakayama (2017) do, section 5.1. Smoothed BLEU is that of Lin and Och (2004, ORANGE).
"""

import itertools
from collections.abc import Sequence
from dataclasses import replace

from sacrebleu.metrics import BLEU

from fa_jax.config import Config
from fa_jax.data.prepared import PreparedData
from fa_jax.decoding.documents import search_documents
from fa_jax.decoding.search import TrainedModel, search_translations
from fa_jax.model.encoder_decoder import Params

_ADD_ONE = BLEU(smooth_method="add-k", smooth_value=1, tokenize="none", effective_order=False)


def validate(params: Params, threshold: float, config: Config, data: PreparedData) -> float:
    """Mean smoothed sentence BLEU, 0 to 100, over the validation set's tokens.

    Documents are translated whole, where the run learns from documents.
    """
    # Of all words: a shortlist is learnt when a run is there.
    changes = {"beam_size": 1, "threshold": threshold, "batch_size": 128, "shortlist": 0}
    greedy = replace(config.decoding, **changes)
    sources, references = zip(*data.corpus.validation, strict=True)
    encoded = [data.source.encode(text) for text in sources]
    members = [TrainedModel(params, config.model)]
    if config.data.documents:
        ends = data.corpus.validation.documents()
        documents = [encoded[first:end] for first, end in itertools.pairwise(ends)]
        results = [
            one for of_one in search_documents(members, greedy, [documents]) for one in of_one
        ]
    else:
        results = search_translations(members, greedy, [encoded])
    return mean_smoothed_bleu(
        [data.target.tokens(result.hypotheses[0].words) for result in results],
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
