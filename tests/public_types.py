"""What a type checker sees of the public API: `make lint` checks this file, nothing runs it.

Strict: a public function whose arguments or result have no known type is an error here.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, assert_type

import jax
import jax.numpy as jnp

import fa_jax
from fa_jax.decoding.forced import SpanTrace
from fa_jax.evaluation.selection import Selection
from fa_jax.runs.align import Alignment
from fa_jax.runs.evaluate import Evaluation
from fa_jax.runs.run import Run


def attention(key: jax.Array, ones: jax.Array, lengths: jax.Array, focus: jax.Array):
    params = fa_jax.init_flexible_attention(
        key, query_size=4, memory_size=6, feedback_size=5, attention_size=8
    )
    memory = assert_type(fa_jax.prepare_memory(params, ones, lengths), fa_jax.Memory)
    out = fa_jax.flexible_attention(params, ones, ones, focus, memory, sigma=1.5, threshold=1.2)
    assert_type(out, fa_jax.FlexibleAttentionOutput)
    assert_type(out.context, jax.Array)
    assert_type(out.weights, jax.Array | None)
    assert_type(out.window, jax.Array)
    assert_type(fa_jax.flexible_bias(focus, focus, lengths, 9), jax.Array)

    config = fa_jax.AttentionConfig("general", fa_jax.LocalP(half_width=5))
    params = fa_jax.init_attention(
        key, config, query_size=4, memory_size=6, feedback_size=5, attention_size=8
    )
    state = assert_type(fa_jax.initial_attention_state(memory, config), fa_jax.AttentionState)
    memory, state = fa_jax.learn_in_windows(memory, state)
    step = fa_jax.attend(params, config, ones, ones, state, memory, threshold=1.2)
    assert_type(step, fa_jax.AttentionOutput)
    assert_type(step.state, fa_jax.AttentionState)


class Cosine(fa_jax.Score):
    def evaluate(
        self, params: Mapping[str, Any], query: jax.Array, keys: jax.Array, state: Any
    ) -> jax.Array:
        return query @ keys.swapaxes(1, 2)


class Ahead(fa_jax.Span):
    def narrows(self, threshold: float | jax.Array) -> bool:
        return True

    def reach(self, step: fa_jax.Step) -> fa_jax.Reach:
        here = jnp.round(step.state.focus).astype(int)
        return fa_jax.Reach(first=here - 1, last=here + 8)


def registered():
    fa_jax.SCORES["cosine"] = Cosine
    fa_jax.SPANS["ahead"] = Ahead
    assert_type(fa_jax.AttentionConfig(Cosine(), Ahead()), fa_jax.AttentionConfig)


def runs():
    config = assert_type(fa_jax.preset("small", "en-ja"), fa_jax.Config)
    run = assert_type(fa_jax.train(config, "runs/mine"), Run)
    run = assert_type(fa_jax.finetune(run, config=fa_jax.finetuning(config)), Run)
    assert_type(fa_jax.load_run("en-ja"), Run)
    assert_type(fa_jax.translate(run, ["I like cats."]), list[dict[str, Any]])
    assert_type(fa_jax.align(run, [("I like cats.", "私は猫が好きです。")]), list[Alignment])
    assert_type(fa_jax.simultaneous(run, ["I like cats."]), list[dict[str, Any]])
    assert_type(fa_jax.Interpreter(run).hear("I", last=True), str)
    assert_type(fa_jax.trace(run, "I like cats.", threshold=1.2), SpanTrace)
    assert_type(fa_jax.show(run, "I like cats.", Path("cats.html")), SpanTrace)
    assert_type(fa_jax.evaluate(run), Evaluation)
    assert_type(fa_jax.select(run), Selection)
    assert_type(fa_jax.perplexity(run), float)
    assert_type(fa_jax.threshold_for_window(run, 0.4), float)
    assert_type(fa_jax.narrowest_windows(run, 0.5), Selection)
    fa_jax.set_threshold(run.folder, 1.2)
    fa_jax.set_up_process()
    assert_type(fa_jax.score_test(run), dict[str, Evaluation])
    assert_type(fa_jax.report(run), Path)
    assert_type(fa_jax.export(run, "exported/mine"), Path)
