"""A release is refused where something is missing."""

import re
import subprocess

import pytest

import release
from tests.command import REPOSITORY

GIT = ("git", "-c", "user.name=n", "-c", "user.email=e", "-c", "commit.gpgsign=false")


def git(folder, *arguments):
    subprocess.run([*GIT, *arguments], cwd=folder, check=True, capture_output=True)


@pytest.fixture
def tree(tmp_path):
    """A repository that is ready."""
    files = {
        "pyproject.toml": '[project]\nname = "x"\nversion = "1.2.0"\n',
        "CHANGELOG.md": "# Changes\n\n## 1.2.0 (2026-01-31)\n\n- More.\n",
        "CITATION.cff": "cff-version: 1.2.0\nversion: 1.2.0\n",
    }
    git(tmp_path, "init", "-q")
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    commit(tmp_path)
    return tmp_path


def commit(tree):
    git(tree, "add", "-A")
    git(tree, "commit", "-qm", "all")


def test_a_repository_that_is_ready_has_a_version(tree):
    assert release.ready(tree) == "1.2.0"


@pytest.mark.parametrize(
    ("name", "before", "after", "words"),
    [
        ("CHANGELOG.md", "1.2.0", "1.1.0", "no entry that begins ## 1.2.0"),
        ("CHANGELOG.md", "2026-01-31", "not released", "no entry that begins ## 1.2.0"),
        ("CITATION.cff", "\nversion: 1.2.0", "\nversion: 1.1.0", "does not say version: 1.2.0"),
    ],
)
def test_a_version_that_is_not_told_of_is_refused(tree, name, before, after, words):
    path = tree / name
    path.write_text(path.read_text().replace(before, after))
    commit(tree)
    with pytest.raises(release.Refused, match=words):
        release.ready(tree)


def test_changes_that_are_not_committed_are_refused(tree):
    (tree / "new.txt").write_text("new")
    with pytest.raises(release.Refused, match="has changes"):
        release.ready(tree)


def test_a_version_is_released_once(tree):
    git(tree, "tag", "-a", "v1.2.0", "-m", "it")
    with pytest.raises(release.Refused, match="is tagged"):
        release.ready(tree)


def test_a_large_wheel_is_refused(tmp_path):
    wheel = tmp_path / "x.whl"
    with wheel.open("wb") as file:
        file.truncate(26_000_000)
    with pytest.raises(release.Refused, match=r"26\.0 MB"):
        release.check_size(wheel)


def test_every_place_has_the_projects_version():
    project = (REPOSITORY / "pyproject.toml").read_text(encoding="utf-8")
    version = re.search(r'^version = "(.*)"$', project, re.M)[1]
    for name, words in (
        ("CITATION.cff", f"\nversion: {version}\n"),
        ("CHANGELOG.md", f"## {version} "),
    ):
        assert words in (REPOSITORY / name).read_text(encoding="utf-8"), name
