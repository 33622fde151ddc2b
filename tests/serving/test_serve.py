"""The command: it begins when all is compiled, and ends when all is answered."""

import os
import re
import signal
import socket
import threading

import httpx
import pytest

import fa_jax
from fa_jax import serving
from fa_jax.serving import warm_up
from tests.tiny import cli_call  # noqa: F401


@pytest.fixture
def port():
    with socket.create_server(("127.0.0.1", 0)) as free:
        return free.getsockname()[1]


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_it_answers_whom_it_has_taken_before_it_stops(
    run, made_up, port, monkeypatch, capsys, number
):
    answers, before = [], signal.getsignal(signal.SIGINT)
    made_up.may_go.clear()

    def ask():
        fields = {"q": "one", "source": "en", "target": "ja"}
        url = f"http://127.0.0.1:{port}/translate"
        answers.append(httpx.post(url, json=fields, timeout=30, trust_env=False).json())

    def stop():
        while asking.is_alive() and not made_up.batches:
            asking.join(0.01)
        os.kill(os.getpid(), number)
        made_up.may_go.set()

    asking, stopping = threading.Thread(target=ask), threading.Thread(target=stop)

    def prepare(prepared):  # whoever asks before all is compiled waits
        assert prepared is run
        asking.start(), stopping.start()

    monkeypatch.setattr("fa_jax.serving.warm_up.warm_up", prepare)
    fa_jax.serve([run], port=port)
    asking.join(), stopping.join()
    assert answers == [{"translatedText": "ONE"}]
    assert f"http://127.0.0.1:{port}/" in capsys.readouterr().out
    assert signal.getsignal(signal.SIGINT) is before


def test_what_the_first_requests_need_is_compiled_before(run, made_up, monkeypatch):
    traced = []
    monkeypatch.setattr(warm_up, "trace_translations", lambda *given: traced.append(given[2:]))
    warm_up.warm_up(run)
    assert sorted(map(len, made_up.batches)) == [1] * 4 + [9] * 4
    shapes = {(len(source), len(words) + 1) for (source,), (words,) in traced}
    assert shapes == {(16, 16), (32, 32)}


def test_mistakes_are_said_in_a_line(cli_call, port, monkeypatch):  # noqa: F811
    def said(*arguments):
        status, _, error = cli_call("serve", *arguments)
        assert status == 2 and len(error.splitlines()) == 1
        return error

    assert "no run to serve: name one" in said()
    assert "runs/nothing is no run" in said("en-ja", "runs/nothing")
    assert "--limits.letters must be at least 1" in said("en-ja", "--limits.letters", 0)
    with socket.create_server(("127.0.0.1", port)):
        assert re.search(rf"port {port}: .*in use.* another port", said("en-ja", "--port", port))
    assert "port must be 0 to 65535" in said("en-ja", "--port", 70_000)
    assert "another host" in said("en-ja", "--host", "203.0.113.1")
    monkeypatch.setattr(serving, "NEEDS", ("starlette", "uvicrn"))
    assert "needs uvicrn" in (error := said("en-ja")) and "pip install 'fa-jax[serve]'" in error
