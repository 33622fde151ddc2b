"""`fa-jax data`."""

from dataclasses import dataclass, field

from fa_jax.cli.arguments import CorpusName, Languages, Preset, preset_settings
from fa_jax.config import DataConfig


@dataclass(frozen=True)
class Command:
    """Prepare a corpus: vocabularies and token numbers, kept in the user's cache folder."""

    languages: Languages
    preset: Preset = "small"
    corpus: CorpusName = ""
    data: DataConfig = field(default_factory=DataConfig)


settings = preset_settings


def run(command: Command):
    from fa_jax.data.encoded import prepare

    data = prepare(command.data)
    lengths = data.train.source.lengths, data.train.target.lengths
    print(
        f"{data.corpus.name}: {len(data.corpus.train):,} training, "
        f"{len(data.corpus.validation):,} validation, {len(data.corpus.test):,} test pairs\n"
        f"{len(data.source.vocabulary):,} {data.corpus.source_language} and "
        f"{len(data.target.vocabulary):,} {data.corpus.target_language} tokens; "
        f"{lengths[0].mean():.1f} and {lengths[1].mean():.1f} a sentence"
    )
