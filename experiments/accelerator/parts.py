"""The parts of the check, in their order. To add one: a module here and a row of this table."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Part:
    """title: a heading. case: what a row stands for. share: of the time that is left, relative to
    the parts that follow. about: what the table says."""

    title: str
    case: str
    share: float
    about: str


PARTS = {
    "agreement": Part(
        "Do the implementations agree?",
        "score",
        70,
        "The largest difference of context and focus from the dense implementation at the same "
        "precision, relative where a number is above 1. Flexible span, τ = 1.2. *highest*: "
        "products of float32. *default*: products as the platform computes them when nothing is "
        "said. *dense, default*: the difference of dense at the default from dense at the highest.",
    ),
    "resume": Part(
        "Does a stopped training end as an unbroken one?",
        "training",
        110,
        "A small training is stopped in its middle and goes on in a new process. Every array of "
        "its last checkpoint is compared with those of a training that was not stopped. *alike*: "
        "arrays that are the same bit for bit. Only GPUs need `--deterministic` for that.",
    ),
    "table_3": Part(
        "What do windows save of decoding? (Table 3 of the paper)",
        "score, batch",
        100,
        "Time of flexible attention ÷ time of global attention. The paper's character model writes "
        "given translations, in windows of 53% of the source. *flexible*: as fa_jax computes it "
        "on this platform. *windowed*: the windows alone. *bound*: an estimate of the least. "
        "`python -m experiments.forced_decoding` says more.",
    ),
    "long_inputs": Part(
        "Does a step cost what its window costs, or what the sentence costs?",
        "positions",
        50,
        "One step of attention in windows of 16 positions, for one sentence with 20 hypotheses, "
        "500 units. Times are of a whole call, with its start.",
    ),
    "kernels": Part(
        "What makes windows win?",
        "computation",
        200,
        "Milliseconds. Candidates that fa_jax does not choose. *tiles*: windows in tiles of so "
        "many positions, all rows and so many parts of each side by side "
        "(`experiments/accelerator/tiles.py`). *slices*: as many positions of every row, in one "
        "piece (`slices.py` beside it). *4 steps*: a search asks behind four whether it is done. "
        "*command buffers*: a GPU takes its loop at once. Beside them *masked*: all positions "
        "scored, then masked; *chunks*: windows as fa_jax computes them on a CPU. "
        "*differs*, *alike*: from masking, in training from chunks, which learn the same.",
    ),
    "search": Part(
        "Beam search",
        "implementation",
        60,
        "Test sentences, translated by the run `en-ja` that comes with fa_jax. *first*: seconds of "
        "the first call, with compilation. *alike*: share of the translations that dense writes, "
        "too.",
    ),
    "training": Part(
        "How fast is training?",
        "preset, products",
        150,
        "Steps on full batches. *tflops*: operations of the model's products, three times the "
        "forward pass, in 10¹² a second, on all devices. *of peak*: their share of what the "
        "maker's data sheet says of such products. *of product*: their share of what one large "
        "product reached here.",
    ),
    "passing_tests": Part(
        "Which tests pass on the device?",
        "tests",
        160,
        "Tests that need no data outside the package, with float32 products. A test that takes "
        "more than a minute is ended.",
    ),
}
