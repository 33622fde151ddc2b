"""The README's first Python example runs as it stands."""

import re

from tests.command import REPOSITORY


def test_the_function_in_ten_lines():
    text = (REPOSITORY / "README.md").read_text(encoding="utf-8")
    example = re.findall(r"```python\n(.*?)```", text, re.S)[0]
    names = {}
    exec(example, names)
    assert names["out"].context.shape == (8, 512)
