"""What answering people needs to remember: events answered, lists shown, buttons too long for a platform.

What answers only remember is known in this process at once and written in its own time: somebody who searches must not
wait for a disk that is busy, nor go without an answer because the store is away. What could not be written is forgotten
sooner, and the log says so once for as long as it lasts.
"""

import asyncio
import hashlib
import json
import logging
from collections import OrderedDict
from collections.abc import Callable, Coroutine, Hashable
from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from typing import Any, TypeVar

import sqlalchemy as sa

from bot.errors import UserError
from bot.message import Call, ChannelRef, Platform, User
from bot.schedule.clock import Clock, system_clock
from bot.store.database import Database, from_ms, to_ms
from bot.store.kept import mine
from bot.store.last_list import LIFETIME, LastList, LastLists, MemoryLists
from bot.store.tables import inbound_events, last_lists, presses

EVENTS_KEPT = timedelta(days=2)
"""Slack sends an event again within minutes, Discord's interactions live 15; two days is far beyond both."""


class InboundEvents:
    """Events of platforms, each answered once, also when it comes again, also by another replica."""

    def __init__(self, database: Database, clock: Clock = system_clock) -> None:
        self._database = database
        self._clock = clock

    async def claim(self, platform: Platform, workspace: str, key: str) -> bool:
        """True for whoever is first with this event, and must answer it; False for everyone after."""
        row = {"platform": platform, "workspace": workspace, "key": key[:200], "at_ms": to_ms(self._clock())}
        async with self._database.begin() as connection:
            result = await connection.execute(self._database.insert_if_new(inbound_events, row))
        return bool(result.rowcount)

    async def forget_old(self) -> int:
        """Drop what is too old to come again; gives how many."""
        limit = to_ms(self._clock() - EVENTS_KEPT)
        async with self._database.begin() as connection:
            result = await connection.execute(sa.delete(inbound_events).where(inbound_events.c.at_ms < limit))
        return int(result.rowcount)


class StoredLists:
    """Last lists in the database."""

    def __init__(self, database: Database, clock: Clock = system_clock) -> None:
        self._database = database
        self._clock = clock

    async def get(self, user: User, channel: ChannelRef) -> LastList | None:
        """The last list, also an expired one, or None."""
        async with self._database.read() as connection:
            row = (await connection.execute(sa.select(last_lists).where(_of(user, channel)))).mappings().first()
        return _from_row(row) if row else None

    async def put(self, user: User, channel: ChannelRef, shown: LastList) -> None:
        """Remember a list; pages of one list add up."""
        async with self._database.begin() as connection:
            row = (await connection.execute(sa.select(last_lists).where(_of(user, channel)))).mappings().first()
            if row:
                shown = _from_row(row).followed_by(shown)
            values = {
                "platform": channel.platform,
                "workspace": channel.workspace,
                "channel": channel.channel,
                "user": user.id,
                "list": shown.of,
                "numbers": json.dumps({str(number): paper for number, paper in shown.numbers.items()}),
                "paper": shown.paper,
                "call": json.dumps([shown.call.command, dict(shown.call.arguments)]) if shown.call else None,
                "at_ms": to_ms(shown.made_at),
            }
            await connection.execute(self._database.upsert(last_lists, values))

    async def forget(self, user: User, channel: ChannelRef) -> None:
        """Forget all lists of a person in a workspace."""
        async with self._database.begin() as connection:
            await connection.execute(sa.delete(last_lists).where(mine(last_lists, user, channel)))

    async def forget_old(self) -> int:
        """Drop lists that expired long enough ago for nobody to ask why; gives how many."""
        limit = to_ms(self._clock() - 7 * LIFETIME)
        async with self._database.begin() as connection:
            result = await connection.execute(sa.delete(last_lists).where(last_lists.c.at_ms < limit))
        return int(result.rowcount)


def _of(user: User, channel: ChannelRef) -> sa.ColumnElement[bool]:
    return sa.and_(
        last_lists.c.platform == channel.platform,
        last_lists.c.workspace == channel.workspace,
        last_lists.c.channel == channel.channel,
        last_lists.c.user == user.id,
    )


def _from_row(row: sa.RowMapping) -> LastList:
    numbers = {int(number): str(paper) for number, paper in json.loads(row["numbers"]).items()}
    call = Call(*json.loads(row["call"])) if row["call"] else None
    return LastList(row["list"], numbers, from_ms(row["at_ms"]), row["paper"], call)


BUTTONS_KEPT = timedelta(days=90)
"""As long as somebody may scroll back to a shared paper and press its buttons."""


def key_of(body: str) -> str:
    """The key of a button's body: 24 hexadecimal digits that follow from it."""
    return hashlib.sha256(body.encode()).hexdigest()[:24]


class ActionStore:
    """Bodies of buttons by key."""

    def __init__(self, database: Database, clock: Clock = system_clock) -> None:
        self._database = database
        self._clock = clock

    async def put(self, body: str) -> str:
        """Keep a body and give its key."""
        key = key_of(body)
        row = {"key": key, "body": body, "at_ms": to_ms(self._clock())}
        async with self._database.begin() as connection:
            await connection.execute(self._database.upsert(presses, row))
        return key

    async def get(self, key: str) -> str | None:
        """The body of a key, or None where it is unknown or forgotten."""
        query = sa.select(presses.c.body).where(presses.c.key == key)
        async with self._database.read() as connection:
            return (await connection.execute(query)).scalar_one_or_none()

    async def forget_old(self) -> int:
        """Drop bodies that no button was made of for BUTTONS_KEPT; gives how many."""
        limit = to_ms(self._clock() - BUTTONS_KEPT)
        async with self._database.begin() as connection:
            return int((await connection.execute(sa.delete(presses).where(presses.c.at_ms < limit))).rowcount)


logger = logging.getLogger(__name__)

LOOK_SECONDS = 5.0
"""How long an answer waits for what it must look up in the store."""

_AT_ONCE = 8
"""Writes under way at the same time: more would only wait for one another in the store."""

_MOST_WAITING = 10_000
"""Writes that wait for a store that takes none; the oldest is given up where there are more."""

RETRY_SECONDS = 5.0
"""How long a store that failed is left alone."""

_MOST_ACTIONS = 2_000
"""Bodies of buttons that this process remembers by itself."""

T = TypeVar("T")

Write = Callable[[], Coroutine[Any, Any, object]]


@dataclass(frozen=True, slots=True)
class _Waiting:
    """A write that waits for its turn. `failed_at`: how many had succeeded when it failed, where it was tried."""

    write: Write
    failed_at: int | None = None


class LaterWrites:
    """Writes that nobody waits for, each known by a key: of one key one is under way at a time, in the order asked.

    A write is made when its turn comes, and writes what holds then: asked for twice meanwhile, it is made once. One
    that fails is tried again for as long as all fail; one that fails while others do not is given up.
    """

    def __init__(self) -> None:
        self._waiting: OrderedDict[Hashable, _Waiting] = OrderedDict()
        self._under_way: dict[Hashable, asyncio.Task[Any]] = {}
        self._succeeded = 0
        self._failing = False
        self._finishing = False
        self._retry: asyncio.TimerHandle | None = None
        self._lost = 0

    def begin(self, key: Hashable, write: Write) -> None:
        """Write something in its own time. The first failure in a row is logged."""
        self._waiting[key] = _Waiting(write)
        if len(self._waiting) > _MOST_WAITING:
            self._waiting.popitem(last=False)
            self._failed("it takes none")
        self._next()

    def _next(self) -> None:
        if self._retry is not None:
            return
        for key in [key for key in self._waiting if key not in self._under_way][: _AT_ONCE - len(self._under_way)]:
            turn = self._waiting.pop(key)
            task = asyncio.create_task(turn.write())
            self._under_way[key] = task
            task.add_done_callback(partial(self._done, key, turn))

    def _done(self, key: Hashable, turn: _Waiting, task: "asyncio.Task[Any]") -> None:
        del self._under_way[key]
        if task.cancelled():
            return
        error = task.exception()
        if error is None:
            self._failing = False
            self._succeeded += 1
        else:
            self._failed(type(error).__name__)
            if self._finishing or (turn.failed_at is not None and turn.failed_at < self._succeeded):
                self._lost += 1
            else:
                self._waiting.setdefault(key, _Waiting(turn.write, self._succeeded))
                self._pause()
        self._next()

    def _pause(self) -> None:
        if self._retry is None:
            self._retry = asyncio.get_running_loop().call_later(RETRY_SECONDS, self._resume)

    def _resume(self) -> None:
        if self._retry is not None:
            self._retry.cancel()
        self._retry = None
        self._next()

    def _failed(self, why: str) -> None:
        if not self._failing:
            logger.warning(
                "store: what people were shown is not kept (%s): their numbers and buttons may not work", why
            )
        self._failing = True

    async def forget(self, matches: Callable[[Hashable], bool]) -> None:
        """Give up the writes of some keys that wait, and wait for those that are under way."""
        for key in [key for key in self._waiting if matches(key)]:
            del self._waiting[key]
        if under_way := {task for key, task in self._under_way.items() if matches(key)}:
            await asyncio.wait(under_way)
            for key in [key for key in self._waiting if matches(key)]:  # one that failed waits again
                del self._waiting[key]

    async def finish(self, seconds: float) -> int:
        """Write what waits, for so long; what fails now is not tried again. Gives how many were not written."""
        self._finishing, self._lost = True, 0
        loop = asyncio.get_running_loop()
        until = loop.time() + seconds
        self._resume()
        while self._under_way and (left := until - loop.time()) > 0:
            await asyncio.wait(set(self._under_way.values()), timeout=left, return_when=asyncio.FIRST_COMPLETED)
        lost = self._lost + len(self._under_way) + len(self._waiting)
        self._waiting.clear()
        for task in self._under_way.values():
            task.cancel()
        self._finishing = False
        return lost


async def looked_up(query: Coroutine[Any, Any, T]) -> T:
    """What the store says. Raises UserError where it fails, or says nothing in time; it is then left to itself."""
    task = asyncio.ensure_future(query)
    await asyncio.wait({task}, timeout=LOOK_SECONDS)
    if task.done() and task.exception() is None:
        return task.result()
    if task.done():
        logger.warning("store: what a person was shown could not be looked up (%s)", type(task.exception()).__name__)
    else:
        task.add_done_callback(lambda done: done.cancelled() or done.exception())
        logger.warning("store: what a person was shown could not be looked up (it does not answer)")
    raise UserError("I cannot look up what you were shown just now. Try again in a minute, or name the paper.")


class PromptLists:
    """Last lists that are known at once: in this process until they are written."""

    def __init__(self, stored: LastLists, writes: LaterWrites) -> None:
        self._stored = stored
        self._writes = writes
        self._own = MemoryLists()

    async def get(self, user: User, channel: ChannelRef) -> LastList | None:
        """The last list, also an expired one, or None. Raises UserError where only the store could know, and does not.

        Another replica may have shown a later one; and pages of one list, some written and some not yet, add up.
        """
        own = await self._own.get(user, channel)
        try:
            stored = await looked_up(self._stored.get(user, channel))
        except UserError:
            if own is None:
                raise
            return own
        if own is None or stored is None:
            return own or stored
        return stored.followed_by(own) if stored.made_at <= own.made_at else own.followed_by(stored)

    async def put(self, user: User, channel: ChannelRef, shown: LastList) -> None:
        """Remember a list."""
        await self._own.put(user, channel, shown)
        self._writes.begin(_ListKey(user.id, channel), lambda: self._write(user, channel))

    async def _write(self, user: User, channel: ChannelRef) -> None:
        shown = await self._own.get(user, channel)
        if shown is not None:
            await self._stored.put(user, channel, shown)
            self._own.drop(user, channel, shown)

    async def forget(self, user: User, channel: ChannelRef) -> None:
        """Forget all lists of a person in a workspace: no write that was asked for before brings one back."""
        await self._own.forget(user, channel)
        await self._writes.forget(
            lambda key: isinstance(key, _ListKey) and key.user == user.id and key.channel.same_workspace(channel)
        )
        await self._stored.forget(user, channel)


@dataclass(frozen=True, slots=True)
class _ListKey:
    user: str
    channel: ChannelRef


class PromptActions:
    """Bodies of buttons that are known at once (bot.adapters.actions.ActionKeeper): here until they are written."""

    def __init__(self, stored: ActionStore, writes: LaterWrites) -> None:
        self._stored = stored
        self._writes = writes
        self._own: OrderedDict[str, str] = OrderedDict()

    async def put(self, body: str) -> str:
        """Keep a body and give its key, which follows from it."""
        key = key_of(body)
        self._own[key] = body
        self._own.move_to_end(key)
        if len(self._own) > _MOST_ACTIONS:
            self._own.popitem(last=False)
        self._writes.begin(key, lambda: self._write(key, body))
        return key

    async def _write(self, key: str, body: str) -> None:
        await self._stored.put(body)
        self._own.pop(key, None)

    async def get(self, key: str) -> str | None:
        """The body of a key, or None. Raises UserError where only the store could know, and does not say."""
        return self._own.get(key) or await looked_up(self._stored.get(key))
