"""Where the study keeps what it measured and what it says."""

from pathlib import Path

from fa_jax.whole_files import write_text

RESULTS = Path(__file__).parents[1] / "results"
RECORDS = RESULTS / "records"
"""What was measured of trained runs: nothing here is measured again."""
STUDY = RESULTS / "study"
"""Tables, figures and the report, written anew from the records."""
BENCHMARKS = RESULTS / "benchmarks"
"""What `make benchmark` wrote, and experiments that are benchmarks."""
RUNS = RESULTS.parents[1] / "runs"
"""Folders of trained runs; not kept with the code."""


def write(path: Path, text: str):
    """A file of results, in a folder that may be new."""
    path.parent.mkdir(parents=True, exist_ok=True)
    write_text(path, text)
