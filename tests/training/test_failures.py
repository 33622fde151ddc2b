"""What goes wrong while training is said, and costs nothing that was saved."""

import json
import resource
import subprocess
import sys
import threading
from functools import partial
from types import SimpleNamespace

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from fa_jax.config import Config, DataConfig, ModelConfig, TrainingConfig
from fa_jax.data.prepared import prepare
from fa_jax.errors import UserError
from fa_jax.runs.begin import begin_run
from fa_jax.training import loop
from fa_jax.training.checkpoints import Checkpoints, checksum
from tests.command import write_corpus
from tests.torture.arithmetic import first_state, next_state

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
        model=ModelConfig(**SIZES, dropout=0.1),
        training=TrainingConfig(batch_size=16, epochs=9.0, steps=12, checkpoint_seconds=1e-6),
    )
    return config, prepare(data)


def test_a_loss_that_is_not_finite_stops_before_it_is_saved(setting, tmp_path, monkeypatch):
    config, data = setting
    begin_run(tmp_path, config, data)

    def poisoned(state, *given):
        state, sums = next_state(state, *given)
        if int(state.step[0]) == 7:
            sums = sums.replace(negative_log_prob=jnp.full(1, jnp.nan))
        return state, sums

    on_one = partial(jax.tree.map, lambda leaf: jnp.asarray(leaf)[None])
    monkeypatch.setattr(loop, "replicate", on_one)
    monkeypatch.setattr(loop, "init_state", first_state)
    monkeypatch.setattr(loop, "make_train_step", lambda *_: poisoned)
    with pytest.raises(UserError) as error:
        loop.train(tmp_path, config, data, lambda *of: 0.0)
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


@pytest.mark.parametrize("end", [Checkpoints.wait, Checkpoints.close])
def test_a_disk_that_is_full_beneath_python_is_told_in_words(tmp_path, end):
    """The cause is in them, however long a path. No thread adds a word."""
    kept = Checkpoints(tmp_path / ("long" * 40), "latest")
    tree = {n: np.random.default_rng(n).random(9999) for n in range(9)}
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, limits[1]))
    try:
        kept.save(3, tree, {})
        with pytest.raises(UserError, match=r"could not write .* … .*File too large\. Make room"):
            end(kept)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)


def test_no_thread_waits_for_a_folder_that_could_not_be_made(tmp_path, monkeypatch):
    """It would keep the process alive for minutes."""
    kept, before = Checkpoints(tmp_path, "latest"), {*threading.enumerate()}

    def full(*_):
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as disk:
        disk.setattr("os.mkdir", full)
        with pytest.raises(UserError, match="No space left"):
            kept.save(3, {"a": np.arange(5.0)}, {})
            kept.wait()
    waiting = {*threading.enumerate()} - before
    for thread in waiting:
        thread.join(3)
    assert not any(thread.is_alive() for thread in waiting)


def test_reading_leaves_what_is_being_written(tmp_path):
    kept = Checkpoints(tmp_path, "best")
    kept.save(3, {"a": np.arange(5.0)}, {})
    kept.wait()
    half = tmp_path / "checkpoints" / "best" / "4.orbax-checkpoint-tmp"
    half.mkdir()
    assert Checkpoints(tmp_path, "best", writes=False).step() == 3 and half.exists()
    writer = Checkpoints(tmp_path, "best")
    assert writer.step() == 3
    writer.save(5, {"a": np.arange(5.0)}, {})
    writer.wait()
    assert writer.step() == 5 and not half.exists()


def test_a_checkpoint_that_a_training_replaces_is_read_in_its_place(tmp_path):
    tree = {"a": np.arange(5.0)}
    writer = Checkpoints(tmp_path, "best")
    writer.save(3, tree, {"n": 3})
    writer.wait()
    reader = Checkpoints(tmp_path, "best", writes=False)
    assert reader.step() == 3
    writer.save(5, tree, {"n": 5})
    writer.wait()
    assert reader.restore(tree)[::2] == (5, {"n": 5})


@pytest.fixture
def written(tmp_path):
    """A run's folder with a checkpoint, and its tree and note."""
    rng = np.random.default_rng(0)
    tree = {
        "kernel": rng.standard_normal((150, 150), np.float32),
        "rounded": {"bias": rng.standard_normal(11).astype(jnp.bfloat16)},
        "step": np.int32(7),
    }
    note = {"best_bleu": 12.5, "best_step": 3}
    kept = Checkpoints(tmp_path, "best")
    kept.save(3, tree, note)
    kept.wait()
    kept.close()
    return tmp_path, tree, note


def restored(folder, like):
    kept = Checkpoints(folder, "best")
    try:
        return kept.restore(like)
    finally:
        kept.close()


# Of the reads that go on when one has failed, tensorstore tells a loop that is closed.
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_a_flipped_byte_is_found_or_harmless(written):
    folder, tree, note = written
    files = [path for path in folder.rglob("*") if path.is_file()]
    files = sorted(files, key=lambda path: -path.stat().st_size)[:3] + [
        path for path in files if path.parent.name == "note" and path.name == "metadata"
    ]
    found = 0
    for path in files:
        content = path.read_bytes()
        for place in np.linspace(0, len(content) - 1, 20).astype(int):
            damaged = bytearray(content)
            damaged[place] ^= 0x41
            path.write_bytes(damaged)
            try:
                step, values, said = restored(folder, tree)
            except UserError as error:
                found += 1
                assert f"{folder}/checkpoints/best/3" in str(error)
                assert "Copy the run again" in str(error)
                continue
            assert step == 3
            assert said.items() >= note.items()
            jax.tree.map(np.testing.assert_array_equal, values, tree)
        path.write_bytes(content)
    assert found >= 40
    assert restored(folder, tree)[2] == note


def test_a_checkpoint_without_a_checksum_is_not_read(written):
    folder, tree, note = written
    (path,) = (path for path in folder.rglob("metadata") if path.parent.name == "note")
    assert set(json.loads(path.read_text())) == {*note, "checksum"}
    path.write_text(json.dumps(note))
    with pytest.raises(UserError, match="not those that were written"):
        restored(folder, tree)


def test_the_checksum_sees_places_and_types():
    ones, twos = np.ones(30000, np.float32), np.full(30000, 2, np.float32)
    trees = (
        {"a": ones, "b": twos},
        {"a": twos, "b": ones},
        {"a": ones, "c": twos},
        {"a": ones.reshape(300, 100), "b": twos},
        {"a": ones.view(np.int32), "b": twos},
        {"a": np.where(np.arange(30000) == 0, twos, ones), "b": twos},
        {"a": np.where(np.arange(30000) == 29999, twos, ones), "b": twos},
    )
    sums = {checksum(tree, {"n": 1}) for tree in trees} | {checksum(trees[0], {"n": 2})}
    assert len(sums) == len(trees) + 1
    assert checksum({"b": twos, "a": ones}, {"n": 1}) == checksum(trees[0], {"n": 1})


def test_a_batch_that_devices_cannot_share(setting, tmp_path):
    config, data = setting
    from dataclasses import replace

    odd = replace(config, training=replace(config.training, batch_size=12))
    with pytest.raises(UserError, match="cannot be shared evenly by 8 devices"):
        loop.train(tmp_path, odd, data, lambda *of: 0.0)


CUT_SHORT = """
import os, sys
from pathlib import Path
import numpy as np
from fa_jax.errors import UserError
from fa_jax.training.checkpoints import Checkpoints

run, tree = Path(sys.argv[1]), {str(n): np.full((300, 10), n, np.float32) for n in range(60)}
kept = Checkpoints(run, "best")
kept.save(3, tree, {})
kept.wait()
for path in kept.place().glob("tree/d/*"):
    os.truncate(path, 0)
for _ in range(6):
    try:
        kept.restore(tree)
    except UserError as error:
        print(error)
"""


def test_a_checkpoint_that_is_cut_short_is_named_in_a_line_each_time(tmp_path):
    done = subprocess.run(
        [sys.executable, "-c", CUT_SHORT, tmp_path], capture_output=True, text=True, check=True
    )
    assert done.stderr == ""
    lines = done.stdout.splitlines()
    assert len(lines) == 6 and all("best/3 does not fit" in line for line in lines)
