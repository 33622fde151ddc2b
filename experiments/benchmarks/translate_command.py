"""How long does it take to translate 1,000 lines? Whole commands, from start to end.

`fa-jax translate en-ja`, the run that comes with the package, on test sentences, each time a new
process. Where nothing was compiled before, it begins with an empty cache.
"""

import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

from experiments.benchmarks.report import Headline, Report
from fa_jax.data.corpora import load_corpus
from fa_jax.errors import UserError

THRESHOLDS = ("inf", "1.2")


def measure(rounds: int = 5, lines: int = 1000) -> Report:
    """A row for each threshold, with compiled programs in the cache and without; all alternate.

    rounds: times that each is timed.
    """
    test = load_corpus("tatoeba_en_ja", "en-ja").test
    text = "".join(f"{test[row][0]}\n" for row in range(lines)).encode()
    found = {(threshold, kept): [] for kept in (True, False) for threshold in THRESHOLDS}
    with tempfile.TemporaryDirectory() as folder:
        kept_cache, empty_cache = Path(folder, "kept"), Path(folder, "empty")
        for threshold in THRESHOLDS:
            _seconds(text, threshold, kept_cache)
        for _ in range(rounds):
            for threshold, kept in found:
                shutil.rmtree(empty_cache, ignore_errors=True)
                cache = kept_cache if kept else empty_cache
                found[threshold, kept].append(_seconds(text, threshold, cache))
    rows = [
        {
            "threshold": threshold,
            "compiled_before": "yes" if kept else "no",
            "seconds": median(seconds),
            "fastest": min(seconds),
            "to_all_positions": median(
                a / b for a, b in zip(seconds, found["inf", kept], strict=True)
            ),
        }
        for (threshold, kept), seconds in found.items()
    ]
    everywhere, _, cold, narrow_cold = (row["seconds"] for row in rows)
    headlines = [
        Headline(f"seconds for {lines:,} lines, τ = ∞", everywhere, 4.5),
        Headline("… at τ = 1.2 ÷ at τ = ∞", rows[1]["to_all_positions"], 1.0),
        Headline("… nothing compiled before, τ = ∞", cold, 12),
        Headline("… and what τ = 1.2 adds", narrow_cold - cold, 1),
    ]
    note = "Seconds are this machine's, on this day; compare the ratios."
    return Report("translate_command", {"lines": lines, "rounds": rounds}, rows, [note], headlines)


def _seconds(text: bytes, threshold: str, cache: Path) -> float:
    command = [sys.executable, "-m", "fa_jax", "translate", "en-ja", "--threshold", threshold]
    began = time.perf_counter()
    environment = os.environ | {"FA_JAX_CACHE": str(cache)}
    ended = subprocess.run(command, input=text, capture_output=True, env=environment)
    if ended.returncode:
        raise UserError(f"{' '.join(command)}: {ended.stderr.decode(errors='replace')}")
    return time.perf_counter() - began
