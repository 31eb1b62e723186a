"""Waiting for what must come to hold, however busy the machine is."""

import asyncio
from collections.abc import Awaitable, Callable

GUARD_SECONDS = 60.0
"""The end of a test that would wait for ever. No test asserts that anything is done within it."""

_LOOK_SECONDS = 0.02


async def until(holds: Callable[[], Awaitable[object]]) -> None:
    """Look again and again until something holds that tells nobody when it does. Raises TimeoutError at the guard."""
    async with asyncio.timeout(GUARD_SECONDS):
        while not await holds():  # noqa: ASYNC110 - nobody could set an event
            await asyncio.sleep(_LOOK_SECONDS)


async def until_true(holds: Callable[[], object]) -> None:
    """The same of something that can be seen without waiting."""

    async def look() -> object:
        return holds()

    await until(look)
