"""What the server answers: LibreTranslate's protocol, and how it says no."""

import json
import socket
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import replace

import httpx
import pytest

from fa_jax.serving.body import FIELDS
from tests.serving.conftest import SPOILT, serving

EN_JA = {"source": "en", "target": "ja"}


def asked(client, **fields):
    return client.post("/translate", json=EN_JA | fields)


def test_texts_and_lists_json_and_forms(client):
    assert asked(client, q="one").json() == {"translatedText": "ONE"}
    assert asked(client, q=["one", "", "two"]).json() == {"translatedText": ["ONE", "", "TWO"]}
    form = EN_JA | {"q": "é & ü", "format": "text", "api_key": "x"}
    assert client.post("/translate", data=form).json() == {"translatedText": "É & Ü"}
    assert asked(client, q="one\r\n\ntwo").json()["translatedText"] == "ONE\n\nTWO"
    assert asked(client, q="one", threshold=0.5).json()["translatedText"] == "ONE!"
    assert asked(client, q="one", threshold="inf").json()["translatedText"] == "ONE"


def test_fields_are_read_from_wherever_clients_write_them(client):
    """A query string, a form with files' boundaries, raw UTF-8; the body goes first."""
    fields, expected = EN_JA | {"q": "é & ü"}, {"translatedText": "É & Ü"}
    files = {name: (None, value) for name, value in fields.items()}
    raw = "q=é+%26+ü&source=en&target=ja".encode()
    headers = {"Content-Type": "application/x-www-form-urlencoded"}
    for options in (
        {"params": fields},
        {"files": files},
        {"content": raw, "headers": headers},
        {"params": EN_JA, "json": {"q": "é & ü"}},
        {"params": EN_JA | {"q": "other"}, "data": {"q": "é & ü"}},
    ):
        answer = client.post("/translate", **options)
        assert (answer.status_code, answer.json()) == (200, expected), options
    files = [("q", (None, "a")), ("q", (None, "b"))]
    answer = client.post("/translate", params=EN_JA, files=files)
    assert answer.json() == {"translatedText": ["A", "B"]}


def test_alternatives_and_a_language_that_is_not_said(client):
    answer = asked(client, q="one", alternatives=2, source="auto").json()
    detected = {"language": "en", "confidence": 100}
    assert answer == {
        "translatedText": "ONE",
        "alternatives": ["ONE1", "ONE2"],
        "detectedLanguage": detected,
    }
    unsaid = dict.fromkeys(("source", "alternatives", "threshold", "split", "glossary", "format"))
    answer = asked(client, q="one", **unsaid).json()
    assert answer == {"translatedText": "ONE", "detectedLanguage": detected}
    answer = asked(client, q=["a", "b\nc"], alternatives="1").json()
    assert answer["alternatives"] == [["A1"], ["B1\nC1"]]


def test_a_request_may_want_its_lines_whole(client, made_up):
    for split in (None, True, False, "false"):
        assert asked(client, q="One. Two.", split=split).json()["translatedText"] == "ONE. TWO."
    assert made_up.split == [True, True, False, False]
    assert asked(client, q="a", split="x").status_code == 400


def test_of_a_long_line_each_sentence_must_fit(run, made_up):
    """The run reads so many tokens of a sentence."""
    short = replace(run.config.decoding, max_source_length=20)
    short = replace(run, config=replace(run.config, decoding=short))
    with serving(short) as client:
        assert asked(client, q="It is short. This, too.").status_code == 200
        for fields in (
            {"q": "This is too long a sentence."},
            {"q": "One. Two. Three. Four.", "split": False},
        ):
            answer = asked(client, **fields)
            assert answer.status_code == 400 and "longer than the 18" in answer.json()["error"]


def test_languages(client, run, made_up):
    english = {"code": "en", "name": "English", "targets": ["ja"]}
    assert client.get("/languages").json() == client.post("/languages").json() == [english]
    back = replace(run, source=run.target, target=run.source)
    with serving(run, run, back) as both:
        japanese = {"code": "ja", "name": "Japanese", "targets": ["en"]}
        assert both.get("/languages").json() == [english, japanese]
        fields = {"q": "a", "source": "auto", "target": "en"}
        answer = both.post("/translate", json=fields).json()
        assert answer["detectedLanguage"]["language"] == "ja"


def test_a_language_is_told_by_the_vocabularies_of_those_that_are_served(run, made_up):
    """Also which of two runs translates."""
    pairs = run.pairs("test")
    with serving(run, replace(run, source=run.target, target=run.target)) as client:
        for number in range(10):
            for language, text in zip(("en", "ja"), pairs[number], strict=True):
                first, second = client.post("/detect", data={"q": text}).json()
                assert first["language"] == language and first["confidence"] > 90
                assert first["confidence"] + second["confidence"] == pytest.approx(100)
                answer = asked(client, q=text, source="auto").json()
                assert answer["detectedLanguage"]["language"] == language
        assert client.post("/detect", json={"q": ["a", 1]}).status_code == 400


def test_what_a_page_may_ask_before_anything_else(client):
    assert client.get("/health").json() == {"status": "ok"}
    found = client.get("/frontend/settings").json()
    assert found["language"]["target"] == {"code": "ja", "name": "Japanese"}
    assert (found["charLimit"], found["suggestions"], found["keyRequired"]) == (40, False, False)
    assert ".txt" in found["supportedFilesFormat"]


def test_suggestions_are_kept_if_so_wanted(client, run, made_up, tmp_path):
    fields = EN_JA | {"q": "one", "s": "一"}
    refused = client.post("/suggest", json=fields)
    assert refused.status_code == 403 and "no file" in refused.json()["error"]
    with serving(run, suggestions=tmp_path / "kept") as keeping:
        for _ in range(2):
            assert keeping.post("/suggest", data=fields).json() == {"success": True}
        assert keeping.post("/suggest", data=EN_JA | {"q": "one"}).status_code == 400
        assert keeping.get("/frontend/settings").json()["suggestions"] is True
    lines = (tmp_path / "kept").read_text(encoding="utf-8").splitlines()
    assert [json.loads(line) for line in lines] == [fields, fields]


def test_a_page_of_another_address_may_ask(client):
    headers = {"Origin": "http://else.where", "Access-Control-Request-Method": "POST"}
    asked = client.options(
        "/translate", headers=headers | {"Access-Control-Request-Headers": "content-type"}
    )
    assert asked.status_code == 200 and asked.headers["Access-Control-Allow-Origin"] == "*"
    found = client.get("/languages", headers={"Origin": "http://else.where"})
    assert found.headers["Access-Control-Allow-Origin"] == "*"


def test_html_keeps_its_markup(client):
    q = '<p class="a">One &amp; <code>x\n  x</code> <b>two</b></p><i translate="no">y</i><!-- z -->'
    answer = asked(client, q=[q, "one"], format="html", alternatives=1).json()
    expected = q.replace("One", "ONE").replace("two", "TWO")
    assert answer["translatedText"] == [expected, "ONE"]
    assert answer["alternatives"] == [[expected.replace("TWO", "TWO1")], ["ONE1"]]


def test_tags_are_no_letters(client):
    link = f'<a href="{"x" * 900}">two</a>'
    found = asked(client, q=f"<p>One {link}</p>", format="html").json()["translatedText"]
    assert found == f"<p>ONE {link.replace('two', 'TWO')}</p>"


def test_terms_and_prefixes(client, made_up):
    terms = {"two": "zwei"}
    assert asked(client, q="two", glossary=terms, prefix="ein").json()["translatedText"] == "TWO"
    assert asked(client, q=["two", "one"], glossary='{"two": "zwei"}').status_code == 200
    assert made_up.terms == [{"glossary": terms, "prefixes": ["ein"]}, {"glossary": terms}]


REFUSED = {
    "not JSON": (b"{", 400, "neither JSON nor a form"),
    "no object": (b"[1]", 400, "must be a JSON object"),
    "nothing": (b"", 400, "q must be a text"),
    "not UTF-8": (b'{"q": "\xff"}', 400, "not UTF-8"),
    "half a letter": (b'{"q": "\\ud800"}', 400, "not UTF-8"),
    "very deep": (b"[" * 999, 400, "neither JSON nor a form"),
    "10 MB": (b"x" * 10_000_000, 413, "10,000,000 bytes are more than the 2,000"),
    "wrong language": ({"q": "a", "target": "fr"}, 400, "only en to ja"),
    "no language": ({"q": "a", "source": 7}, 400, "only en to ja"),
    "no target": ({"q": "a", "target": None}, 400, "names no target: only en to ja"),
    "no q": ({}, 400, "q must be a text"),
    "a number": ({"q": ["a", 1]}, 400, "q must be a text"),
    "no text": ({"q": " \n"}, 400, "no text to translate"),
    "no texts": ({"q": []}, 400, "q must be a text"),
    "a long line": ({"q": "x" * 41}, 400, "41 letters is longer than the 40"),
    "many lines": ({"q": ["a\nb"] * 4}, 400, "8 lines are more than the 6"),
    "τ = 0": ({"q": "a", "threshold": 0}, 400, "threshold must be a number above 0"),
    "τ = NaN": ({"q": "a", "threshold": float("nan")}, 400, "threshold must be"),
    "a huge τ": ({"q": "a", "threshold": 10**400}, 400, "threshold must be"),
    "a list as τ": ({"q": "a", "threshold": [1]}, 400, "threshold must be"),
    "alternatives": ({"q": "a", "alternatives": 5}, 400, "a whole number from 0 to 4"),
    "half an alternative": ({"q": "a", "alternatives": 1.5}, 400, "a whole number from 0 to 4"),
    "a word for a number": ({"q": "a", "alternatives": "x"}, 400, "a whole number from 0 to 4"),
    "HTML": ({"q": "<b>", "format": "html"}, 400, "no text to translate"),
    "another format": ({"q": "a", "format": "rtf"}, 400, "format must be text or html"),
    "a word as glossary": ({"q": "a", "glossary": "b"}, 400, "glossary must be an object of texts"),
    "a list in it": ({"q": "a", "glossary": {"b": []}}, 400, "glossary must be an object of texts"),
    "a prefix of two": ({"q": ["a", "b"], "prefix": "c"}, 400, "prefix must be a text, and q one"),
    "a list as format": ({"q": "a", "format": ["text"]}, 400, "format must be text or html"),
}


@pytest.fixture(scope="module")
def strict(run):
    with serving(run, letters=40, lines=6, body=2000) as found:
        yield found


@pytest.mark.parametrize("name", REFUSED)
def test_bad_requests_are_told_what_is_wrong(strict, made_up, name):
    content, status, words = REFUSED[name]
    if isinstance(content, dict):
        content = json.dumps(EN_JA | content).encode()
    headers = {"Content-Type": "application/json"}
    answer = strict.post("/translate", content=content, headers=headers)
    assert (answer.status_code, made_up.batches) == (status, [])
    assert words in answer.json()["error"]


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"q": "a", "run": 1}, "run must be a number from 0 to 0"),
        ({"q": "a", "run": "x"}, "run must be a number"),
        ({"q": [" "]}, "q must be a sentence"),
        ({"q": " "}, "q must be a sentence"),
        ({"q": "\u200b"}, "a line without a word has no translation"),
    ],
)
def test_bad_traces_are_told_what_is_wrong(strict, fields, words):
    answer = strict.post("/trace", json=fields)
    assert answer.status_code == 400 and words in answer.json()["error"]


def test_forms_and_addresses_that_are_wrong(strict, made_up):
    headers = {"Content-Type": "application/x-www-form-urlencoded"}
    for content in (b"q=%FF&source=en&target=ja", b"q=a" + b"&" * FIELDS):
        assert strict.post("/translate", content=content, headers=headers).status_code == 400
    for method, path, status in (("GET", "/translate", 405), ("GET", "/nothing", 404)):
        answer = strict.request(method, path)
        assert answer.status_code == status and answer.json()["error"]


def test_a_defect_is_said_and_nothing_dies(client):
    assert asked(client, q=SPOILT).status_code == 500
    assert asked(client, q="one").json() == {"translatedText": "ONE"}


def test_who_finds_the_queue_full_is_told_to_come_again(run, made_up):
    made_up.may_go.clear()
    with serving(run, queue=1) as client, ThreadPoolExecutor(8) as clients:
        answers = [clients.submit(asked, client, q=letter) for letter in "abcdefgh"]
        first = next(as_completed(answers)).result()  # all others are at work, or wait
        made_up.may_go.set()
        statuses = [answer.result().status_code for answer in answers]
    assert first.status_code == 503 and first.headers["Retry-After"] == "1"
    assert {*statuses} == {200, 503}


def test_an_answer_that_takes_too_long_is_given_up(run, made_up):
    made_up.may_go.clear()
    with serving(run, seconds=0.1) as client:
        answer = asked(client, q="one")
        assert answer.status_code == 504 and "longer than 0.1 seconds" in answer.json()["error"]
        made_up.may_go.set()


def test_connections_are_counted(run, made_up):
    with serving(run, connections=1) as client:
        assert asked(client, q="one").status_code == 200  # and its connection stays open
        assert httpx.get(client.base_url, trust_env=False).status_code == 503


def test_a_request_that_does_not_arrive_is_given_up(run, made_up):
    with serving(run, seconds=0.1) as client:
        place = client.base_url.host, client.base_url.port
        with socket.create_connection(place, timeout=20) as slow:
            slow.sendall(b"POST /translate HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n{")
            assert slow.recv(1000).startswith(b"HTTP/1.1 408")


@pytest.mark.parametrize("begun", [b"", b"GET / HTTP/1.1\r\nHost: "])
def test_who_connects_and_does_not_ask_gives_the_place_up(run, made_up, begun):
    with serving(run, seconds=0.1, connections=1) as client:
        place = client.base_url.host, client.base_url.port
        with socket.create_connection(place, timeout=20) as silent:
            silent.sendall(begun)
            assert silent.recv(1000) == b""
        assert httpx.get(client.base_url, trust_env=False).status_code == 200
