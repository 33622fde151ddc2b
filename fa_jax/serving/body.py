"""What a request brings: JSON or a form, within its limits."""

import asyncio
import json
from typing import Any
from urllib.parse import parse_qs

from starlette.exceptions import HTTPException
from starlette.requests import Request

from fa_jax.serving.limits import Limits

FORM = "application/x-www-form-urlencoded"
FIELDS = 1000
"""Of a form, at most."""


async def read_fields(request: Request, limits: Limits) -> dict[str, Any]:
    """What a request's body says, by name.

    Raises:
      HTTPException: it is too large, too slow, not UTF-8, or neither JSON nor a form.
    """
    try:
        async with asyncio.timeout(limits.seconds):
            body = await _read(request, limits.body)
    except TimeoutError:
        raise HTTPException(408, "the request did not arrive in time") from None
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    try:
        text = body.decode("utf-8-sig")
        found = _form(text) if kind == FORM else json.loads(text)
        json.dumps(found, ensure_ascii=False).encode()  # JSON may escape half a letter
    except UnicodeError as error:
        raise HTTPException(400, f"the request is not UTF-8: {error.reason}") from None
    except (ValueError, RecursionError):
        raise HTTPException(400, f"the request is neither JSON nor a form ({FORM})") from None
    if not isinstance(found, dict):
        raise HTTPException(400, 'the request must be a JSON object, such as {"q": "..."}')
    return found


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


def _form(text: str) -> dict[str, str | list[str]]:
    fields = parse_qs(text, keep_blank_values=True, errors="strict", max_num_fields=FIELDS)
    return {name: values if len(values) > 1 else values[0] for name, values in fields.items()}
