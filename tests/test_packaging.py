"""What is shipped: ranges instead of pins, the corpora with their licences, no traces."""

import re
import subprocess

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


def test_no_file_names_a_machine():
    listed = subprocess.run(
        ["git", "ls-files", "-z"], cwd=REPOSITORY, capture_output=True, text=True
    )
    names = listed.stdout.split("\0") if listed.returncode == 0 else []
    for name in filter(None, names):
        path = REPOSITORY / name
        if path.suffix in (".py", ".md", ".toml", ".txt", ".json") and path.is_file():
            text = path.read_text(encoding="utf-8")
            assert not re.search(r"(?<![\w.])/(home|root|work)/\w", text), name
