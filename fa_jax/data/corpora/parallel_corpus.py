"""The one TFDS builder that serves every corpus, as `array_record` files and without TensorFlow."""

import contextlib
import io
import logging
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import tensorflow_datasets as tfds

from fa_jax.cache import lock
from fa_jax.data.corpora.text_files import SPLITS, Pair


@dataclass(frozen=True)
class TextSource:
    """Text as it was found. digest changes with the text; read(split) yields pairs."""

    name: str
    languages: tuple[str, str]
    digest: str
    read: Callable[[str], Iterator[Pair]]


@dataclass
class ParallelCorpusConfig(tfds.core.BuilderConfig):
    """One corpus."""

    source: TextSource | None = None


class ParallelCorpus(tfds.core.GeneratorBasedBuilder):
    """Sentence pairs: a text feature for each language, in the order of the files."""

    VERSION = tfds.core.Version("1.0.0")

    def _info(self) -> tfds.core.DatasetInfo:
        features = {code: tfds.features.Text() for code in self.builder_config.source.languages}
        return tfds.core.DatasetInfo(
            builder=self, features=tfds.features.FeaturesDict(features), disable_shuffling=True
        )

    def _split_generators(self, dl_manager):
        return {split: self._generate_examples(split) for split in SPLITS}

    def _generate_examples(self, split: str):
        source = self.builder_config.source
        for number, pair in enumerate(source.read(split)):
            yield number, dict(zip(source.languages, pair, strict=True))


def prepare_corpus(source: TextSource, folder: Path) -> tfds.core.DatasetBuilder:
    """The corpus as a builder whose splits are on disk; TFDS renames them when they are whole."""
    name = f"{source.name}-{source.digest}"
    with _quiet(), lock(folder / name):
        builder = ParallelCorpus(
            config=ParallelCorpusConfig(name=name, source=source),
            data_dir=folder,
            file_format="array_record",
        )
        builder.download_and_prepare()
    return builder


@contextlib.contextmanager
def _quiet():
    """TFDS prints a bar a split and warns of configurations of one's own."""
    logger = logging.getLogger("absl")
    level = logger.level
    logger.setLevel(logging.ERROR)
    tfds.disable_progress_bar()
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            yield
    finally:
        logger.setLevel(level)
        tfds.enable_progress_bar()
