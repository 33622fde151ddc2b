"""Every file of a run, damaged: translations as before, or words that say what is wrong."""

import shutil
import tempfile
from functools import cache
from pathlib import Path

import jax
import pytest
from hypothesis import given
from hypothesis import strategies as st

import fa_jax
from fa_jax.data.codec import load_codec
from fa_jax.errors import UserError
from fa_jax.runs.folder import read_config, read_scores
from fa_jax.training.checkpoints import Checkpoints, checksum
from fa_jax.training.metrics import read_metrics
from fa_jax.training.optimizer import make_optimizer
from fa_jax.training.step import init_state
from tests.torture.effort import tried

LINES = ["I am here.", "It rains.", "Good night."]
SIDES = ("source", "target")


def cut(content, place, byte):
    return content[: int(place * len(content))]


def changed(content, place, byte):
    at = int(place * len(content))
    return content[:at] + bytes([content[at] ^ byte]) + content[at + 1 :] if content else content


def translations(folder):
    records = fa_jax.translate(fa_jax.load_run(folder), LINES)
    return [record["translations"][0]["text"] for record in records]


def resumed(folder):
    """What a training would go on with."""
    config, sizes = read_config(folder), [len(load_codec(folder, s).vocabulary) for s in SIDES]
    latest = Checkpoints(folder, "latest", writes=False)
    step, state, note = latest.restore(state_of(config, *sizes))
    return step, checksum(state, note)


@cache
def state_of(config, *sizes):
    """Its shapes: to trace them takes longer than to read the state."""
    return jax.eval_shape(lambda: init_state(config, make_optimizer(config.training), *sizes))


READ_BY = {"latest": resumed, "metrics.jsonl": read_metrics, "test.json": read_scores}
"""By a part of a file's path; all others by translations. What only people look at is not read."""
MAY_DIFFER = ("config.json", "metrics.jsonl", "test.json")
"""Another byte may make another setting that can be, or another number."""
LOOKED_AT = ("pictures", "events", "report.html")


@pytest.fixture(scope="module")
def whole(trained):
    """A run, how each of its files is read, and what was read."""
    files = [path.relative_to(trained) for path in sorted(trained.rglob("*")) if path.is_file()]
    files = [path for path in files if path.parts[0] not in LOOKED_AT]
    ways = {
        path: next((read for part, read in READ_BY.items() if part in path.parts), translations)
        for path in files
    }
    return trained, ways, {read: read(trained) for read in {*ways.values()}}


# Of the reads that go on when one has failed, tensorstore tells a loop that is closed.
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@tried(34)
@given(
    number=st.integers(0, 10**6),
    damage=st.sampled_from([cut, changed, changed, None]),
    place=st.floats(0, 1, exclude_max=True),
    byte=st.integers(1, 255),
)
def test_a_damaged_file_is_told_or_does_no_harm(whole, number, damage, place, byte):
    """None: it is gone."""
    run, ways, before = whole
    name = [*ways][number % len(ways)]
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(shutil.copytree(run, Path(folder) / "copy"))
        path = copy / name
        if damage is None:
            path.unlink()
        else:
            path.write_bytes(damage(path.read_bytes(), place, byte))
        try:
            found = ways[name](copy)
        except UserError as error:
            assert str(copy) in str(error)
        else:
            assert found == before[ways[name]] or path.name in MAY_DIFFER
