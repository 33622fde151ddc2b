"""The make targets: LANG means languages on make's command line and never becomes a locale."""

import os
import re
import shutil
import subprocess

import pytest

from tests.command import REPOSITORY

STUB = """#!/usr/bin/env bash
echo "ARGS $*"
echo "LOCALE LANG=$LANG LC_ALL=$LC_ALL MAKEFLAGS=$MAKEFLAGS MAKEOVERRIDES=$MAKEOVERRIDES"
"""


@pytest.fixture
def tree(tmp_path):
    """The Makefile with a stub in place of the installed Python: no network, no time."""
    for name in ("Makefile", "requirements.txt", "pyproject.toml"):
        shutil.copy(REPOSITORY / name, tmp_path / name)
    python = tmp_path / ".venv" / "bin" / "python"
    python.parent.mkdir(parents=True)
    python.write_text(STUB)
    python.chmod(0o755)
    for stamp in ("installed", "installed-test", "installed-serve"):
        (tmp_path / ".venv" / stamp).touch()
    return tmp_path


def make(tree, *arguments, **environment):
    return subprocess.run(
        ["make", *arguments],
        cwd=tree,
        env=os.environ | environment,
        capture_output=True,
        text=True,
    )


@pytest.mark.parametrize(
    ("target", "asked"),
    [
        *((target, f"make {target} LANG=en-ja") for target in ("train", "data")),
        *((target, f"make {target} RUN=en-ja") for target in ("finetune", "translate")),
        *((target, f"make {target} RUN=en-ja") for target in ("evaluate", "serve")),
    ],
)
def test_without_languages_it_asks_for_them_or_for_a_run(tree, target, asked):
    finished = make(tree, target, LANG="en_US.UTF-8")
    assert finished.returncode == 2
    assert asked in finished.stderr
    assert "ARGS" not in finished.stdout


def test_languages_reach_the_program_and_its_locale_does_not_change(tree):
    finished = make(tree, "train", "LANG=en-ja", LANG="en_US.UTF-8")
    assert finished.returncode == 0, finished.stderr
    assert "train en-ja --preset small --run runs/en-ja-small" in finished.stdout
    locale = next(line for line in finished.stdout.splitlines() if line.startswith("LOCALE"))
    assert "en-ja" not in locale
    assert "LANG=C.UTF-8 LC_ALL=C.UTF-8" in locale


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["train", "PRESET=paper", "CORPUS=my text"], "--preset paper --run runs/de-en-paper"),
        (["train", "CORPUS=my text"], "--corpus my text"),
        (["evaluate", "THRESHOLD=1.2"], "evaluate runs/de-en-small --threshold 1.2"),
        (["translate", "RUN=my run"], "translate my run"),
        (["serve", "RUN=en-ja", "ARGS=runs/x --port 0"], "serve en-ja runs/x --port 0"),
        (["finetune", "ARGS=--steps 5"], "finetune runs/de-en-small --steps 5"),
        (["finetune", "CORPUS=my text"], "finetune runs/de-en-small --corpus my text"),
    ],
)
def test_variables_become_options(tree, arguments, words):
    finished = make(tree, *arguments, "LANG=de-en")
    assert words in finished.stdout, finished.stderr


@pytest.mark.parametrize("target", ["finetune", "translate", "evaluate", "serve"])
def test_a_run_has_its_languages_itself(tree, target):
    finished = make(tree, target, "RUN=my run", LANG="en_US.UTF-8")
    assert f"ARGS -m fa_jax {target} my run" in finished.stdout, finished.stderr
    for folder, name in (("my run", "my run"), ("fa_jax/pretrained/en-ja", "en-ja")):
        (tree / folder).mkdir(parents=True)
        (tree / folder / "config.json").write_text('{"data": {\n    "languages": "en-ja"}}')
        assert "ARGS" in make(tree, target, f"RUN={name}", "LANG=en-ja").stdout
        refused = make(tree, target, f"RUN={name}", "LANG=de-en")
        assert refused.returncode == 2 and "ARGS" not in refused.stdout
        assert f"{name} does not translate de-en: leave LANG out" in refused.stderr


def test_the_check_of_an_accelerator_needs_no_languages(tree):
    finished = make(tree, "accelerator-check", "ARGS=--smallest")
    assert "ARGS -m experiments.accelerator_check --smallest" in finished.stdout, finished.stderr


def test_translate_writes_nothing_of_its_own(tree):
    finished = make(tree, "translate", "LANG=en-ja")
    assert all(line.startswith(("ARGS", "LOCALE")) for line in finished.stdout.splitlines())


def test_help_lists_every_target(tree):
    makefile = (REPOSITORY / "Makefile").read_text()
    targets = re.search(r"\.PHONY: (help .*)", makefile)[1].split()
    listed = make(tree).stdout
    assert all(re.search(rf"^  {target} ", listed, re.M) for target in targets)


def test_an_old_python_is_named(tree, tmp_path):
    shutil.rmtree(tree / ".venv")
    old = tmp_path / "old-python"
    old.write_text('#!/bin/sh\n[ "$1" = --version ] && echo "Python 3.9.1"\nexit 1\n')
    old.chmod(0o755)
    finished = make(tree, "setup", f"PYTHON={old}")
    assert finished.returncode == 2
    assert "needs Python 3.11 or newer" in finished.stderr
    assert "Python 3.9.1" in finished.stderr
