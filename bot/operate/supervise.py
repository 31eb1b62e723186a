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

    def __init__(
        self, stopping: asyncio.Event, first_pause: float = FIRST_PAUSE, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.failing: set[str] = set()
        self._stopping = stopping
        self._first_pause = first_pause
        self._clock = clock

    async def run(self, name: str, work: Callable[[], Awaitable[object]]) -> None:
        """Do some work to its end; where it fails, log that and begin again after a pause.

        Never raises, but where it is itself cancelled. Work that ends by itself is done, and is not begun again.
        """
        pause = self._first_pause
        while True:
            began = self._clock()
            try:
                await work()
            except asyncio.CancelledError as error:
                if _asked_to_end():
                    raise
                failure: BaseException = error  # somebody cancelled what the work waited for, and not the work
            except Exception as error:  # noqa: BLE001 - whatever it is: it is logged, and the work goes on
                failure = error
            else:
                return
            if self._clock() - began > STEADY_SECONDS:
                pause = self._first_pause
            logger.error("%s failed, and begins again in %.0f s", name, pause, exc_info=failure)
            self.failing.add(name)
            try:
                await asyncio.wait_for(self._stopping.wait(), pause)
            except TimeoutError:
                self.failing.discard(name)
                pause = min(2 * pause, LONGEST_PAUSE)
            else:
                return


def _asked_to_end() -> bool:
    task = asyncio.current_task()
    return task is None or bool(task.cancelling())
