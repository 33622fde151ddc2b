"""The protocol of LibreTranslate, but for files."""

from collections.abc import Sequence
from itertools import chain
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.routing import Route

from fa_jax.errors import UserError
from fa_jax.runs.folder import as_json
from fa_jax.runs.run import Run
from fa_jax.serving.body import answering
from fa_jax.serving.formats import FORMATS, Format, html, texts_in
from fa_jax.serving.languages import language, likely_languages
from fa_jax.serving.orders import Translations, number_of, terms_wanted, wanted
from fa_jax.serving.service import Service


async def languages(service: Service, fields: dict[str, Any]) -> Any:
    """What is translated from, and into what."""
    targets: dict[str, dict[str, None]] = {}
    for run in service.runs:
        targets.setdefault(run.source.language, {})[run.target.language] = None
    return [{**language(code), "targets": [*into]} for code, into in targets.items()]


async def translate(service: Service, fields: dict[str, Any]) -> Any:
    """One text's translation, or those of a list."""
    texts, several = _texts(fields)
    suffix = {"text": ".txt", "html": ".html"}.get(str(fields.get("format") or "text"))
    if suffix is None:
        raise UserError(f"format must be text or html, got {fields['format']!r:.20}")
    contents = [text.encode() for text in texts]
    _, detected, found = await translated(service, fields, FORMATS[suffix], contents)
    texts = [[version.decode() for version in versions] for versions in found]
    answer = {"translatedText": [best for best, *_ in texts]}
    if int(number_of(fields.get("alternatives", 0))):
        answer["alternatives"] = [others for _, *others in texts]
    if fields.get("source", "auto") == "auto":
        answer["detectedLanguage"] = [detected] * len(texts)
    return {name: each if several else each[0] for name, each in answer.items()}


async def translated(
    service: Service, fields: dict[str, Any], read: Format, files: Sequence[bytes]
) -> tuple[Run, dict[str, str | float], list[list[bytes]]]:
    """The run that translates files as a request's fields say, the language that they are in, and
    of each file its translations, best first: one, and as many `alternatives`."""
    texts = await run_in_threadpool(lambda: [texts_in(read, file) for file in files])
    run, detected = _chosen_run(service.runs, fields, "\n".join(chain(*texts)))
    most = run.config.decoding.beam_size - 1
    alternatives = number_of(fields.get("alternatives", 0))
    if alternatives not in range(most + 1):
        raise UserError(f"alternatives must be a whole number from 0 to {most}")
    lines = [*chain(*texts)]
    options = wanted(fields, run) | terms_wanted(fields, lines)
    order = Translations(**options, n_best=most + 1 if alternatives else 1, html=read is html)
    answers, found = iter(await service.answer(order, lines)), []
    for file, of_file in zip(files, texts, strict=True):
        each = [next(answers) for _ in of_file]
        versions = ([line[min(n, len(line) - 1)] for line in each] for n in range(order.n_best))
        written = dict.fromkeys(read(file, lambda _, chosen=chosen: chosen) for chosen in versions)
        found.append([*written][: int(alternatives) + 1])
    return run, detected, found


async def detect(service: Service, fields: dict[str, Any]) -> Any:
    """Languages that a text may be in, of those that are served."""
    (text, *_), _ = _texts(fields)
    codecs = [codec for run in service.runs for codec in (run.source, run.target)]
    return likely_languages(text, codecs)


async def suggest(service: Service, fields: dict[str, Any]) -> Any:
    """Keeps somebody's own translation."""
    if service.suggestions is None:
        raise HTTPException(403, "this server has no file to keep suggestions in")
    kept = {name: fields.get(name) for name in ("q", "s", "source", "target")}
    if not all(isinstance(text, str) and text.strip() for text in kept.values()):
        raise UserError(f"{', '.join(kept)} must be texts")
    with service.suggestions.open("a", encoding="utf-8") as file:
        file.write(as_json(kept) + "\n")
    return {"success": True}


async def settings(service: Service, fields: dict[str, Any]) -> Any:
    """What a page may offer."""
    sides = {"source": service.runs[0].source, "target": service.runs[0].target}
    return {
        "apiKeys": False,
        "charLimit": service.limits.letters,
        "filesTranslation": True,
        "frontendTimeout": 500,
        "keyRequired": False,
        "language": {side: language(codec.language) for side, codec in sides.items()},
        "suggestions": service.suggestions is not None,
        "supportedFilesFormat": [*FORMATS],
    }


async def health(service: Service, fields: dict[str, Any]) -> Any:
    return {"status": "ok"}


ROUTES = [
    Route("/translate", answering(translate), methods=["POST"]),
    Route("/detect", answering(detect), methods=["POST"]),
    Route("/suggest", answering(suggest), methods=["POST"]),
    Route("/languages", answering(languages), methods=["GET", "POST"]),
    Route("/frontend/settings", answering(settings)),
    Route("/health", answering(health)),
]


def _chosen_run(
    runs: Sequence[Run], fields: dict[str, Any], text: str
) -> tuple[Run, dict[str, str | float]]:
    """The first that translates from `source`, which may be auto, into `target`, and the text's
    language. Raises UserError where there is none."""
    source, target = fields.get("source", "auto"), fields.get("target")
    fitting = {
        run.source.language: run
        for run in reversed(runs)
        if source in ("auto", run.source.language) and target == run.target.language
    }
    if not fitting:
        pairs = dict.fromkeys(f"{run.source.language} to {run.target.language}" for run in runs)
        wrong = f"{source!r:.20} to {target!r:.20} is not translated here (source and target)"
        if target is None:
            wrong = "the request names no target"
        raise UserError(f"{wrong}: only {', '.join(pairs)}")
    detected, *_ = likely_languages(text, [run.source for run in fitting.values()])
    return fitting[detected["language"]], detected


def _texts(fields: dict[str, Any]) -> tuple[list[str], bool]:
    """Those of `q`, and whether it is a list. Raises UserError where it is neither."""
    q = fields.get("q")
    texts = q if isinstance(q, list) else [q]
    if not texts or not all(isinstance(text, str) for text in texts):
        raise UserError("q must be a text or a list of texts")
    return texts, isinstance(q, list)
