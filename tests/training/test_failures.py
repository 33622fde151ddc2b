"""What goes wrong while training is said, and costs nothing that was saved."""

from types import SimpleNamespace

import jax
import numpy as np
import pytest

from fa_jax.config import Config, DataConfig, ModelConfig, TrainingConfig
from fa_jax.data.encoded import prepare
from fa_jax.errors import UserError
from fa_jax.run import begin_run
from fa_jax.training import loop
from fa_jax.training.checkpoints import Checkpoints
from tests.command import write_corpus

SIZES = dict.fromkeys(
    ("embedding_size", "encoder_size", "decoder_size", "attention_size", "bottleneck_size"), 8
)


@pytest.fixture(scope="module")
def setting(tmp_path_factory):
    folder = write_corpus(tmp_path_factory.mktemp("corpus"))
    data = DataConfig(
        corpus=str(folder), source_vocabulary=200, target_vocabulary=600, padded_shapes=1
    )
    config = Config(
        data=data,
        model=ModelConfig(**SIZES),
        training=TrainingConfig(batch_size=16, steps=12, checkpoint_seconds=1e-6),
    )
    return config, prepare(data)


def test_a_loss_that_is_not_finite_stops_before_it_is_saved(setting, tmp_path, monkeypatch):
    config, data = setting
    begin_run(tmp_path, config, data.source, data.target)
    make = loop.make_train_step

    def poisoned(*arguments):
        step = make(*arguments)

        def wrapped(state, batch):
            state, sums = step(state, batch)
            if int(state.step[0]) == 7:
                sums = sums.replace(negative_log_prob=sums.negative_log_prob * np.nan)
            return state, sums

        return wrapped

    monkeypatch.setattr(loop, "make_train_step", poisoned)
    with pytest.raises(UserError) as error:
        loop.train(tmp_path, config, data, lambda params: 0.0)
    text = str(error.value)
    assert "step 7 has loss nan" in text
    assert "checkpoints/latest/6" in text
    assert "rows " in text
    assert Checkpoints(tmp_path, "latest").step() == 6


def test_a_full_disk_leaves_the_last_checkpoint(setting, tmp_path, monkeypatch):
    kept = Checkpoints(tmp_path, "latest")
    tree = {"a": np.arange(5.0)}
    kept.save(3, tree, {"n": 1})
    kept.wait()

    def full(*arguments, **options):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(kept._manager, "save", full)
    with pytest.raises(UserError, match=r"step 3 is whole.*No space left"):
        kept.save(4, {"a": np.arange(5.0) * 2}, {"n": 2})
    monkeypatch.setattr("shutil.disk_usage", lambda folder: SimpleNamespace(free=39))
    with pytest.raises(UserError, match=r"step 3 is whole: it needs 40 bytes, 39 are free"):
        kept.save(4, {"a": np.arange(5.0) * 2}, {"n": 2})
    step, restored, note = Checkpoints(tmp_path, "latest").restore(tree)
    assert (step, note) == (3, {"n": 1})
    jax.tree.map(np.testing.assert_array_equal, restored, tree)


def test_a_batch_that_devices_cannot_share(setting, tmp_path):
    config, data = setting
    from dataclasses import replace

    odd = replace(config, training=replace(config.training, batch_size=12))
    with pytest.raises(UserError, match="cannot be shared evenly by 8 devices"):
        loop.train(tmp_path, odd, data, lambda params: 0.0)
