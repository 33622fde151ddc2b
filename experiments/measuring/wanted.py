"""What a table or figure needs to be measured, and the one function that may train for it."""

import os
import sys
import time
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import ClassVar

import jax

import fa_jax
from experiments.measuring.folders import RUNS
from experiments.measuring.study_run import StudyRun
from fa_jax.runs.run import Run

SECONDS = "seconds.txt"
"""In a run's folder: what its training took."""


class Wanted(ABC):
    """Something to be measured of a run. A kind of measurement is a subclass.

    is_race: it compares times, so that nothing may run beside it.
    """

    run: StudyRun
    is_race: ClassVar[bool] = False

    @abstractmethod
    def is_recorded(self) -> bool:
        """Nothing of it is missing."""

    @abstractmethod
    def train_and_measure(self):
        """Records it. Trains the run first, for up to an hour, if it is not there."""


def train_and_measure(wanted: Iterable[Wanted]):
    """Measures what is not recorded, and trains the runs that this needs: minutes to hours.

    What will be trained, and how long it takes, is said first.

    Raises:
      SystemExit: FA_JAX_STUDY=stored is set, and something is missing.
    """
    fa_jax.set_up_process()  # before configs are made: these count words, in threads
    wanted = list(wanted)
    missing = [one for one in wanted if not one.is_recorded()]
    _announce(one.run for one in missing)
    for one in [*missing, *wanted]:  # again: a run that is trained anew loses its records
        if not one.is_recorded():
            one.train_and_measure()
            jax.clear_caches()  # one process cannot hold the programs of many runs


def is_trained(run: StudyRun) -> bool:
    """To its end, on this machine."""
    return (RUNS / run.folder / "test.json").exists()


def train_or_load(run: StudyRun) -> Run:
    """The trained run; trains it, for up to an hour, where it is not there.

    Raises:
      SystemExit: FA_JAX_STUDY=stored is set, so that nothing is to be trained.
    """
    folder = RUNS / run.folder
    if not is_trained(run) and os.environ.get("FA_JAX_STUDY") == "stored":
        raise SystemExit(
            f"{run.name}: results/records does not hold all that is asked of it, and "
            "FA_JAX_STUDY=stored forbids to train it; unset it, or ask for less"
        )
    fa_jax.set_up_process()
    if is_trained(run):
        return fa_jax.load_run(folder)
    base = train_or_load(run.base) if run.base else None
    print(f"training {run.folder}: {run.command}", file=sys.stderr, flush=True)
    with _timed(folder):
        if base:
            trained = fa_jax.finetune(base, folder, run.config)
        else:
            trained = fa_jax.train(run.config, folder)
    fa_jax.score_test(trained)  # writes test.json: the run is at its end
    return trained


def seconds_of_training(run: StudyRun) -> float:
    """All that `train_or_load` spent on it, start and compilation included; 0 if nothing."""
    path = RUNS / run.folder / SECONDS
    return float(path.read_text()) if path.exists() else 0.0


@contextmanager
def _timed(folder: Path) -> Iterator[None]:
    """Adds up, because a run may be trained in pieces."""
    path, began = folder / SECONDS, time.monotonic()
    try:
        yield
    finally:
        before = float(path.read_text()) if path.exists() else 0.0
        if folder.exists():
            path.write_text(f"{before + time.monotonic() - began:.0f}\n")


def _announce(runs: Iterable[StudyRun]):
    """Says which runs will be trained and what that costs."""
    missing = {}
    for run in runs:
        of = [run.base, run] if run.base else [run]
        missing |= {needed.folder: needed for needed in of if not is_trained(needed)}
    if missing:
        minutes = sum(run.minutes for run in missing.values())
        cost = f"about {minutes:.0f} minutes on 2 cores, and half as long to decode"
        names = ", ".join(missing)
        print(
            f"{len(missing)} runs are to be trained, {cost}: {names}", file=sys.stderr, flush=True
        )
