"""A recurrent model of JoeyNMT as a run."""

import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jax
import yaml

from fa_jax.config import Config, DataConfig
from fa_jax.config_file import config_json
from fa_jax.data.codec import save_codec
from fa_jax.data.tokenizers import saved_tokenizer
from fa_jax.errors import UserError
from fa_jax.joeynmt.architecture import model_config
from fa_jax.joeynmt.archive import read_archive
from fa_jax.joeynmt.text import Text, read_text
from fa_jax.joeynmt.weights import parameters
from fa_jax.model.encoder_decoder import init_encoder_decoder
from fa_jax.runs.folder import write_json
from fa_jax.runs.run import Run, load_run
from fa_jax.training.checkpoints import Checkpoints
from fa_jax.whole_files import whole_folder

SEARCH = "fa_jax's beam search ranks by log p ÷ words, whatever JoeyNMT's beam_alpha is"


@dataclass(frozen=True)
class Imported:
    """run: with JoeyNMT's weights. notes: what is different all the same, a sentence each."""

    run: Run
    notes: tuple[str, ...]


def import_joeynmt(checkpoint: str | Path, folder: str | Path) -> Imported:
    """Reads a recurrent model of JoeyNMT 2 as a run. PyTorch is not needed, nothing is executed.

    LSTMs with either of JoeyNMT's attentions, with or without input feeding, agree: the run gives
    the same probabilities. Of what does not agree nothing is approximated.

    Args:
      checkpoint: JoeyNMT's, such as model/best.ckpt; `config.yaml` and the vocabularies lie beside.
      folder: the new run's.

    Returns:
      The run, and what JoeyNMT does beside its model that fa_jax does not.

    Raises:
      UserError: the model cannot be had here, which the message says; a file is missing or damaged;
        the folder is there already.
      OSError: the folder cannot be written.

    >>> found = fa_jax.import_joeynmt("model/best.ckpt", "runs/joey")  # doctest: +SKIP
    """
    checkpoint, folder = Path(checkpoint), Path(folder)
    if folder.exists():
        raise UserError(f"{folder} is there already: name a new folder with --output")
    settings = _settings(checkpoint.with_name("config.yaml"))
    try:
        model = model_config(settings["model"])
        texts = {side: read_text(settings["data"], side, checkpoint.parent) for side in SIDES}
        saved = read_archive(checkpoint)
        step = int((saved.get("stats_state") or {}).get("steps", 0))
        scales = {side: _scale(settings["model"], name) for side, name in SIDES.items()}
        orders = {side: text.order for side, text in texts.items()}
        params = parameters(saved["model_state"], model, orders, scales)
    except (KeyError, IndexError, TypeError, AttributeError, ValueError) as error:
        raise UserError(f"{checkpoint} is no recurrent model of JoeyNMT 2: {error!r}") from error
    config = _config(settings, model, texts)
    _check(params, config, texts, checkpoint)
    folder.parent.mkdir(parents=True, exist_ok=True)
    with whole_folder(folder) as new:
        for side, text in texts.items():
            save_codec(text.codec, new, side)
        best = Checkpoints(new, "best")
        best.save(step, params, {"validation_bleu": 0.0})
        best.wait()
        best.close()
        write_json(new / "config.json", config_json(config))
    notes = [note for text in texts.values() for note in text.notes]
    return Imported(load_run(folder), (*notes, SEARCH))


SIDES = {"source": "encoder", "target": "decoder"}


def _settings(path: Path) -> dict[str, Any]:
    try:
        content = yaml.safe_load(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, yaml.YAMLError) as error:
        raise UserError(f"JoeyNMT's settings {path} cannot be read: {error}") from error
    if not isinstance(content, dict):
        raise UserError(f"{path} holds no settings of JoeyNMT")
    return content


def _scale(settings: dict[str, Any], side: str) -> float:
    embeddings = settings[side]["embeddings"]
    return math.sqrt(embeddings["embedding_dim"]) if embeddings.get("scale") else 1.0


def _config(settings: dict[str, Any], model: Any, texts: dict[str, Text]) -> Config:
    codecs = {side: text.codec for side, text in texts.items()}
    data = DataConfig(
        languages="-".join(codec.language for codec in codecs.values()),
        tokenizer=saved_tokenizer(codecs["source"].tokenizer)[0]["tokenizer"],
        source_vocabulary=len(codecs["source"].vocabulary),
        target_vocabulary=len(codecs["target"].vocabulary),
    )
    return Config(data=data, model=model, preset=str(settings.get("name", "joeynmt")))


def _check(params: Any, config: Config, texts: dict[str, Text], checkpoint: Path):
    """Raises UserError where the weights are not of the sizes that the settings say."""
    sizes = [len(texts[side].codec.vocabulary) for side in SIDES]
    wanted = jax.eval_shape(lambda: init_encoder_decoder(jax.random.key(0), config.model, *sizes))
    shapes = [jax.tree.map(lambda leaf: leaf.shape, tree) for tree in (params, wanted)]
    if shapes[0] != shapes[1]:
        raise UserError(
            f"the weights of {checkpoint} are not of the sizes that its config.yaml and "
            "vocabularies say"
        )
