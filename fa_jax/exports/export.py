"""A run for others: weights, a program that translates, and what describes them."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from fa_jax.config import DecodingConfig
from fa_jax.config_file import config_json
from fa_jax.data import reading
from fa_jax.data.codec import save_codec
from fa_jax.data.corpora import default_corpus
from fa_jax.decoding.local_devices import SHORTEST_IN_WINDOWS, TIMES_IN_WINDOWS
from fa_jax.errors import UserError
from fa_jax.exports import program
from fa_jax.exports.card import model_card
from fa_jax.runs.folder import read_json, write_json
from fa_jax.runs.run import Run
from fa_jax.runs.search import never_written
from fa_jax.whole_files import whole_folder, write_bytes, write_text

SENTENCES = 32
"""That a program searches together."""
SCRIPT = Path(program.__file__).with_name("translate.py")
READING = Path(reading.__file__)


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
    runs them with jax, numpy, safetensors and the tokenizer's library.

    Args:
      run: a trained run.
      folder: a new one; it is there when all of it is.
      decoding: how the programs search; default: the run's own. A threshold (τ) may still be
        chosen when they run.
      lengths: tokens that sentences are padded to, a program each; default: 128, 512, … up to
        `decoding.max_source_length`.
      sentences: that a program searches together.
      licence: of the model, as Hugging Face's hub names it, such as "cc-by-2.0".

    Returns:
      The folder.

    Raises:
      UserError: the folder is there already, or the run needs what the programs do not have.
      OSError: the folder cannot be written.

    >>> run = fa_jax.load_run("en-ja")
    >>> fa_jax.export(run, "exported/en-ja", lengths=[32])
    PosixPath('exported/en-ja')
    """
    folder, decoding = Path(folder), decoding or run.config.decoding
    _check(run, folder, decoding, lengths, sentences)
    lengths = sorted({*lengths}) or _lengths(decoding.max_source_length)
    from safetensors.numpy import save

    weights = program.named_weights(run.params)
    programs = [
        {"file": f"translate-{length}.program", "source_length": length, "sentences": sentences}
        for length in lengths
    ]
    folder.parent.mkdir(parents=True, exist_ok=True)
    forbidden = never_written(run, decoding)
    with whole_folder(folder) as new:
        write_bytes(new / "model.safetensors", save(weights, {"format": "np"}))
        for side, codec in {"source": run.source, "target": run.target}.items():
            save_codec(codec, new, side)
        for one in programs:
            length = one["source_length"]
            lowered = program.lowered_search(run.model, decoding, length, sentences, forbidden)
            write_bytes(new / one["file"], lowered)
        config = _config(run, decoding, programs)
        write_json(new / "config.json", config)
        for script in (SCRIPT, READING):
            write_bytes(new / script.name, script.read_bytes())
        card = model_card(
            run,
            _corpus(run),
            _scores(run),
            licence,
            longest=config["max_source_length"],
            threshold=decoding.threshold,
        )
        write_text(new / "README.md", card)
    return folder


def _scores(run: Run) -> dict[str, Any]:
    path = run.folder / "test.json"
    return read_json(path) if path.exists() else {}


def _corpus(run: Run) -> str:
    """Its name; "unknown" of a run that came from elsewhere."""
    named = run.config.data.corpus
    if named:
        return Path(named).name
    try:
        return default_corpus((run.source.language, run.target.language))
    except UserError:
        return "unknown"


def _lengths(longest: int) -> list[int]:
    """The shapes of a search in windows."""
    lengths = [SHORTEST_IN_WINDOWS]
    while lengths[-1] < longest:
        lengths.append(lengths[-1] * TIMES_IN_WINDOWS)
    return lengths


def _config(run: Run, decoding: DecodingConfig, programs: list[dict[str, Any]]) -> dict[str, Any]:
    """What `translate.py` reads, and the run's own settings."""
    longest = min(decoding.max_source_length, programs[-1]["source_length"])
    return {
        "model_type": "fa_jax",
        "source_language": run.source.language,
        "target_language": run.target.language,
        "threshold": decoding.threshold,
        "beam_size": decoding.beam_size,
        "max_source_length": longest,
        "max_length_ratio": decoding.max_length_ratio,
        "max_length_extra": decoding.max_length_extra,
        "programs": programs,
        "fa_jax": config_json(run.config),
    }


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
