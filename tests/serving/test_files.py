"""Files: sent as a form, translated, and fetched; what is no text in them stays."""

import io
from zipfile import ZIP_DEFLATED, ZipFile

import docx
import pytest
from babel.messages import pofile

from fa_jax.serving.files import KEPT
from fa_jax.serving.formats import FORMATS
from tests.serving.conftest import serving

EN_JA = {"source": "en", "target": "ja"}
SRT = b"""1
00:00:01,000 --> 00:00:02,500
one
<i>two</i>

2
00:00:03,000 --> 00:00:04,000
three

"""
HTML = b"<html><head><title>one</title><style>b {}</style></head><body> two<br/></body></html>"


@pytest.fixture
def client(run, made_up):
    with serving(run) as found:
        yield found


def sent(client, name, content, **fields):
    return client.post("/translate_file", data=EN_JA | fields, files={"file": (name, content)})


def translated(client, name, content, **fields):
    """The file at the address that the server answers with; its name, too."""
    url = sent(client, name, content, **fields).json()["translatedFileUrl"]
    found = client.get(url)
    assert found.headers["Content-Disposition"] == "attachment"
    return url.rpartition("/")[2], found.content


@pytest.mark.parametrize(
    ("name", "content", "expected"),
    [
        ("a.txt", "\ufeffone\r\n\r\nzwölf\r\n".encode(), "ONE\n\nZWÖLF\n".encode()),
        ("a.HTML", HTML, HTML.replace(b"one", b"ONE").replace(b"two", b"TWO")),
        ("a b.srt", SRT, SRT.replace(b"one\n<i>two</i>", b"ONE TWO").replace(b"three", b"THREE")),
    ],
)
def test_text(client, name, content, expected):
    stem, _, end = name.replace(" ", "%20").rpartition(".")
    assert translated(client, name, content) == (f"{stem}_ja.{end}", expected)


def test_messages_of_a_program(client):
    """What is translated already stays; a language with one plural has the second form."""
    file = b"""
msgid ""
msgstr "Plural-Forms: nplurals=1; plural=0;\\n"

# said at the start
#: main.c:1
msgid "one"
msgstr ""

msgid "two"
msgstr "2"

msgid "three\\n"
msgstr ""

#, c-format
msgid "a thing"
msgid_plural "many "
"things"
msgstr[0] ""
"""
    _, found = translated(client, "de.po", file)
    catalog = pofile.read_po(io.BytesIO(found))
    assert catalog["one"].string == "ONE" and catalog["one"].fuzzy
    assert catalog["one"].user_comments == ["said at the start"]
    assert catalog["three\n"].string == "THREE\n"
    assert catalog["two"].string == "2" and not catalog["two"].fuzzy
    assert catalog["a thing"].string == ("MANY THINGS",)
    assert {"c-format", "fuzzy"} == catalog["a thing"].flags
    two = file.replace(b"nplurals=1; plural=0", b"nplurals=2; plural=(n != 1)")
    found = translated(client, "de.po", two)[1]
    assert pofile.read_po(io.BytesIO(found))["a thing"].string == ("A THING", "MANY THINGS")


def test_word(client):
    document = docx.Document()
    paragraph = document.add_paragraph("one ")
    paragraph.add_run("and\nthree\tfour").bold = True
    document.add_table(1, 1).cell(0, 0).text = "two"
    document.save(written := io.BytesIO())
    _, content = translated(client, "a.docx", written.getvalue())
    found = docx.Document(io.BytesIO(content))
    assert found.paragraphs[0].text.split() == ["ONE", "AND", "THREE", "FOUR"]
    assert found.tables[0].cell(0, 0).text == "TWO"


def test_a_language_may_be_left_out(client):
    assert translated(client, "a.txt", b"It is one.", source="auto")[1] == b"IT IS ONE."


def packed(size):
    with ZipFile(written := io.BytesIO(), "w", ZIP_DEFLATED) as file:
        file.writestr("x", bytes(size))
    return written.getvalue()


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("a.exe", b"one", "one that ends with .txt, .html"),
        ("a", b"one", "one that ends with"),
        ("a.txt", b"\xff", "damaged, or of another kind"),
        ("a.txt", b" ", "no text to translate"),
        ("a.srt", b"one", "of another kind"),
        ("a.docx", b"one", "of another kind"),
        ("a.docx", packed(9), "of another kind"),
    ],
)
def test_what_cannot_be_translated_is_said(client, name, content, words):
    answer = sent(client, name, content)
    assert answer.status_code == 400 and words in answer.json()["error"]
    assert client.post("/translate_file", data=EN_JA | {"file": "one"}).status_code == 400


def test_a_small_file_that_unpacks_to_a_huge_one_is_not_unpacked(client):
    with pytest.raises(ValueError, match="too large"):
        FORMATS[".docx"](packed(60_000_000), lambda texts: texts)


def test_the_last_files_are_kept(client):
    urls = [sent(client, "a.txt", b"one").json()["translatedFileUrl"] for _ in range(KEPT + 1)]
    assert [client.get(url).status_code for url in urls] == [404] + [200] * KEPT
