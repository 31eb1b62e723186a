"""A task that fails begins again, until the bot stops."""

import asyncio

import pytest
from waiting import until_true

from bot.operate.supervise import Supervisor


async def test_what_fails_is_logged_and_begins_again(caplog: pytest.LogCaptureFixture) -> None:
    supervisor = Supervisor(asyncio.Event(), first_pause=0.0)
    tries: list[int] = []

    async def work() -> None:
        tries.append(len(tries))
        if len(tries) < 4:
            raise ValueError("the reason")

    await supervisor.run("watching", work)
    assert len(tries) == 4
    assert caplog.text.count("watching failed, and begins again") == 3
    assert caplog.text.count("ValueError: the reason") == 3
    assert supervisor.failing == set()


async def test_between_tries_it_is_named_and_stopping_ends_it() -> None:
    stopping = asyncio.Event()
    supervisor = Supervisor(stopping, first_pause=3_600.0)

    async def work() -> None:
        raise OSError("gone")

    task = asyncio.create_task(supervisor.run("watching", work))
    await until_true(lambda: supervisor.failing == {"watching"})
    stopping.set()
    await task


async def test_the_pauses_grow(caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch) -> None:
    waited: list[float] = []

    async def wait_for(waiting: asyncio.Task[bool], seconds: float) -> None:
        waiting.close()  # type: ignore[attr-defined]  # a coroutine, which is awaited by nobody here
        waited.append(seconds)
        raise TimeoutError

    monkeypatch.setattr("bot.operate.supervise.asyncio.wait_for", wait_for)

    async def work() -> None:
        if len(waited) < 8:
            raise OSError("gone")

    await Supervisor(asyncio.Event()).run("watching", work)
    assert waited == [5, 10, 20, 40, 80, 160, 300, 300]


async def test_work_that_is_done_is_not_begun_again() -> None:
    count = 0

    async def work() -> None:
        nonlocal count
        count += 1

    await Supervisor(asyncio.Event()).run("once", work)
    assert count == 1
