"""With a real run: a LibreTranslate client that knows nothing of fa_jax, and a browser."""

from concurrent.futures import ThreadPoolExecutor
from functools import partial

import pytest
from libretranslatepy import LibreTranslateAPI
from playwright.sync_api import expect, sync_playwright

import fa_jax
from tests.browser import browser
from tests.serving.conftest import serving

LINES = ["I like cats.", "It rains.", "Good night.", "I am here.", "He is my brother."]
FIRST, SECOND = "I was amazed at his courage.", "I like cats."  # the page begins with the first
expect.set_options(timeout=60_000)  # a machine may have other work
PHONE, SCREEN = {"width": 390, "height": 844}, {"width": 1280, "height": 900}


@pytest.fixture(scope="module")
def url(run):
    with serving(run) as client:
        yield str(client.base_url)


@pytest.fixture(scope="module")
def page(url):
    """The page when its first translation is there. Whatever goes wrong in it is an error."""
    with sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=browser(), args=["--no-sandbox"])
        page = opened.new_page(viewport=SCREEN, has_touch=True)
        page.wrong, page.asked = [], []
        page.on("pageerror", lambda error: page.wrong.append(str(error)))
        page.on("console", lambda said: page.wrong.append(said.text))
        page.on("request", lambda request: page.asked.append(request.url))
        page.goto(url)
        page.wait_for_selector(".row", timeout=60_000)
        yield page
        assert page.wrong == []
        opened.close()


def translated(run, line, threshold):
    return fa_jax.trace(run, line, threshold=threshold).translation


def test_many_clients_get_what_one_by_one_gives(url, run):
    api = LibreTranslateAPI(url)
    assert api.languages() == [{"code": "en", "name": "English", "targets": ["ja"]}]
    one_by_one = [fa_jax.translate(run, [line])[0]["translations"][0]["text"] for line in LINES]
    with ThreadPoolExecutor(len(LINES)) as clients:
        together = clients.map(partial(api.translate, source="en", target="ja"), LINES)
        assert [*together] == one_by_one


def test_a_newcomer_sees_a_translation_and_its_windows(page, run):
    trace = fa_jax.trace(run, FIRST, threshold=1.2)
    expect(page.locator(".translation")).to_have_text(trace.translation)
    assert page.locator(".target").count() == len(trace.target_tokens)
    positions = trace.windows.sum(1).mean()
    expect(page.locator(".numbers")).to_contain_text(f"{positions:.1f} of {trace.windows.shape[1]}")
    whole = translated(run, FIRST, float("inf"))
    said = "The same words as at τ = ∞." if whole == trace.translation else whole
    expect(page.locator(".difference")).to_contain_text(said)


def test_a_keyboard_suffices(page, run):
    page.get_by_label("English sentence").fill(SECOND)
    page.keyboard.press("Enter")
    expect(page.locator(".translation")).to_have_text(translated(run, SECOND, 1.2))
    page.get_by_label("Threshold").focus()
    page.keyboard.press("Home")
    expect(page.locator(".threshold b")).to_have_text("0.05")
    expect(page.locator(".translation")).to_have_text(translated(run, SECOND, 0.05))
    page.keyboard.press("Tab")
    page.locator(".row").first.focus()
    page.keyboard.press("ArrowDown")
    step = fa_jax.trace(run, SECOND, threshold=0.05).alternatives[1]
    for word, _ in step[1:]:
        expect(page.locator(".step")).to_contain_text(f"or {word.replace('▁', '·')}")


def test_an_empty_sentence_leaves_no_picture(page, run):
    field = page.get_by_label("English sentence")
    field.fill(" ")
    page.keyboard.press("Enter")
    expect(page.locator(".row")).to_have_count(0)
    expect(page.locator(".translation")).to_have_text("")
    expect(page.locator(".drawing")).to_be_hidden()
    field.fill(SECOND)
    page.keyboard.press("Enter")
    expect(page.locator(".row").first).to_be_visible()
    expect(page.locator(".translation")).to_have_text(translated(run, SECOND, 0.05))


def test_what_the_translator_does_not_know_is_said(page):
    expect(page.locator(".doubt")).to_have_text("")
    page.get_by_label("English sentence").fill("Привет, как дела?")
    page.keyboard.press("Enter")
    expect(page.locator(".doubt")).to_contain_text("does not know most of this sentence")

    def answer(route):
        found = route.fetch().json()
        for step in found["steps"][:-1]:
            step["token"] = "<unk>"
        route.fulfill(json=found)

    page.route("**/trace", answer)
    page.get_by_label("English sentence").fill("Good night.")
    page.keyboard.press("Enter")
    expect(page.locator(".doubt")).to_contain_text("Most of this translation is <unk>")
    page.unroute("**/trace")


def test_a_phone_suffices(page, run):
    page.set_viewport_size(PHONE)
    page.get_by_label("compare").tap()
    expect(page.locator(".panel")).to_have_count(2)
    page.get_by_role("button", name=FIRST).tap()
    for panel, threshold in enumerate((0.05, float("inf"))):
        text = translated(run, FIRST, threshold)
        expect(page.locator(".translation").nth(panel)).to_have_text(text)
    page.locator(".row").nth(2).tap()
    expect(page.locator(".step h2").first).to_contain_text("3. ")
    assert page.evaluate("document.documentElement.scrollWidth") == PHONE["width"]


def test_a_mistake_is_said_in_the_page(page):
    page.evaluate("document.getElementById('q').removeAttribute('maxlength')")
    page.get_by_label("English sentence").fill("x" * 2001)
    page.keyboard.press("Enter")
    expect(page.get_by_role("alert")).to_contain_text("2,001 letters is longer than the 2,000")
    panels = page.locator(".panel").count()
    for _ in range(500):  # the browser itself notes each answer, and may do it later
        if len(page.wrong) < panels:
            page.wait_for_timeout(20)
    noted = [page.wrong.pop() for _ in range(panels)]
    assert all("status of 400" in note for note in noted)


def test_it_asks_its_own_server_alone(page, url):
    assert page.asked and all(asked.startswith(url) for asked in page.asked)
