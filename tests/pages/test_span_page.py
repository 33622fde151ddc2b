"""The page as a browser shows it."""

import html
import re
import subprocess

import numpy as np
import pytest

from fa_jax.decoding.forced import SpanTrace
from fa_jax.pages import write_span_page
from tests.browser import browser


@pytest.fixture(scope="module")
def trace():
    weights = np.zeros((4, 5))
    windows = np.zeros((4, 5), bool)
    for step, (first, last) in enumerate([(0, 1), (1, 3), (2, 2), (0, 4)]):
        windows[step, first : last + 1] = True
        weights[step, first : last + 1] = 1 / (last - first + 1)
    words = ["彼", "は<!-- <script></script><b>", "来る", "</s>"]
    return SpanTrace(
        log_probs=np.log(np.array([0.5, 0.25, 0.125, 1.0])),
        weights=weights,
        windows=windows,
        focus=weights @ np.arange(5),
        strength=np.array([0.1, 0.9, 0.5, 0.0]),
        by_dimension=None,
        alternatives=[[(word, -1.0), ("ほか", -2.0)] for word in words],
        translation="彼は来る",
        source_tokens=["▁He", "▁is", "▁co", "ming", "."],
        target_tokens=words,
        threshold=1.2,
    )


@pytest.fixture(scope="module")
def page(trace, tmp_path_factory):
    """The document after its script ran."""
    folder = tmp_path_factory.mktemp("page")
    write_span_page(trace, folder / "spans.html", trace.translation)
    options = ["--headless", "--disable-gpu", "--no-sandbox", f"--user-data-dir={folder}/profile"]
    return subprocess.run(
        [browser(), *options, "--virtual-time-budget=5000", "--dump-dom", f"file://{folder}/spans.html"],
        capture_output=True, check=True, text=True, encoding="utf-8", timeout=120,
    ).stdout  # fmt: skip


def texts(page, kind):
    found = re.findall(rf'<text class="{kind}"[^>]*>(.*?)</text>', page)
    return [html.unescape(text) for text in found]


def test_the_words_are_there(page, trace):
    assert texts(page, "target") == trace.target_tokens
    assert texts(page, "source") == ["·He", "·is", "·co", "ming", "."]
    assert "<h1 id=\"title\">彼は来る</h1>" in page  # fmt: skip
    assert "threshold 1.2: 2.8 of 5 positions" in page


def test_a_band_covers_each_window(page, trace):
    widths = [int(width) for width in re.findall(r'class="band"[^>]* width="(\d+)"', page)]
    cell = widths[2]  # a window of one position
    assert [width / cell for width in widths] == trace.windows.sum(1).tolist()
    assert page.count('class="focus"') == page.count('class="strength"') == 4


def test_the_details_of_the_first_word_are_open(page):
    details = page[page.index("<aside") :]
    for text in ("50.0%", "0.100", "2 of 5 positions", "weight of ·He", "or ほか"):
        assert text in details


def test_it_needs_no_network_and_leaves_nothing_beside(trace, tmp_path):
    write_span_page(trace, tmp_path / "spans.html", "a title")
    assert [path.name for path in tmp_path.iterdir()] == ["spans.html"]
    text = (tmp_path / "spans.html").read_text(encoding="utf-8")
    assert not re.search(r"(src|href)\s*=|@import|url\((?!\"data:)", text)
    assert text.count("</script>") == 1
