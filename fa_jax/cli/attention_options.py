"""Options of attention: of every score, span and summary that is registered when they are parsed.

`--model.score NAME`, `--model.span NAME`, `--model.summary NAME` choose; `--flexible.sigma 3` and
its like are settings of what is chosen, with the texts of its own class and fields as help.
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

from fa_jax.attention import Attention, AttentionConfig
from fa_jax.cli.help_texts import reflowed
from fa_jax.config_file import REGISTRIES, attention_json
from fa_jax.errors import UserError

HELP = {
    "score": "How well does a position match",
    "span": "Which positions count",
    "summary": "Read a summary of fixed size in place of positions; it has no score and no span",
}
REGISTRY = ConstructorRegistry()
"""What tyro asks about types that it does not know, and for the texts of those that it does."""
REGISTRY.struct_rule(reflowed)


@dataclass(frozen=True)
class AttentionOptions:
    """before: the attention that they change. longest: source that a score is made for, in tokens.

    names: what is chosen, by role. settings: values by name.
    """

    before: Attention = field(default_factory=AttentionConfig)
    longest: int = 1
    names: Mapping[str, str] = field(default_factory=dict)
    settings: Mapping[str, Any] = field(default_factory=dict)

    def attention(self) -> Attention:
        """What is chosen, with its settings.

        Raises:
          UserError: an unknown name, a summary beside a score or span, or a setting of what is not
            chosen.
        """
        before = _names(self.before)
        given = {role: name for role, name in self.names.items() if name != before.get(role, "")}
        for role, name in given.items():
            if name not in REGISTRIES[role]:
                raise UserError(f"unknown {role} {name!r}: choose {', '.join(REGISTRIES[role])}")
        if "summary" in given and len(given) > 1:
            summary = f"--model.summary {given.pop('summary')}"
            raise UserError(f"{summary} has no positions: leave out --model.{min(given)}")
        chosen = given if "summary" in given else before
        if given and "summary" not in given:
            chosen = {"score": "concat", "span": "flexible"} | before | given
            chosen.pop("summary", None)
        values = self.defaults()
        for name in self.settings.keys() - chosen.values():
            if self.settings[name] != values[name]:
                raise UserError(
                    f"a setting of {name} was given, but {' and '.join(chosen.values())} is "
                    f"chosen: choose {name} with --model.…, or leave the setting out"
                )
        parts = {role: (values | self.settings)[name] for role, name in chosen.items()}
        return parts["summary"] if "summary" in parts else AttentionConfig(**parts)

    def defaults(self) -> dict[str, Any]:
        """All that is registered, by name: with its own defaults, or as it was before."""
        before = self.before
        parts = vars(before).values() if isinstance(before, AttentionConfig) else [before]
        own = {type(part): part for part in parts}
        values = {}
        for role, registry in REGISTRIES.items():
            for name, kind in registry.items():
                if name in values:
                    raise UserError(f"{name!r} is registered twice: give the {role} another name")
                new = kind().for_sources(self.longest) if role == "score" else kind()
                values[name] = own.get(kind, new)
        return values


def _names(attention: Attention) -> dict[str, str]:
    return {role: part["name"] for role, part in attention_json(attention).items()}


@REGISTRY.struct_rule
def _options(info: StructTypeInfo) -> StructConstructorSpec | None:
    """`AttentionOptions` has the options of what is registered; a model's attention has none."""
    if isinstance(info.default, Attention):
        return StructConstructorSpec(lambda: info.default, ())
    if info.type is not AttentionOptions:
        return None
    options, before, found = info.default, info.default.before, []
    for role, registry in REGISTRIES.items():
        name = _names(before).get(role, "")
        text = f"{HELP[role]}: {', '.join(registry)}. {f'(default: {name})' if name else ''}"
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
