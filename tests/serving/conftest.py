"""Servers in this process: with a translator made up, or with the run that comes with fa_jax."""

import threading
from contextlib import contextmanager

import httpx
import pytest

import fa_jax
from fa_jax.runs.align import Alignment
from fa_jax.serving.app import make_app
from fa_jax.serving.limits import Limits
from fa_jax.serving.server import address, listening, make_server

SPOILT = "spoilt"


class MadeUp:
    """Translates by writing large letters; where it is told to wait, it does so first."""

    def __init__(self):
        self.batches, self.split, self.terms, self.may_go = [], [], [], threading.Event()
        self.may_go.set()

    def __call__(self, run, lines, decoding, n_best, split=True, **terms):
        self.batches.append(list(lines))
        self.terms.append(terms)
        self.split.append(split)
        assert self.may_go.wait(20)
        if SPOILT in lines:
            raise RuntimeError(SPOILT)
        marks = "!" * int(decoding.threshold == 0.5)
        return [
            {"translations": [{"text": f"{line.upper()}{marks}{n or ''}"} for n in range(n_best)]}
            for line in lines
        ]


def word_by_word(run, pairs):
    words = [[text.split() for text in pair] for pair in pairs]
    return [Alignment(*both, [(n, n) for n in range(len(both[0]))]) for both in words]


@contextmanager
def serving(*runs, suggestions=None, **limits):
    """A client of a server of these runs."""
    taken_on = Limits(**limits)
    with listening("127.0.0.1", 0) as listener:
        server = make_server(make_app(runs, taken_on, suggestions), taken_on)
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
        thread.start()
        try:
            with httpx.Client(base_url=address(listener), timeout=60, trust_env=False) as client:
                yield client
        finally:
            server.should_exit = True
            thread.join()


@pytest.fixture(scope="package")
def run():
    return fa_jax.load_run("en-ja")


@pytest.fixture
def made_up(monkeypatch):
    translator = MadeUp()
    for user in ("serving.orders", "runs.markup"):
        monkeypatch.setattr(f"fa_jax.{user}.translate", translator)
    monkeypatch.setattr("fa_jax.runs.align.align", word_by_word)
    return translator


@pytest.fixture
def client(run, made_up):
    with serving(run, letters=40, lines=6, body=2000) as found:
        yield found
