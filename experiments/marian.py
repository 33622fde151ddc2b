"""How fast are whole commands beside toolkits in C++: Marian's, and CTranslate2's?

Marian (Junczys-Dowmunt et al. 2018): its recurrent model (`--type s2s`) with LSTM cells, the same
sizes, subwords and text, in float32 and with 8-bit weights. CTranslate2 runs no recurrent model; it
gets a small Transformer, which Marian trains. Both read text that is cut into subwords already;
`fa-jax translate` cuts it by itself, starts Python and finds its compiled programs. Each round runs
every side once, a new process each time, with two threads, and trains Marian's recurrent model and
ours from their beginning for a number of updates. `make peers` installs the toolkits; ours is the
run that comes with fa_jax.
"""

import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from statistics import median

from experiments.benchmarks.report import Headline, Report
from experiments.measuring import marian_models
from experiments.measuring.benchmark import measure_and_publish
from experiments.measuring.command import Command, alternated, translating
from experiments.measuring.marian_models import BATCH, BATCH_SIZES, LINES, MARIAN, THREADS
from experiments.measuring.our_side import RUN, FaJaxSide, bleu_of_tokens, our_run
from fa_jax.cache import cache_folder
from fa_jax.data.prepared import PreparedData
from fa_jax.runs.run import Run

UPDATES = 2000
"""Of a peer's training: enough that its sentences end as sentences do."""
EIGHT_BITS = "--gemm-type", "packed8"
"""Packed as it starts. What is packed beforehand does not translate with `s2s`: marian-dev,
issue 832."""
COMPUTE_TYPES = ("float32", "int8")
"""Of CTranslate2."""
THRESHOLDS = ("inf", "1.2")
TARGET, TRAINING_TARGET = 3.0, 5.0


def measure(rounds: int = 3, lines: int = 4000, steps: int = 50) -> Report:
    """A row for each side.

    rounds: times that each is timed. lines: the test set, then sentences of the training set.
    steps: of training that a round times.

    Raises:
      UserError: Marian is not there.
    """
    run, data = our_run(MARIAN)
    folder = cache_folder() / "peers" / "marian"
    marian_models.write_texts(folder, run, data, lines)
    for kind in (marian_models.recurrent(run), marian_models.transformer(run)):
        model = folder / f"{kind['type']}.npz"
        if not model.exists():
            print(f"Marian trains {model.stem} for {UPDATES:,} updates ...", file=sys.stderr)
            # Two threads would learn asynchronously.
            marian_models.train(folder, run, kind, model, UPDATES, threads=1)
    learning = _words_learnt_a_second(folder, run, data, rounds, steps)
    ours = {
        f"fa_jax, τ = {threshold}": translating(
            RUN,
            *("--threshold", threshold),
            input=folder / LINES,
            output=folder / f"fa_jax.{threshold}",
        )
        for threshold in THRESHOLDS
    }
    theirs = {
        "marian, float32": _fastest(marian_models.marian(folder, run)),
        "marian, 8-bit": _fastest(marian_models.marian(folder, run, *EIGHT_BITS)),
    }
    transformers = {
        f"ctranslate2, {compute}": _fastest(marian_models.ctranslate2(folder, run, compute))
        for compute in COMPUTE_TYPES
    }
    sides = ours | theirs | transformers
    alternated(ours, 1)  # compiles
    found = alternated(sides, rounds)
    references = [reference for _, reference in data.corpus.test]
    rows = []
    for name, side in sides.items():
        texts = side.lines[: len(references)]
        tokens = [
            run.target.tokenizer.tokenize(text) if name in ours else text.split() for text in texts
        ]
        rows.append(
            {
                "side": name,
                "seconds": median(found[name]),
                **{f"÷ {ours_name}": _ratio(found[name], found[ours_name]) for ours_name in ours},
                "subwords a line": sum(map(len, tokens)) / len(tokens),
                "BLEU": bleu_of_tokens(run, tokens, references),
            }
        )
    notes = [
        f"{lines:,} lines, beam {run.config.decoding.beam_size}, {THREADS} threads; Marian's best "
        f"batch size of {BATCH_SIZES}, CTranslate2's too; Marian's 8 bits are "
        f"`{' '.join(EIGHT_BITS)}`; BLEU on characters, of the test set, the first "
        f"{len(references):,} lines.",
        "Ratios are medians of the rounds' ratios.",
        "CTranslate2 runs a Transformer of 3 + 3 layers, not the recurrent model.",
        f"Marian's model and the Transformer learnt for {UPDATES:,} updates.",
        f"Training: batches of {BATCH}, {steps} steps a round from the first one on, compilation "
        "not counted: "
        + " and ".join(f"{median(rates):,.0f}" for rates in learning.values())
        + " target words a second, ours and Marian's.",
    ]
    headlines = [
        Headline(f"{name} ÷ {other}, seconds", _ratio(found[name], found[other]), TARGET, True)
        for name in theirs
        for other in ours
    ]
    ratio = _ratio(learning["fa_jax"], learning["marian"])
    headlines.append(
        Headline("target words trained a second ÷ Marian", ratio, TRAINING_TARGET, True)
    )
    settings = {"preset": run.config.preset, "rounds": rounds}
    return Report(
        "marian",
        settings,
        rows,
        notes,
        headlines,
        question="how fast are whole commands beside Marian's?",
        command="python -m experiments.marian",
    )


def _ratio(above: Sequence[float], below: Sequence[float]) -> float:
    return median(a / b for a, b in zip(above, below, strict=True))


def _words_learnt_a_second(
    folder: Path, run: Run, data: PreparedData, rounds: int, steps: int
) -> dict[str, list[float]]:
    """Target words, of both sides in turn."""
    ours = FaJaxSide(run, data, [], batch=BATCH)
    ours.warm_up()
    found = {"fa_jax": [], "marian": []}
    for _ in range(rounds):
        timed = ours.steps(steps)
        found["fa_jax"].append(timed["tokens"] / timed["seconds"])
        with tempfile.TemporaryDirectory() as beside:
            model = Path(beside, "model.npz")
            kind = marian_models.recurrent(run)
            speed = marian_models.train(folder, run, kind, model, steps, threads=THREADS)
            found["marian"].append(speed)
    return found


def _fastest(sides: Sequence[Command]) -> Command:
    return min(sides, key=Command.seconds)


if __name__ == "__main__":
    measure_and_publish(measure)
