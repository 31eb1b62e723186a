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
from collections.abc import Callable, Coroutine
from datetime import timedelta
from typing import Any, TypeVar

import sqlalchemy as sa

from bot.errors import UserError
from bot.message import ChannelRef, Platform, User
from bot.schedule.clock import Clock, system_clock
from bot.store.database import Database, from_ms, to_ms
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
                "at_ms": to_ms(shown.made_at),
            }
            await connection.execute(self._database.upsert(last_lists, values))

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
    return LastList(row["list"], numbers, from_ms(row["at_ms"]))


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

_MOST_WRITES = 1_000
"""Writes under way at the same time; of a store that takes none, more would only fill the memory."""

_MOST_ACTIONS = 2_000
"""Bodies of buttons that this process remembers by itself."""

T = TypeVar("T")


class LaterWrites:
    """Writes that nobody waits for."""

    def __init__(self) -> None:
        self._under_way: set[asyncio.Task[Any]] = set()
        self._failing = False

    def begin(self, write: Coroutine[Any, Any, object], written: Callable[[], object]) -> None:
        """Write something in its own time, and call `written` once that is done.

        A failure is logged, where the one before it did not fail too.
        """
        if len(self._under_way) >= _MOST_WRITES:
            write.close()
            self._failed("it takes none")
            return
        task = asyncio.create_task(write)
        self._under_way.add(task)
        task.add_done_callback(lambda done: self._done(done, written))

    def _done(self, task: asyncio.Task[Any], written: Callable[[], object]) -> None:
        self._under_way.discard(task)
        if task.cancelled():
            return
        if (error := task.exception()) is not None:
            self._failed(type(error).__name__)
        else:
            self._failing = False
            written()

    def _failed(self, why: str) -> None:
        if not self._failing:
            logger.warning(
                "store: what people were shown is not kept (%s): their numbers and buttons may not work", why
            )
        self._failing = True

    async def finish(self, seconds: float) -> int:
        """Wait so long for what is under way, end the rest, and give how many that were."""
        if not self._under_way:
            return 0
        _, late = await asyncio.wait(set(self._under_way), timeout=seconds)
        for task in late:
            task.cancel()
        return len(late)


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

        Another replica may have shown a later one.
        """
        own = await self._own.get(user, channel)
        try:
            stored = await looked_up(self._stored.get(user, channel))
        except UserError:
            if own is None:
                raise
            return own
        return own if own and (stored is None or stored.made_at <= own.made_at) else stored

    async def put(self, user: User, channel: ChannelRef, shown: LastList) -> None:
        """Remember a list."""
        await self._own.put(user, channel, shown)
        self._writes.begin(self._stored.put(user, channel, shown), lambda: self._own.drop(user, channel, shown))


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
        self._writes.begin(self._stored.put(body), lambda: self._own.pop(key, None))
        return key

    async def get(self, key: str) -> str | None:
        """The body of a key, or None. Raises UserError where only the store could know, and does not say."""
        return self._own.get(key) or await looked_up(self._stored.get(key))
