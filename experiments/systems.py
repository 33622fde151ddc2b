"""Does every system of the three papers train, resume and decode? Each preset, 200 steps.

`small-SYSTEM` on tatoeba_en_ja: trains half of the steps, is interrupted as by Ctrl-C, resumes,
and translates validation sentences with a beam, at both implementations. 200 steps are a check
that all works, no comparison of systems. results/records/systems.json keeps what was measured; a
system that is in the file already is not trained again.
"""

import json
import math
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path

import tyro

from experiments.measuring.folders import RECORDS, write
from fa_jax.cache import set_up_process
from fa_jax.config import Config
from fa_jax.data.prepared import PreparedData, prepare
from fa_jax.decoding.search import average_window
from fa_jax.evaluation.smoothed_bleu import mean_smoothed_bleu
from fa_jax.presets import SYSTEMS, preset
from fa_jax.runs.begin import begin_run
from fa_jax.runs.run import Run, load_run
from fa_jax.runs.search import search_lines
from fa_jax.training.loop import Interrupted, train
from fa_jax.training.metrics import read_metrics


def train_and_decode(
    systems: tuple[str, ...] = tuple(SYSTEMS),
    steps: int = 200,
    sentences: int = 100,
    output: Path = RECORDS / "systems.json",
):
    """Trains, resumes and decodes each system; prints and keeps a row for each.

    Args:
      sentences: of the validation set, translated with the preset's beam.
      output: file of the rows.
    """
    rows = json.loads(output.read_text(encoding="utf-8")) if output.exists() else {}
    missing = [system for system in systems if system not in rows]
    if len(missing) > 1:  # one process cannot hold the programs of all
        for system in missing:
            options = ["--steps", steps, "--sentences", sentences, "--output", output]
            arguments = ["-m", "experiments.systems", "--systems", system, *options]
            subprocess.run([sys.executable, *map(str, arguments)], check=True)
        return
    set_up_process()
    for system in missing:
        began = time.perf_counter()
        folder = Path(tempfile.mkdtemp(prefix="fa-jax-systems-"))
        try:
            rows[system] = _row(system, steps, sentences, folder)
        finally:
            shutil.rmtree(folder)
        rows[system]["seconds"] = round(time.perf_counter() - began)
        print(system, rows[system], flush=True)
        write(output, json.dumps(rows, indent=2) + "\n")


def _row(system: str, steps: int, sentences: int, folder: Path) -> dict[str, float]:
    config = preset(f"small-{system}", "en-ja", "")
    training = replace(config.training, steps=steps, validations=1)
    config = replace(config, training=training, data=replace(config.data, padded_shapes=4))
    data = prepare(config.data)
    begin_run(folder, config, data)
    interrupted = _train_half_then_all(folder, config, data)
    losses = {row["step"]: row["loss"] for row in read_metrics(folder) if "loss" in row}
    first, last = losses[min(losses)], losses[max(losses)]
    if not (max(losses) == steps and last < first and math.isfinite(last)):
        raise SystemExit(f"{system}: the loss did not fall: {losses}")
    return {
        "loss_at_20": first,
        f"loss_at_{steps}": last,
        "interrupted_at": interrupted,
        **_decode(load_run(folder), data, sentences),
    }


def _train_half_then_all(folder: Path, config: Config, data: PreparedData) -> int:
    """Returns the step of the interruption."""

    def interrupt(*of) -> float:
        os.kill(os.getpid(), signal.SIGTERM)
        return 0.0

    # A first validation halfway: that is when the signal comes.
    halfway = replace(config, training=replace(config.training, validations=2))
    try:
        train(folder, halfway, data, interrupt)
    except Interrupted as interruption:
        step = interruption.args[1]
    train(folder, config, data, lambda *of: 0.0)
    return step


def _decode(run: Run, data: PreparedData, sentences: int) -> dict[str, float]:
    """Beam search, dense and windowed, must agree; scores of what was found."""
    pairs = [data.corpus.validation[row] for row in range(sentences)]
    lines, references = zip(*pairs, strict=True)
    found = {}
    for implementation in ("dense", "windowed"):
        decoding = replace(run.config.decoding, implementation=implementation)
        searched = search_lines([run], lines, decoding)
        found[implementation] = searched.texts()
    same = sum(a == b for a, b in zip(found["dense"], found["windowed"], strict=True))
    tokens = [run.target.tokens(result.hypotheses[0].words) for result in searched.results]
    wanted = [run.target.tokenizer.tokenize(text) for text in references]
    return {
        "same_dense_and_windowed": same / sentences,
        "smoothed_bleu": mean_smoothed_bleu(tokens, wanted),
        "window": average_window(searched.results),
    }


if __name__ == "__main__":
    tyro.cli(train_and_decode)
