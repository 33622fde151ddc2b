"""Neural machine translation with flexible attention: attention that looks only where it must.

`flexible_attention` and its neighbours are pure functions for JAX code of your own. `train`,
`finetune`, `evaluate`, `select`, `translate`, `trace` and `show` are what the command line does, as
functions that take values and return values. They are loaded when they are first asked for.
"""

from importlib import import_module

import fa_jax.attention
from fa_jax.attention import *  # noqa: F403

_LATER = {
    "set_up_process": "process",
    "UserError": "errors",
    "Config": "config",
    "DataConfig": "config",
    "ModelConfig": "config",
    "TrainingConfig": "config",
    "DecodingConfig": "config",
    "preset": "presets",
    "finetuning": "presets",
    "train": "runs.train",
    "finetune": "runs.train",
    "load_run": "runs.run",
    "translate": "runs.translate",
    "trace": "runs.trace",
    "show": "runs.show",
    "evaluate": "runs.evaluate",
    "score_test": "runs.evaluate",
    "select": "runs.select",
    "set_threshold": "runs.folder",
}

__all__ = [*fa_jax.attention.__all__, *_LATER]


def __getattr__(name: str):
    if name not in _LATER:
        raise AttributeError(f"module 'fa_jax' has no attribute {name!r}")
    return getattr(import_module(f"fa_jax.{_LATER[name]}"), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
