"""Pages in pieces, and tags around translated words."""

from html.parser import HTMLParser

import pytest

from fa_jax.data.markup import pieces, text_of, with_tags

PAGE = """<!DOCTYPE html>
<html><head><title>A page</title><style>p { color: red }</style></head>
<body class=x><!-- note --><h1>Hello  &amp; welcome</h1>
<p>Press <b>OK</b> to <a href="x?a=1&b=2">go <i>on</i></a>, see <code>x &lt; y</code>.<br/>
 Next <img src="a
b"> line</p>
<div translate="no">Not <div>this</div></div><ul><li>one<li>two</ul><script>"<b>no</b>"</script>
<p>  3 &lt; 4  </p><p><span class="notranslate">Brand</span> is <b>great!</p><pre>as <b>it</b> is
"""
TEXTS = [
    "A page",
    "Hello  &amp; welcome",
    'Press <b>OK</b> to <a href="x?a=1&b=2">go <i>on</i></a>, see <code>x &lt; y</code>.',
    'Next <img src="a\nb"> line',
    "one",
    "two",
    '<span class="notranslate">Brand</span> is <b>great!',
]


def test_a_page_in_pieces_is_the_page():
    found = pieces(PAGE)
    assert "".join(found) == PAGE
    assert found[1::2] == TEXTS


@pytest.mark.parametrize(
    "page", ["", "<", "a < b <b", "</b>x<p", "<b>", "a&", "<code>x", "x\r\n<!-", "</>abc"]
)
def test_what_is_hardly_html_stays_whole(page):
    assert "".join(pieces(page)) == page


def test_what_is_untouched_ends_with_its_own_end():
    page = "<svg><svg/><text>a picture</text></svg><p>a text</p>"
    assert pieces(page)[1::2] == ["a text"]


@pytest.mark.parametrize(
    ("page", "texts"),
    [
        ("<p class=notranslate>X<p>one<p>two", ["one", "two"]),
        ("<p translate=NO>X <b>Y</b><div>one</div>two", ["one", "two"]),
        ("<ul><li translate=no>X<ul><li>Y</ul><li>one</ul>two", ["one", "two"]),
        ("<dl><dt translate=no>X<dd>one</dl>two", ["one", "two"]),
        ("<table><tr><td translate=no>X<tr><td>one</table>", ["one"]),
        ("<select><optgroup translate=no><option>X<option>Y</select>one", ["one"]),
        ("<div><span translate=no>X</div><p>a <code>x</p>one", ["a <code>x", "one"]),
        ("<div translate=no><p>X</b><br>Y</div></div>one", ["one"]),
    ],
)
def test_what_is_untouched_may_lack_its_end(page, texts):
    assert pieces(page)[1::2] == texts


def test_links_that_touch_are_texts_of_their_own():
    page = "<nav><a href=x>Home</a><A href=y>About us</A></nav> see<a href=z>1</a><a href=z>2</a>"
    assert pieces(page)[1::2] == ["<a href=x>Home</a>", "<A href=y>About us</A>", page[52:]]


def test_what_is_not_seen_is_no_letter():
    read = text_of("T&shy;he cafe\u0301 \u200b<b>book</b>")
    (bold,) = read.elements
    assert read.letters.split() == ["The", "café", "book"]
    assert read.unspaced[bold.first : bold.last] == "book"


def tags_of(text):
    """Tags as they follow each other."""
    found = []
    parser = HTMLParser()
    parser.handle_starttag = lambda tag, attrs: found.append(tag)
    parser.handle_endtag = lambda tag: found.append(f"/{tag}")
    parser.feed(text)
    return found


@pytest.mark.parametrize(
    ("text", "translation", "links", "expected"),
    [
        ("a <b>c</b> d", "A C D", "0-0 1-1 2-2", "A <b>C</b> D"),
        ("a <b>c</b> d", "C D A", "0-2 1-0 2-1", "<b>C</b> D A"),
        ("<b>a c</b> d", "D A X C", "0-1 1-3 2-0", "D <b>A X C</b>"),
        ("press <b>OK</b>.", "OK, P!", "1-0 0-1", "<b>OK</b>, P!"),
        ("<a>b <i>c</i></a> d", "D C B", "0-2 1-1 2-0", "D <a><i>C</i> B</a>"),
        ("a <i>b</i><u>c</u>", "C B A", "0-2 1-1 1-0", "<i>C B</i> A<u></u>"),
        ("1 &lt; <b>2</b>", "1 < 2 & 3", "0-0 1-1 2-2", "1 &lt; <b>2</b> &amp; 3"),
        ("a <img> b", "B A", "0-1 1-0", "<img>B A"),
        ("a b <img>", "B A", "0-1 1-0", "B A<img>"),
        ("<b>a", "A", "0-0", "<b>A"),
        ("a</b> c", "A C", "0-0 1-1", "A </b>C"),
        ("a <b>b</b>", "A", "", "<b>A</b>"),
        ("see <code>x</code> <b>a</b>", "A \U00100000", "0-1 1-1 2-0", "<b>A</b> <code>x</code>"),
    ],
)
def test_tags_are_around_the_words_that_come_from_theirs(text, translation, links, expected):
    read = text_of(text)
    links = [tuple(map(int, link.split("-"))) for link in links.split()]
    found = with_tags(read, translation, read.letters.split(), translation.split(), links)
    assert found == expected
    assert sorted(tags_of(found)) == sorted(tags_of(text))


def test_tags_may_be_as_deep_in_each_other_as_they_like():
    text = "<b>a " * 2000
    found = with_tags(text_of(text), "A B", ["a"] * 2000, ["A", "B"], [(0, 0)])
    assert (found.count("<b>"), found.replace("<b>", "").split()) == (2000, ["A", "B"])
