"""Options of settings, of scores and spans, those of other people too."""

import json
from dataclasses import dataclass, field

import jax
import jax.numpy as jnp
import pytest
import tyro

import fa_jax
from fa_jax.cli.options import REGISTRY, field_texts
from fa_jax.cli.parsing import parse_command
from fa_jax.errors import UserError
from tests.command import TINY


@dataclass(frozen=True)
class Cosine(fa_jax.Score):
    """How small is the angle?"""

    power: int = 1
    """Of the cosine."""

    def init(self, key, sizes):
        return {"query_kernel": jax.random.normal(key, (sizes.query, sizes.memory))}

    def kernels(self, params):
        return params["query_kernel"], None

    def evaluate(self, params, query, keys, state):
        query, keys = (x / (1e-6 + jnp.linalg.norm(x, axis=-1)[..., None]) for x in (query, keys))
        cosine = jnp.einsum("nkd,nsd->nks", query, keys).astype(jnp.float32)
        return jnp.sign(cosine) * jnp.abs(cosine) ** self.power - state[..., 0]

    def initial_state(self, sentences, length):
        return jnp.zeros((sentences, length, 1))

    def observe(self, weights):
        return weights[..., None]

    def update(self, params, state, observed):
        return state + observed


@dataclass(frozen=True)
class Ahead(fa_jax.Span):
    """A window that has gone on at each step."""

    ahead: int = 2
    """Positions that it looks ahead."""

    def initial_state(self, sentences, length, training_keys):
        return jnp.zeros(sentences)

    def narrows(self, threshold):
        return True

    def reach(self, step):
        here = jnp.floor(step.state.span).astype(jnp.int32)
        here = jnp.minimum(here, step.memory.lengths[:, None] - 1)
        return fa_jax.Reach(here, here + self.ahead, state=step.state.span + 0.5)


@pytest.fixture
def registered(monkeypatch):
    monkeypatch.setitem(fa_jax.SCORES, "mine", Cosine)
    monkeypatch.setitem(fa_jax.SPANS, "ours", Ahead)


OWN = ("--model.score", "mine", "--model.span", "ours", "--mine.power", "2", "--ours.ahead", "3")


def attention(*arguments):
    return parse_command("train", ["en-ja", *arguments]).model.attention


def test_a_score_and_a_span_of_ones_own_are_trained_and_decoded(
    registered, corpus, tmp_path, cli_call, unscored
):
    folder = tmp_path / "own"
    options = ("--corpus", corpus, "--run", folder, "--steps", 2, *TINY, *OWN)
    status, _, err = cli_call("train", "en-ja", *options)
    assert status == 0, err
    saved = json.loads((folder / "config.json").read_text(encoding="utf-8"))["model"]["attention"]
    assert saved["score"] == {"name": "mine", "power": 2}
    assert saved["span"] == {"name": "ours", "ahead": 3}
    run = fa_jax.load_run(folder)
    assert run.config.model.attention == fa_jax.AttentionConfig(Cosine(2), Ahead(3))
    (record,) = fa_jax.translate(run, ["I am here."], details=True)
    windows = record["translations"][0]["window"]
    length = len(record["source_tokens"])
    assert windows == [min(4, length - min(t // 2, length - 1)) for t in range(len(windows))]


def test_the_help_of_ones_own_is_shown(registered, cli_call):
    _, out, _ = cli_call("train", "--help")
    for text in ("How small is the angle?", "Of the cosine. (default: 1)", "--ours.ahead INT"):
        assert text in out
    assert "tensor, recurrent, mine" in " ".join(out.replace("│", " ").split())


def test_names_choose_and_settings_belong_to_what_is_chosen():
    assert attention() == fa_jax.AttentionConfig("feedback")
    assert attention("--flexible.sigma", "3").span == fa_jax.Flexible(3.0)
    chosen = attention("--model.score", "tensor", "--tensor.slices", "2", "--model.span", "global")
    assert chosen == fa_jax.AttentionConfig(fa_jax.Tensor(2), fa_jax.Global())


def test_they_change_the_presets_own():
    local = ("--preset", "small-general-local-p-feed")
    assert attention(*local, "--local-p.half-width", "5") == fa_jax.AttentionConfig(
        "general", fa_jax.LocalP(5)
    )
    assert attention(*local, "--model.span", "global").score == fa_jax.General()
    base = ("--preset", "small-base")
    assert attention(*base) == fa_jax.AttentionConfig("dot", "none")
    assert attention(*base, "--model.span", "flexible") == fa_jax.AttentionConfig("dot")
    assert attention("--model.span", "none").span == fa_jax.NoAttention()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ("--model.score nice", "unknown score 'nice': choose dot, general"),
        ("--model.span wide", "unknown span 'wide': choose global, local_m"),
        ("--model.span none --flexible.sigma 2", "of flexible was given, but feedback and none"),
        ("--tensor.slices 2", "a setting of tensor was given, but feedback and flexible is chosen"),
        ("--model.span local_p --flexible.sigma 2", "a setting of flexible was given"),
    ],
)
def test_nothing_is_ignored_without_a_word(arguments, words):
    with pytest.raises(UserError, match=words):
        attention(*arguments.split())


def test_a_longer_source_has_positions_of_its_own(monkeypatch):
    """Whatever the presets' longest source is."""
    configs = []
    monkeypatch.setattr("fa_jax.runs.train.train", lambda config, folder: configs.append(config))
    monkeypatch.setattr("fa_jax.cli.train.train_and_score", lambda train: train())
    options = ("--model.score", "location", "--decoding.max-source-length", "3000")
    parse_command("train", ["en-ja", *options])()
    assert configs[0].model.attention.score == fa_jax.Location(4096)


def test_a_name_stands_for_one_part(monkeypatch):
    monkeypatch.setitem(fa_jax.SPANS, "tensor", fa_jax.Global)
    with pytest.raises(UserError, match="'tensor' is registered twice: give the span another name"):
        parse_command("train", ["en-ja"])


@dataclass(frozen=True)
class Base:
    of_base: int
    """One line."""


@dataclass(frozen=True)
class Other:
    """Its own text."""

    setting: float = 1.5
    """Words that go on
    in another line, where the source code
    breaks."""


@dataclass(frozen=True)
class Both(Base):
    other: Other = field(default_factory=Other)
    silent: str = "x"


def test_a_fields_text_is_one_paragraph():
    assert field_texts(Both) == {"of_base": "One line."}
    text = "Words that go on in another line, where the source code breaks."
    assert field_texts(Other) == {"setting": text}
    assert field_texts(type("Made", (Other,), {})) == {"setting": text}


def test_values_and_defaults_are_as_without_texts():
    def parsed(*arguments, **default):
        return tyro.cli(Both, args=[*arguments], registry=REGISTRY, **default)

    assert parsed("--of-base", "3") == Both(3)
    own = Both(4, Other(2.5), "y")
    assert parsed(default=own) == own
    assert parsed("--other.setting", "0.5", default=own) == Both(4, Other(0.5), "y")
    with pytest.raises(SystemExit):
        parsed()
