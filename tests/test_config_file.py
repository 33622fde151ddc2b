"""A run's config as JSON."""

import pytest

import fa_jax
from fa_jax.config_file import config_from_json, config_json
from fa_jax.errors import UserError


def test_a_config_is_read_as_it_was_written():
    config = fa_jax.preset("small-local-p", "de-en")
    assert config_from_json(config_json(config)) == config


def test_a_config_of_another_format_is_not_guessed_at():
    content = config_json(fa_jax.Config())
    with pytest.raises(UserError, match="it has format 3, and this fa_jax reads format"):
        config_from_json(content | {"format": 3})
