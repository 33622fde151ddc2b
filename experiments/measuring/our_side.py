"""fa_jax as one side of a comparison: the run that comes with it, and its text as tokens."""

import time
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import jax
import numpy as np

from fa_jax.data.prepared import PreparedData, prepare
from fa_jax.data.vocabulary import Vocabulary
from fa_jax.errors import UserError
from fa_jax.evaluation.scores import score_translations
from fa_jax.runs.run import Run, load_run
from fa_jax.runs.search import search_lines
from fa_jax.training.epochs import Epochs, Numbered
from fa_jax.training.optimizer import make_optimizer
from fa_jax.training.schedule import StepSettings
from fa_jax.training.step import init_state, make_train_step, replicate, shard

RUN = "en-ja"
PEERS = Path(".venv-peers/bin")
"""Programs of the others."""
PYTHON = PEERS / "python"


def our_run(peer: Path) -> tuple[Run, PreparedData]:
    """The run that comes with fa_jax, and the text that it was trained on.

    Raises:
      UserError: the peer's program is not there.
    """
    if not peer.exists():
        raise UserError(f"{peer} is not there: `make peers` installs it beside fa_jax")
    run = load_run(RUN)
    return run, prepare(run.config.data, codecs=(run.source, run.target))


class FaJaxSide:
    """Our side, with the same answers as JoeyNMT's. batch: pairs a step of training has."""

    def __init__(self, run: Run, data: PreparedData, lines: Sequence[str], batch: int):
        self._run, self._lines = run, lines
        config = replace(run.config, training=replace(run.config.training, batch_size=batch))
        self._epochs = Epochs(config, data)
        optimizer = make_optimizer(config.training)
        self._step = make_train_step(config, optimizer)
        self._settings = StepSettings(config.training.learning_rate)
        vocabularies = len(data.source.vocabulary), len(data.target.vocabulary)
        state = init_state(config, optimizer, *vocabularies)
        self.parameters = sum(leaf.size for leaf in jax.tree.leaves(state.params))
        self._state = replicate(state)
        self._next = 0

    def warm_up(self):
        """One step of each padded shape."""
        first = self._epochs.first
        _, places = np.unique(first.plan.shapes, axis=0, return_index=True)
        self._train(map(first.batch, places.tolist()))

    def steps(self, count: int) -> dict[str, Any]:
        """So many steps of training."""
        self._next += count
        return self._train(self._epochs.batches(self._next - count, self._next))

    def _train(self, batches: Iterable[Numbered]) -> dict[str, Any]:
        words, began = 0, time.perf_counter()
        for _, batch in batches:
            self._state, _ = self._step(self._state, shard(batch), self._settings)
            words += int(batch.target_lengths.sum())
        jax.block_until_ready(self._state)
        return {"seconds": time.perf_counter() - began, "tokens": words}

    def translate(self, batch_size: int) -> dict[str, Any]:
        decoding = replace(self._run.config.decoding, batch_size=batch_size)
        began = time.perf_counter()
        found = search_lines([self._run], self._lines, decoding)
        found.texts()
        seconds = time.perf_counter() - began
        words = [self._run.target.tokens(result.hypotheses[0].words) for result in found.results]
        return {"seconds": seconds, "translations": words}


def write_tokens(path: Path, vocabulary: Vocabulary, texts: Iterable[Sequence[int]]):
    """A line a text."""
    lines = (" ".join(vocabulary.tokens[word] for word in text) for text in texts)
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")


def bleu_of_tokens(
    run: Run, translations: Sequence[Sequence[str]], references: Sequence[str]
) -> float:
    """On characters for Japanese (subwords are compared nowhere)."""
    tokenizer = run.target.tokenizer
    texts = [tokenizer.detokenize(tokens) for tokens in translations]
    scores = score_translations(texts, references, run.target.language)
    return scores.get("bleu_char", scores["bleu"])
