"""Every file of a run, damaged: translations as before, or words that say what is wrong."""

import shutil
import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import fa_jax
from fa_jax.errors import UserError
from tests.torture.effort import tried

LINES = ["I am here.", "It rains.", "Good night."]


def cut(content, place, byte):
    return content[: int(place * len(content))]


def changed(content, place, byte):
    at = int(place * len(content))
    return content[:at] + bytes([content[at] ^ byte]) + content[at + 1 :] if content else content


def texts(folder):
    records = fa_jax.translate(fa_jax.load_run(folder), LINES)
    return [record["translations"][0]["text"] for record in records]


@pytest.fixture(scope="module")
def whole(trained):
    """A run, its files and its translations."""
    files = sorted(path.relative_to(trained) for path in trained.rglob("*") if path.is_file())
    return trained, files, texts(trained)


# Of the reads that go on when one has failed, tensorstore tells a loop that is closed.
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@tried(30)
@given(
    number=st.integers(0, 10**6),
    damage=st.sampled_from([cut, changed, changed, None]),
    place=st.floats(0, 1, exclude_max=True),
    byte=st.integers(1, 255),
)
def test_a_damaged_file_is_told_or_does_no_harm(whole, number, damage, place, byte):
    """None: it is gone. What was changed in `config.json` may be a setting that can be."""
    run, files, before = whole
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(shutil.copytree(run, Path(folder) / "copy"))
        path = copy / files[number % len(files)]
        if damage is None:
            path.unlink()
        else:
            path.write_bytes(damage(path.read_bytes(), place, byte))
        try:
            found = texts(copy)
        except UserError as error:
            assert str(copy) in str(error)
        else:
            assert found == before or path.name == "config.json"
