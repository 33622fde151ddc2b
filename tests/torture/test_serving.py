"""The server, whatever it is asked: an answer that fits, or words that say what is wrong."""

import json
from unittest.mock import patch

import pytest
from hypothesis import given
from hypothesis import strategies as st

import fa_jax
from tests.serving.conftest import MadeUp, serving
from tests.torture.effort import tried
from tests.torture.letters import lines

PARTS = ["text/x", "multipart/form-data", "multipart/form-data; boundary=0"]
REFUSALS = {400, 404, 405, 413}
text = st.lists(lines, max_size=3).map("\n".join)
anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | text | st.sampled_from(["en", "ja"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(text, inner, max_size=3),
    max_leaves=6,
)
asked = st.fixed_dictionaries(
    {"q": text | st.lists(text, max_size=4), "target": st.just("ja")},
    optional={
        "source": st.sampled_from(["en", "auto", "ja"]),
        "threshold": anything,
        "alternatives": st.integers(-1, 6) | anything,
        "format": st.sampled_from(["text", "html"]) | anything,
        "run": anything,
    },
)


@pytest.fixture(scope="module")
def client():
    run, limits = fa_jax.load_run("en-ja"), {"letters": 60, "lines": 6, "body": 3000}
    with patch("fa_jax.serving.orders.translate", MadeUp()), serving(run, **limits) as found:
        yield found


def refused(answer):
    """Whether it was refused, in words."""
    assert answer.status_code in {200} | REFUSALS, answer.text
    return answer.status_code in REFUSALS and bool(answer.json()["error"])


@tried(150)
@given(fields=asked)
def test_a_request_that_may_be_right(client, fields):
    """A translation for each text, a line for each line of plain text."""
    answer = client.post("/translate", content=json.dumps(fields).encode())
    if refused(answer) or fields.get("format") == "html":
        return
    found = answer.json()["translatedText"]
    texts, found = (x if isinstance(x, list) else [x] for x in (fields["q"], found))
    counts = [[text.count("\n") for text in side] for side in (texts, found)]
    assert counts[0] == counts[1]


@tried(150)
@given(
    fields=anything | st.dictionaries(st.sampled_from(["q", "source", "target"]), anything),
    path=st.sampled_from(["/translate", "/trace"]),
)
def test_a_request_of_anything(client, fields, path):
    refused(client.post(path, content=json.dumps(fields).encode()))


@tried(150)
@given(
    body=st.binary(max_size=200) | text.map(str.encode),
    kind=st.sampled_from(["application/json", "application/x-www-form-urlencoded", "", *PARTS]),
    path=st.sampled_from(["/translate", "/trace", "/languages", "/", "/nothing", "/detect"]),
    method=st.sampled_from(["GET", "POST", "PUT", "DELETE", "OPTIONS"]),
)
def test_bytes_of_any_kind(client, body, kind, path, method):
    answer = client.request(method, path, content=body, headers={"Content-Type": kind})
    assert answer.status_code in {200} | REFUSALS
