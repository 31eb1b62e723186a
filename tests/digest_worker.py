"""A worker that delivers what a running bot was told to by command, by the bot's clock, which tests push on."""

from collections.abc import Callable
from datetime import timedelta

from clocks import WorldClock

from bot.adapters.services import Services
from bot.digest.deliver import Deliverer
from bot.library import Library
from bot.message import ChannelRef
from bot.schedule.values import Posting
from bot.store.storage import Storage


class Worker:
    """Ticks on the store of a running bot. `push` lets so many seconds pass for the bot and its platforms' doubles."""

    def __init__(self, services: Services, library: Library, push: Callable[[float], object]) -> None:
        clock = services.storage.clock
        assert isinstance(clock, WorldClock), "a bot whose time passes needs the clock of its world"
        self.clock = clock
        self.services = services
        self.storage = Storage.of(services.storage.database, "worker", self.clock)
        self._push = push
        self.deliverer = Deliverer(self.storage, services.connections, lambda: library, pace=0, between=0)

    async def tick(self) -> None:
        await self.deliverer.tick()

    async def deliver(self, posting: Posting) -> None:
        """Work on one that was claimed."""
        await self.deliverer._guarded(posting, await self.storage.subscriptions.get(posting.subscription))

    async def after(self, **span: float) -> None:
        """Let time pass, then tick."""
        self._push(timedelta(**span).total_seconds())
        await self.deliverer.tick()

    async def rows(self, channel: ChannelRef) -> list[Posting]:
        """The channel's postings, newest first."""
        entry = await self.storage.subscriptions.of(channel)
        assert entry is not None
        return await self.storage.ledger.history(entry.id, 100)
