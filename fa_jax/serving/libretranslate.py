"""The protocol of LibreTranslate: `POST /translate` and `GET /languages`."""

from collections.abc import Sequence
from itertools import islice
from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route

from fa_jax.runs.run import Run
from fa_jax.serving.body import read_fields
from fa_jax.serving.languages import language_name
from fa_jax.serving.orders import Translations, number_of, wanted
from fa_jax.serving.service import Service


async def languages(request: Request) -> JSONResponse:
    """What is translated from, and into what."""
    targets: dict[str, dict[str, None]] = {}
    for run in request.app.state.service.runs:
        targets.setdefault(run.source.language, {})[run.target.language] = None
    return JSONResponse(
        [
            {"code": code, "name": language_name(code), "targets": [*into]}
            for code, into in targets.items()
        ]
    )


async def translate(request: Request) -> JSONResponse:
    """One text's translation, or those of a list."""
    service: Service = request.app.state.service
    fields = await read_fields(request, service.limits)
    run = chosen_run(service.runs, fields.get("source", "auto"), fields.get("target"))
    texts, alternatives = _asked(fields, run)
    n_best = run.config.decoding.beam_size if alternatives else 1
    order = Translations(**wanted(fields, run), n_best=n_best)
    parts = [text.replace("\r\n", "\n").split("\n") for text in texts]
    each = iter(await service.answer(order, [line for part in parts for line in part]))
    found = [_joined(list(islice(each, len(part)))) for part in parts]
    several = isinstance(fields["q"], list)
    answer: dict[str, Any] = {"translatedText": _one_or_all([best for best, *_ in found], several)}
    if alternatives:
        others = [rest[:alternatives] for _, *rest in found]
        answer["alternatives"] = _one_or_all(others, several)
    if fields.get("source", "auto") == "auto":
        detected = {"language": run.source.language, "confidence": 100}
        answer["detectedLanguage"] = _one_or_all([detected] * len(found), several)
    return JSONResponse(answer)


ROUTES = [
    Route("/languages", languages),
    Route("/translate", translate, methods=["POST"]),
]


def chosen_run(runs: Sequence[Run], source: Any, target: Any) -> Run:
    """The first that translates so. source: a language's code, or auto where there is one only.

    Raises:
      HTTPException: there is none, or several would do.
    """
    fitting = [
        run
        for run in runs
        if source in ("auto", run.source.language) and target == run.target.language
    ]
    if not fitting:
        pairs = dict.fromkeys(f"{run.source.language} to {run.target.language}" for run in runs)
        wrong = f"{source!r:.20} to {target!r:.20} is not translated here (source and target)"
        if target is None:
            wrong = "the request names no target"
        raise HTTPException(400, f"{wrong}: only {', '.join(pairs)}")
    sources = dict.fromkeys(run.source.language for run in fitting)
    if len(sources) > 1:
        raise HTTPException(400, f"source 'auto' may be {' or '.join(sources)} here: name one")
    return fitting[0]


def _asked(fields: dict[str, Any], run: Run) -> tuple[list[str], int]:
    """Texts to be translated, and how many further translations of each are wanted.

    Raises:
      HTTPException: the fields are not what they should be.
    """
    q = fields.get("q")
    texts = q if isinstance(q, list) else [q]
    if not all(isinstance(text, str) for text in texts):
        raise HTTPException(400, "q must be a text or a list of texts")
    if not any(text.strip() for text in texts):
        raise HTTPException(400, "q has no text")
    if fields.get("format", "text") != "text":
        raise HTTPException(400, f"format must be 'text', got {fields['format']!r:.20}")
    most = run.config.decoding.beam_size - 1
    alternatives = number_of(fields.get("alternatives", 0))
    if not 0 <= alternatives <= most:
        raise HTTPException(400, f"alternatives must be a number from 0 to {most}")
    return texts, int(alternatives)


def _joined(lines: Sequence[Sequence[str]]) -> list[str]:
    """A text's translations from those of its lines; none twice."""
    count = max(map(len, lines))
    texts = ("\n".join(line[min(n, len(line) - 1)] for line in lines) for n in range(count))
    return list(dict.fromkeys(texts))


def _one_or_all(values: list[Any], several: bool) -> Any:
    return values if several else values[0]
