"""fa_jax as one side of a comparison: the run that comes with it, and its text as tokens."""

import time
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import jax

from fa_jax.data.batches import epoch_order, make_batch, plan_batches
from fa_jax.data.prepared import PreparedData, prepare
from fa_jax.data.vocabulary import Vocabulary
from fa_jax.errors import UserError
from fa_jax.evaluation.scores import score_translations
from fa_jax.runs.run import Run, load_run
from fa_jax.runs.search import search_lines
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
        self._run, self._data, self._lines = run, data, lines
        config = run.config
        self._plan = plan_batches(
            data.train.lengths,
            batch_size=batch,
            max_length=data.max_length,
            padded_shapes=config.data.padded_shapes,
        )
        optimizer = make_optimizer(config.training)
        self._step = make_train_step(config, optimizer)
        self._settings = StepSettings(config.training.learning_rate)
        vocabularies = len(data.source.vocabulary), len(data.target.vocabulary)
        state = init_state(config, optimizer, *vocabularies)
        self.parameters = sum(leaf.size for leaf in jax.tree.leaves(state.params))
        self._state = replicate(state)
        self._order = epoch_order(self._plan, config.training.seed, 0)
        self._next = 0

    def warm_up(self):
        """One step of each padded shape."""
        shapes = {tuple(shape): index for index, shape in enumerate(self._plan.shapes.tolist())}
        self._train(shapes.values())

    def steps(self, count: int) -> dict[str, Any]:
        """So many steps of training."""
        self._next += count
        return self._train(self._order[self._next - count : self._next])

    def _train(self, indices: Iterable[int]) -> dict[str, Any]:
        words, began = 0, time.perf_counter()
        for index in indices:
            batch = make_batch(self._data.train, self._plan, int(index))
            self._state, _ = self._step(self._state, shard(batch), self._settings)
            rows = self._plan.rows[index]
            words += int((self._data.train.target.lengths[rows[rows >= 0]] + 1).sum())
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
