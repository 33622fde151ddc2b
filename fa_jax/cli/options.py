"""What tyro is told of settings: a dataclass's options, and those of attention.

`--model.score NAME`, `--model.span NAME` choose among all scores and spans that are registered when
arguments are parsed; `--flexible.sigma 3` and its like are settings of what is chosen.
"""

from collections.abc import Callable
from dataclasses import Field, fields, is_dataclass, replace
from functools import cache, partial, wraps
from typing import Annotated, Any, get_args

import tyro
from docstring_parser import parse_from_object
from jaxtyping import AbstractArray
from tyro.constructors import StructConstructorSpec, StructFieldSpec, StructTypeInfo

from fa_jax.attention import SCORES, SPANS, AttentionConfig
from fa_jax.cli.hosts import Hosts
from fa_jax.config import DataConfig, DecodingConfig, TrainingConfig
from fa_jax.config_file import REGISTRIES, attention_json
from fa_jax.errors import UserError

SHORT = {
    "corpus": DataConfig,
    "steps": TrainingConfig,
    "threshold": DecodingConfig,
    "beam_size": DecodingConfig,
}
"""Settings so often given that they have an option without their section's name, too."""
HELP = {"score": "How well does a position match", "span": "Which positions count"}
REGISTRY = tyro.constructors.ConstructorRegistry()
UNCHECKED = tyro.constructors.ConstructorRegistry()
"""It goes before the other one while it is not known which settings the options change."""


@REGISTRY.struct_rule
def _dataclass(info: StructTypeInfo) -> StructConstructorSpec | None:
    """With each field's text as a paragraph: tyro keeps the line breaks of the source code."""
    kind = info.type
    texts = field_texts(kind) if isinstance(kind, type) else {}
    if not texts:
        return None
    values = info.default if isinstance(info.default, kind) else kind

    def option(one: Field) -> StructFieldSpec:
        default = getattr(values, one.name, tyro.MISSING_NONPROP)
        return StructFieldSpec(one.name, _option(kind, one), default, texts.get(one.name))

    return StructConstructorSpec(_naming(kind), tuple(map(option, fields(kind))))


def _naming(kind: type) -> Callable:
    """The dataclass; what a score or span says of a wrong setting, it says of `NAME.setting`."""

    @wraps(kind, updated=())
    def made(**settings: Any) -> Any:
        try:
            return kind(**settings)
        except (TypeError, ValueError) as error:
            for name, part in {**SCORES, **SPANS}.items():
                if part is kind and str(error).startswith(tuple(settings)):
                    raise UserError(f"{name}.{error}") from error
            raise

    return made


@cache
def field_texts(kind: type) -> dict[str, str]:
    """What stands below each field of a dataclass in its source, if there is a source. Finding the
    source takes longer than all else of parsing, which asks several times."""
    return {
        one.arg_name: " ".join(one.description.split())
        for part in filter(is_dataclass, reversed(kind.__mro__))
        for one in parse_from_object(part).params
    }


def _option(kind: type, field: Field) -> Any:
    """A field's type, and what its option is called if not as the field. A number that may be an
    array, such as a σ that is learnt, is a number here."""
    kinds = get_args(field.type)
    if float in kinds and any(isinstance(k, type) and issubclass(k, AbstractArray) for k in kinds):
        return float
    if field.type in (AttentionConfig, Hosts):
        return Annotated[field.type, tyro.conf.arg(name="")]
    if SHORT.get(field.name) is kind:
        return Annotated[field.type, tyro.conf.arg(aliases=[f"--{field.name.replace('_', '-')}"])]
    return field.type


@REGISTRY.struct_rule
def _attention(info: StructTypeInfo) -> StructConstructorSpec | None:
    """Options of all that is registered: with its own defaults, or as it was before."""
    if info.type is not AttentionConfig:
        return None
    before, options, values = _before(info), [], {}
    chosen = {role: part["name"] for role, part in attention_json(before).items()}
    own = {type(part): part for part in vars(before).values()}
    for role, registry in REGISTRIES.items():
        text = f"{HELP[role]}: {', '.join(registry)}. (default: {chosen[role]})"
        option = tyro.conf.arg(metavar="NAME", help_behavior_hint="")
        options.append(StructFieldSpec(role, Annotated[str, option], chosen[role], text))
        for name, kind in registry.items():
            if name in values:
                raise UserError(f"{name!r} is registered twice: give the {role} another name")
            values[name] = own.get(kind, kind())
    for name, value in values.items():
        if is_dataclass(value) and fields(value):
            section = tyro.conf.arg(name=name.replace("_", "-"), prefix_name=False)
            options.append(StructFieldSpec(name, Annotated[type(value), section], value))
    return StructConstructorSpec(partial(_chosen, values), tuple(options))


@UNCHECKED.struct_rule
def _unchecked_attention(info: StructTypeInfo) -> StructConstructorSpec | None:
    """A setting may be of what a preset chooses."""
    options = _attention(info)
    return options and replace(options, instantiate=lambda **_: _before(info))


def _before(info: StructTypeInfo) -> AttentionConfig:
    return info.default if isinstance(info.default, AttentionConfig) else AttentionConfig()


def _chosen(before: dict[str, Any], *, score: str, span: str, **settings: Any) -> AttentionConfig:
    """What is chosen, with its settings. before: all that is registered, by name.

    Raises:
      UserError: an unknown name, or a setting of what is not chosen.
    """
    for (role, registry), name in zip(REGISTRIES.items(), (score, span), strict=True):
        if name not in registry:
            raise UserError(f"unknown {role} {name!r}: choose {', '.join(registry)}")
    for name in settings.keys() - {score, span}:
        if settings[name] != before[name]:
            raise UserError(
                f"a setting of {name} was given, but {score} and {span} is chosen: choose {name} "
                "with --model.…, or leave the setting out"
            )
    values = before | settings
    return AttentionConfig(values[score], values[span])
