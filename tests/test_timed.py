"""What the study times: it says what it needs, and times what it says."""

from dataclasses import replace

import numpy as np
import pytest

from experiments import forced_decoding, peers, shortlist
from fa_jax.config import ModelConfig
from fa_jax.errors import UserError
from fa_jax.presets import preset


@pytest.mark.parametrize("module", [peers, shortlist])
def test_it_says_what_is_missing(module, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UserError, match=r"is not there.*make peers|is not there. Train it"):
        module.measure()


def test_joeynmt_is_given_our_sizes_and_data(tmp_path):
    config = preset("small", "en-ja")
    model = replace(config.model, encoder_size=7, decoder_size=9, embedding_size=5)
    theirs = peers._joeynmt_config(replace(config, model=model), 66, tmp_path, ("en", "ja"))
    sizes = {side: theirs["model"][side]["hidden_size"] for side in ("encoder", "decoder")}
    assert sizes == {"encoder": 7, "decoder": 9}
    assert theirs["model"]["decoder"]["embeddings"]["embedding_dim"] == 5
    assert theirs["testing"]["beam_size"] == config.decoding.beam_size
    assert theirs["data"]["src"]["max_length"] == 66
    assert theirs["data"]["trg"]["voc_file"] == str(tmp_path / "vocabulary.ja")
    assert theirs["data"]["dev"] == str(tmp_path / "validation")


def test_a_trace_covers_its_share_and_is_replayed(monkeypatch):
    monkeypatch.setattr(forced_decoding, "STEPS", 5)
    monkeypatch.setattr(forced_decoding, "SOURCE_LENGTH", 32)
    lengths, first, last = forced_decoding.record(3, np.random.default_rng(0), 32)
    assert (first >= 0).all() and (last < lengths).all() and (first <= last).all()
    model = ModelConfig(
        embedding_size=4, encoder_size=4, decoder_size=4, attention_size=4, bottleneck_size=4
    )
    sides, share = forced_decoding._sides(model, "concat", 3)
    assert abs(share - forced_decoding.SHARE) < 0.02
    chosen, window = sides["flexible"]()
    np.testing.assert_array_equal(window, last - first + 1)
    assert chosen.shape == (5, 3, 1) and (np.asarray(chosen) < 0).all()
    np.testing.assert_array_equal(sides["global"]()[1], np.broadcast_to(lengths, (5, 3)))
    assert (sides["no attention"]()[1] == 1).all()
