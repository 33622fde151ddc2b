"""The notebooks are stored as they ran, from top to bottom. `make notebooks` runs them."""

import json
import re

import pytest

from tests.command import REPOSITORY

NOTEBOOKS = sorted((REPOSITORY / "notebooks").glob("*.ipynb"))


@pytest.fixture(params=NOTEBOOKS, ids=lambda path: path.stem)
def cells(request):
    return json.loads(request.param.read_text(encoding="utf-8"))["cells"]


def test_they_are_numbered():
    numbers = [int(path.stem.split("_")[0]) for path in NOTEBOOKS]
    assert numbers == list(range(1, len(NOTEBOOKS) + 1))


def test_every_cell_ran_in_order_without_an_error(cells):
    code = [cell for cell in cells if cell["cell_type"] == "code"]
    assert [cell["execution_count"] for cell in code] == list(range(1, len(code) + 1))
    outputs = [output for cell in code for output in cell["outputs"]]
    assert outputs and all(output["output_type"] != "error" for output in outputs)


def test_they_leave_the_jax_that_is_there(cells):
    lines = "".join("".join(cell["source"]) + "\n" for cell in cells).splitlines()
    installing = [line for line in lines if "pip" in line]
    assert installing and not any(re.search(r"(?<!fa.)jax", line) for line in installing)
