"""A model card, as Hugging Face's hub reads it: what the model is, in YAML and in words."""

from typing import Any

import yaml

from fa_jax.config_file import attention_text
from fa_jax.counted import counted
from fa_jax.data.tokenizers import saved_tokenizer
from fa_jax.pages.content import threshold_text
from fa_jax.runs.run import Run

TEXTS = {
    "tatoeba": "sentences of the Tatoeba project (tatoeba.org) and its contributors, CC BY 2.0 FR",
    "bible": "Elberfelder 1932 and World English Bible, both in the public domain",
}
"""Who wrote the corpora that come with fa_jax, by how their names begin."""
PACKAGES = {"subword": "sentencepiece", "word": "sacremoses"}
"""What the tokenizers need."""
Json = dict[str, Any]


def model_card(
    run: Run, corpus: str, scores: Json, licence: str, *, longest: int, threshold: float
) -> str:
    """The text of README.md.

    corpus: its name. scores: of `test.json`, by threshold. licence: of the model, as the hub names
    it. longest: tokens of a sentence that are read. threshold: that translate.py starts with.
    """
    head = yaml.safe_dump(_head(run, corpus, scores, licence), sort_keys=False, allow_unicode=True)
    source, target = run.source.language, run.target.language
    parts = [
        f"---\n{head}---",
        f"# {run.name}",
        f"Translates {source} to {target}. A recurrent model with attention "
        f"({attention_text(run.config.model.attention)}), trained with fa_jax.",
        "## Use",
        f'```sh\npip install {" ".join(_packages(run))}\necho "…" | python translate.py\n```',
        '```python\nfrom translate import Translator\n\nTranslator().translate(["…"])\n```',
        "`translate.py` runs the programs in this folder on a CPU, a GPU (cuda) or a TPU. They "
        f"read a line as one sentence, of up to {longest:,} tokens. `model.safetensors` holds the "
        "weights, `config.json` the settings. A program is compiled when it is first used; with "
        "`JAX_COMPILATION_CACHE_DIR` set to a folder, once for all times. JAX promises to read "
        "programs for half a year after they were exported; fa_jax exports them anew.",
        "## Scores",
        _table(scores, threshold) if scores else "The test set was not scored.",
        "## Text",
        _texts(corpus),
    ]
    return "\n\n".join(parts) + "\n"


def _head(run: Run, corpus: str, scores: Json, licence: str) -> Json:
    head = {
        "license": licence,
        "language": [run.source.language, run.target.language],
        "library_name": "jax",
        "pipeline_tag": "translation",
        "tags": ["translation", "jax", "fa_jax", "flexible-attention"],
        "metrics": ["bleu"],
    }
    if not scores:
        return head
    metrics = [
        {
            "type": "bleu",
            "name": f"BLEU, τ = {threshold_text(float(one['threshold']))}",
            "value": round(one["bleu"], 2),
        }
        for one in scores.values()
    ]
    result = {
        "task": {"type": "translation"},
        "dataset": {"name": corpus, "type": corpus},
        "metrics": metrics,
    }
    return head | {"model-index": [{"name": run.name, "results": [result]}]}


def _packages(run: Run) -> list[str]:
    names = ["jax", "flatbuffers", "numpy", "safetensors"]
    for codec in (run.source, run.target):
        tokenizer = saved_tokenizer(codec.tokenizer)[0]["tokenizer"]
        own = PACKAGES.get(tokenizer, "")
        if tokenizer == "word" and codec.language == "ja":
            own = "mecab-python3 ipadic"
        names += [name for name in own.split() if name not in names]
    return names


def _table(scores: Json, chosen: float) -> str:
    rows = []
    for one in scores.values():
        threshold = float(one["threshold"])
        mark = " (the default)" if threshold == chosen else ""
        window = f"{one['window']:.2f} of {one['source_length']:.2f}"
        rows.append(f"| {threshold_text(threshold)}{mark} | {one['bleu']:.2f} | {window} |")
    count = next(iter(scores.values()))
    lines = ["| τ | BLEU | positions scored a word |", "|---|---|---|", *rows]
    sentences = counted(count["sentences"], "test sentence")
    return "\n".join(lines) + f"\n\n{sentences}; sacrebleu: `{count['bleu_signature']}`."


def _texts(corpus: str) -> str:
    known = [TEXTS[name] for name in TEXTS if any(p.startswith(name) for p in corpus.split("+"))]
    if not known:
        return "The model may be used as the text allows that it was trained on."
    return f"It was trained on {'; and '.join(known)}."
