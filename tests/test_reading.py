"""What is written for those who read the code: what a page names is there."""

import re

from experiments.measuring.folders import STUDY
from tests.command import REPOSITORY

FOLDER = REPOSITORY / "experiments"
INDEX = FOLDER / "README.md"
TOPICS = sorted((FOLDER / "learnt").glob("*.md"))
LINK = re.compile(r"\]\(([^)#:\s]+)(?:#[\w-]+)?\)")
NAMED = re.compile(r"`((?:experiments|fa_jax|results)/[\w/-]+\.\w+)`")
"""A file in the middle of a sentence."""


def missing(page, names, *folders):
    """Names that are in none of the folders."""
    found = names.findall(page.read_text(encoding="utf-8"))
    return [name for name in found if not any((folder / name).exists() for folder in folders)]


def test_the_index_names_every_page():
    linked = LINK.findall(INDEX.read_text(encoding="utf-8"))
    assert {f"learnt/{page.name}" for page in TOPICS} <= {*linked}


def test_a_page_links_to_what_is_there():
    for page in (INDEX, *TOPICS):
        assert not missing(page, LINK, page.parent), page.name


def test_a_file_that_a_page_names_is_there():
    for page in (*TOPICS, *sorted(STUDY.glob("*.md"))):
        assert not missing(page, NAMED, REPOSITORY, FOLDER), page.name


def test_every_stop_on_the_way_to_the_equations_is_there():
    text = (REPOSITORY / "CONTRIBUTING.md").read_text(encoding="utf-8")
    table = text.split("## From a command to its equations")[1].split("##")[0]
    stops = re.findall(r"`(?:fa_jax\.)?(\w+)`(?: in |, )`([\w/]+\.py)`", table)
    assert len(stops) == 15
    for name, path in stops:
        module = (REPOSITORY / "fa_jax" / path).read_text(encoding="utf-8")
        assert re.search(rf"^(?:def|class) {name}\b", module, re.M), (name, path)
