"""Does a server keep up with batch translation, and does it stay small?

`fa-jax serve en-ja`, the run that comes with the package, in a process of its own. 32 clients send
test sentences, one a request, each as soon as its last one is answered. Beside it, the same
sentences by `fa_jax.translate`, all at once and one by one.
"""

import json
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from http.client import HTTPConnection
from pathlib import Path
from statistics import median
from urllib.parse import urlsplit

from experiments.benchmarks.report import Headline, Report
from fa_jax.data.corpora import load_corpus
from fa_jax.errors import UserError
from fa_jax.runs.run import Run, load_run
from fa_jax.runs.translate import translate

CLIENTS = 32
COMPARED = 200
"""Requests of a round."""
REPORTED = 1000
"""Requests from one look at the server's memory to the next."""


def measure(rounds: int = 5, requests: int = 10_000) -> Report:
    """A row for each thousand requests.

    rounds: times that 200 requests and a batch of 200 lines are timed, in turn. requests: to look
    at memory over.
    """
    run = load_run("en-ja")
    test = load_corpus("tatoeba_en_ja", "en-ja").test
    lines = [source for source, _ in (test[row] for row in range(min(len(test), REPORTED)))]
    some = lines[:COMPARED]
    one_by_one = [text for line in some for text in _batch(run, [line])]
    with _server() as (address, process):
        answers = _asked(address, some)
        ratios, speeds = [], []
        for _ in range(rounds):
            batch, served = _seconds(_batch, run, some), _seconds(_asked, address, some)
            ratios.append(batch / served)
            speeds.append(len(some) / served)
        rows = []
        for done in range(REPORTED, requests + 1, REPORTED):
            seconds = _seconds(_asked, address, lines)
            speed = REPORTED / seconds
            rows.append({"requests": done, "a_second": speed, "megabytes": _megabytes(process.pid)})
    differing = sum(a != b for a, b in zip(answers, one_by_one, strict=True))
    headlines = [
        Headline("requests a second ÷ lines a second of one batch", median(ratios), 0.5, True),
        Headline("answers that differ from one by one", differing, 0),
        Headline(
            f"memory after {rows[-1]['requests']:,} requests ÷ after {REPORTED:,}",
            rows[-1]["megabytes"] / rows[0]["megabytes"],
            1.1,
        ),
    ]
    spread = f"{min(ratios):.2f} to {max(ratios):.2f}"
    note = (
        f"{COMPARED} requests of {CLIENTS} clients: {median(speeds):.0f} a second (median of "
        f"{rounds}), {spread} of one batch's lines a second."
    )
    settings = {"clients": CLIENTS, "compared": COMPARED, "rounds": rounds}
    return Report("serving", settings, rows, [note], headlines)


def _batch(run: Run, lines: Sequence[str]) -> list[str]:
    return [record["translations"][0]["text"] for record in translate(run, lines)]


@contextmanager
def _server() -> Iterator[tuple[str, subprocess.Popen]]:
    """Its address, when it is ready, and its process."""
    command = [sys.executable, "-m", "fa_jax", "serve", "en-ja", "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        said = process.stdout.readline()
        if not said:
            raise UserError(f"{' '.join(command)} does not start: its message is above")
        try:
            yield urlsplit(said.split()[0]).netloc, process
        finally:
            process.terminate()


def _asked(address: str, lines: Sequence[str]) -> list[str]:
    """Each line's answer. As many lines as there are clients are on their way."""

    def client(number: int) -> list[str]:
        connection = HTTPConnection(address, timeout=60)
        try:
            return [_answer(connection, line) for line in lines[number::CLIENTS]]
        finally:
            connection.close()

    with ThreadPoolExecutor(CLIENTS) as clients:
        found = [*clients.map(client, range(CLIENTS))]
    return [found[row % CLIENTS][row // CLIENTS] for row in range(len(lines))]


def _answer(connection: HTTPConnection, line: str) -> str:
    fields = json.dumps({"q": line, "source": "en", "target": "ja"})
    connection.request("POST", "/translate", fields, {"Content-Type": "application/json"})
    return json.loads(connection.getresponse().read())["translatedText"]


def _seconds(function, *arguments) -> float:
    began = time.perf_counter()
    function(*arguments)
    return time.perf_counter() - began


def _megabytes(process: int) -> float:
    """What it holds of memory."""
    status = Path(f"/proc/{process}/status").read_text(encoding="utf-8")
    (line,) = (line for line in status.splitlines() if line.startswith("VmRSS"))
    return int(line.split()[1]) / 1024
