"""CTranslate2 as a command, which it does not bring; runs in the environment of `make peers`.

Reads lines of subwords, writes lines of subwords: `ctranslate2_side.py MODEL COMPUTE BEAM THREADS
BATCH`. Every thread translates batches of its own, as Marian's do.
"""

import sys

import ctranslate2


def main(model: str, compute: str, beam: str, threads: str, batch: str):
    translator = ctranslate2.Translator(
        model, compute_type=compute, inter_threads=int(threads), intra_threads=1
    )
    lines = [line.split() for line in sys.stdin]
    found = translator.translate_batch(lines, max_batch_size=int(batch), beam_size=int(beam))
    for result in found:
        print(*result.hypotheses[0])


if __name__ == "__main__":
    main(*sys.argv[1:])
