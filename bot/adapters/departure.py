"""Requests that leave in time or not at all: asked where their bytes are written, and nowhere earlier.

Between the beginning of a send and its bytes on the wire there may be a token to renew, a connection to open, a library
that waits for its rate limit; and anywhere the process may stand still.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass

from aiohttp import ClientSession, TraceConfig

from bot.errors import AmbiguousPostError, DeliveryError, RetryLaterError


@dataclass(slots=True)
class Departure:
    """One send: until when its requests may leave, whether one did, and whether one was kept back."""

    too_late: Callable[[], bool]
    left: bool = False
    kept_back: bool = False

    def check(self) -> None:
        """Raises ConnectionError where no request may leave any more: client libraries know what to do with that."""
        if self.too_late():
            self.kept_back = True
            raise ConnectionError("too late to be sent")

    def unanswered(self, platform: str, error: Exception) -> DeliveryError:
        """What a send without an answer came to: surely nothing where all there was to leave was kept back."""
        if self.kept_back and not self.left:
            return RetryLaterError(f"it came too late to be sent to {platform}", 0)
        return AmbiguousPostError(f"no answer came from {platform} ({type(error).__name__})")


_CURRENT: ContextVar[Departure | None] = ContextVar("departure", default=None)


@contextmanager
def departing(too_late: Callable[[], bool]) -> Iterator[Departure]:
    """What is requested within, and by tasks that are begun within, leaves before it is `too_late`."""
    departure = Departure(too_late)
    token = _CURRENT.set(departure)
    try:
        yield departure
    finally:
        _CURRENT.reset(token)


async def _headers(_session: ClientSession, _context: object, _params: object) -> None:
    if (departure := _CURRENT.get()) is not None:
        departure.check()


async def _body(_session: ClientSession, _context: object, _params: object) -> None:
    # a body of its own task: headers wait for its first bytes and leave with them
    if (departure := _CURRENT.get()) is not None:
        departure.check()
        departure.left = True


def watched() -> TraceConfig:
    """What a session needs for its requests to be asked: aiohttp calls it right before it writes."""
    config = TraceConfig()
    config.on_request_headers_sent.append(_headers)
    config.on_request_chunk_sent.append(_body)
    return config
