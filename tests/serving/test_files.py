"""Files: sent as a form, translated, and fetched; what is no text in them stays."""

import io
from zipfile import ZIP_DEFLATED, ZipFile

import docx
import pytest
from babel.messages import pofile
from docx.oxml import parse_xml
from docx.oxml.ns import nsdecls

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
POSITIONS = b"""1
00:00:01,000 --> 00:00:02,500 X1:40 X2:600 Y1:20 Y2:50
{\\an8}one
two{\\i1}!

2
00:00:03,000 --> 00:00:04,000

3
00:00:05,000 --> 00:00:06,000
three

four
"""
VTT = b"""WEBVTT - a title

STYLE
::cue { color: red }

NOTE a remark

first
00:01.000 --> 00:02.500 position:10% line:0
<v Ann>one</v>

NOTE another
remark

00:03.000 --> 00:04.000 line:90%
<c.red>two</c> <00:03.500>three
"""
ASS = b"""[Script Info]
PlayResX: 640
[Events]
Format: Layer, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text
Comment: 0,0:00:00.00,0:00:01.00,Default,,0,0,0,,a remark
Dialogue: 0,0:00:01.00,0:00:02.00,Default,,0,0,0,,{\\pos(9,20)}one,\\Ntwo
Dialogue: 0,0:00:03.00,0:00:04.00,Default,,0,0,0,,{\\p1}m 0 0 l 9 0{\\p0}
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
        (
            "where.srt",
            POSITIONS,
            POSITIONS.replace(b"one\ntwo{\\i1}!", b"ONE TWO!").replace(
                b"three\n\nfour", b"THREE FOUR"
            ),
        ),
        (
            "a.vtt",
            VTT.replace(b"\n", b"\r\n"),
            VTT.replace(b"<v Ann>one</v>", b"ONE").replace(
                b"<c.red>two</c> <00:03.500>three", b"TWO THREE"
            ),
        ),
        ("a.ass", ASS, ASS.replace(b"one,\\Ntwo", b"ONE, TWO")),
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


def test_what_is_no_message_of_a_program_stays(client):
    """And of a message the white space around it, and between its paragraphs."""
    file = r"""msgid ""
msgstr ""
"Content-Type: text/plain; charset=UTF-8\n"
"X-Generator: by hand\n"

#| msgid "before"
msgctxt "a menu"
msgid ""
"\n"
"  one \n"
"two\n"
"\n"
"three: "
msgstr ""

#~ msgid "gone"
#~ msgstr ""
"""
    _, found = translated(client, "a.po", file.encode())
    before, _, after = file.partition('msgstr ""\n\n')
    new = r"""msgstr ""
"\n"
"  ONE TWO\n"
"\n"
"THREE: "

"""
    assert found.decode() == (before + new + after).replace("#|", "#, fuzzy\n#|")


def test_word(client):
    document = docx.Document()
    paragraph = document.add_paragraph("one ")
    paragraph.add_run("and\nthree\tfour").bold = True
    document.add_table(1, 1).cell(0, 0).text = "two"
    document.sections[0].header.paragraphs[0].text = "three"
    inserted = f'<w:ins {nsdecls("w")} w:id="1"><w:r><w:t>one </w:t></w:r></w:ins>'
    (paragraph := document.add_paragraph())._p.append(parse_xml(inserted))
    paragraph.add_run("more")
    document.save(written := io.BytesIO())
    _, content = translated(client, "a.docx", written.getvalue())
    found = docx.Document(io.BytesIO(content))
    assert found.paragraphs[0].text.split() == ["ONE", "AND", "THREE", "FOUR"]
    assert found.tables[0].cell(0, 0).text == "TWO"
    assert found.sections[0].header.paragraphs[0].text == "THREE"
    assert [t.text for t in found.paragraphs[1]._p.xpath(".//w:t")] == ["ONE MORE", None]


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
        ("a.txt", "caf\xe9".encode("latin-1"), "byte 4 is not UTF-8: convert"),
        ("a.txt", b" ", "no text to translate"),
        ("a.srt", b"one", "of another kind: it has no subtitles"),
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
