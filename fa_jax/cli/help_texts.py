"""Help as its reader's terminal is wide, and not as the source code's lines are long."""

import ast
import inspect
import shutil
import textwrap
from contextlib import suppress
from dataclasses import MISSING, Field, fields, is_dataclass
from functools import cache
from itertools import pairwise
from typing import Any

import tyro
from tyro.constructors import StructConstructorSpec, StructFieldSpec, StructTypeInfo

WIDEST = 100
"""Letters of a line of a description, at most."""


def description(text: str) -> str:
    """A command's text in lines of the terminal's width. Behind the first one, a paragraph's lines
    are indented: tyro joins those that are not."""
    width = min(WIDEST, shutil.get_terminal_size().columns)
    filled = textwrap.TextWrapper(width, subsequent_indent="  ", break_on_hyphens=False).fill
    return "\n\n".join(map(filled, inspect.cleandoc(text).split("\n\n")))


def reflowed(info: StructTypeInfo) -> StructConstructorSpec | None:
    """A rule for tyro: a dataclass whose fields' texts are a paragraph each."""
    kind = info.type
    texts = field_texts(kind) if isinstance(kind, type) and is_dataclass(kind) else {}
    if not texts:
        return None
    before = info.default if isinstance(info.default, kind) else None
    found = [
        StructFieldSpec(one.name, one.type, _default(one, before), texts.get(one.name))
        for one in fields(kind)
    ]
    return StructConstructorSpec(kind, tuple(found))


@cache
def field_texts(kind: type) -> dict[str, str]:
    """What stands below each field of a dataclass in its source, if there is a source. Finding the
    source takes longer than all else of parsing, which asks several times."""
    texts = {}
    for one in filter(is_dataclass, reversed(kind.__mro__)):
        with suppress(OSError):
            body = ast.parse(textwrap.dedent(inspect.getsource(one))).body[0].body
            for field, below in pairwise(body):
                match field, below:
                    case ast.AnnAssign(ast.Name(name)), ast.Expr(ast.Constant(str(text))):
                        texts[name] = " ".join(text.split())
    return texts


def _default(field: Field, before: Any) -> Any:
    if before is not None:
        return getattr(before, field.name)
    if field.default_factory is not MISSING:
        return field.default_factory()
    return tyro.MISSING if field.default is MISSING else field.default
