"""The page to try runs on, and the traces that it asks for."""

from typing import Any

from starlette.requests import Request
from starlette.responses import FileResponse, HTMLResponse
from starlette.routing import Route

from fa_jax.config_file import attention_text
from fa_jax.errors import UserError
from fa_jax.fonts import packaged_font
from fa_jax.pages import filled
from fa_jax.pages.content import threshold_text
from fa_jax.runs.run import Run
from fa_jax.serving.body import answering
from fa_jax.serving.languages import language
from fa_jax.serving.orders import Traces, number_of, wanted
from fa_jax.serving.service import Service

ITSELF_ALONE = "default-src 'none'; connect-src 'self'; font-src 'self'; img-src data:; " + (
    "style-src 'unsafe-inline'; script-src 'unsafe-inline'"
)
"""What a browser lets the page load: nothing from elsewhere."""


async def page(request: Request) -> HTMLResponse:
    service: Service = request.app.state.service
    about, longest = [_about(run) for run in service.runs], service.limits.letters
    text = filled("trial.html", RUNS=about, LONGEST=longest)
    return HTMLResponse(text, headers={"Content-Security-Policy": ITSELF_ALONE})


async def trace(service: Service, fields: dict[str, Any]) -> dict[str, Any]:
    """What a run's attention did in a line. q: the line. run: its number, from 0. threshold: τ.
    split: whether sentence by sentence."""
    number, line = number_of(fields.get("run", 0)), fields.get("q")
    if not 0 <= number < len(service.runs):
        raise UserError(f"run must be a number from 0 to {len(service.runs) - 1}")
    if not isinstance(line, str) or not line.strip():
        raise UserError("q must be a sentence")
    order = Traces(**wanted(fields, service.runs[int(number)]))
    (found,) = await service.answer(order, [" ".join(line.split())])
    return found


async def letters(request: Request) -> FileResponse:
    """Of Japanese, for a browser whose system has none."""
    return FileResponse(packaged_font(), headers={"Cache-Control": "max-age=31536000"})


ROUTES = [
    Route("/", page),
    Route("/letters.ttf", letters),
    Route("/trace", answering(trace), methods=["POST"]),
]


def _about(run: Run) -> dict[str, Any]:
    """A run, as the page's script reads it. threshold: its own; null where none changes a thing."""
    config, attention = run.config, run.config.model.attention
    chosen = threshold_text(config.decoding.threshold)
    return {
        "name": run.name,
        "source": language(run.source.language),
        "target": language(run.target.language),
        "threshold": chosen if attention.span.follows_threshold else None,
        "attention": attention_text(attention),
        "validation": run.validated,
    }
