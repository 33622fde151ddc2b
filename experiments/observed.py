"""What attention did at each step of a run's test translations, kept in results/observed."""

import json
import math
import sys
from dataclasses import replace

import numpy as np
from trained import RESULTS, RUNS, Trained, measured, shown, train, translations, write

from fa_jax.data.corpora import load_corpus
from fa_jax.decoding.forced import trace_translations
from fa_jax.evaluation.smoothed_bleu import smoothed_sentence_bleu
from fa_jax.run import load_run
from fa_jax.translation import search


def observed(trained: Trained, threshold: float) -> list[dict]:
    """A dict for each test sentence: `length` of its source, and of each step the `tokens`, their
    `strength`, `window` and the source position with the highest weight of all if nothing is left
    out (`aligned`); `bleu`, smoothed, at this threshold, and `bleu_inf` at τ = ∞.
    """
    path = RESULTS / "observed" / f"{trained.name}.{shown(threshold)}.json"
    if not path.exists():
        lines = ",\n".join(json.dumps(row, ensure_ascii=False) for row in _rows(trained, threshold))
        write(path, f"[{lines}]\n")
    return json.loads(path.read_text(encoding="utf-8"))


def _rows(trained: Trained, threshold: float):
    measured(trained, test=(threshold, math.inf))  # keeps the translations, too
    train(trained)
    run = load_run(RUNS / trained.run)
    pairs = list(load_corpus(trained.corpus, trained.languages).test)
    decoding = replace(run.config.decoding, threshold=threshold)
    sources = [run.source.encode(source) for source, _ in pairs]
    results = search([run], [source for source, _ in pairs], decoding)
    words = [result.hypotheses[0].words for result in results]
    print(f"tracing {trained.name} at threshold {threshold:g} ...", file=sys.stderr, flush=True)
    traces = trace_translations(run.translator, decoding, sources, words)
    whole = trace_translations(
        run.translator, replace(decoding, threshold=math.inf), sources, words
    )
    split = run.target.tokenizer.tokenize
    kept = [translations(trained, t) for t in (threshold, math.inf)]
    for source, ids, trace, unhidden, (_, reference), *texts in zip(
        sources, words, traces, whole, pairs, *kept, strict=True
    ):
        bleu = [smoothed_sentence_bleu(split(text), split(reference)) for text in texts]
        yield {
            "length": len(source),
            "tokens": [*run.target.tokens(ids), "</s>"],
            "strength": np.round(trace.strength, 3).tolist(),
            "window": trace.windows.sum(1).tolist(),
            "aligned": unhidden.weights.argmax(1).tolist(),
            "bleu": round(bleu[0], 2),
            "bleu_inf": round(bleu[1], 2),
        }
