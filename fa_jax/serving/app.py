"""The server's web application: every route, and how each error is said."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from pathlib import Path

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.cors import CORSMiddleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response

from fa_jax.errors import UserError
from fa_jax.runs.run import Run
from fa_jax.serving import files, libretranslate, trial
from fa_jax.serving.limits import Limits
from fa_jax.serving.queue import LineQueue
from fa_jax.serving.service import Service


def make_app(runs: Sequence[Run], limits: Limits, suggestions: Path | None = None) -> Starlette:
    """The page to try runs on, and LibreTranslate's protocol. suggestions: as of `serve`."""
    service = Service(tuple(runs), limits, LineQueue(limits.queue), suggestions)

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        work = asyncio.create_task(service.queue.work())
        yield
        work.cancel()
        with suppress(asyncio.CancelledError):
            await work

    app = Starlette(
        # As LibreTranslate has it: pages of other addresses may ask, too.
        middleware=[
            Middleware(
                CORSMiddleware, allow_origins=["*"], allow_methods=["*"], allow_headers=["*"]
            )
        ],
        routes=[*trial.ROUTES, *libretranslate.ROUTES, *files.ROUTES],
        exception_handlers={
            UserError: _mistaken,
            HTTPException: _refused,
            ClientDisconnect: lambda *_: Response(status_code=400),  # nobody listens
        },
        lifespan=lifespan,
    )
    app.state.service = service
    return app


async def _mistaken(request: Request, error: UserError) -> JSONResponse:
    return JSONResponse({"error": str(error)}, 400)


async def _refused(request: Request, error: HTTPException) -> JSONResponse:
    return JSONResponse({"error": error.detail}, error.status_code, error.headers)
