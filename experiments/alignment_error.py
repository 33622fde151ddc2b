"""Alignment error rate (Och and Ney 2003) of a run, against links that people drew.

`python -m experiments.alignment_error RUN SOURCE TARGET GOLD [--back RUN]`: three files of as many
lines. Words stand between spaces. A line of GOLD has Pharaoh's links, from 0: `0-0 1-2`, and `1p2`
where a link is possible, not sure.
"""

import re
from collections.abc import Iterable, Sequence
from pathlib import Path

import tyro
from nltk.translate import Alignment, alignment_error_rate
from tyro.conf import Positional

import fa_jax
from fa_jax.cli.arguments import RunFolder
from fa_jax.decoding.forced import LOOKED_AT
from fa_jax.errors import UserError
from fa_jax.runs.align import Link
from fa_jax.runs.run import Run

LINK = re.compile(r"(\d+)([-p])(\d+)")


def error_rates(
    run: Run, pairs: Sequence[tuple[str, str]], gold: Sequence[str], back: Run | None = None
) -> dict[str, float]:
    """Of all pairs together, 0 to 1, by what a step looks at.

    Raises:
      UserError: there are not as many lines, or a link is none.
    """
    if len(pairs) != len(gold):
        raise UserError(f"{len(pairs)} pairs, but {len(gold)} lines of gold alignments")
    links = [[*map(_link, line.split())] for line in gold]
    sure = _joined([(s, t) for s, kind, t in line if kind == "-"] for line in links)
    possible = _joined([(s, t) for s, _, t in line] for line in links)
    rates = {}
    for by in LOOKED_AT:
        found = fa_jax.align(run, pairs, by=by, back=back, tokenized=True)
        rates[by] = alignment_error_rate(sure, _joined(one.links for one in found), possible)
    return rates


def _link(text: str) -> tuple[int, str, int]:
    if not (found := LINK.fullmatch(text)):
        raise UserError(f"{text!r} is no link: write 0-0 if it is sure, 0p0 if it is possible")
    return int(found[1]), found[2], int(found[3])


def _joined(lines: Iterable[Iterable[Link]]) -> Alignment:
    """One of all lines: of a source word, which line has it, too."""
    return Alignment(((number, s), t) for number, line in enumerate(lines) for s, t in line)


def main(
    run: RunFolder,
    source: Positional[Path],
    target: Positional[Path],
    gold: Positional[Path],
    back: Path | None = None,
):
    """Prints a rate for each way to align."""
    fa_jax.set_up_process()
    texts = (path.read_text(encoding="utf-8").splitlines() for path in (source, target, gold))
    sources, targets, lines = texts
    if len(sources) != len(targets):
        raise SystemExit(f"{source} has {len(sources)} lines, {target} has {len(targets)}")
    try:
        other = fa_jax.load_run(back) if back else None
        pairs = list(zip(sources, targets, strict=True))
        rates = error_rates(fa_jax.load_run(run), pairs, lines, other)
    except UserError as error:
        raise SystemExit(str(error)) from None
    for by, rate in rates.items():
        print(f"{by}: {rate:.1%}")


if __name__ == "__main__":
    tyro.cli(main)
