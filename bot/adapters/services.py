"""What a running bot lends to its adapters: built once, shared by all of them."""

import asyncio
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from aiohttp import TraceConfig

from bot.commands.dispatch import Dispatcher
from bot.connections import SEND_SECONDS, Connections, body_leaves, headers_leave
from bot.store.inbound import ActionStore, InboundEvents, LaterWrites
from bot.store.installations import Installations, OAuthStates
from bot.store.leases import CommandHashes, Leases
from bot.store.storage import Storage

CANCEL_SECONDS = 0.5
"""After so long a task that was cancelled, and goes on, is cancelled again."""


async def end(tasks: Iterable["asyncio.Task[Any]"]) -> None:
    """Cancel tasks until all of them are done, however they end.

    Once is not enough: on Python 3.11 `asyncio.wait_for` loses a cancel that comes at the moment at which what it waits
    for fails, and a library that then tries again goes on for ever.
    """
    left = {task for task in tasks if not task.done()}
    while left:
        for task in left:
            task.cancel()
        _, left = await asyncio.wait(left, timeout=CANCEL_SECONDS)


def _set() -> asyncio.Event:
    event = asyncio.Event()
    event.set()
    return event


@dataclass(frozen=True, slots=True)
class Services:
    """The dispatcher and the store's repositories. `stopping` is set when the process is asked to end.

    `idle` is set while nothing is posted of the bot's own accord: an adapter that stops closes its sessions after that,
    so that no post is cut.
    """

    dispatcher: Dispatcher
    inbound: InboundEvents
    hashes: CommandHashes
    installations: Installations
    states: OAuthStates
    leases: Leases
    actions: ActionStore
    writes: LaterWrites
    """What answers leave to be written."""
    replica: str
    """A name of this process, for leases."""
    storage: Storage
    connections: Connections
    """Each adapter enters its own when it has connected, and takes it out when it ends."""
    stopping: asyncio.Event = field(default_factory=asyncio.Event)
    idle: asyncio.Event = field(default_factory=_set)

    async def until_idle(self) -> bool:
        """Wait for posts that were begun, as long as a send may take; False where some are still under way."""
        try:
            await asyncio.wait_for(self.idle.wait(), SEND_SECONDS)
        except TimeoutError:
            return False
        return True


def watched() -> TraceConfig:
    """What a session needs so that posts leave in time or not at all: aiohttp calls it right before it writes."""
    config = TraceConfig()
    config.on_request_headers_sent.append(headers_leave)
    config.on_request_chunk_sent.append(body_leaves)
    return config
