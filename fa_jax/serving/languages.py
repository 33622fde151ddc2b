"""Languages by name, and which of them a text is in.

A token's frequency follows from its rank (Zipf), so a language's vocabulary says how likely a text
is: no model of languages is needed, and languages that such models lack are known.
"""

from collections.abc import Sequence

import numpy as np
from babel import Locale, UnknownLocaleError

from fa_jax.data.codec import TextCodec
from fa_jax.data.vocabulary import UNKNOWN

READ = 1000
"""Letters of a text, at most."""


def language(code: str) -> dict[str, str]:
    """Its code, and its name in English; of an unknown one the code."""
    try:
        name = Locale.parse(code, sep="-").english_name
    except (ValueError, UnknownLocaleError):
        name = None
    return {"code": code, "name": name or code}


def likely_languages(text: str, codecs: Sequence[TextCodec]) -> list[dict[str, str | float]]:
    """Each language and how sure it is, in percent, as LibreTranslate says it; the likeliest first.
    Of several codecs of a language the first one counts."""
    of_language = {codec.language: codec for codec in reversed(codecs)}
    surprises = np.array([_surprise(text[:READ], codec) for codec in of_language.values()])
    likely = np.exp(surprises.min() - surprises)
    shares = (100 * likely / likely.sum()).round(1).tolist()
    ranked = sorted(zip(of_language, shares, strict=True), key=lambda one: -one[1])
    return [{"language": language, "confidence": share} for language, share in ranked]


def _surprise(text: str, codec: TextCodec) -> float:
    """-log p of the text's tokens. Those that are not known are spelt."""
    tokens = codec.tokenizer.tokenize(codec.usual(text))
    known = zip(tokens, codec.vocabulary.ids(tokens), strict=True)
    pieces = (piece for token, n in known for piece in (token if n == UNKNOWN else [token]))
    return codec.vocabulary.surprise(pieces)
