"""Work in a process of its own that is killed at a moment, that is killed or finds no room at its
n-th change to the files of a folder, or that cannot write a long file.

Each process is a fork of one that has imported all that it needs, which would take longest.
"""

import errno
import multiprocessing
import os
import resource
import signal
import sys
import time

import jax

import fa_jax.cli.train  # which are else imported when they are needed
import fa_jax.data.corpora.builders
import fa_jax.runs.train
from fa_jax import cli
from fa_jax.errors import UserError
from tests import compiler
from tests.command import Hosts
from tests.torture import arithmetic  # noqa: F401

FORKS = multiprocessing.get_context("forkserver")
FORKS.set_forkserver_preload([__name__])
WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT
CHANGES = ("os.mkdir", "os.rename", "os.link", "os.truncate", "os.remove", "os.rmdir")
NEVER = 10**9


class Interrupted:
    """Work that was done, perhaps not to its end.

    status: its exit status; minus the signal that killed it. said: on stdout and stderr.
    seconds: that it took. changes: to files below the folder.
    """

    def __init__(self, folder, work, *arguments, after=None, killed=NEVER, full=NEVER, long=NEVER):
        """after: seconds until it is killed; None: never. killed, full: at this change. long: bytes
        that are too many for a file."""
        counted, output = FORKS.RawValue("i", 0), folder / "said"
        rest = (str(folder), killed, full, long, counted, output, work, arguments)
        process = FORKS.Process(target=_run, args=rest)
        began = time.monotonic()
        process.start()
        process.join(after)
        process.kill()
        process.join()
        self.seconds = time.monotonic() - began
        self.status, self.changes = process.exitcode, counted.value
        self.said = output.read_text(encoding="utf-8") if output.exists() else ""


class ForkedHosts(Hosts):
    """As `Hosts`, without the time to import all that they need."""

    def started(self, file, env, arguments):
        file.touch()
        nothing = FORKS.RawValue("i", 0)
        rest = (str(file.parent), NEVER, NEVER, NEVER, nothing, file, host, arguments)
        return Fork(target=_run, args=rest)


class Fork:
    """As a process of `subprocess`."""

    def __init__(self, **of):
        self._process = FORKS.Process(**of)
        self._process.start()
        self.kill = self._process.kill

    def poll(self):
        return self._process.exitcode

    def wait(self, timeout=None):
        self._process.join(timeout)
        return self._process.exitcode


def command(*arguments):
    """`fa-jax`, where programs of any size are kept from one process to the next."""
    fa_jax.set_up_process = lambda: None
    cli.main([*map(str, arguments)])


def host(*arguments):
    """`fa-jax`, and the farewell, which is said at the end of a process that is no fork."""
    command(*arguments)
    jax.distributed.shutdown()


def _run(folder, killed, full, long, counted, output, work, arguments):
    os.environ["XLA_FLAGS"] = compiler.quick(devices=1)  # as the tiny run's
    with open(output, "w", encoding="utf-8") as file:
        os.dup2(file.fileno(), 1)
        os.dup2(file.fileno(), 2)
    resource.setrlimit(resource.RLIMIT_FSIZE, (long, long))

    def count(event, of):
        if not _is_change(event, of, folder):
            return
        counted.value += 1
        if counted.value == killed:
            os.kill(os.getpid(), signal.SIGKILL)
        if counted.value >= full and event not in ("os.remove", "os.rmdir"):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    sys.addaudithook(count)
    try:
        work(*arguments)
    except (UserError, OSError) as error:
        print(error, file=sys.stderr)
        raise SystemExit(2) from None


def _is_change(event, arguments, folder):
    """What Python tells its audit hooks. A file's own bytes may also be written by libraries."""
    if not arguments or not str(arguments[0]).startswith(folder):
        return False
    return event in CHANGES or (event == "open" and bool((arguments[2] or 0) & WRITES))
