"""Pages of one file: this folder's HTML with the styles, scripts and values that it includes."""

import json
import re
from importlib.resources import files
from typing import Any


def filled(page: str, **values: Any) -> str:
    """The text of a page.

    page: a file of this folder; `/*INCLUDE name*/` in it stands for another. values: what stands
    for `/*NAME*/ null` in it, as JSON.
    """
    text = re.sub(r"/\*INCLUDE (\S+)\*/", lambda found: _text(found[1]), _text(page))
    for name, value in values.items():
        # "</script" would end the script that the data stands in, "<!--" would hide its end.
        data = json.dumps(value, ensure_ascii=False).replace("<", "\\u003c")
        text = text.replace(f"/*{name}*/ null", data)
    return text


def _text(name: str) -> str:
    return files(__package__).joinpath(name).read_text(encoding="utf-8")
