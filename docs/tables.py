"""Tables of the pages, from the tables of the code: what is registered is listed."""

from collections.abc import Iterable
from importlib import import_module
from inspect import getdoc

import fa_jax
from fa_jax import presets
from fa_jax.attention.attention_config import name_of
from fa_jax.cli.parsing import COMMANDS


def sizes() -> str:
    """The presets' sizes."""
    rows = []
    for name, config in presets.SIZES.items():
        model, data = config.model, config.data
        machine = "2 CPU cores" if name in presets.SMALL_SIZES else "accelerators"
        units, layers = f"{model.decoder_size:,}", str(model.layers)
        score = name_of(model.attention.score, fa_jax.SCORES)
        rows.append((f"`{name}`", data.tokenizer + "s", units, layers, f"`{score}`", machine))
    return _table(("size", "tokens", "units", "layers", "score", "meant for"), rows)


def systems() -> str:
    """The presets' systems; "..." in a summary goes on from the row above."""
    rows = [(f"`{name}`", system.summary) for name, system in presets.SYSTEMS.items()]
    return _table(("system", "what it is"), rows)


def scores() -> str:
    return _registered(fa_jax.SCORES)


def spans() -> str:
    return _registered(fa_jax.SPANS)


def commands() -> str:
    """The command line's commands and what each does."""
    kinds = ((name, import_module(f"fa_jax.cli.{name}").Command) for name in COMMANDS)
    return _table(("command", "what it does"), ((f"`fa-jax {n}`", _first(k)) for n, k in kinds))


def _registered(kinds: dict[str, type]) -> str:
    rows = (
        (f"`{name}`", f"`fa_jax.{kind.__name__}`", _first(kind)) for name, kind in kinds.items()
    )
    return _table(("name", "class", "what it is"), rows)


def _first(kind: type) -> str:
    """The first paragraph of a docstring, in one line."""
    return " ".join((getdoc(kind) or "").split("\n\n")[0].split())


def _table(heads: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    heads = tuple(heads)
    lines = [heads, ["---"] * len(heads), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)
