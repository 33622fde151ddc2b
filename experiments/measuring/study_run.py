"""A run of the study, as a value: its config, its names, and the command that a reader types."""

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field, replace
from functools import cache
from typing import Any

from experiments.measuring.samples import sample_folder
from fa_jax.attention import AttentionConfig
from fa_jax.config import Config
from fa_jax.config_file import REGISTRIES, attention_json
from fa_jax.finetuning_settings import learning_documents
from fa_jax.presets import preset

Changes = Mapping[str, Mapping[str, Any]]
"""Of a config: section -> field -> value."""

LANGUAGES = {
    "tatoeba_en_ja": "en-ja",
    "tatoeba_de_en": "de-en",
    "bible_de_en": "de-en",
    "bible_de_en_chapters": "de-en",
}
TITLES = {
    "tatoeba_en_ja": "English–Japanese",
    "tatoeba_de_en": "German–English",
    "bible_de_en": "German–English",
}
MINUTES = {"small-chars": 45, "small": 15}
"""To train one run of a size on 2 cores, the longest name first; half as much to fine-tune it, or
at half the width. Accelerators: not measured."""
UNITS = 128
"""Half the width of the small sizes, where many systems are compared."""
PARTS_OF_A_MODEL = ("embedding", "encoder", "decoder", "attention", "bottleneck")
WHOLE: Changes = {"training": {"windows_from": 1.0}}
HALF: Changes = {"model": {f"{part}_size": UNITS for part in PARTS_OF_A_MODEL}}


@dataclass(frozen=True)
class StudyRun:
    """A training of the study, and how its translations are written.

    corpus, preset, seed: what it is trained on and by. pairs: of a sample of the corpus; 0: all of
    it. backwards: from the corpus's second language into its first. documents: it goes on from the
    run without, on passages of up to so many tokens; 0: of sentences alone. changes: of the config
    that it starts from, with a `variant` in its name.

    replace_unknown, beam_size (0: the config's own), ensemble: how it translates, in an ensemble
    with as many trainings, that differ in their seed, as to be so many.
    """

    corpus: str
    preset: str
    seed: int = 0
    pairs: int = 0
    backwards: bool = False
    documents: int = 0
    variant: str = ""
    changes: Changes = field(default_factory=dict)
    replace_unknown: bool = False
    beam_size: int = 0
    ensemble: int = 1

    @property
    def name(self) -> str:
        """Of its records."""
        unknown = "-unk" if self.replace_unknown else ""
        beam = f"-beam{self.beam_size}" if self.beam_size else ""
        together = f"-ensemble{self.ensemble}" if self.ensemble > 1 else ""
        return f"{self.folder}{together}{beam}{unknown}"

    @property
    def members(self) -> list["StudyRun"]:
        """The trainings that it translates with, itself first."""
        seeds = range(self.seed, self.seed + self.ensemble)
        return [replace(self, seed=seed, ensemble=1) for seed in seeds]

    @property
    def decoding(self) -> dict[str, Any]:
        """What is not the config's own when it translates."""
        beam = {"beam_size": self.beam_size} if self.beam_size else {}
        return {"replace_unknown": True, **beam} if self.replace_unknown else beam

    @property
    def folder(self) -> str:
        """In `RUNS`."""
        pairs = f"-{self.pairs}" if self.pairs else ""
        direction = f"-{self.languages}" if self.backwards else ""
        seed = f"-seed{self.seed}" if self.seed else ""
        documents = f"-documents{self.documents}" if self.documents else ""
        variant = f"-{self.variant}" if self.variant else ""
        return f"{self.corpus}{pairs}{direction}-{self.preset}{seed}{documents}{variant}"

    @property
    def languages(self) -> str:
        """Such as "en-ja"."""
        source, target = LANGUAGES[self.corpus].split("-")
        return f"{target}-{source}" if self.backwards else f"{source}-{target}"

    @property
    def text(self) -> str:
        """The corpus, as `--corpus` takes it."""
        if not self.pairs:
            return self.corpus
        return str(sample_folder(self.corpus, LANGUAGES[self.corpus], self.pairs))

    @property
    def base(self) -> "StudyRun | None":
        """What a run of documents starts from."""
        return replace(self, documents=0, variant="", changes={}) if self.documents else None

    @property
    def whole(self) -> "StudyRun":
        """The same, trained as long with all positions scored to the end."""
        return replace(self, variant="whole", changes=WHOLE)

    @property
    def start(self) -> Config:
        """The config of its preset, or of learning documents, that its changes are made to."""
        if self.base:
            return learning_documents(self.base.config, self.documents)
        return _preset(self.preset, self.languages, self.text)

    @property
    def config(self) -> Config:
        """All of its settings."""
        return changed(changed(self.start, {"training": {"seed": self.seed}}), self.changes)

    @property
    def command(self) -> str:
        """What a reader types to train it, and to have its unknown words replaced."""
        options = list(_options(self.start, self.changes))
        if self.base:
            words = ["finetune", f"runs/{self.base.folder}", "--documents", str(self.documents)]
        else:
            words = ["train", self.languages, "--corpus", self.text, "--preset", self.preset]
            options = [*(["--training.seed", str(self.seed)] if self.seed else []), *options]
        command = " ".join(["fa-jax", *words, "--run", f"runs/{self.folder}", *options])
        return f"{command}{self._evaluation}"

    @property
    def _evaluation(self) -> str:
        """As a second command, where it is not what training ends with."""
        _, *others = self.members
        if not others and not self.decoding:
            return ""
        together = " ".join(["--ensemble", *(f"runs/{run.folder}" for run in others)])
        options = [
            *([together] if others else []),
            *([f"--decoding.beam-size {self.beam_size}"] if self.beam_size else []),
            *(["--decoding.replace-unknown"] if self.replace_unknown else []),
        ]
        return f"; fa-jax evaluate runs/{self.folder} {' '.join(options)}"

    @property
    def minutes(self) -> float:
        """To train it on 2 cores."""
        minutes = next(cost for size, cost in MINUTES.items() if self.preset.startswith(size))
        return minutes / (2 if self.base or self.config.model.encoder_size <= UNITS else 1)


@cache
def _preset(name: str, languages: str, corpus: str) -> Config:
    """It counts the corpus's words each time that it is asked."""
    return preset(name, languages, corpus)


def changed(config: Config, changes: Changes) -> Config:
    """The config with other values in some fields of some sections."""
    sections = {name: replace(getattr(config, name), **of) for name, of in changes.items()}
    return replace(config, **sections)


def _options(start: Config, changes: Changes) -> Iterator[str]:
    """The changes as options of `fa-jax`."""
    for section, values in changes.items():
        for name, value in values.items():
            if name == "attention":
                yield from _attention_options(start.model.attention, value)
            else:
                yield from (f"--{section}.{name.replace('_', '-')}", _shown(value))


def _attention_options(before: AttentionConfig, after: AttentionConfig) -> Iterator[str]:
    """Names of another score or span, and settings that are not the ones it begins with:
    `--model.span flexible --flexible.sigma 5`."""
    was = attention_json(before)
    for role, settings in attention_json(after).items():
        name = settings["name"]
        begins_with = was[role]
        if begins_with["name"] != name:
            yield from (f"--model.{role}", name)
            begins_with = asdict(REGISTRIES[role][name]())
        for setting, value in settings.items():
            if setting != "name" and value != begins_with[setting]:
                option = f"{name}.{setting}".replace("_", "-")
                yield from (f"--{option}", _shown(value))


def _shown(value: Any) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)
