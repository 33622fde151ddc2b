"""`fa-jax select`."""

import sys
from dataclasses import dataclass
from pathlib import Path

import fa_jax
from fa_jax.cli.arguments import RunFolder
from fa_jax.cli.hosts import AS_FOUND, Hosts
from fa_jax.evaluation.selection import LARGEST_LOSS
from fa_jax.runs.folder import check_own
from fa_jax.terminal import say


@dataclass(frozen=True)
class Command:
    """Choose a run's threshold: the smallest window that loses little BLEU on the validation set.

    This is the rule of the paper (VS 5.2). The choice is written into the run: `translate` and
    `evaluate` use it from then on.
    """

    run: RunFolder
    others: tuple[Path, ...] = ()
    """Further runs to choose from, such as ones with another sigma or beta. All are compared with
    the BLEU of the first run at tau = inf."""
    thresholds: tuple[float, ...] = ()
    """Thresholds (tau) to choose from. Default: the paper's 0.8 to 1.6, and that of the windows
    that a run learnt in."""
    largest_loss: float = LARGEST_LOSS
    """BLEU that the windows may cost at most."""
    hosts: Hosts = AS_FOUND

    def __call__(self):
        folders = (self.run, *self.others)
        for folder in folders:  # before the work, not behind it
            check_own(folder)
        runs = [fa_jax.load_run(folder) for folder in folders]
        found = fa_jax.select(runs, self.thresholds, self.largest_loss)
        say(str(found), to=sys.stdout)
        fa_jax.set_threshold(found.chosen.run, found.chosen.threshold)
        say(
            f"{found.chosen.run} decodes at threshold {found.chosen.threshold:g} from now on "
            "(to score all positions: --threshold inf)",
            to=sys.stdout,
        )
