"""What a process compiled, another one runs without tracing it."""

from dataclasses import dataclass

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.sharding import PartitionSpec

from fa_jax.attention import AttentionConfig, General
from fa_jax.decoding.local_devices import on_local_devices

ROWS = np.arange(16.0, dtype=np.float32).reshape(16, 1)


@pytest.fixture
def cache(tmp_path):
    before = jax.config.jax_compilation_cache_dir
    jax.config.update("jax_compilation_cache_dir", str(tmp_path))
    yield tmp_path
    jax.config.update("jax_compilation_cache_dir", before)


@pytest.fixture
def traced():
    return []


@pytest.fixture
def started(traced):
    """Makes the program anew, as a process does."""

    def plus(bias, rows, *, times, attention=None):
        traced.append(times)
        return {"sum": rows * times + bias["of all"], "rows": rows}

    def start(**options):
        return on_local_devices.__wrapped__(plus, 1, **options)

    return start


def value(program, rows=ROWS):
    found = program({"of all": jnp.float32(1)}, rows)
    np.testing.assert_array_equal(found["rows"], rows)
    return np.asarray(found["sum"]).tolist()


def test_the_next_process_does_not_trace(cache, traced, started):
    found = [value(started(times=3)) for _ in range(2)]
    assert found == [(ROWS * 3 + 1).tolist()] * 2
    assert value(started(times=3), ROWS[:8]) == (ROWS[:8] * 3 + 1).tolist()
    assert value(started(times=4)) == (ROWS * 4 + 1).tolist()
    before = len(traced)
    assert value(started(times=3), ROWS[:8]) == (ROWS[:8] * 3 + 1).tolist()
    assert value(started(times=4)) == (ROWS * 4 + 1).tolist()
    assert len(traced) == before
    jax.config.update("jax_default_matmul_precision", "highest")
    value(started(times=3))
    jax.config.update("jax_default_matmul_precision", None)
    assert len(traced) > before  # a setting of JAX's that may change what is computed


def test_each_device_has_its_rows(cache, started):
    for _ in range(2):
        found = started(times=1)({"of all": jnp.float32(0)}, ROWS)["sum"]
        assert len(found.sharding.device_set) == jax.local_device_count() == 8
        assert found.sharding.spec == PartitionSpec("sentences")


def test_a_damaged_file_is_made_anew(cache, traced, started):
    value(started(times=3))
    (path,) = cache.glob("*.program")
    whole = path.read_bytes()
    before = len(traced)
    for damaged in (whole[:-1], whole[:40], b"", whole[:50] + b"?" + whole[51:]):
        path.write_bytes(damaged)
        assert value(started(times=3)) == (ROWS * 3 + 1).tolist()
        assert path.read_bytes()[32:] != damaged[32:]
    assert len(traced) > before


def test_a_cache_that_cannot_be_written_is_no_error(cache, started):
    (cache / "file").write_text("")
    jax.config.update("jax_compilation_cache_dir", str(cache / "file" / "folder"))
    with pytest.warns(UserWarning, match="will not find this program"):
        assert value(started(times=3)) == (ROWS * 3 + 1).tolist()


def test_what_a_name_does_not_say_is_not_kept(cache, started):
    @dataclass(frozen=True)
    class Own(General):
        """A score of a user's."""

    value(started(times=3, attention=AttentionConfig(Own())))
    assert not list(cache.glob("*.program"))
    value(started(times=3, attention=AttentionConfig(General())))
    assert list(cache.glob("*.program"))


def test_nothing_is_kept_unless_it_is_wanted(started, traced):
    before = jax.config.jax_compilation_cache_dir
    jax.config.update("jax_compilation_cache_dir", None)
    for _ in range(2):
        assert value(started(times=3)) == (ROWS * 3 + 1).tolist()
    assert len(traced) == 2
    jax.config.update("jax_compilation_cache_dir", before)
