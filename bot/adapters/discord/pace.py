"""The pace of requests to Discord: below the limit for all of a bot, so that none is turned away for it.

Discord takes fifty requests a second of one bot, whatever they are for; answers to interactions do not count.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable

from aiohttp import ClientSession, TraceConfig, TraceRequestStartParams

GAP_SECONDS = 0.025
"""Between two requests: forty a second, since on their way they may come closer to each other."""

_UNLIMITED = ("/interactions/", "/webhooks/")
"""In the addresses of answers to interactions."""


class Pace:
    """Lets one request after another begin, none sooner after the last than `gap` seconds."""

    def __init__(
        self,
        gap: float = GAP_SECONDS,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], Awaitable[object]] = asyncio.sleep,
    ) -> None:
        self._gap = gap
        self._clock = clock
        self._sleep = sleep
        self._turn = asyncio.Lock()
        self._last = float("-inf")

    async def take(self) -> None:
        """Wait for one's turn. What was held up begins no closer together for that: the last one counts, not a plan."""
        async with self._turn:
            while (left := self._last + self._gap - self._clock()) > 0:
                await self._sleep(left)
            self._last = self._clock()

    def over(self, config: TraceConfig) -> None:
        """Put it before the requests of sessions with this configuration."""
        config.on_request_start.append(self._before)

    async def _before(self, _session: ClientSession, _context: object, params: TraceRequestStartParams) -> None:
        if "/api/" in params.url.path and not any(part in params.url.path for part in _UNLIMITED):
            await self.take()
