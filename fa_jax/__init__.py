"""Neural machine translation with flexible attention: attention that looks only where it must.

`flexible_attention` and its neighbours are pure functions for JAX code of your own. `train`,
`finetune`, `evaluate`, `select`, `translate`, `trace` and `show` are what the command line does, as
functions that take values and return values. They are loaded when they are first asked for.
"""

from importlib import import_module
from typing import TYPE_CHECKING

import fa_jax.attention
from fa_jax.attention import *  # noqa: F403

if TYPE_CHECKING:  # what `__getattr__` loads later, for type checkers and editors
    from fa_jax.cache import set_up_process as set_up_process
    from fa_jax.config import Config as Config
    from fa_jax.config import DataConfig as DataConfig
    from fa_jax.config import DecodingConfig as DecodingConfig
    from fa_jax.config import ModelConfig as ModelConfig
    from fa_jax.config import TrainingConfig as TrainingConfig
    from fa_jax.errors import UserError as UserError
    from fa_jax.exports.export import export as export
    from fa_jax.finetuning_settings import finetuning as finetuning
    from fa_jax.finetuning_settings import learning_documents as learning_documents
    from fa_jax.presets import preset as preset
    from fa_jax.runs.align import align as align
    from fa_jax.runs.evaluate import evaluate as evaluate
    from fa_jax.runs.evaluate import perplexity as perplexity
    from fa_jax.runs.evaluate import score_test as score_test
    from fa_jax.runs.folder import set_threshold as set_threshold
    from fa_jax.runs.markup import translate_html as translate_html
    from fa_jax.runs.report import report as report
    from fa_jax.runs.run import load_run as load_run
    from fa_jax.runs.simultaneous import Interpreter as Interpreter
    from fa_jax.runs.simultaneous import simultaneous as simultaneous
    from fa_jax.runs.thresholds import narrowest_windows as narrowest_windows
    from fa_jax.runs.thresholds import select as select
    from fa_jax.runs.thresholds import threshold_for_window as threshold_for_window
    from fa_jax.runs.trace import show as show
    from fa_jax.runs.trace import trace as trace
    from fa_jax.runs.train import finetune as finetune
    from fa_jax.runs.train import train as train
    from fa_jax.runs.translate import translate as translate
    from fa_jax.serving import serve as serve

_MODULES = {
    "cache": ("set_up_process",),
    "errors": ("UserError",),
    "config": ("Config", "DataConfig", "ModelConfig", "TrainingConfig", "DecodingConfig"),
    "presets": ("preset",),
    "finetuning_settings": ("finetuning", "learning_documents"),
    "runs.train": ("train", "finetune"),
    "runs.run": ("load_run",),
    "runs.translate": ("translate",),
    "runs.align": ("align",),
    "runs.markup": ("translate_html",),
    "runs.simultaneous": ("Interpreter", "simultaneous"),
    "runs.trace": ("trace", "show"),
    "runs.evaluate": ("evaluate", "perplexity", "score_test"),
    "runs.report": ("report",),
    "exports.export": ("export",),
    "runs.thresholds": ("select", "threshold_for_window", "narrowest_windows"),
    "runs.folder": ("set_threshold",),
    "serving": ("serve",),
}
_LATER = {name: module for module, names in _MODULES.items() for name in names}

__all__ = [*fa_jax.attention.__all__, *_LATER]  # pyright: ignore[reportUnsupportedDunderAll]


if not TYPE_CHECKING:  # a type checker would believe it of any name

    def __getattr__(name: str):
        if name not in _LATER:
            raise AttributeError(f"module 'fa_jax' has no attribute {name!r}")
        return getattr(import_module(f"fa_jax.{_LATER[name]}"), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
