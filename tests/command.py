"""Runs the command line as a user does, on a small real corpus and a tiny model."""

import os
import socket
import subprocess
import sys
import time
from itertools import islice
from pathlib import Path

import fa_jax
from fa_jax.data import corpora
from fa_jax.data.corpora.text_files import read_pairs
from tests import compiler

REPOSITORY = Path(fa_jax.__file__).parents[1]

TINY = [
    *("--data.source-vocabulary", "200", "--data.target-vocabulary", "600"),
    *("--data.padded-shapes", "1", "--data.max-length", "30"),
    *("--model.embedding-size", "8", "--model.encoder-size", "8", "--model.decoder-size", "8"),
    *("--model.attention-size", "8", "--model.bottleneck-size", "8"),
    *("--training.batch-size", "16", "--training.validations", "1"),
    *("--decoding.beam-size", "2", "--decoding.max-length-ratio", "1"),
    *("--decoding.length-exponent", "1"),  # choosing one takes two searches or more
]


def environment(devices=1, **changes):
    return os.environ | {"JAX_PLATFORMS": "cpu", "XLA_FLAGS": compiler.quick(devices)} | changes


def command(*arguments, program=("-m", "fa_jax")):
    return [sys.executable, "-W", "error::UserWarning:fa_jax", *program, *map(str, arguments)]


def run(*arguments, stdin="", **environment_options):
    """A finished command: returncode, stdout, stderr."""
    return subprocess.run(
        command(*arguments),
        env=environment(**environment_options),
        input=stdin,
        capture_output=True,
        text=True,
        encoding="utf-8",
        cwd=REPOSITORY,
    )


def write_corpus(folder, train=160, rest=6):
    """A user's folder with short pairs of the embedded corpus."""
    folder.mkdir(parents=True, exist_ok=True)
    embedded = Path(corpora.__file__).parent / "tatoeba_en_ja"
    for split, size in (("train", train), ("validation", rest), ("test", rest)):
        chosen = [pair for _, pair in islice(read_pairs(embedded, ("en", "ja"), split), size)]
        for side, language in enumerate(("en", "ja")):
            text = "".join(pair[side] + "\n" for pair in chosen)
            (folder / f"{split}.{language}").write_text(text, encoding="utf-8")
    return folder


class Hosts:
    """A command, done by several processes together, which are killed at the end of the block."""

    program = ("-m", "fa_jax")

    def __init__(self, folder, count, *arguments, devices=1, others=(), slurm=False):
        """folder: for what they say. devices: of each. others: arguments of the last one alone.
        slurm: whether they know of each other by what Slurm tells its tasks."""
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        folder.mkdir(parents=True, exist_ok=True)
        self.files = [folder / f"host{host}.txt" for host in range(count)]
        self.processes = []
        for host, file in enumerate(self.files):
            env = environment(devices)
            own = [*arguments, *others] if host == count - 1 else [*arguments]
            if slurm:
                tasks = {"NTASKS": count, "PROCID": host, "LOCALID": host}
                names = {"JOB_ID": 1, "STEP_NODELIST": "127.0.0.1", **tasks}
                env |= {f"SLURM_{name}": str(value) for name, value in names.items()}
                env["JAX_COORDINATOR_PORT"] = str(port)
            else:
                own += ["--coordinator", f"127.0.0.1:{port}", "--processes", count]
                own += ["--process", host]
            self.processes.append(self.started(file, env, [*map(str, own)]))

    def started(self, file, env, arguments):
        with file.open("w") as said:
            where = {"cwd": REPOSITORY, "stdin": subprocess.DEVNULL, "stdout": said, "stderr": said}
            return subprocess.Popen(command(*arguments, program=self.program), env=env, **where)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for process in self.processes:
            process.kill()
            process.wait()

    def ended(self, timeout=900):
        """The status of each, and what each said."""
        end = time.monotonic() + timeout
        statuses = [process.wait(max(0.0, end - time.monotonic())) for process in self.processes]
        return statuses, [file.read_text(encoding="utf-8") for file in self.files]
