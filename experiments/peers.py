"""How fast is fa_jax beside JoeyNMT (Kreutzer et al. 2019), a toolkit that people use?

Same data, same subwords, same sizes, same beam, same machine, both in one run: each round trains a
number of steps and translates the test set on one side, then on the other. JoeyNMT lives in an
environment of its own (`make peers`) and is trained for a while first, so that its translations
end where sentences end; ours is the run that comes with fa_jax.
"""

import json
import statistics
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from experiments.benchmarks.report import Headline, Report
from experiments.measuring.benchmark import measure_and_publish
from experiments.measuring.our_side import PYTHON, FaJaxSide, bleu_of_tokens, our_run, write_tokens
from fa_jax.cache import cache_folder
from fa_jax.config import Config
from fa_jax.data.prepared import PreparedData
from fa_jax.data.vocabulary import SPECIAL
from fa_jax.errors import UserError

BATCH_SIZES = (32, 64, 128)
TRAINING_BATCH = 64
TARGETS = (4.0, 2.5)
UPDATES = 2000
"""JoeyNMT's training before it translates; enough that its sentences end as sentences do."""


def measure(rounds: int = 3, steps: int = 50) -> Report:
    """Two rows: sentences translated and target words learnt from, a second.

    rounds: times that each side trains and translates. steps: of training that a round times.

    Raises:
      UserError: JoeyNMT is not there.
    """
    run, data = our_run(PYTHON)
    pairs = list(data.corpus.test)
    theirs = _JoeyNMT(_workplace(run.config, data))
    ours = FaJaxSide(run, data, [source for source, _ in pairs], TRAINING_BATCH)
    sides = {"fa_jax": ours, "joeynmt": theirs}

    ours.warm_up()
    theirs.steps(5)
    best, translations = {}, {}
    for name, side in sides.items():
        times = {}
        for size in BATCH_SIZES:
            side.translate(size)  # compiles
            found = side.translate(size)
            times[size], translations[name] = found["seconds"], found["translations"]
        best[name] = min(times, key=times.get)

    decoding, training = ({name: [] for name in sides} for _ in range(2))
    for _ in range(rounds):
        for name, side in sides.items():
            decoding[name].append(len(pairs) / side.translate(best[name])["seconds"])
            found = side.steps(steps)
            training[name].append(found["tokens"] / found["seconds"])

    rows = []
    for what, found in (("sentences decoded", decoding), ("target words trained", training)):
        median = {name: statistics.median(values) for name, values in found.items()}
        rows.append(
            {
                "what": what,
                "ratio": median["fa_jax"] / median["joeynmt"],
                **{f"{name} a second": value for name, value in median.items()},
                "slowest and fastest ratio": " … ".join(
                    f"{f(a / b for a, b in zip(*found.values(), strict=True)):.2f}"
                    for f in (min, max)
                ),
            }
        )
    references = [reference for _, reference in pairs]
    bleu = {name: bleu_of_tokens(run, texts, references) for name, texts in translations.items()}
    words = {n: sum(map(len, texts)) / len(texts) for n, texts in translations.items()}
    notes = [
        f"Decoding: {len(pairs):,} test sentences, beam {run.config.decoding.beam_size}, best "
        f"batch sizes {best['fa_jax']} and {best['joeynmt']} of {BATCH_SIZES}; "
        f"{words['fa_jax']:.1f} and {words['joeynmt']:.1f} subwords a translation; BLEU "
        f"{bleu['fa_jax']:.2f} and {bleu['joeynmt']:.2f} (JoeyNMT's after {UPDATES:,} updates).",
        f"Training: batches of {TRAINING_BATCH}, {steps} steps a round.",
        f"Loading and compiling are not counted. Parameters: {ours.parameters:,} and "
        f"{theirs.ready['parameters']:,}. torch {theirs.ready['torch']}.",
    ]
    theirs.close()
    settings = {"preset": run.config.preset, "rounds": rounds}
    headlines = [
        Headline(f"{row['what']} a second ÷ JoeyNMT", row["ratio"], target, at_least=True)
        for row, target in zip(rows, TARGETS, strict=True)
    ]
    return Report(
        "peers",
        settings,
        rows,
        notes,
        headlines,
        question="how fast is it beside JoeyNMT?",
        command="python -m experiments.peers",
    )


class _JoeyNMT:
    """Their side: a process that stays, so that nothing is loaded twice."""

    def __init__(self, config: Path):
        worker = Path(__file__).with_name("joeynmt_side.py")
        print("JoeyNMT loads its data ...", file=sys.stderr, flush=True)
        self._process = subprocess.Popen(
            [PYTHON, "-P", worker, config],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=(config.parent / "log.txt").open("w"),
            text=True,
        )
        self.ready = self._answer()
        if not self.ready["trained"]:
            print(f"JoeyNMT trains for {UPDATES:,} updates ...", file=sys.stderr, flush=True)
            self._ask(do="learn")

    def steps(self, count: int) -> dict[str, Any]:
        return self._ask(do="steps", count=count)

    def translate(self, batch_size: int) -> dict[str, Any]:
        return self._ask(do="translate", batch_size=batch_size)

    def close(self):
        self._process.stdin.close()
        self._process.wait()

    def _ask(self, **command) -> dict[str, Any]:
        print(json.dumps(command), file=self._process.stdin, flush=True)
        return self._answer()

    def _answer(self) -> dict[str, Any]:
        line = self._process.stdout.readline()
        if not line:
            raise UserError(f"JoeyNMT has stopped: see {self._process.args[-1].parent}/log.txt")
        return json.loads(line)


def _workplace(config: Config, data: PreparedData) -> Path:
    """Our tokens and vocabularies in JoeyNMT's formats, and its config; returns the config."""
    folder = cache_folder() / "peers" / "joeynmt"
    folder.mkdir(parents=True, exist_ok=True)
    languages = data.corpus.source_language, data.corpus.target_language
    codecs, encoded = (data.source, data.target), (data.train.source, data.train.target)
    for place, (language, codec) in enumerate(zip(languages, codecs, strict=True)):
        words = codec.vocabulary
        write_tokens(folder / f"train.{language}", words, encoded[place])
        for split in ("validation", "test"):
            texts = (codec.encode(pair[place]) for pair in getattr(data.corpus, split))
            write_tokens(folder / f"{split}.{language}", words, texts)
        text = "".join(f"{word}\n" for word in words.tokens if word not in SPECIAL)
        (folder / f"vocabulary.{language}").write_text(text, encoding="utf-8")
    path = folder / "config.yaml"
    path.write_text(json.dumps(_joeynmt_config(config, data.max_length, folder, languages)))
    return path


def _joeynmt_config(
    config: Config, longest: int, folder: Path, languages: Sequence[str]
) -> dict[str, Any]:
    """`joeynmt.json`, with our sizes and data. Translations are as long as JoeyNMT allows by
    itself: one and a half times the source."""
    model = config.model
    filled = json.loads(Path(__file__).with_name("joeynmt.json").read_text(encoding="utf-8"))
    sides = {
        side: {
            "lang": language,
            "level": "word",
            "max_length": longest,
            "voc_file": str(folder / f"vocabulary.{language}"),
        }
        for side, language in zip(("src", "trg"), languages, strict=True)
    }
    splits = {"train": "train", "dev": "validation", "test": "test"}
    filled["model_dir"] = str(folder / "model")
    filled["data"] |= sides | {split: str(folder / name) for split, name in splits.items()}
    for side, size in (("encoder", model.encoder_size), ("decoder", model.decoder_size)):
        filled["model"][side]["hidden_size"] = size
        filled["model"][side]["embeddings"]["embedding_dim"] = model.embedding_size
    filled["training"] |= {
        "batch_size": TRAINING_BATCH,
        "updates": UPDATES,
        "clip_grad_norm": config.training.clip_norm,
    }
    filled["testing"]["beam_size"] = config.decoding.beam_size
    return filled


if __name__ == "__main__":
    measure_and_publish(measure)
