"""A web server on a socket that is there before anything is compiled."""

import math
import socket
from typing import Any

import uvicorn
from starlette.applications import Starlette
from uvicorn.protocols.http.h11_impl import H11Protocol

from fa_jax.errors import UserError
from fa_jax.serving.limits import Limits


def listening(host: str, port: int) -> socket.socket:
    """A socket for whoever comes. port: 0 takes one that is free.

    Raises:
      UserError: the port is taken, or the host is not of this machine.
    """
    if not 0 <= port < 2**16:
        raise UserError(f"port must be 0 to {2**16 - 1}, got {port}")
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host, port), family=family)
    except OSError as error:
        raise UserError(
            f"no server can listen at {host}, port {port}: {error}. Choose another port (0: one "
            "that is free), or another host (127.0.0.1: this machine alone)"
        ) from None


def address(listener: socket.socket) -> str:
    """The URL at which a socket is reached."""
    host, port = listener.getsockname()[:2]
    return f"http://{f'[{host}]' if ':' in host else host}:{port}/"


def _prompt(seconds: float) -> type[H11Protocol]:
    """HTTP for those who ask within this time: others give their places up."""

    class Prompt(H11Protocol):
        def connection_made(self, transport: Any):
            super().connection_made(transport)
            self.loop.call_later(seconds, lambda: self.cycle or transport.close())

    return Prompt


def make_server(app: Starlette, limits: Limits) -> uvicorn.Server:
    """It answers whom it has begun with before it stops."""
    config = uvicorn.Config(
        app,
        http=_prompt(limits.seconds),
        ws="none",
        lifespan="on",
        log_config=None,  # errors go where all go
        access_log=False,
        server_header=False,
        limit_concurrency=limits.connections + 1,  # from there on it refuses
        # Requests have ended by then, each within its own time.
        timeout_graceful_shutdown=math.ceil(2 * limits.seconds) + 1,
    )
    return uvicorn.Server(config)
