"""How near is a beam search to what this machine can do at best?

1,000 test sentences by the run that comes with the package. Useful floating-point operations:
those of the model's products, for hypotheses that are alive and positions within their windows.
What words add that are fed back is known before the search, and not counted. At best: a 2048 × 2048
float32 product. All sides alternate in one run, after compilation; medians.
"""

from dataclasses import replace
from functools import partial

from experiments.benchmarks.operations import largest_product, operations, operations_of_product
from experiments.benchmarks.report import Headline, Report
from experiments.benchmarks.timing import alternate
from fa_jax.data.corpora import load_corpus
from fa_jax.decoding.search import search
from fa_jax.runs.run import load_run

THRESHOLDS = (float("inf"), 1.2)


def measure(rounds: int = 7, lines: int = 1000) -> Report:
    """A row for each threshold.

    rounds: times that each side is timed. lines: of the test set.
    """
    run = load_run("en-ja")
    test = load_corpus("tatoeba_en_ja", "en-ja").test
    sources = [[run.source.encode(test[row][0])] for row in range(lines)]
    results = {}

    def translate(threshold: float):
        decoding = replace(run.config.decoding, threshold=threshold)
        results[threshold] = search([run.model], decoding, [sources])

    sides = {threshold: partial(translate, threshold) for threshold in THRESHOLDS}
    times = alternate({"product": largest_product(), **sides}, rounds)
    best = operations_of_product() / times["product"].seconds
    each = operations(run.config.model, len(run.target.vocabulary))
    read = each.read * sum(len(source) for (source,) in sources)
    rows = []
    for threshold, found in results.items():
        calls, scored = (sum(getattr(r, name) for r in found) for name in ("calls", "scored"))
        seconds = times[threshold].seconds
        useful = (read + each.write * calls + each.score * scored) / seconds
        rows.append(
            {
                "threshold": threshold,
                "ratio": useful / best,
                "useful_gflops": useful / 1e9,
                "product_gflops": best / 1e9,
                "seconds": seconds,
                "steps_of_hypotheses": calls,
                "average_window": scored / calls,
                "compilation_seconds": times[threshold].compilation,
            }
        )
    headlines = [
        Headline(
            "useful operations a second in beam search ÷ a product's", rows[0]["ratio"], 0.5, True
        )
    ]
    settings = {"lines": lines, "beam": run.config.decoding.beam_size, "rounds": rounds}
    return Report("search_throughput", settings, rows, headlines=headlines)
