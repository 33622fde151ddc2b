"""A run for others: weights, a program that translates, and what describes them."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from fa_jax.config import DecodingConfig
from fa_jax.config_file import config_json
from fa_jax.data.codec import save_codec
from fa_jax.decoding.local_devices import SHORTEST_IN_WINDOWS, TIMES_IN_WINDOWS, enlarged
from fa_jax.errors import UserError
from fa_jax.exports import program
from fa_jax.exports.card import check_licence, model_card
from fa_jax.exports.sources import sources
from fa_jax.runs.folder import write_json
from fa_jax.runs.run import Run, check_run
from fa_jax.runs.search import never_written
from fa_jax.whole_files import whole_folder, write_bytes, write_text

SENTENCES = 32
"""That a program searches together."""
SCRIPT = Path(program.__file__).with_name("translate.py")
MODULES = "fa_jax_text"
"""Folder of what the script imports of fa_jax: how text is read and written."""


def export(
    run: Run,
    folder: str | Path,
    decoding: DecodingConfig | None = None,
    *,
    lengths: Sequence[int] = (),
    sentences: int = SENTENCES,
    licence: str = "other",
) -> Path:
    """Writes a run so that it translates without fa_jax: on a CPU, a GPU or a TPU.

    The folder has `model.safetensors`, a model card (`README.md`), the tokenizers and
    vocabularies, `config.json`, a `jax.export` program for each length, and `translate.py`, which
    reads text as the run does, and runs the programs. The card names the packages that it needs.

    Args:
      run: a trained run.
      folder: a new one; it is there when all of it is.
      decoding: how the programs search; default: the run's own. A threshold (τ) may still be
        chosen when they run.
      lengths: tokens that sentences are padded to, a program each; default: 128, 512, … up to
        `decoding.max_source_length`.
      sentences: that a program searches together.
      licence: of the model, by its SPDX identifier, such as "cc-by-2.0"; or "other".

    Returns:
      The folder.

    Raises:
      UserError: the folder is there already, the run needs what the programs do not have, or
        there is no such licence.
      OSError: the folder cannot be written.

    >>> run = fa_jax.load_run("en-ja")
    >>> fa_jax.export(run, "exported/en-ja", lengths=[32])
    PosixPath('exported/en-ja')
    """
    check_run(run)
    folder, decoding = Path(folder), decoding or run.config.decoding
    check_licence(licence)
    _check(run, folder, decoding, lengths, sentences)
    longest = decoding.max_source_length
    in_windows = (enlarged(SHORTEST_IN_WINDOWS, n + 1, TIMES_IN_WINDOWS) for n in range(longest))
    lengths = sorted({*lengths} or {*in_windows})
    decoding = replace(decoding, max_source_length=min(longest, lengths[-1]))
    run = replace(run, config=replace(run.config, decoding=decoding))
    from safetensors.numpy import save

    weights = program.named_weights(run.params)
    programs = [
        {"file": f"translate-{length}.program", "source_length": length, "sentences": sentences}
        for length in lengths
    ]
    forbidden = never_written(run, decoding)
    with whole_folder(folder) as new:
        write_bytes(new / "model.safetensors", save(weights, {"format": "np"}))
        for side, codec in {"source": run.source, "target": run.target}.items():
            save_codec(codec, new, side)
        for one in programs:
            length = one["source_length"]
            lowered = program.lowered_search(run.model, decoding, length, sentences, forbidden)
            write_bytes(new / one["file"], lowered)
        config = {
            "model_type": "fa_jax",
            "source_language": run.source.language,
            "target_language": run.target.language,
            "full_stop": run.stop,
            "programs": programs,
            "fa_jax": config_json(run.config),
        }
        write_json(new / "config.json", config)
        for place, text in sources(SCRIPT, MODULES).items():
            (new / place).parent.mkdir(parents=True, exist_ok=True)
            write_text(new / place, text)
        write_text(new / "README.md", model_card(run, licence))
    return folder


def _check(run: Run, folder: Path, decoding: DecodingConfig, lengths: Sequence[int], rows: int):
    if folder.exists():
        raise UserError(f"{folder} is there already: name a new folder")
    if rows < 1 or any(length < 1 for length in lengths):
        raise UserError(f"lengths and sentences must be at least 1, got {(*lengths, rows)}")
    if decoding.replace_unknown or decoding.shortlist:
        raise UserError(
            "exported programs neither replace unknown words nor have a shortlist: leave "
            "decoding.replace_unknown and decoding.shortlist out"
        )
    for codec in (run.source, run.target):
        name = type(codec.tokenizer).__name__
        if not type(codec.tokenizer).__module__.startswith("fa_jax."):
            raise UserError(f"{name} is a tokenizer that an export does not have")
