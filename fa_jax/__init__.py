"""Neural machine translation with flexible attention: attention that looks only where it must.

`flexible_attention` and its neighbours are pure functions for JAX code of your own. `train`,
`finetune`, `evaluate`, `select`, `translate`, `trace` and `show` are what the command line does, as
functions that take values and return values. They are loaded when they are first asked for.
"""

from importlib import import_module

import fa_jax.attention
from fa_jax.attention import *  # noqa: F403

_MODULES = {
    "cache": ("set_up_process",),
    "errors": ("UserError",),
    "config": ("Config", "DataConfig", "ModelConfig", "TrainingConfig", "DecodingConfig"),
    "presets": ("preset", "finetuning", "learning_documents"),
    "runs.train": ("train", "finetune"),
    "runs.run": ("load_run",),
    "runs.translate": ("translate",),
    "runs.trace": ("trace", "show"),
    "runs.evaluate": ("evaluate", "perplexity", "score_test", "select"),
    "runs.order": ("threshold_for_window",),
    "runs.folder": ("set_threshold",),
    "serving": ("serve",),
}
_LATER = {name: module for module, names in _MODULES.items() for name in names}

__all__ = [*fa_jax.attention.__all__, *_LATER]


def __getattr__(name: str):
    if name not in _LATER:
        raise AttributeError(f"module 'fa_jax' has no attribute {name!r}")
    return getattr(import_module(f"fa_jax.{_LATER[name]}"), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
