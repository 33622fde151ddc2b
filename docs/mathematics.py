"""Formulas as MathML, which browsers draw by themselves: no script, no network."""

from typing import Any

from latex2mathml.converter import convert


def formula(source: str, *arguments: Any, **options: Any) -> str:
    """A fenced block `math`: one formula a line, in LaTeX."""
    lines = [convert(line, display="block") for line in source.splitlines() if line.strip()]
    return "\n".join(f'<div class="formula">{line}</div>' for line in lines)
