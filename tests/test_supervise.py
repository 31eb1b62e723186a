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


async def test_a_cancel_that_was_not_meant_for_it_is_a_failure_like_any_other(caplog: pytest.LogCaptureFixture) -> None:
    supervisor = Supervisor(asyncio.Event(), first_pause=0.0)
    tries = 0

    async def work() -> None:
        nonlocal tries
        tries += 1
        if tries == 1:
            waited_for = asyncio.ensure_future(asyncio.Event().wait())
            waited_for.cancel()
            await waited_for

    await supervisor.run("watching", work)
    assert tries == 2
    assert "watching failed, and begins again" in caplog.text


async def test_its_own_cancel_ends_it() -> None:
    begun = asyncio.Event()

    async def work() -> None:
        begun.set()
        await asyncio.Event().wait()

    task = asyncio.create_task(Supervisor(asyncio.Event()).run("watching", work))
    await begun.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


async def test_after_a_steady_stretch_the_pause_that_is_said_is_the_first_again(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    waited: list[float] = []

    async def wait_for(waiting: asyncio.Task[bool], seconds: float) -> None:
        waiting.close()  # type: ignore[attr-defined]  # a coroutine, which is awaited by nobody here
        waited.append(seconds)
        raise TimeoutError

    monkeypatch.setattr("bot.operate.supervise.asyncio.wait_for", wait_for)
    now = 0.0

    async def work() -> None:
        nonlocal now
        if len(waited) == 2:
            now += 601  # s: more than ten minutes without a failure
        if len(waited) < 3:
            raise OSError("gone")

    await Supervisor(asyncio.Event(), clock=lambda: now).run("watching", work)
    assert waited == [5, 10, 5]
    assert [record.getMessage()[-3:] for record in caplog.records] == ["5 s", "0 s", "5 s"]
