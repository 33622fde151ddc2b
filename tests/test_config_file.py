"""A run's config as JSON."""

import json
import math
from dataclasses import dataclass, replace
from typing import Annotated, Literal

import numpy as np
import pytest

import fa_jax
from fa_jax.config import Count, Positive, Section
from fa_jax.config_file import config_from_json, config_json
from fa_jax.errors import UserError
from fa_jax.runs.folder import as_json


def test_a_config_is_read_as_it_was_written():
    config = fa_jax.preset("small-local-p", "de-en")
    assert config_from_json(config_json(config)) == config


def test_a_text_may_be_called_as_a_number_is():
    config = fa_jax.Config(data=fa_jax.DataConfig(corpus="inf"))
    config = replace(config, decoding=fa_jax.DecodingConfig(threshold=math.inf))
    assert config_from_json(json.loads(as_json(config_json(config)))) == config


@dataclass(frozen=True)
class OwnConfig(Section):
    """Settings whose types are not checked by the tests themselves."""

    optimizer: Literal["muon", "adam"] = "muon"
    batch_size: Count = 1
    threshold: Positive = math.inf
    exponent: Annotated[float | None, ("at least", 0)] = None


def test_numbers_become_pythons_own():
    found = vars(OwnConfig(batch_size=np.int64(64), threshold=2))
    assert [type(found[name]) for name in ("batch_size", "threshold")] == [int, float]
    assert json.loads(json.dumps(found)) == found


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"optimizer": "sgd"}, "own.optimizer must be one of muon, adam, got 'sgd'"),
        ({"batch_size": 12.5}, "own.batch_size must be a whole number, got 12.5"),
        ({"batch_size": "5"}, "own.batch_size must be a whole number, got '5'"),
        ({"batch_size": None}, "own.batch_size must be a whole number, got None"),
        ({"batch_size": 0}, "own.batch_size must be at least 1, got 0"),
        ({"threshold": "wide"}, "own.threshold must be a number, got 'wide'"),
        ({"threshold": math.nan}, "own.threshold must be greater than 0, got nan"),
        ({"exponent": -1}, "own.exponent must be at least 0, got -1"),
    ],
)
def test_a_value_that_cannot_be_is_named(settings, words):
    with pytest.raises(UserError, match=words):
        OwnConfig(**settings)


def test_a_config_of_another_format_is_not_guessed_at():
    content = config_json(fa_jax.Config())
    with pytest.raises(UserError, match="it has format 3, and this fa_jax reads format"):
        config_from_json(content | {"format": 3})
