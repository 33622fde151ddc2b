"""Lines of several sentences, translated sentence by sentence and whole: what either costs.

`python -m experiments.sentences_of_lines` asks the run that comes with fa_jax for its test set: the
lines in which sentences are found, some of the others, and pairs of lines put into one.
"""

from collections.abc import Sequence

import fa_jax
from fa_jax.data.sentences import sentences, space_between
from fa_jax.evaluation.scores import score_translations
from fa_jax.runs.run import Run
from fa_jax.runs.translate import translate

SAMPLE = 300


def measure(run: Run, sample: int = SAMPLE) -> dict[str, dict[str, float]]:
    """BLEU on characters of each kind of line. sample: so many lines of the test set, but all that
    hold several sentences."""
    pairs = [*run.pairs("test")]
    language = run.source.language
    several = [pair for pair in pairs if len(sentences(pair[0], language)) > 1]
    single = [pair for pair in pairs[:sample] if pair not in several]
    space = space_between(run.target.language)
    joined = [
        (f"{a[0]} {b[0]}", a[1] + space + b[1])
        for a, b in zip(pairs[:sample:2], pairs[1:sample:2], strict=True)
    ]
    kinds = {"several sentences": several, "one sentence": single, "two lines in one": joined}
    return {name: _both(run, lines) for name, lines in kinds.items()}


def _both(run: Run, pairs: Sequence[tuple[str, str]]) -> dict[str, float]:
    sources, references = zip(*pairs, strict=True)
    found = {"lines": float(len(sources))}
    for name, split in (("sentence by sentence", True), ("whole", False)):
        records = translate(run, sources, split=split)
        texts = [record["translations"][0]["text"] for record in records]
        found[name] = score_translations(texts, references, run.target.language)["bleu_char"]
    return found


if __name__ == "__main__":
    for kind, scores in measure(fa_jax.load_run("en-ja")).items():
        print(kind, *(f"{name} {value:.2f}" for name, value in scores.items()), sep=", ")
