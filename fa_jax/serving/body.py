"""What a request brings: in its query string, and as JSON or a form, within its limits."""

import asyncio
import json
from collections.abc import Awaitable, Callable, Sequence
from typing import Any
from urllib.parse import parse_qsl

from starlette.datastructures import ImmutableMultiDict
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse

from fa_jax.errors import UserError
from fa_jax.serving.limits import Limits
from fa_jax.serving.service import Service

FORM, WITH_FILES = "application/x-www-form-urlencoded", "multipart/form-data"
FIELDS = 1000
"""Of a form, at most."""
Answer = Callable[[Service, dict[str, Any]], Awaitable[Any]]


def answering(answer: Answer) -> Callable[[Request], Awaitable[JSONResponse]]:
    """What answers requests, from what makes JSON of their fields."""

    async def endpoint(request: Request) -> JSONResponse:
        service: Service = request.app.state.service
        return JSONResponse(await answer(service, await read_fields(request, service.limits)))

    return endpoint


async def read_fields(request: Request, limits: Limits) -> dict[str, Any]:
    """What a request says, by name: of its query string and its body, which goes first.

    Of a form, what is there several times is a list, and a file is its name and its content. What
    is null in JSON is not said.

    Raises:
      UserError: it is not UTF-8, or neither JSON nor a form.
      HTTPException: it is too large, or too slow.
    """
    try:
        async with asyncio.timeout(limits.seconds):
            body = await _read(request, limits.body)
    except TimeoutError:
        raise HTTPException(408, "the request did not arrive in time") from None
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    try:
        asked = _form(request.url.query)
        if kind == WITH_FILES:
            return asked | await _form_with_files(request, body, limits.body)
        text = body.decode("utf-8-sig")
        found = _form(text) if kind == FORM or not text else json.loads(text)
        json.dumps(found, ensure_ascii=False).encode()  # JSON may escape half a letter
    except UnicodeError as error:
        raise UserError(f"the request is not UTF-8: {error.reason}") from None
    except (ValueError, RecursionError):
        raise UserError(f"the request is neither JSON nor a form ({FORM})") from None
    if not isinstance(found, dict):
        raise UserError('the request must be a JSON object, such as {"q": "..."}')
    return asked | {name: value for name, value in found.items() if value is not None}


async def _read(request: Request, most: int) -> bytes:
    """To its end even where it is too large: a client reads no answer before it has sent all."""
    kept, length = [], 0
    async for piece in request.stream():
        length += len(piece)
        if length <= most:
            kept.append(piece)
    if length > most:
        raise HTTPException(413, f"{length:,} bytes are more than the {most:,} of a request")
    return b"".join(kept)


async def _form_with_files(request: Request, body: bytes, most: int) -> dict[str, Any]:
    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": body}

    async with Request(request.scope, receive).form(max_part_size=most) as form:
        fields = []
        for name, item in form.multi_items():
            said = item if isinstance(item, str) else (item.filename, await item.read())
            fields.append((name, said))
        return _by_name(fields)


def _form(text: str) -> dict[str, Any]:
    # Not by Starlette, which takes UTF-8 that is not escaped for Latin-1.
    return _by_name(parse_qsl(text, keep_blank_values=True, errors="strict", max_num_fields=FIELDS))


def _by_name(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    fields = ImmutableMultiDict(pairs)
    each = ((name, fields.getlist(name)) for name in fields)
    return {name: several if several[1:] else several[0] for name, several in each}
