"""What is shipped: ranges instead of pins, the corpora with their licences, no traces."""

import os
import re
import subprocess
import sys

import fa_jax
from fa_jax.data.corpora import EMBEDDED
from tests.command import REPOSITORY


def test_requirements_are_ranges():
    for line in (REPOSITORY / "requirements.txt").read_text().splitlines():
        if requirement := line.split("#")[0].strip():
            assert re.fullmatch(r"[\w-]+(\[\w+\])?>=[\d.]+", requirement), requirement


def test_each_corpus_comes_with_its_licence():
    folder = REPOSITORY / "fa_jax" / "data" / "corpora"
    licences = (folder / "LICENSES.md").read_text(encoding="utf-8")
    for name in EMBEDDED:
        assert f"`{name}`" in licences
        assert len(list((folder / name).glob("*.tsv.xz"))) == 3


def test_an_empty_folder_of_its_name_does_not_hide_the_package(tmp_path):
    """Such as a clone in the folder where one runs Python. It is installed, editable or not."""
    (tmp_path / "fa_jax").mkdir()
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}
    code = "import importlib.util as u; print(u.find_spec('fa_jax').origin)"
    finished = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, env=environment, capture_output=True, text=True
    )
    assert finished.stdout.strip().endswith("__init__.py"), finished


def test_a_trained_run_comes_with_the_package():
    folder = REPOSITORY / "fa_jax" / "pretrained" / "en-ja"
    assert sum(path.stat().st_size for path in folder.rglob("*")) < 25e6
    run = fa_jax.load_run("en-ja")
    assert run.folder == folder
    (record,) = fa_jax.translate(run, ["I like cats."])
    assert record["translations"][0]["text"] == "猫が好きです。"


def test_no_file_names_a_machine():
    listed = subprocess.run(
        ["git", "ls-files", "-z"], cwd=REPOSITORY, capture_output=True, text=True
    )
    names = listed.stdout.split("\0") if listed.returncode == 0 else []
    for name in filter(None, names):
        path = REPOSITORY / name
        if path.suffix in (".py", ".md", ".toml", ".txt", ".json", ".ipynb") and path.is_file():
            text = path.read_text(encoding="utf-8")
            assert not re.search(r"(?<![\w.])/(home|root|work|tmp)/\w", text), name
