"""What answers only remember: known in this process at once, written to the store without anybody waiting for it.

Somebody who searches must not wait for a disk that is busy, nor go without an answer because the store is away. What
could not be written is forgotten sooner, and the log says so once for as long as it lasts.
"""

import asyncio
import logging
from collections import OrderedDict
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

from bot.errors import UserError
from bot.message import ChannelRef, User
from bot.store.inbound import ActionStore, key_of
from bot.store.last_list import LastList, LastLists, MemoryLists

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
