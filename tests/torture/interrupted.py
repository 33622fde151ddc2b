"""`fa-jax`, but killed, or out of room, at its n-th change to the files of a folder.

python -m tests.torture.interrupted killed|full N FOLDER ARGUMENT...
"""

import errno
import os
import signal
import sys

from fa_jax import cli

WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT
CHANGES = ("os.mkdir", "os.rename", "os.link", "os.truncate", "os.remove", "os.rmdir")


def is_change(event, arguments, folder):
    """What Python tells its audit hooks. A file's own bytes may also be written by libraries."""
    if not arguments or not str(arguments[0]).startswith(folder):
        return False
    return event in CHANGES or (event == "open" and bool((arguments[2] or 0) & WRITES))


def main(how, number, folder, *arguments):
    left = int(number)

    def count(event, of):
        nonlocal left
        if not is_change(event, of, folder):
            return
        left -= 1
        if how == "killed" and left == 0:
            os.kill(os.getpid(), signal.SIGKILL)
        if how == "full" and left <= 0 and event not in ("os.remove", "os.rmdir"):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    sys.addaudithook(count)
    cli.main(list(arguments))


if __name__ == "__main__":
    main(*sys.argv[1:])
