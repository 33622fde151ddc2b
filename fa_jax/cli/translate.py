"""`fa-jax translate`."""

import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice

import fa_jax
from fa_jax.cli.arguments import Ensemble, RunFolder, run_settings
from fa_jax.config import DecodingConfig
from fa_jax.errors import UserError
from fa_jax.runs.folder import as_json

LINES_AT_ONCE = 1024  # read before their translations are written


@dataclass(frozen=True)
class Command:
    """Translate lines from stdin to stdout, one for one."""

    run: RunFolder
    ensemble: Ensemble = ()
    n_best: int = 1
    """Translations a line, best first, tab-separated with their scores when more than one."""
    details: bool = False
    """Write a JSON object a line: translations, log probabilities, alignment, g(t), window."""
    decoding: DecodingConfig = field(default_factory=DecodingConfig)


settings = run_settings


def run(command: Command):
    runs = [fa_jax.load_run(folder) for folder in (command.run, *command.ensemble)]
    lines = _stdin_lines(command.decoding.max_source_length, runs[0].source.encode)
    options = {"n_best": command.n_best, "details": command.details}
    while chunk := list(islice(lines, LINES_AT_ONCE)):
        records = fa_jax.translate(runs, chunk, command.decoding, **options)
        for line, record in zip(chunk, records, strict=True):
            if command.details:
                print(as_json({"source": line, **record}))
            elif command.n_best > 1:
                print("\t".join(f"{t['text']}\t{t['score']:.4f}" for t in record["translations"]))
            else:
                print(record["translations"][0]["text"])
        sys.stdout.flush()


def _stdin_lines(longest: int, encode) -> Iterator[str]:
    """Says which lines are longer than what is translated of them."""
    for number, raw in enumerate(sys.stdin.buffer, start=1):
        try:
            line = raw.decode("utf-8").rstrip("\r\n")
        except UnicodeDecodeError as error:
            raise UserError(f"stdin, line {number}: not UTF-8 (byte {error.start + 1})") from None
        # A token has at least one letter, so most lines need no tokenizing here.
        if len(line) > longest and (length := len(encode(line))) > longest:
            cut = f"line {number} has {length:,} tokens; its first {longest:,} are translated"
            print(f"fa-jax: {cut} (--decoding.max-source-length)", file=sys.stderr)
        yield line
