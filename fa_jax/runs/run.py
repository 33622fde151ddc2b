"""A trained run, read from its folder. Translating needs nothing else."""

import io
import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import jax
import numpy as np
from jaxtyping import Int

from fa_jax.config import Config, ModelConfig
from fa_jax.data.codec import TextCodec, load_codec
from fa_jax.data.corpora import load_corpus
from fa_jax.data.corpora.text_files import SPLITS
from fa_jax.data.frame import stop_of
from fa_jax.data.tokenizers import Words
from fa_jax.decoding.local_devices import TrainedModel
from fa_jax.errors import UserError
from fa_jax.model.encoder_decoder import Params, init_encoder_decoder
from fa_jax.runs.folder import check_own, read_config, read_json, run_folder
from fa_jax.training.checkpoints import Checkpoints
from fa_jax.whole_files import write_bytes

if TYPE_CHECKING:  # those who translate need not wait for TFDS
    from fa_jax.data.corpora.pairs import Pairs

ENDED = 0.5
"""The share of lines that end with a mark from which all should."""
TRANSLATIONS = 100
"""Likely translations of a word that a run keeps: the most that `shortlist_translations` takes."""


@dataclass(frozen=True, eq=False)
class Run:
    """A trained run, ready to translate.

    folder: where it lies. config: its settings. source, target: text to numbers and back.
    params: of the best checkpoint, taken at `step`. validation_score: by `training.best_by`.
    """

    folder: Path
    config: Config
    source: TextCodec
    target: TextCodec
    params: Params
    step: int
    validation_score: float

    @property
    def name(self) -> str:
        """That of its folder."""
        return self.folder.absolute().name

    @property
    def validated(self) -> str:
        """Its score for a reader."""
        words = self.config.training.best_by_words
        return f"validation score {self.validation_score:.2f} ({words})"

    @cached_property
    def model(self) -> TrainedModel:
        """What searches and traces take; made once, so that its parameters move once."""
        return TrainedModel(self.params, self.config.model)

    def pairs(self, split: str) -> "Pairs":
        """A split of its corpus: "train", "validation" or "test".

        Raises:
          UserError: no such split, or the corpus is not there.
        """
        if split not in SPLITS:
            raise UserError(f"unknown split {split!r}: choose {', '.join(SPLITS)}")
        return getattr(load_corpus(self.config.data.corpus, self.config.data.languages), split)

    @cached_property
    def stop(self) -> str:
        """The full stop that sentences of its source have; "" where most that it learnt from end
        without a mark."""
        path = self.folder / "corpus.json"
        ended = read_json(path).get("ended", 1.0) if path.exists() else 1.0
        return stop_of(self.source.vocabulary) if ended >= ENDED else ""

    @cached_property
    def lexicon(self) -> Int[np.ndarray, "source translations"]:
        """Likely translations of each source word, best first, as numbers of the target vocabulary.

        Raises:
          UserError: as `_found_later`.
        """

        def learn() -> bytes:
            from fa_jax.data.alignment import learn_lexicon
            from fa_jax.data.prepared import prepare

            data = prepare(self.config.data, codecs=(self.source, self.target))
            sizes = len(self.source.vocabulary), len(self.target.vocabulary)
            learnt = io.BytesIO()
            np.save(learnt, learn_lexicon(data.train, *sizes, TRANSLATIONS))
            return learnt.getvalue()

        def read(path: Path) -> Int[np.ndarray, "source translations"]:
            return np.lib.format.read_array(io.BytesIO(path.read_bytes()), allow_pickle=False)

        return self._found_later("lexicon.npy", "likely translations of words", learn, read)

    @cached_property
    def dictionary(self) -> dict[str, str]:
        """What source words may be among target words that are not in the vocabulary.

        Of words alone: other tokens leave hardly anything unknown. Its file has a line an entry.

        Raises:
          UserError: as `_found_later`.
        """
        if not isinstance(self.target.tokenizer, Words):
            return {}

        def learn() -> bytes:
            from fa_jax.data.alignment import learn_dictionary

            entries = learn_dictionary(self.config.data, self.target).items()
            return "".join(f"{word}\t{written}\n" for word, written in entries).encode()

        def read(path: Path) -> dict[str, str]:
            with path.open(encoding="utf-8") as entries:
                return dict(entry.rstrip("\n").split("\t") for entry in entries)

        return self._found_later("dictionary.tsv", "a dictionary of rare words", learn, read)

    def _found_later(
        self, name: str, what: str, learn: Callable[[], bytes], read: Callable[[Path], Any]
    ) -> Any:
        """What a file of its folder holds: learnt once on the run's corpus, when it is first asked
        for.

        Raises:
          UserError: the corpus is not there, the file is damaged, the folder cannot be written, or
            the run comes with fa_jax.
        """
        path = self.folder / name
        if not path.exists():
            check_own(self.folder)
            if not os.access(self.folder, os.W_OK):  # said before the work
                raise UserError(
                    f"{path} cannot be written, and {what} would be kept there: copy the run's "
                    "folder to where you may write, and take the copy"
                )
            print(f"learning {what} into {path} ...", file=sys.stderr)
            write_bytes(path, learn())
        try:
            return read(path)
        except (OSError, EOFError, ValueError) as error:
            mend = "Delete it: it is learnt again"
            raise UserError(f"{path} cannot be read: {error}. {mend}") from error


def load_run(folder: str | Path) -> Run:
    """Reads a run's best checkpoint. Executes nothing of the folder.

    Args:
      folder: the run's, or the name of one that comes with fa_jax, such as "en-ja".

    Returns:
      The run, with the parameters of its best checkpoint.

    Raises:
      UserError: no such run, one without a whole checkpoint, or one whose files do not fit, or
        are not those that it learnt with.

    >>> run = fa_jax.load_run("en-ja")
    >>> run.config.data.languages, run.step
    ('en-ja', 2500)
    """
    folder = run_folder(folder)
    config = read_config(folder)
    source, target = _learnt_codecs(folder)
    if not any((folder / "checkpoints" / "best").glob("[0-9]*")):
        raise UserError(f"run {folder} has no validated checkpoint yet: train it further")
    like = shapes_of(config.model, len(source.vocabulary), len(target.vocabulary))
    best = Checkpoints(folder, "best", writes=False)
    step, params, note = best.restore(like)
    best.close()
    if (score := note.get(f"validation_{config.training.best_by}")) is None:
        raise UserError(
            f"{folder / 'config.json'} has training.best_by {config.training.best_by!r}, but "
            f"{' and '.join(note)} chose the checkpoint: put it back"
        )
    return Run(folder, config, source, target, params, step, score)


def _learnt_codecs(folder: Path) -> list[TextCodec]:
    """Source and target. Raises UserError where one is not that which the run has learnt with."""
    began = folder / "corpus.json"
    digests = read_json(began).get("vocabularies", {}) if began.exists() else {}
    codecs = {side: load_codec(folder, side) for side in ("source", "target")}
    for side, codec in codecs.items():
        if codec.digest != digests.get(side, codec.digest):
            names = " or ".join(f"{side}.{name}" for name in codec.files())
            raise UserError(
                f"{names} in {folder} changed since the run began, so its parameters stand for "
                "other words. Put the file back, or copy the run again from where it is whole"
            )
    return [*codecs.values()]


def shapes_of(model: ModelConfig, source_vocabulary: int, target_vocabulary: int) -> Params:
    """The parameters of a model, shapes in place of arrays. Raises UserError where a part of it
    cannot have these sizes."""
    vocabularies = source_vocabulary, target_vocabulary
    try:
        return jax.eval_shape(lambda: init_encoder_decoder(jax.random.key(0), model, *vocabularies))
    except (TypeError, ValueError) as error:
        raise UserError(f"there is no such model: {error}") from error


def check_run(run: object):
    """Raises UserError unless it is a run: a name or folder is none."""
    if not isinstance(run, Run):
        call = 'run = fa_jax.load_run("en-ja")'
        raise UserError(f"run must be what fa_jax.load_run returns, got {run!r:.80}: {call}")


def know_documents(runs: Sequence[Run]) -> bool:
    """Whether all of them were trained on documents: they read documents, and lines, whole."""
    return all(run.config.data.documents for run in runs)


def checked_runs(runs: Run | Sequence[Run]) -> list[Run]:
    """One or several, as a list. Raises UserError where there is none, or one is no run."""
    runs = [runs] if isinstance(runs, Run | str | Path) else list(runs)
    for run in runs:
        check_run(run)
    if not runs:
        raise UserError("there is no run: give one at least")
    return runs


def ensemble(runs: Run | Sequence[Run]) -> list[Run]:
    """Runs that translate together. Raises UserError as `checked_runs`, or where their target
    vocabularies differ."""
    runs = checked_runs(runs)
    for other in runs[1:]:
        if other.target != runs[0].target:
            raise UserError(
                f"{runs[0].folder} and {other.folder} have different target vocabularies: an "
                "ensemble needs runs with the same one, such as runs of one corpus with other seeds"
            )
    return runs
