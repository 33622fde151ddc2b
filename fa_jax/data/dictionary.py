"""A dictionary for words that a translation model does not know, learnt from its corpus."""

from dataclasses import replace

import numpy as np

from fa_jax.config import DataConfig
from fa_jax.data.codec import TextCodec
from fa_jax.data.encoded import EncodedPairs
from fa_jax.data.lexicon import likely_links
from fa_jax.data.prepared import prepare
from fa_jax.data.vocabulary import SPECIAL

ALL_WORDS = 2**31 - 1
"""Of the training set, however rare."""


def learn_dictionary(config: DataConfig, known: TextCodec) -> dict[str, str]:
    """Source words, and what each is most likely to be among target words that are not known.

    What a model writes as `<unk>` is none of the words that it knows. So a source word's
    translation here is the unknown word t with the highest t(t | s) · t(s | t), each by IBM model 1
    (Brown et al. 1993): a pair counts where each is what the other is aligned with. Words that
    stand on both sides as they are, such as names, have no entry: they are copied.

    Args:
      config: the corpus and its tokenizer.
      known: the target's; its vocabulary's words are no entries.

    Returns:
      An entry for each source word that ever stands beside an unknown target word.

    Raises:
      UserError: the corpus is not there.
    """
    whole = replace(config, source_vocabulary=ALL_WORDS, target_vocabulary=ALL_WORDS)
    data = prepare(whole)
    sources, targets = data.source.vocabulary.tokens, data.target.vocabulary.tokens
    source, target, likely = likely_links(data.train, len(targets))
    back = EncodedPairs(data.train.target, data.train.source)
    back_target, back_source, back_likely = likely_links(back, len(sources))
    found = (source, target, likely), (back_source, back_target, back_likely)
    source, target, likely = _joined(*found, len(targets))
    unknown = ~np.isin(targets, known.vocabulary.tokens)
    copied = np.isin(sources, targets)
    wanted = unknown[target] & ~copied[source] & (source >= len(SPECIAL))
    source, target, likely = source[wanted], target[wanted], likely[wanted]
    order = np.lexsort((target, -likely, source))
    firsts = order[np.unique(source[order], return_index=True)[1]]
    return {sources[source[i]]: targets[target[i]] for i in firsts.tolist()}


def _joined(links, others, width: int):
    """Links that both have, and the products of their likelihoods."""
    numbers, other_numbers = (s * np.int64(width) + t for s, t, _ in (links, others))
    _, here, there = np.intersect1d(numbers, other_numbers, return_indices=True)
    source, target, likely = (column[here] for column in links)
    return source, target, likely * others[2][there]
