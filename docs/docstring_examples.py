"""Tells mkdocstrings where a docstring's example begins: at its first `>>>`."""

from typing import Any

from griffe import Extension, Object


class Examples(Extension):
    """Puts the heading in front of it that Google's style has."""

    def on_object(self, *, obj: Object, **kwargs: Any):
        if obj.docstring is None or ">>>" not in obj.docstring.value:
            return
        lines = obj.docstring.value.split("\n")
        first = next(i for i, line in enumerate(lines) if line.lstrip().startswith(">>>"))
        example = [f"    {line}" for line in lines[first:]]
        obj.docstring.value = "\n".join([*lines[:first], "Examples:", *example])
