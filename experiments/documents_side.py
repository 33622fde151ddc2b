"""One document, translated in a process of its own: `documents_side RUN WORDS THRESHOLD WAY`.

Prints JSON: seconds of a translation (everything compiled), words read and written, and the most
memory that the process held.
"""

import json
import resource
import sys
import time
from dataclasses import replace
from itertools import accumulate, takewhile

import fa_jax
from fa_jax.data.corpora import load_corpus


def document(words: int, languages: str = "de-en") -> str:
    """Verses of the training set that follow each other, of so many words at most; one at least."""
    verses = [source for source, _ in load_corpus("bible_de_en_chapters", languages).train]
    lengths = accumulate(len(verse.split()) for verse in verses)
    some = sum(1 for _ in takewhile(lambda length: length <= words, lengths))
    return "\n".join(verses[: max(1, some)])


def main(run: str, words: int, threshold: float, implementation: str):
    """Prints what was measured."""
    fa_jax.set_up_process()
    run, text = fa_jax.load_run(run), document(words)
    decoding = replace(
        run.config.decoding, threshold=threshold, implementation=implementation, beam_size=5
    )
    for _ in range(2):  # the first one compiles
        began = time.perf_counter()
        (found,) = fa_jax.translate(run, [text], decoding, documents=True)
        seconds = time.perf_counter() - began
    print(
        json.dumps(
            {
                "seconds": seconds,
                "read": len(text.split()),
                "written": len(found["translations"][0]["text"].split()),
                "megabytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
            }
        )
    )


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), float(sys.argv[3]), sys.argv[4])
