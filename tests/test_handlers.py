"""No command reckons on the event loop: handlers run in worker threads, and wait through fetches alone."""

import asyncio
import contextvars
import threading
from collections import defaultdict
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Generator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import pytest
from connected import connected

from bot.commands import all_commands
from bot.commands.base import Command, CommandSet, Context, Invocation
from bot.commands.dispatch import Dispatcher
from bot.commands.fetch import answered, fetch
from bot.config import default_corpus
from bot.corpus import load_corpus
from bot.digest import selection
from bot.library import Library
from bot.message import ChannelRef, Reply, User
from bot.store.database import Database
from bot.store.storage import Storage

PERSON, PLACE = User("U1"), ChannelRef("slack", "T1", "C1")
Threads = dict[str, set[int]]


class Watched(Awaitable[Reply]):
    """A handler's coroutine that tells before each of its stretches."""

    def __init__(self, coroutine: Coroutine[Any, Any, Reply], tell: Callable[[], None]) -> None:
        self._coroutine, self._tell = coroutine, tell

    def __await__(self) -> Generator[Any, Any, Reply]:
        self._tell()
        step = self._coroutine.send
        value: Any = None
        while True:
            try:
                waits = step(value)
            except StopIteration as end:
                reply: Reply = end.value
                return reply
            try:
                value = yield waits
                step = self._coroutine.send
            except Exception as error:  # noqa: BLE001 - handed on
                value, step = error, self._coroutine.throw
            self._tell()


def watched(command: Command, threads: Threads) -> Command:
    """The same command, noting in which threads its handler runs."""

    def tell() -> None:
        threads[command.path].add(threading.get_ident())

    if asyncio.iscoroutinefunction(command.handler):
        before = command.handler

        async def waiting(context: Context, invocation: Invocation) -> Reply:
            return await Watched(before(context, invocation), tell)

        return replace(command, handler=waiting)

    def plain(context: Context, invocation: Invocation) -> Reply:
        tell()
        reply = command.handler(context, invocation)
        assert isinstance(reply, Reply)
        return reply

    return replace(command, handler=plain)


@pytest.fixture(scope="module")
def library() -> Library:
    return Library.of(load_corpus(default_corpus()))


@pytest.fixture
async def storage() -> AsyncIterator[Storage]:
    database = await Database.open("sqlite:///:memory:")
    yield Storage.of(database, "test")
    await database.close()


@pytest.mark.parametrize("path", [command.path for command in all_commands().all])
async def test_no_command_runs_on_the_event_loop(path: str, library: Library, storage: Storage) -> None:
    threads: Threads = defaultdict(set)
    commands = CommandSet([watched(command, threads) for command in all_commands().all])
    dispatcher = Dispatcher(lambda: library, commands, storage=storage, connections=connected())
    command = commands.get(path)
    assert command is not None
    for example in command.examples:
        for words in (example.after, example.say):
            if words:
                reply = await dispatcher.say(words, PERSON, PLACE)
                assert reply.error is None or reply.error.kind != "internal"
    assert threads[path], "its examples run it"
    assert threading.get_ident() not in set().union(*threads.values())


async def test_a_long_preview_is_drawn_off_the_loop(
    library: Library, storage: Storage, monkeypatch: pytest.MonkeyPatch
) -> None:
    drawn: list[int] = []
    choose = selection.choose_ordered

    def noting(*args: Any, **named: Any) -> object:
        drawn.append(threading.get_ident())
        return choose(*args, **named)

    monkeypatch.setattr(selection, "choose_ordered", noting)
    dispatcher = Dispatcher(lambda: library, all_commands(), storage=storage, connections=connected())
    await dispatcher.say("digest on 9:00 berlin daily", PERSON, PLACE)
    reply = await dispatcher.say("digest preview 60d", PERSON, PLACE)
    assert reply.error is None
    assert len(drawn) >= 59
    assert threading.get_ident() not in drawn


async def test_the_loop_goes_on_while_a_handler_reckons() -> None:
    """It would wait for ever for the loop, if it ran there."""
    loop, came = asyncio.get_running_loop(), threading.Event()

    async def reckons() -> str:
        first = await fetch(asyncio.sleep(0, "first"))
        loop.call_soon_threadsafe(came.set)
        assert came.wait(60)
        return first + await fetch(asyncio.sleep(0, " second"))

    assert await answered(reckons()) == "first second"


async def test_no_thread_is_held_while_waiting() -> None:
    asyncio.get_running_loop().set_default_executor(ThreadPoolExecutor(1))
    go_on, waiting = asyncio.Event(), 0

    async def wait() -> None:
        nonlocal waiting
        waiting += 1
        if waiting == 50:
            go_on.set()  # only once all of them wait
        await go_on.wait()

    async def handler() -> int:
        await fetch(wait())
        return 1

    assert sum(await asyncio.gather(*(answered(handler()) for _ in range(50)))) == 50


async def test_what_a_fetch_raises_is_raised_where_it_is_awaited() -> None:
    async def fails() -> None:
        raise OSError("disk full")

    async def mends() -> str:
        try:
            await fetch(fails())
        except OSError as error:
            return f"{error}, {await fetch(asyncio.sleep(0, 'and on'))}"
        return "nothing happened"

    async def fails_as_well() -> None:
        await fetch(fails())

    assert await answered(mends()) == "disk full, and on"
    with pytest.raises(OSError, match="disk full"):
        await answered(fails_as_well())


@pytest.mark.parametrize("seconds", [0, 1], ids=["a bare yield", "a timer"])
async def test_awaiting_anything_else_is_a_programming_error(seconds: float) -> None:
    async def handler() -> None:
        await asyncio.sleep(seconds)

    with pytest.raises(TypeError, match=r"await fetch\("):
        await answered(handler())


async def test_a_future_awaited_without_a_fetch_is_a_programming_error() -> None:
    future: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    async def handler() -> None:
        await future

    with pytest.raises(TypeError, match=r"await fetch\("):
        await answered(handler())


async def test_context_variables_hold_for_the_whole_of_a_handler_and_for_it_alone() -> None:
    place: contextvars.ContextVar[str] = contextvars.ContextVar("place", default="nowhere")

    async def seen() -> str:
        return place.get()

    async def handler() -> tuple[str, ...]:
        before = place.get()
        token = place.set("inside")
        fetched = await fetch(seen())
        after = place.get()
        place.reset(token)
        return before, fetched, after, await fetch(seen())

    place.set("outside")
    assert await answered(handler()) == ("outside", "inside", "inside", "outside")
    assert place.get() == "outside"


async def test_a_handler_that_is_cancelled_while_it_waits_ends_off_the_loop() -> None:
    begun, ended = asyncio.Event(), list[int]()

    async def wait() -> None:
        begun.set()
        await asyncio.Event().wait()

    async def handler() -> None:
        try:
            await fetch(wait())
        finally:
            ended.append(threading.get_ident())

    task = asyncio.create_task(answered(handler()))
    await begun.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert len(ended) == 1
    assert threading.get_ident() not in ended


async def test_a_handler_that_is_cancelled_while_it_reckons_fetches_nothing_more() -> None:
    loop = asyncio.get_running_loop()
    begun, go_on, closed, fetched = asyncio.Event(), threading.Event(), asyncio.Event(), list[str]()

    async def never() -> None:
        fetched.append("it was")

    async def handler() -> None:
        loop.call_soon_threadsafe(begun.set)
        assert go_on.wait(60)
        try:
            await fetch(never())
        finally:
            closed.set()

    task = asyncio.create_task(answered(handler()))
    await begun.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    go_on.set()
    await closed.wait()
    assert fetched == []
