"""Options of attention: of every score and span that is registered when they are parsed.

`--model.score NAME`, `--model.span NAME` choose; `--flexible.sigma 3` and its like are settings of
what is chosen, with the texts of its own class and fields as help.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, is_dataclass
from typing import Annotated, Any, get_args

import tyro
from jaxtyping import AbstractArray
from tyro.constructors import (
    ConstructorRegistry,
    PrimitiveConstructorSpec,
    PrimitiveTypeInfo,
    StructConstructorSpec,
    StructFieldSpec,
    StructTypeInfo,
)

from fa_jax.attention import AttentionConfig
from fa_jax.cli.help_texts import reflowed
from fa_jax.config_file import REGISTRIES, attention_json
from fa_jax.errors import UserError

HELP = {"score": "How well does a position match", "span": "Which positions count"}
REGISTRY = ConstructorRegistry()
"""What tyro asks about types that it does not know, and for the texts of those that it does."""
REGISTRY.struct_rule(reflowed)


@dataclass(frozen=True)
class AttentionOptions:
    """before: the attention that they change. longest: source that a score is made for, in tokens.

    names: what is chosen, by role. settings: values by name.
    """

    before: AttentionConfig = field(default_factory=AttentionConfig)
    longest: int = 1
    names: Mapping[str, str] = field(default_factory=dict)
    settings: Mapping[str, Any] = field(default_factory=dict)

    def attention(self) -> AttentionConfig:
        """What is chosen, with its settings.

        Raises:
          UserError: an unknown name, or a setting of what is not chosen.
        """
        chosen, values = _names(self.before) | self.names, self.defaults()
        for role, name in chosen.items():
            if name not in REGISTRIES[role]:
                raise UserError(f"unknown {role} {name!r}: choose {', '.join(REGISTRIES[role])}")
        for name in self.settings.keys() - chosen.values():
            if self.settings[name] != values[name]:
                raise UserError(
                    f"a setting of {name} was given, but {' and '.join(chosen.values())} is "
                    f"chosen: choose {name} with --model.…, or leave the setting out"
                )
        values |= self.settings
        return AttentionConfig(**{role: values[name] for role, name in chosen.items()})

    def defaults(self) -> dict[str, Any]:
        """All that is registered, by name: with its own defaults, or as it was before."""
        own = {type(part): part for part in vars(self.before).values()}
        values = {}
        for role, registry in REGISTRIES.items():
            for name, kind in registry.items():
                if name in values:
                    raise UserError(f"{name!r} is registered twice: give the {role} another name")
                new = kind().for_sources(self.longest) if role == "score" else kind()
                values[name] = own.get(kind, new)
        return values


def _names(attention: AttentionConfig) -> dict[str, str]:
    return {role: part["name"] for role, part in attention_json(attention).items()}


@REGISTRY.struct_rule
def _options(info: StructTypeInfo) -> StructConstructorSpec | None:
    """`AttentionOptions` has the options of what is registered; a model's attention has none."""
    if isinstance(info.default, AttentionConfig):
        return StructConstructorSpec(lambda: info.default, ())
    if info.type is not AttentionOptions:
        return None
    options, before, found = info.default, info.default.before, []
    for role, registry in REGISTRIES.items():
        name = _names(before)[role]
        text = f"{HELP[role]}: {', '.join(registry)}. (default: {name})"
        option = tyro.conf.arg(name=f"model.{role}", metavar="NAME", help_behavior_hint="")
        found.append(StructFieldSpec(role, Annotated[str, option], name, text))
    for name, value in options.defaults().items():
        if is_dataclass(value) and fields(value):
            found.append(StructFieldSpec(name, type(value), value))

    def instantiate(**values: Any) -> AttentionOptions:
        names = {role: values.pop(role) for role in REGISTRIES}
        return AttentionOptions(before, options.longest, names, values)

    return StructConstructorSpec(instantiate, tuple(found))


@REGISTRY.primitive_rule
def _number(info: PrimitiveTypeInfo) -> PrimitiveConstructorSpec | None:
    """A number that may be an array, such as a σ that is learnt."""
    kinds = [kind for kind in get_args(info.type) if isinstance(kind, type)]
    if float not in kinds or not any(issubclass(kind, AbstractArray) for kind in kinds):
        return None
    return PrimitiveConstructorSpec(
        nargs=1,
        metavar="FLOAT",
        instance_from_str=lambda texts: float(texts[0]),
        is_instance=lambda value: isinstance(value, (int, float)),
        str_from_instance=lambda value: [f"{value:g}"],
    )
