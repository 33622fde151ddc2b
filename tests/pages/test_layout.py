"""Where things stand in a page, as a browser lays them out: none covers another or is cut."""

import json
from importlib.resources import files

import numpy as np
import pytest
from playwright.sync_api import sync_playwright

from fa_jax.decoding.forced import SpanTrace
from fa_jax.pages import write_span_page
from tests.browser import browser

CHARTS = {
    "as a run has it": [[4.1, 25.9, "τ = 0.8"], [4.9, 28.12, "τ = 1.2"], [9.6, 28.55, "τ = ∞"]],
    "on the highest tick": [[4.1, 20, "τ = 0.8 (own)"], [5.9, 30, "τ = 1.2"], [9.6, 30, "τ = ∞"]],
    "falling": [[4.1, 28, "τ = 0.8 (own)"], [6.9, 24, "τ = 1.2"], [9.6, 22, "τ = ∞"]],
}
MEASURED = """
const measured = about => {
  const svg = lineChart({title: "", across: "", dots: true, fromZero: false, points: about})
    .querySelector("svg");
  document.body.replaceChildren(svg);
  const line = svg.querySelector("polyline"), length = line.getTotalLength();
  const along = Array.from({length: 500}, (_, i) => line.getPointAtLength(length * i / 499));
  return {names: [...svg.querySelectorAll(".name")].map(name => {
    const {x, y, width, height} = name.getBBox();
    return {left: x, right: x + width, top: y, bottom: y + height};
  }), line: along.map(point => [point.x, point.y]), size: svg.viewBox.baseVal};
};
"""


@pytest.fixture(scope="module")
def page():
    with sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=browser(), args=["--no-sandbox"])
        yield opened.new_page(viewport={"width": 1100, "height": 700})
        opened.close()


@pytest.mark.parametrize("name", CHARTS)
def test_the_name_of_a_point_is_on_the_chart_and_not_on_its_line(page, name):
    folder = files("fa_jax.pages")
    style = folder.joinpath("report.css").read_text(encoding="utf-8")
    scripts = [folder.joinpath(f"{n}.js").read_text(encoding="utf-8") for n in ("spans", "charts")]
    page.set_content(f"<style>{style} text {{ font: 12px sans-serif }}</style>")
    script = (
        f"() => {{ {''.join(scripts)} {MEASURED} return measured({json.dumps(CHARTS[name])}); }}"
    )
    found = page.evaluate(script)
    assert len(found["names"]) == 3
    for box in found["names"]:
        assert box["left"] >= 0 and box["right"] <= 420 and box["top"] >= 0, box
        for across, down in found["line"]:
            inside = (
                box["left"] < across < box["right"] and box["top"] + 3 < down < box["bottom"] - 3
            )
            assert not inside, (box, across, down)


def test_the_strengths_of_a_sentence_are_in_sight(page, tmp_path):
    steps, positions = 16, 15
    weights = np.full((steps, positions), 1 / positions)
    words = [f"word{number}" for number in range(steps)]
    trace = SpanTrace(
        log_probs=np.zeros(steps),
        weights=weights,
        windows=weights > 0,
        focus=np.zeros(steps),
        strength=np.ones(steps),
        by_dimension=None,
        alternatives=[[(word, 0.0), ("another", -1.0)] for word in words],
        translation=" ".join(words),
        source_tokens=words[:positions],
        target_tokens=words,
        threshold=1.2,
    )
    write_span_page(trace, tmp_path / "spans.html", trace.translation)
    page.goto(f"file://{tmp_path}/spans.html")
    page.wait_for_selector(".strength")
    edge = page.evaluate("document.querySelector('figure').getBoundingClientRect().right")
    boxes = [bar.bounding_box() for bar in page.locator(".strength").all()]
    assert len(boxes) == steps
    assert all(box["x"] + box["width"] <= edge for box in boxes)
