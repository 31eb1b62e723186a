"""The only module that knows APScheduler: a short interval tick, and nothing else.

Its cron trigger skips and doubles days around clock changes, so it never decides whether a day runs: every tick asks
the ledger what is due.
"""

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime

from apscheduler.schedulers.asyncio import AsyncIOScheduler

logger = logging.getLogger(__name__)

TICK_SECONDS = 20


class Ticker:
    """Calls `tick` every so often, one call at a time, until `stopping` is set."""

    def __init__(self, tick: Callable[[], Awaitable[object]], seconds: float = TICK_SECONDS) -> None:
        self._tick = tick
        self._seconds = seconds
        self.last: float | None = None
        """When a tick last ended or got on, in monotonic seconds: what a health check looks at."""

    def gets_on(self) -> None:
        """A tick that takes long says that it is no stuck one."""
        self.last = time.monotonic()

    async def run(self, stopping: asyncio.Event) -> None:
        """Tick now and then every interval. A tick under way when stopping is set is waited for."""
        turn = asyncio.Lock()

        async def once() -> None:
            if turn.locked() or stopping.is_set():
                return
            async with turn:
                await self._tick()
                self.gets_on()

        # a second instance, which leaves at once: APScheduler warns of each tick that it must leave out for one alone
        # coalesce and no grace time: after a stall one tick is owed, not as many as were missed, and not none
        scheduler = AsyncIOScheduler(job_defaults={"coalesce": True, "misfire_grace_time": None, "max_instances": 2})
        scheduler.add_job(once, "interval", seconds=self._seconds, next_run_time=datetime.now(UTC))
        scheduler.start()
        await stopping.wait()
        async with turn:
            scheduler.shutdown(wait=False)
