"""JoeyNMT's side of the benchmark `peers`: obeys commands on stdin, a line of JSON each.

Runs in JoeyNMT's own environment and imports nothing of fa_jax: python -P joeynmt_side.py CONFIG.
What it does is JoeyNMT's own: its data loading, its training step, its `predict`.
"""

import json
import os
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import torch
from joeynmt.batch import Batch
from joeynmt.config import load_config, parse_global_args, set_validation_args
from joeynmt.prediction import predict, prepare
from joeynmt.training import TrainManager


class Side:
    """A model, trained or not, and its data."""

    def __init__(self, config: str):
        began = time.perf_counter()
        cfg = load_config(config)
        self.args = parse_global_args(cfg, mode="train")
        self.model, self.train_data, self.validation_data, self.test_data = prepare(
            self.args, rank=0, mode="train"
        )
        self.latest = self.args.model_dir / "latest.ckpt"
        train_args = self.args.train
        if self.latest.exists():
            train_args = train_args._replace(load_model=self.latest)
        self.trainer = TrainManager(
            rank=0,
            model=self.model,
            model_dir=self.args.model_dir,
            device=self.args.device,
            autocast=self.args.autocast,
            seed=self.args.seed,
            train_args=train_args,
            dev_args=set_validation_args(self.args.test),
        )
        self.batches = self._batches()
        self.loading_seconds = time.perf_counter() - began

    def ready(self) -> dict:
        """Whether it is trained, and how long it took to load."""
        steps = self.trainer.stats.steps
        trained = self.latest.exists() and steps >= self.args.train.max_updates
        return {
            "trained": trained,
            "steps": steps,
            "seconds": self.loading_seconds,
            "torch": torch.__version__,
            "parameters": sum(p.numel() for p in self.model.parameters()),
        }

    def learn(self) -> dict:
        """Trains to the config's last update; goes on from the last checkpoint."""
        self.trainer.train_and_validate(self.train_data, self.validation_data)
        return self.ready()

    def steps(self, count: int) -> dict:
        """So many steps of training, as `TrainManager.train_and_validate` takes them."""
        tokens, began = 0, time.perf_counter()
        for _ in range(count):
            batch = next(self.batches)
            self.trainer._train_step(batch)
            self.trainer.clip_grad_fun(parameters=self.model.parameters())
            self.trainer.optimizer.step()
            self.model.zero_grad()
            tokens += int(batch.ntokens)
        return {"seconds": time.perf_counter() - began, "tokens": tokens}

    def translate(self, batch_size: int) -> dict:
        """The test set by beam search."""
        began = time.perf_counter()
        _, _, _, tokens, _, _ = predict(
            model=self.model,
            data=self.test_data,
            device=self.args.device,
            n_gpu=0,
            args=self.args.test._replace(batch_size=batch_size),
            autocast=self.args.autocast,
        )
        seconds = time.perf_counter() - began
        return {"seconds": seconds, "translations": [_until(words, "</s>") for words in tokens]}

    def _batches(self) -> Iterator[Batch]:
        """Of one epoch after the other."""
        self.model.train()
        while True:
            yield from self.train_data.make_iter(
                batch_size=self.args.train.batch_size,
                batch_type="sentence",
                seed=self.args.seed,
                shuffle=True,
                device=self.args.device,
                eos_index=self.model.eos_index,
                pad_index=self.model.pad_index,
            )


def _until(words: list[str], end: str) -> list[str]:
    return words[: words.index(end)] if end in words else words


def main(config: str):
    """Answers each command with a line of JSON; all that JoeyNMT prints goes to stderr."""
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8", buffering=1)
    os.dup2(2, 1)
    Path(load_config(config)["model_dir"]).mkdir(parents=True, exist_ok=True)
    side = Side(config)
    print(json.dumps(side.ready()), file=answers)
    for line in sys.stdin:
        command = json.loads(line)
        found = getattr(side, command.pop("do"))(**command)
        print(json.dumps(found), file=answers)


if __name__ == "__main__":
    main(sys.argv[1])
