"""Answers in flight: counted, so that stopping can wait for them."""

import asyncio
from types import TracebackType


class Flight:
    """A context for each answer; entering gives False once `close` was called."""

    def __init__(self) -> None:
        self._count = 0
        self._closed = False
        self._idle = asyncio.Event()
        self._idle.set()

    def __enter__(self) -> bool:
        self._count += 1
        self._idle.clear()
        return not self._closed

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._count -= 1
        if not self._count:
            self._idle.set()

    async def close(self, seconds: float) -> int:
        """Take nothing new and wait for what is in flight; gives how many answers were not finished in time."""
        self._closed = True
        try:
            await asyncio.wait_for(self._idle.wait(), seconds)
        except TimeoutError:
            return self._count
        return 0
