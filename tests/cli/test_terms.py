"""Files of terms and of prefixes, and pages of HTML."""

import pytest


@pytest.fixture
def file(tmp_path):
    def write(content):
        path = tmp_path / "file"
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return write


@pytest.mark.parametrize(
    ("option", "content", "error"),
    [
        ("--glossary", "cats\tネコ\n\ndogs\n", "file, line 3: not a phrase, a tab and its transl"),
        (
            "--glossary",
            "cats\tネコ\ncats\t犬\n",
            "file, line 2: 'cats' has another",
        ),
        ("--glossary", b"cats\tx\ndogs\t\xff\n", "file, line 2: not UTF-8"),
        ("--prefixes", "a\n", "has fewer lines than there are to translate"),
        ("--prefixes", b"\xff\n", "file, line 1: not UTF-8"),
    ],
)
def test_a_file_that_is_wrong(cli_call, file, option, content, error):
    status, out, err = cli_call("translate", "en-ja", "a", "b", option, file(content))
    assert (status, out) == (2, "") and error in err


def test_a_file_that_is_not_there(cli_call, tmp_path):
    _, _, err = cli_call("translate", "en-ja", "a", "--glossary", tmp_path / "gone")
    assert "gone cannot be read: No such file" in err


def test_terms_prefixes_and_tags_are_kept(cli_call, file):
    lines = "I like cats.", "Cats like dogs."
    status, out, err = cli_call(
        "translate", "en-ja", *lines, "--glossary", file("cats\tキャッツ\n")
    )
    assert status == 0, err
    assert ["キャッツ" in line for line in out.splitlines()] == [True, True]
    given = "彼は\n\nx\n"
    status, out, err = cli_call("translate", "en-ja", *lines, "--prefixes", file(given))
    assert out.startswith("彼は") and len(out.splitlines()) == 2
    assert status == 2 and "more lines than there were to translate" in err
    page = b'<p class="x">She bought a <b>red car</b> in Tokyo.</p>\r\n<!-- a -->'
    status, out, err = cli_call("translate", "en-ja", "--html", stdin=page)
    assert status == 0, err
    assert (
        out.startswith('<p class="x">')
        and "<b>赤い" in out
        and out.endswith("</p>\r\n<!-- a -->\n")
    )
    _, _, err = cli_call("translate", "en-ja", "--html", "--n-best", 2, stdin=page)
    assert "--html gives one translation" in err
    for option in (["--output", file("")], ["--part", 1, 2], ["--documents"]):
        status, out, err = cli_call("translate", "en-ja", "--html", *option, stdin=page)
        assert (status, out) == (2, "") and "--html writes one page to stdout" in err
