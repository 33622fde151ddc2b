"""HTML in, HTML out: texts are translated whole, and tags come back by alignment."""

from collections.abc import Sequence
from typing import Any

from fa_jax.config import DecodingConfig
from fa_jax.data.given import checked_lines
from fa_jax.data.markup import pieces, text_of
from fa_jax.runs.align import tagged
from fa_jax.runs.run import Run, ensemble
from fa_jax.runs.translate import translate


def translate_html(
    run: Run | Sequence[Run],
    pages: Sequence[str],
    decoding: DecodingConfig | None = None,
    **options: Any,
) -> list[str]:
    """Translates pages, or parts of pages.

    Tags inside a text come back around the words that belong to what they were around, by what
    attention looked at. Scripts, styles, comments, `<pre>`, `<code>` and what is marked
    `translate="no"` stay as they are.

    Args:
      run: as of `translate`.
      pages: HTML.
      decoding: as of `translate`.
      options: of `translate`, too: split, glossary and progress.

    Returns:
      The translated pages.

    Raises:
      UserError: as `translate`; or there are tags inside a text, and attention looks at nothing.

    >>> page = "<p>She bought a <b>red car</b> in Tokyo.</p>"
    >>> fa_jax.translate_html(fa_jax.load_run("en-ja"), [page])
    ['<p>彼女は東京で<b>赤い車</b>を買った。</p>']
    """
    parted = [pieces(page) for page in checked_lines(pages, "page")]
    texts = [text for of_page in parted for text in of_page[1::2]]
    found = iter(translate_inline(run, texts, decoding, **options))
    return [
        "".join(next(found)[0] if number % 2 else piece for number, piece in enumerate(of_page))
        for of_page in parted
    ]


def translate_inline(
    run: Run | Sequence[Run],
    texts: Sequence[str],
    decoding: DecodingConfig | None = None,
    n_best: int = 1,
    **options: Any,
) -> list[list[str]]:
    """The translations of each text with tags in it, one of `pieces`, best first."""
    read = [text_of(text) for text in texts]
    lines = [" ".join(text.letters.split()) for text in read]
    records = translate(run, lines, decoding, n_best, **options)
    versions = [[one["text"] for one in record["translations"]] for record in records]
    return tagged(ensemble(run)[0], read, versions)
