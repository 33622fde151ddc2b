"""A font with the Japanese letters of the site, for readers whose system has none."""

import base64
import io
import re

from fontTools import subset

from fa_jax.plots import packaged_font

JAPANESE = re.compile(r"[\u2e80-\u9fff\uff00-\uffef]")


def style_sheet(text: str) -> str:
    """A style sheet that holds the font, with the letters of a text and no others."""
    options = subset.Options(layout_features=[], hinting=False, notdef_outline=True)
    written = io.BytesIO()
    with subset.load_font(packaged_font(), options) as font:
        subsetter = subset.Subsetter(options)
        subsetter.populate(text="".join(sorted({*JAPANESE.findall(text)})))
        subsetter.subset(font)
        font.save(written)
    data = base64.b64encode(written.getvalue()).decode()
    return f'@font-face {{ font-family: Letters; src: url("data:font/ttf;base64,{data}"); }}\n'
