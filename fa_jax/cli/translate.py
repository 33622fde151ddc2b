"""`fa-jax translate`."""

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

import fa_jax
from fa_jax.cli.arguments import OfRuns
from fa_jax.errors import UserError
from fa_jax.runs.folder import as_json

LINES_AT_ONCE = 1024  # read before their translations are written


@dataclass(frozen=True)
class Command(OfRuns):
    """Translate lines from stdin to stdout, one for one."""

    n_best: int = 1
    """Translations a line, best first, tab-separated with their scores when more than one."""
    details: bool = False
    """Write a JSON object a line: translations, log probabilities, alignment, g(t), window."""

    def __call__(self):
        runs = self.runs()
        lines = _stdin_lines(self.decoding.max_source_length, runs[0].source.encode)
        while chunk := list(islice(lines, LINES_AT_ONCE)):
            records = fa_jax.translate(
                runs, chunk, self.decoding, n_best=self.n_best, details=self.details
            )
            for line, record in zip(chunk, records, strict=True):
                found = record["translations"]
                if self.details:
                    print(as_json({"source": line, **record}))
                elif self.n_best > 1:
                    print("\t".join(f"{one['text']}\t{one['score']:.4f}" for one in found))
                else:
                    print(found[0]["text"])
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
