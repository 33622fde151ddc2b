"""Which precision training's products have, and whether its step has it."""

import jax
import numpy as np
import pytest

from fa_jax.config import Config, TrainingConfig
from fa_jax.training import precision
from fa_jax.training.optimizer import make_optimizer
from fa_jax.training.precision import training_precision
from fa_jax.training.schedule import StepSettings
from fa_jax.training.step import init_state, make_train_step, replicate, shard
from tests.model.test_encoder_decoder import CONFIG
from tests.training.test_step import batch

ABLE, UNABLE = "flags\t: avx512f avx512_bf16 amx_tile\n", "flags\t: avx512f\n"


@pytest.fixture
def on_a_cpu(tmp_path, monkeypatch):
    """With these instructions; the user asked for no precision."""

    def of(flags):
        monkeypatch.setattr(precision, "CPU", tmp_path / "cpuinfo")
        (tmp_path / "cpuinfo").write_text(flags)

    with jax.default_matmul_precision(None):
        yield of


@pytest.mark.parametrize(
    ("platform", "flags", "expected"),
    [("cpu", ABLE, "bfloat16"), ("cpu", UNABLE, None), ("gpu", ABLE, None), ("tpu", ABLE, None)],
)
def test_a_cpu_rounds_where_that_is_faster(platform, flags, expected, on_a_cpu):
    on_a_cpu(flags)
    assert training_precision(platform) == expected


def test_a_cpu_that_does_not_tell_is_left_alone(tmp_path, monkeypatch):
    monkeypatch.setattr(precision, "CPU", tmp_path / "none")
    with jax.default_matmul_precision(None):
        assert training_precision("cpu") is None


def test_what_the_user_asks_for_counts(on_a_cpu):
    on_a_cpu(ABLE)
    with jax.default_matmul_precision("highest"):
        assert training_precision("cpu") == "highest"


@pytest.mark.parametrize(("flags", "rounded"), [(ABLE, 30), (UNABLE, 0)])
def test_the_products_of_a_step_have_this_precision(flags, rounded, on_a_cpu):
    """All but the twelve of attention and its gradient."""
    on_a_cpu(flags)
    config = Config(model=CONFIG, training=TrainingConfig(optimizer="adam"))
    optimizer = make_optimizer(config.training)
    state = replicate(init_state(config, optimizer, 10, 8))
    pairs = shard(jax.tree.map(np.asarray, batch(8)))
    program = make_train_step(config, optimizer).lower(state, pairs, StepSettings(0.1)).as_text()
    products = [line for line in program.splitlines() if "dot_general" in line]
    assert (len(products), sum("xbf16>" in line for line in products)) == (42, rounded)
    assert all("-> tensor" in line and line.rstrip().endswith("xf32>") for line in products)
