"""Several processes, on one machine or many, that do one command together; each is a host."""

import ctypes
import os
import re
import signal
import sys
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import jax

from fa_jax.errors import UserError

DEAD_AFTER = 30
"""Seconds without a sign of life."""
LOST = (
    "fa-jax: another host has ended, or is not reached any more, so this one ends, too. What that "
    "host says tells why. The same command, given to all hosts again, goes on from what was saved"
)
NOT_TOLD = "fa-jax: nobody says whether other hosts take part, so this one works alone"
AGAIN = os.EX_TEMPFAIL
"""The exit status that goes with it."""
NOBODY_ELSE = re.compile("coordinator_address should be defined|.* must be called before any")
"""What JAX says in no cluster, and in a program that has begun to compute, alone."""
BROKEN = re.compile("UNKNOWN|UNAVAILABLE|ABORTED|CANCELLED|INTERNAL|DEADLINE_EXCEEDED")
"""How JAX's words begin about a connection that ended. Errors of the program begin otherwise."""


@dataclass(frozen=True)
class Hosts:
    """Which processes do this together."""

    coordinator: str = ""
    """For several processes that do this together: address:port of the first one. Say the same to
    all. Slurm, Open MPI, Kubernetes' jobs and pods of TPUs need no address: JAX asks them."""
    processes: int | None = None
    """How many processes take part. 1: this one alone, wherever it runs."""
    process: int | None = None
    """The number of this process, from 0."""

    def meet(self):
        """Before JAX computes anything.

        Raises:
          UserError: an address without numbers, or the others do not come.
        """
        if self.processes == 1:
            return
        # Else JAX takes SIGTERM for itself; training saves at a step that hosts agree on anyway.
        if "jax_enable_preemption_service" in jax.config.values:  # 0.7.0 has none
            jax.config.update("jax_enable_preemption_service", False)
        try:
            jax.distributed.initialize(
                self.coordinator or None,
                self.processes,
                self.process,
                heartbeat_timeout_seconds=DEAD_AFTER,
            )
        except (RuntimeError, ValueError, OSError, ImportError) as error:
            if self == AS_FOUND and NOBODY_ELSE.match(str(error)):
                return
            if self == AS_FOUND and isinstance(error, OSError | ImportError):
                print(f"{NOT_TOLD} ({error})", file=sys.stderr)  # as in a notebook with a TPU
                return
            raise UserError(
                f"the hosts do not find each other: {error}. Give all of them --coordinator "
                "ADDRESS:PORT and --processes, and each its own --process; or --processes 1 to "
                "this one alone"
            ) from error
        ctypes.CDLL(None).signal(signal.SIGABRT, _end_in_few_words)


AS_FOUND = Hosts()
"""Those of a cluster that says so; elsewhere this process alone."""


@contextmanager
def ending_together() -> Iterator[None]:
    """A command inside. Where one host fails, none waits for it.

    JAX says farewell at a process's end: all wait until all are there. A host that fails leaves
    without it, so that the others notice. One that notices ends in words.
    """
    try:
        yield
    except BaseException as end:
        stopped = isinstance(end, SystemExit) and (not end.code or end.code > 128)  # as all are
        if stopped or not jax.distributed.is_initialized():
            raise
        sys.stdout.flush()
        os._exit(_said(end))


def _said(end: BaseException) -> int:
    """The exit status of what ended the command. It is said, where that was not done."""
    if isinstance(end, SystemExit):
        return end.code
    if isinstance(end, KeyboardInterrupt):
        return 130
    if BROKEN.match(str(end)):
        print(f"{LOST}. ({str(end).splitlines()[0]:.200})", file=sys.stderr)
        return AGAIN
    traceback.print_exception(end)
    return 1


@ctypes.CFUNCTYPE(None, ctypes.c_int)
def _end_in_few_words(_: int):
    """Where a host waits for one that is gone, a thread of JAX aborts the process, with many words.
    Fewer stand behind them. A handler by Python's `signal` would come too late."""
    os.write(2, f"{LOST}\n".encode())
    os._exit(AGAIN)
