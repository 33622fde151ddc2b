"""LibreTranslate's way with files: one is sent, and its translation is fetched from an address."""

from pathlib import PurePath
from urllib.parse import quote
from uuid import uuid4

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from fa_jax.errors import UserError
from fa_jax.serving.body import read_fields
from fa_jax.serving.formats import FORMATS
from fa_jax.serving.libretranslate import translated
from fa_jax.serving.service import Service

KEPT = 32
"""Translated files, in memory."""


async def translate_file(request: Request) -> JSONResponse:
    """Where the translation of a file is."""
    service: Service = request.app.state.service
    fields = await read_fields(request, service.limits)
    file = fields.get("file")
    name, content = file if isinstance(file, tuple) else ("", b"")
    name = PurePath(name)
    if (read := FORMATS.get(name.suffix.lower())) is None:
        raise UserError(f"file must be one that ends with {', '.join(FORMATS)}")
    run, _, ((found, *_),) = await translated(service, fields, read, [content])
    while len(service.files) >= KEPT:
        service.files.pop(next(iter(service.files)))
    address = {"key": uuid4().hex, "name": quote(f"{name.stem}_{run.target.language}{name.suffix}")}
    service.files[address["key"]] = found
    return JSONResponse({"translatedFileUrl": str(request.url_for("download_file", **address))})


async def download_file(request: Request) -> Response:
    """A translated file; its name is the end of the address."""
    found = request.app.state.service.files.get(request.path_params["key"])
    if found is None:
        raise HTTPException(404, f"there is no such file: the last {KEPT} are kept")
    headers = {"Content-Disposition": "attachment"}
    return Response(found, media_type="application/octet-stream", headers=headers)


ROUTES = [
    Route("/translate_file", translate_file, methods=["POST"]),
    Route("/download_file/{key}/{name}", download_file),
]
