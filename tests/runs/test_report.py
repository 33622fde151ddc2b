"""The report of a run: what its page, pictures and TensorBoard's images hold."""

import json
import re
import shutil
import subprocess

import pytest
from tensorboardX.proto.event_pb2 import Event

import fa_jax
from fa_jax.errors import UserError
from fa_jax.runs.folder import read_scores
from fa_jax.training.metrics import read_metrics
from tests.browser import browser


def content(folder):
    """What the page's script reads."""
    page = (folder / "report.html").read_text(encoding="utf-8")
    return json.loads(re.search(r"^const report = (.*);$", page, re.M)[1].replace("<\\/", "</"))


def image_tags(folder):
    """Of TensorBoard's events: 8 bytes of length and 4 of checksum, the event, 4 of checksum."""
    tags = []
    for path in (folder / "events").iterdir():
        whole, place = path.read_bytes(), 0
        while place < len(whole):
            size = int.from_bytes(whole[place : place + 8], "little")
            event = Event.FromString(whole[place + 12 : place + 12 + size])
            tags += [value.tag for value in event.summary.value if value.HasField("image")]
            place += size + 16
    return sorted(tags)


def test_training_leaves_one(trained):
    found = content(trained)
    names = {path.name for path in (trained / "pictures").iterdir()}
    spans = {f"spans-{number}.png" for number in range(1, 6)}
    assert names == {"curves.png", *spans}
    assert image_tags(trained) == ["curves", *(f"spans/{number}" for number in range(1, 6))]
    assert found["missing"] == [] and len(found["samples"]) == 5
    scores = json.loads((trained / "test.json").read_text(encoding="utf-8"))
    assert len(found["scores"]["rows"]) == len(found["tradeoff"]) == len(scores)
    windows = [point[0] for point in found["tradeoff"]]
    assert windows == sorted(one["window"] for one in scores.values())
    titles = [curve["title"] for curve in found["curves"]]
    assert "learning rate" in titles and any("validation" in title for title in titles)


def test_the_runs_own_threshold_is_marked(trained, tmp_path):
    folder = shutil.copytree(trained, tmp_path / "own")
    fa_jax.set_threshold(folder, 1.2)
    fa_jax.report(fa_jax.load_run(folder))
    found = content(folder)
    assert found["scores"]["own"] == 1
    marked = [row[0] for row in found["scores"]["rows"] if "own" in row[0]]
    assert marked == ["τ = 1.2, the run's own"]
    assert [point[2] for point in found["tradeoff"] if "own" in point[2]] == ["τ = 1.2 (own)"]


def test_samples_are_test_sentences_as_the_run_translates_them(trained, corpus):
    texts = [(corpus / f"test.{end}").read_text("utf-8").splitlines() for end in ("en", "ja")]
    pairs = [*zip(*texts, strict=True)]
    run = fa_jax.load_run(trained)
    for sample in content(trained)["samples"]:
        assert (sample["source"], sample["reference"]) in pairs
    first = content(trained)["samples"][0]
    trace = fa_jax.trace(run, first["source"], threshold=1.2)
    assert first["trace"]["threshold"] == "1.2"
    assert first["trace"]["translation"] == trace.translation
    assert len(first["trace"]["steps"]) == len(trace.target_tokens)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("metrics.jsonl", b'{"step": 2x}\n'),
        ("metrics.jsonl", b"\xff\n"),
        ("metrics.jsonl", b'{"stop": 20}\n'),
        ("metrics.jsonl", b"20\n"),
        ("test.json", b'{"inf": {"threshold": "inf", "blev": 9.0}}'),
        ("test.json", b'{"inf": []}'),
        ("test.json", b'{"inf": {"threshold": "ing"}}'),
    ],
)
def test_a_damaged_file_is_named(tmp_path, name, content):
    (tmp_path / name).write_bytes(content)
    with pytest.raises(UserError, match=f"{name} cannot be read: .*Delete it"):
        read_metrics(tmp_path), read_scores(tmp_path)


def test_every_setting_is_there(trained):
    settings = dict(content(trained)["settings"])
    assert ["embedding-size", "8"] in settings["model"]
    assert ["attention.span.sigma", "1.5"] in settings["model"]
    assert ["threshold", "∞"] in settings["decoding"]


def test_an_older_run_says_what_is_missing(trained, tmp_path, cli_call):
    folder = shutil.copytree(trained, tmp_path / "old")
    for name in ("test.json", "metrics.jsonl"):
        (folder / name).unlink()
    config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    config["data"]["corpus"] = str(tmp_path / "gone")
    (folder / "config.json").write_text(json.dumps(config), encoding="utf-8")
    status, out, err = cli_call("report", folder, "--output", tmp_path / "new")
    assert (status, out) == (0, f"{tmp_path / 'new' / 'report.html'}\n"), err
    found = content(tmp_path / "new")
    told = " ".join(found["missing"])
    assert all(part in told for part in ("gone", "test.json", "metrics.jsonl"))
    assert found["samples"] == found["tradeoff"] == found["curves"] == []


def test_a_packaged_run_needs_a_folder(cli_call):
    status, _, err = cli_call("report", "en-ja")
    assert status == 2 and "comes with fa_jax" in err


def test_it_needs_no_network(trained):
    page = (trained / "report.html").read_text(encoding="utf-8")
    assert not re.search(r"(src|href)\s*=\s*\"(?!data:)|@import|url\((?!\"data:)", page)
    assert "prefers-color-scheme: dark" in page and "width=device-width" in page


def test_a_browser_shows_it(trained, tmp_path):
    options = ["--headless", "--disable-gpu", "--no-sandbox", f"--user-data-dir={tmp_path}"]
    page = subprocess.run(
        [browser(), *options, "--virtual-time-budget=3000", "--dump-dom",
         f"file://{trained}/report.html"],
        capture_output=True, check=True, text=True, encoding="utf-8", timeout=120,
    ).stdout  # fmt: skip
    assert f'<h1 id="title">{trained.name}</h1>' in page
    assert page.count("<article>") == 5 + 1  # and the template's
    assert page.count('<tr class="own"><td>τ = ∞, the run\'s own</td>') == 1
    assert page.count('class="chart"') == 5 and page.count("<circle") > 7
    found = content(trained)
    for sample in found["samples"]:
        assert page.count('class="band"') >= len(sample["trace"]["steps"])
    assert 'id="missing" aria-label="What is missing" hidden' in page
