"""What runs beside answers, kept running: a task that fails says so, and begins again."""

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable

logger = logging.getLogger(__name__)

FIRST_PAUSE, LONGEST_PAUSE = 5.0, 300.0
"""Seconds before a task that failed begins again; twice as long each time."""

STEADY_SECONDS = 600.0
"""After so long without a failure the pauses begin anew."""


class Supervisor:
    """Runs tasks until `stopping` is set. `failing` names those that failed and have not begun again."""

    def __init__(self, stopping: asyncio.Event, first_pause: float = FIRST_PAUSE) -> None:
        self.failing: set[str] = set()
        self._stopping = stopping
        self._first_pause = first_pause

    async def run(self, name: str, work: Callable[[], Awaitable[object]]) -> None:
        """Do some work to its end; where it fails, log that and begin again after a pause. Never raises.

        Work that ends by itself is done, and is not begun again.
        """
        pause = self._first_pause
        while True:
            began = time.monotonic()
            try:
                await work()
            except Exception:
                logger.exception("%s failed, and begins again in %.0f s", name, pause)
            else:
                return
            if time.monotonic() - began > STEADY_SECONDS:
                pause = self._first_pause
            self.failing.add(name)
            try:
                await asyncio.wait_for(self._stopping.wait(), pause)
            except TimeoutError:
                self.failing.discard(name)
                pause = min(2 * pause, LONGEST_PAUSE)
            else:
                return
