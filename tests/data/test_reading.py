"""Text as people have it is read as text that is clean."""

import unicodedata

import pytest

from fa_jax.data.reading import in_one_line, read

# Unicode's own list of white space (PropList.txt), and what Python counts beside it.
WHITE = [*range(9, 14), 32, 0x85, 0xA0, 0x1680, *range(0x2000, 0x200B), 0x2028, 0x2029, 0x202F]
WHITE += [0x205F, 0x3000, *range(0x1C, 0x20)]


@pytest.mark.parametrize("code", WHITE)
def test_any_white_space_is_one_space(code):
    space = chr(code)
    assert read(f"{space}I like{space}{space}cats.{space}") == "I like cats."


@pytest.mark.parametrize(
    "name",
    [
        *("SOFT HYPHEN", "ZERO WIDTH NO-BREAK SPACE", "ZERO WIDTH SPACE", "WORD JOINER"),
        *("LEFT-TO-RIGHT MARK", "RIGHT-TO-LEFT EMBEDDING", "POP DIRECTIONAL ISOLATE"),
        *("ARABIC LETTER MARK", "VARIATION SELECTOR-16", "COMBINING GRAPHEME JOINER"),
        *("INVISIBLE SEPARATOR", "HANGUL FILLER", "OBJECT REPLACEMENT CHARACTER"),
    ],
)
def test_what_is_not_seen_and_joins_nothing_goes(name):
    assert read(f"wo{unicodedata.lookup(name)}rd") == "word"


def test_controls_go():
    controls = {chr(n) for n in (*range(32), *range(0x7F, 0xA0)) if n not in WHITE}
    assert len(controls) == 65 - 10
    assert {read(f"wo{control}rd") for control in controls} == {"word"}


@pytest.mark.parametrize(
    "text", ["می‌خواهم", "क्‍ष", "\u06dd١", "ᠬᠦᠮᠦᠨ\u180eᠡ", "👩‍🔬", "①½…’「　」".replace("　", "")]
)
def test_what_scripts_need_stays(text):
    assert read(text) == text


def test_letters_are_composed_and_nothing_else_is_changed():
    assert read("cafe\u0301") == read("cafe\u200b\u0301") == "café"
    assert read("ｆｕｌｌ－ｗｉｄｔｈ ﬁ ²") == "ｆｕｌｌ－ｗｉｄｔｈ ﬁ ²"


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("I don&#39;t &amp; can&apos;t", "I don't & can't"),
        ("&ldquo;caf&eacute;&rdquo;&nbsp;&#x1F600;", "“café” 😀"),
        ("a&amp;amp;quot;b", 'a"b'),
        ("AT&T; R&D, &nothing; a&b; &copy", "AT&T; R&D, &nothing; a&b; &copy"),
    ],
)
def test_entities_of_html_are_what_they_stand_for(text, plain):
    assert read(text) == read(read(text)) == plain


def test_reading_twice_is_reading_once():
    """Of the planes that have letters, each character behind one that may compose with it."""
    for start in (*range(0, 0x20000, 4096), 0xE0000):
        text = "".join(f"a{chr(n)} e" for n in range(start, start + 4096))
        once = read(text)
        assert read(once) == once
        assert unicodedata.is_normalized("NFC", once)
        assert {c for c in once if c.isspace()} == {" "}


def test_what_is_written_is_one_line_and_one_column():
    assert in_one_line("a\rb\u2028c\x85d\x0be\tf\0g") == "a b c d e f g"
    assert in_one_line("a\xa0: ’　b") == "a\xa0: ’　b"
    assert len(in_one_line("".join(map(chr, range(0xD800)))).splitlines()) == 1


@pytest.mark.parametrize("table", ["cp1252", "latin-1", "cp1250", "mac_roman"])
@pytest.mark.parametrize("text", ["I don’t.", "Schöne Grüße", "Café — nein"])
def test_what_was_decoded_by_the_wrong_table_is_what_it_was(text, table):
    assert read(text.encode().decode(table)) == text


@pytest.mark.parametrize("text", ["Âge, château, ça, São Paulo", "√3 ‚so‘", "Ă, ă; IMÃ"])
def test_letters_that_look_like_it_stay(text):
    assert read(text) == text
