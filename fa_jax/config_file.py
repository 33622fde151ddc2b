"""A run's `config.json`: settings as JSON and back, older formats too."""

import math
from dataclasses import asdict, fields, is_dataclass
from typing import Any

from fa_jax.attention import SCORES, SPANS, SUMMARIES, Attention, AttentionConfig, Summary
from fa_jax.attention.attention_config import name_of, value_of
from fa_jax.config import Config
from fa_jax.errors import UserError

FORMAT = 3
"""2: training counts in epochs what are shares of its longest course now. 1, which has no number:
and the settings of all scores and spans stand beside each other."""
SECTIONS = {item.name: item.type for item in fields(Config) if is_dataclass(item.type)}
REGISTRIES = {"score": SCORES, "span": SPANS, "summary": SUMMARIES}
Json = dict[str, Any]


def config_json(config: Config) -> Json:
    """What `config.json` holds.

    Raises:
      UserError: a score, span or summary that is in no registry.
    """
    sections = {name: asdict(getattr(config, name)) for name in SECTIONS}
    sections["model"]["attention"] = attention_json(config.model.attention)
    return {"format": FORMAT, **sections, "preset": config.preset}


def config_from_json(content: Json) -> Config:
    """The config that `config_json` wrote, in this format or an older one.

    Raises:
      UserError, ValueError: an unknown format, name or key, a missing section, or a value that
        cannot be.
    """
    content = dict(content)
    number = content.pop("format", 1)
    if number not in range(1, FORMAT + 1):
        raise UserError(f"format {number} is not known: it is of a newer fa_jax")
    for older in (_from_format_1, _from_format_2)[number - 1 :]:
        content = older(content)
    if missing := {*SECTIONS, "preset"} - {*content}:
        raise UserError(f"it has no {min(missing)!r}")
    sections = {name: dict(content.pop(name)) for name in SECTIONS}
    sections["model"]["attention"] = _attention(sections["model"].get("attention", {}))
    values = {name: _value(kind, sections[name], f"{name}.") for name, kind in SECTIONS.items()}
    return _value(Config, content | values, "")


def attention_json(attention: Attention) -> Json:
    """Each part by its name, with its own settings."""
    if isinstance(attention, Summary):
        parts = {"summary": attention}
    else:
        parts = {"score": attention.score, "span": attention.span}
    try:
        return {
            role: {"name": name_of(part, REGISTRIES[role]), **asdict(part)}
            for role, part in parts.items()
        }
    except ValueError as error:
        raise UserError(str(error)) from error


def attention_text(attention: Attention) -> str:
    """What it is, in words: "concat score, flexible span"."""
    names = {role: part["name"] for role, part in attention_json(attention).items()}
    return ", ".join(f"{name.replace('_', ' ')} {role}" for role, name in names.items())


def _attention(content: Json) -> Attention:
    parts = {}
    for role, settings in content.items():
        if role not in REGISTRIES:
            raise UserError(f"unknown key model.attention.{role}")
        kind = type(value_of(settings["name"], REGISTRIES[role], role))
        rest = {key: value for key, value in settings.items() if key != "name"}
        parts[role] = _value(kind, rest, f"model.attention.{role}.")
    return parts["summary"] if "summary" in parts else AttentionConfig(**parts)


def _value(kind: type, settings: Json, where: str) -> Any:
    known = {field.name for field in fields(kind)}
    if unknown := {*settings} - known:
        raise UserError(f"unknown key {where}{min(unknown)}")
    return kind(**{k: math.inf if v == "inf" else v for k, v in settings.items()})


def _from_format_2(content: Json) -> Json:
    """Halvings and validations were counted by the epoch, and spans learnt from the loss alone."""
    training = {"span_teacher": "loss", **content.get("training", {})}
    if "strength_rate" in training:
        training["span_rate"] = training.pop("strength_rate")
    epochs = training.get("epochs", 2.0)
    if "halve_from" in training:
        training["halve_from"] = (training["halve_from"] - 1) / epochs
    if "halve_every" in training:
        training["halve_every"] /= epochs
    if "validations" in training:
        training["validations"] = max(1, round(training["validations"] * epochs))
    return content | {"training": training}


def _from_format_1(content: Json) -> Json:
    """Scores and spans take their settings out of the model's, which had those of all."""
    model, training = dict(content["model"]), dict(content["training"])
    kinds = [kind for registry in REGISTRIES.values() for kind in registry.values()]
    names = {field.name for kind in kinds for field in fields(kind)}
    settings = {name: model.pop(name) for name in names & {*model}}
    if "extent_penalty" in training:
        settings["price"] = training.pop("extent_penalty")
    chosen = {"score": model.pop("score"), "span": model.pop("span")}
    if chosen["score"] in SUMMARIES:
        chosen = {"summary": chosen["score"]}
    attention = {}
    for role, name in chosen.items():
        known = fields(REGISTRIES[role][name]) if name in REGISTRIES[role] else ()
        own = {field.name: settings[field.name] for field in known if field.name in settings}
        attention[role] = {"name": name, **own}
    return content | {"model": model | {"attention": attention}, "training": training}
