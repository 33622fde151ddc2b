"""JoeyNMT's side of `joeynmt_quality`: learns subwords, trains so long, translates the test set.

Runs in JoeyNMT's own environment and imports nothing of fa_jax:
python -P joeynmt_quality_side.py CONFIG SECONDS CORES. All that it does is JoeyNMT's own but the
clock and the subwords, which `scripts/get_iwslt14_bpe.sh` learns outside of it.
"""

import json
import os
import sys
import time
from importlib.metadata import version
from pathlib import Path
from typing import Any

import torch
from joeynmt import builders
from joeynmt.batch import Batch
from joeynmt.config import BaseConfig, parse_global_args, set_validation_args
from joeynmt.datasets import BaseDataset
from joeynmt.helpers import load_checkpoint, set_seed
from joeynmt.prediction import predict, prepare
from joeynmt.tokenizers import BasicTokenizer
from joeynmt.training import TrainManager
from subword_nmt.learn_bpe import learn_bpe
from torch.optim.lr_scheduler import ReduceLROnPlateau

PACKAGES = ("joeynmt", "torch", "subword-nmt", "sacremoses")


class TimedTraining(TrainManager):
    """Ends with the update that its time runs out in. sentences: those that it learnt from."""

    end: float
    sentences: int = 0

    def _train_step(self, batch: Batch) -> tuple[float, int]:
        found = super()._train_step(batch)
        self.sentences += batch.nseqs
        self.stats.is_max_update = time.monotonic() >= self.end
        return found


def learn_subwords(data: dict[str, Any]) -> int:
    """Of both languages' training text together, by subword-nmt with its own least frequency.

    Returns:
      The number of merges: fewer than asked for where no further pair occurs twice, none of words.
    """
    if data["src"]["level"] == "word":
        return 0
    lines = [line for side in ("src", "trg") for line in _training_text(data, data[side])]
    settings = data["src"]["tokenizer_cfg"]
    codes = Path(settings["codes"])
    with codes.open("w", encoding="utf-8") as file:
        learn_bpe(lines, file, settings["num_merges"])
    return codes.read_text(encoding="utf-8").count("\n") - 1  # the first line is a version


def _training_text(data: dict[str, Any], side: dict[str, Any]) -> list[str]:
    """As JoeyNMT will split it into subwords."""
    before = BasicTokenizer(
        side["level"],
        lowercase=side["lowercase"],
        pretokenizer=side["tokenizer_cfg"]["pretokenizer"],
        lang=side["lang"],
    )
    text = Path(f"{data['train']}.{side['lang']}").read_text(encoding="utf-8")
    return [before.pre_process(line) for line in text.splitlines()]


def train(
    trainer: TimedTraining, data: BaseDataset, validation: BaseDataset, seconds: float
) -> tuple[float, float]:
    """So long. The weights that it ends with are validated, too, in time that does not count.

    Returns:
      The seconds that it took, and those that a core worked: fewer where others had a part of it.
    """
    clocks = time.monotonic, time.process_time
    began = [clock() for clock in clocks]
    trainer.end = began[0] + seconds
    trainer.train_and_validate(data, validation)
    taken, worked = (clock() - start for clock, start in zip(clocks, began, strict=True))
    if trainer.stats.steps % trainer.args.validation_freq:
        trainer._validate(validation)
    return taken, worked


def translate(trainer: TimedTraining, args: BaseConfig, data: BaseDataset) -> list[str]:
    """A set as people write it, by the best checkpoint."""
    best = load_checkpoint(args.model_dir / "best.ckpt", map_location=args.device)
    trainer.model.load_state_dict(best["model_state"])
    _, _, texts, _, _, _ = predict(
        model=trainer.model,
        data=data,
        device=args.device,
        n_gpu=0,
        args=args.test,
        autocast=args.autocast,
    )
    return texts


def measure(config: str, seconds: float) -> dict[str, Any]:
    """Trains and translates; what is to be known of it."""
    began = time.monotonic()
    cfg = json.loads(Path(config).read_text(encoding="utf-8"))  # YAML takes 1e-08 for a text
    Path(cfg["model_dir"]).mkdir(parents=True)
    merges = learn_subwords(cfg["data"])
    args = parse_global_args(cfg, mode="train")
    set_seed(args.seed)  # JoeyNMT's own call comes after the weights' first values
    model, train_data, validation, test = prepare(args, rank=0, mode="train")
    trainer = TimedTraining(
        rank=0,
        model=model,
        model_dir=args.model_dir,
        device=args.device,
        autocast=args.autocast,
        seed=args.seed,
        train_args=args.train,
        dev_args=set_validation_args(args.test),
    )
    loaded = time.monotonic()
    taken, worked = train(trainer, train_data, validation, seconds)
    report = (args.model_dir / "validations.txt").read_text(encoding="utf-8").splitlines()
    return {
        "seconds": round(taken),
        "core_seconds": round(worked),
        "seconds_before": round(loaded - began),
        "updates": trainer.stats.steps,
        "epochs": round(trainer.sentences / len(train_data), 2),
        "best_update": trainer.stats.best_ckpt_iter,
        "validations": [line.strip().replace("\t", ", ") for line in report],
        "merges": merges,
        "vocabularies": [len(model.src_vocab), len(model.trg_vocab)],
        "parameters": sum(weights.numel() for weights in model.parameters()),
        "versions": {package: version(package) for package in PACKAGES},
        "translations": translate(trainer, args, test),
    }


def _plateau(optimizer: torch.optim.Optimizer, verbose: bool, **settings) -> ReduceLROnPlateau:
    return ReduceLROnPlateau(optimizer, **settings)


def main(config: str, seconds: float, cores: int):
    """Answers with a line of JSON; all that JoeyNMT prints goes to stderr."""
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    os.sched_setaffinity(0, range(cores))
    torch.set_num_threads(cores)
    builders.ReduceLROnPlateau = _plateau  # `verbose`: torch has it no more, JoeyNMT gives it
    print(json.dumps(measure(config, seconds)), file=answers, flush=True)


if __name__ == "__main__":
    main(sys.argv[1], float(sys.argv[2]), int(sys.argv[3]))
