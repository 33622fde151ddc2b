"""The choice of a run's threshold on its development set (VS 5.2)."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from fa_jax.data.corpora import load_corpus
from fa_jax.errors import UserError
from fa_jax.evaluation.selection import LARGEST_LOSS, THRESHOLDS, Candidate, choose
from fa_jax.runs.evaluate import evaluate
from fa_jax.runs.run import Run


@dataclass(frozen=True)
class Selection:
    """candidates: each run at each threshold, the first one at τ = ∞ in front.

    chosen: the one with the smallest window that loses little. reference: BLEU at τ = ∞.
    """

    candidates: tuple[Candidate, ...]
    chosen: Candidate
    reference: float


def select(
    runs: Run | Sequence[Run],
    thresholds: Sequence[float] = THRESHOLDS,
    largest_loss: float = LARGEST_LOSS,
) -> Selection:
    """The smallest window that costs little BLEU on the validation set. Writes nothing.

    Args:
      runs: one, or several of the same text and tokens, such as ones with another σ or β.
      thresholds: τ to choose between, besides ∞ of the first run.
      largest_loss: BLEU that it may cost, against the first run at τ = ∞.

    Returns:
      Every candidate, the chosen one, and the first run's BLEU at τ = ∞.

    Raises:
      UserError: no run, runs that cannot be compared, a threshold or loss that cannot be.

    >>> selection = fa_jax.select(fa_jax.load_run("en-ja"), [0.8, 1.2])  # doctest: +SKIP
    >>> selection.chosen.threshold  # doctest: +SKIP
    1.2
    """
    runs = [runs] if isinstance(runs, Run) else list(runs)
    if not runs:
        raise UserError("there is no run to choose between")
    if not largest_loss >= 0:
        raise UserError(f"largest_loss must be at least 0, got {largest_loss}")
    if wrong := [t for t in thresholds if not t > 0]:
        raise UserError(f"thresholds must be greater than 0, got {wrong[0]}")
    for run in runs[1:]:
        _check_comparable(runs[0], run)
    data = runs[0].config.data
    pairs = list(load_corpus(data.corpus, data.languages).validation)

    def measured(run: Run, threshold: float) -> Candidate:
        decoding = replace(run.config.decoding, threshold=threshold)
        scores = evaluate(run, decoding=decoding, pairs=pairs).scores
        return Candidate(str(run.folder), threshold, scores["bleu"], scores["window"])

    reference = measured(runs[0], float("inf"))
    finite = [threshold for threshold in thresholds if threshold != reference.threshold]
    candidates = (reference, *(measured(run, t) for run in runs for t in finite))
    chosen = choose(candidates, reference.bleu, largest_loss)
    return Selection(candidates, chosen, reference.bleu)


def _check_comparable(one: Run, other: Run):
    """Raises UserError if their BLEU and windows are of different texts or tokens."""
    for setting in ("corpus", "languages", "tokenizer"):
        wanted, found = (getattr(run.config.data, setting) for run in (one, other))
        if wanted != found:
            raise UserError(
                f"{other.folder} was trained with {setting} {found!r}, {one.folder} with "
                f"{wanted!r}: choose among runs of the same text and tokens"
            )
