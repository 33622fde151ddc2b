"""A run's `config.json`: settings as JSON and back."""

import math
from dataclasses import asdict, fields, is_dataclass
from typing import Any

import jax

from fa_jax.attention import SCORES, SPANS, AttentionConfig
from fa_jax.attention.attention_config import name_of, value_of
from fa_jax.config import Config
from fa_jax.errors import UserError

FORMAT = 4
SECTIONS = {item.name: item.type for item in fields(Config) if is_dataclass(item.type)}
REGISTRIES = {"score": SCORES, "span": SPANS}
Json = dict[str, Any]


def config_json(config: Config) -> Json:
    """What `config.json` holds.

    Raises:
      UserError: a score or span that is in no registry.
    """
    sections = {name: asdict(getattr(config, name)) for name in SECTIONS}
    sections["model"]["attention"] = attention_json(config.model.attention)
    return {"format": FORMAT, **sections, "preset": config.preset}


def config_from_json(content: Json) -> Config:
    """The config that `config_json` wrote.

    Raises:
      UserError, ValueError: another format, an unknown name or key, a missing section, or a value
        that cannot be.
    """
    content = dict(content)
    if (number := content.pop("format", 1)) != FORMAT:
        raise UserError(f"it has format {number}, and this fa_jax reads format {FORMAT}")
    if missing := {*SECTIONS, "preset"} - {*content}:
        raise UserError(f"it has no {min(missing)!r}")
    sections = {name: dict(content.pop(name)) for name in SECTIONS}
    sections["model"]["attention"] = _attention(sections["model"].get("attention", {}))
    values = {name: _value(kind, sections[name], f"{name}.") for name, kind in SECTIONS.items()}
    return _value(Config, content | values, "")


def attention_json(attention: AttentionConfig) -> Json:
    """Each part by its name, with its own settings."""
    try:
        return {
            role: {"name": name_of(part, REGISTRIES[role]), **asdict(part)}
            for role, part in vars(attention).items()
        }
    except ValueError as error:
        raise UserError(str(error)) from error


def attention_text(attention: AttentionConfig) -> str:
    """What it is, in words: "concat score, flexible span"."""
    names = {role: part["name"] for role, part in attention_json(attention).items()}
    return ", ".join(f"{name.replace('_', ' ')} {role}" for role, name in names.items())


def differences(before: Config, after: Config) -> dict[str, str]:
    """By name (`training.epochs`, `model.attention.span.sigma`): what it was and what it is."""
    old, new = settings_of(before), settings_of(after)
    return {
        name: f"{name} is {old.get(name)!r} there, {new.get(name)!r} here"
        for name in old | new
        if old.get(name) != new.get(name)
    }


def settings_of(config: Config) -> Json:
    """The value of each setting by its name, such as `model.attention.span.sigma`."""
    leaves = jax.tree_util.tree_leaves_with_path(config_json(config))
    return {jax.tree_util.keystr(path, simple=True, separator="."): leaf for path, leaf in leaves}


def _attention(content: Json) -> AttentionConfig:
    parts = {}
    for role, settings in content.items():
        if role not in REGISTRIES:
            raise UserError(f"unknown key model.attention.{role}")
        settings = dict(settings)
        kind = type(value_of(settings.pop("name"), REGISTRIES[role], role))
        parts[role] = _value(kind, settings, f"model.attention.{role}.")
    return AttentionConfig(**parts)


def _value(kind: type, settings: Json, where: str) -> Any:
    known = {field.name: field.type for field in fields(kind)}
    if unknown := {*settings} - {*known}:
        raise UserError(f"unknown key {where}{min(unknown)}")
    infinite = {name for name, it in settings.items() if it == "inf" and known[name] is not str}
    return kind(**settings | dict.fromkeys(infinite, math.inf))
