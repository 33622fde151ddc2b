"""A model card, as Hugging Face's hub reads it: what the model is, in YAML and in words."""

from pathlib import Path
from typing import Any

import yaml
from packaging.licenses import InvalidLicenseExpression, canonicalize_license_expression

from fa_jax.config_file import attention_text
from fa_jax.counted import counted
from fa_jax.data.corpora import default_corpus
from fa_jax.data.tokenizers import Words
from fa_jax.errors import UserError
from fa_jax.pages.content import threshold_text
from fa_jax.runs.folder import read_scores
from fa_jax.runs.run import Run, know_documents

TEXTS = {
    "tatoeba": "sentences of the Tatoeba project (tatoeba.org) and its contributors, CC BY 2.0 FR",
    "bible": "Elberfelder 1932 and World English Bible, both in the public domain",
}
"""Who wrote the corpora that come with fa_jax, by how their names begin."""
Json = dict[str, Any]


def model_card(run: Run, licence: str) -> str:
    """The text of README.md. licence: as of `check_licence`."""
    corpus, scores = _corpus(run), read_scores(run.folder)
    head = yaml.safe_dump(_head(run, corpus, scores, licence), sort_keys=False, allow_unicode=True)
    source, target, decoding = run.source.language, run.target.language, run.config.decoding
    lines = "each sentence by itself (`--no-split`: the line as one)"
    if know_documents([run]):
        lines = "as one sentence"
    parts = [
        f"---\n{head}---",
        f"# {run.name}",
        f"Translates {source} to {target}. A recurrent model with attention "
        f"({attention_text(run.config.model.attention)}), trained with fa_jax.",
        "## Use",
        f'```sh\npip install {" ".join(_packages(run))}\necho "…" | python translate.py\n```',
        '```python\nfrom translate import Translator\n\nTranslator().translate(["…"])\n```',
        "`translate.py` reads a line as the run does: in capitals or small letters, with any marks "
        f"of punctuation, {lines}, of up to {decoding.max_source_length:,} tokens. It runs the "
        "programs in this folder on a CPU, a GPU (cuda) or a TPU. `model.safetensors` holds the "
        "weights, `config.json` the settings, `fa_jax_text` the code that reads and writes text. "
        "A program is compiled when it is first used; with `JAX_COMPILATION_CACHE_DIR` set to a "
        "folder, once for all times. JAX promises to read programs for half a year after they were "
        "exported; fa_jax exports them anew.",
        "It gives the best translation of a line and no more: no further ones, no scores, no "
        "alignment, and unknown words stay unknown. Documents are read line by line.",
        "## Scores",
        _table(scores, decoding.threshold) if scores else "The test set was not scored.",
        "## Text",
        _texts(corpus),
    ]
    return "\n\n".join(parts) + "\n"


def _head(run: Run, corpus: str, scores: Json, licence: str) -> Json:
    head = {
        "license": licence.lower(),
        "language": [run.source.language, run.target.language],
        "library_name": "jax",
        "pipeline_tag": "translation",
        "tags": ["translation", "jax", "fa_jax", "flexible-attention"],
        "metrics": ["bleu"],
    }
    metrics = [
        {
            "type": "bleu",
            "name": f"BLEU, τ = {threshold_text(float(one['threshold']))}",
            "value": round(one["bleu"], 2),
        }
        for one in scores.values()
    ]
    task, dataset = {"type": "translation"}, {"name": corpus, "type": corpus}
    result = {"task": task, "dataset": dataset, "metrics": metrics}
    return head | ({"model-index": [{"name": run.name, "results": [result]}]} if scores else {})


def check_licence(licence: str) -> None:
    """Raises UserError unless it is "other", or SPDX's list of licences has it."""
    try:
        if licence != "other":
            canonicalize_license_expression(licence)
    except InvalidLicenseExpression as error:
        raise UserError(
            f"licence {licence!r} cannot be written into a model card: {error}. Take an identifier "
            "of spdx.org/licenses, such as cc-by-2.0 or apache-2.0, or other"
        ) from None


def _packages(run: Run) -> list[str]:
    """What `translate.py` needs."""
    names = ["jax", "flatbuffers", "numpy", "safetensors", "sentencepiece", "sentencex", "ftfy"]
    for codec in (run.source, run.target):
        if isinstance(codec.tokenizer, Words):
            names += ["mecab-python3", "ipadic"] if codec.language == "ja" else ["sacremoses"]
    return [*dict.fromkeys(names)]


def _table(scores: Json, chosen: float) -> str:
    rows = ["| τ | BLEU | positions scored a word |", "|---|---|---|"]
    for one in scores.values():
        threshold = float(one["threshold"])
        mark = " (the default)" if threshold == chosen else ""
        window = f"{one['window']:.2f} of {one['source_length']:.2f}"
        rows.append(f"| {threshold_text(threshold)}{mark} | {one['bleu']:.2f} | {window} |")
    said = f"{counted(one['sentences'], 'test sentence')}; sacrebleu: `{one['bleu_signature']}`."
    return "\n".join([*rows, "", said])


def _corpus(run: Run) -> str:
    """The name of what it learnt from; "unknown" of a run that came from elsewhere."""
    named = run.config.data.corpus
    if named:
        return "+".join(Path(one).name for one in named.split("+"))
    try:
        return default_corpus((run.source.language, run.target.language))
    except UserError:
        return "unknown"


def _texts(corpus: str) -> str:
    known = [TEXTS[name] for name in TEXTS if any(p.startswith(name) for p in corpus.split("+"))]
    if not known:
        return "The model may be used as the text allows that it was trained on."
    return f"It was trained on {'; and '.join(known)}."
