"""The study's tables and figures are what its stored measurements say."""

import os
import re
import shutil
import subprocess
import sys

import pytest

from tests.command import REPOSITORY

EXPERIMENTS = REPOSITORY / "experiments"
REPORT = (EXPERIMENTS / "results" / "REPORT.md").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def rebuilt(tmp_path_factory):
    """A copy of experiments/ without its tables and figures, which are written anew from the
    measurements alone."""
    copy = tmp_path_factory.mktemp("study") / "experiments"
    shutil.copytree(EXPERIMENTS, copy, ignore=shutil.ignore_patterns("__pycache__"))
    for suffix in ("png", "md"):
        for made in (copy / "results").glob(f"*.{suffix}"):
            made.unlink()
    subprocess.run(
        [sys.executable, "-W", "error", copy / "report.py"], cwd=copy.parent, check=True,
        timeout=240, env=os.environ | {"JAX_PLATFORMS": "cpu", "FA_JAX_STUDY": "stored"},
    )  # fmt: skip
    return copy / "results"


def test_every_table_is_what_was_measured(rebuilt):
    written = list(rebuilt.glob("*.md"))
    assert {"REPORT.md", "table1.md", "questions.md"} <= {path.name for path in written}
    for path in written:
        stored = (EXPERIMENTS / "results" / path.name).read_text(encoding="utf-8")
        assert path.read_text(encoding="utf-8") == stored, path.name


def test_every_figure_of_the_report_is_drawn(rebuilt):
    figures = re.findall(r"\]\(([^)]+\.png)\)", REPORT)
    assert len(figures) >= 6
    for name in figures:
        assert (rebuilt / name).stat().st_size > 10_000, name


def test_the_report_holds_every_part(rebuilt):
    for path in rebuilt.glob("*.md"):
        assert path.name == "REPORT.md" or path.read_text(encoding="utf-8") in REPORT, path.name


def test_what_is_not_stored_is_announced_and_not_trained_in_secret():
    script = (
        "import math, trained\n"
        "run = trained.Trained('bible_de_en', 'small', seed=99)\n"
        "trained.announce([run])\n"
        "trained.measured(run, test=[math.inf])\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=EXPERIMENTS, capture_output=True, text=True,
        env=os.environ | {"JAX_PLATFORMS": "cpu", "FA_JAX_STUDY": "stored"},
    )  # fmt: skip
    assert done.returncode == 1
    announced, refused = done.stderr.splitlines()
    assert "about 15 minutes" in announced and "bible_de_en-small-seed99" in announced
    assert "FA_JAX_STUDY=stored forbids" in refused
