"""A bot that runs against the double: settings, a store of its own, the adapter's `serve` in a task."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from platforms.discord.server import Double
from platforms.discord.world import TOKEN
from waiting import GUARD_SECONDS

from bot.adapters.discord import ADAPTER
from bot.adapters.discord.section import DiscordSection
from bot.adapters.services import Services
from bot.commands.base import CommandSet
from bot.config import CoreSections, Settings, StoreSection
from bot.connections import Connections
from bot.library import Library
from bot.operate.serve import make_services
from bot.schedule.clock import Clock, system_clock
from bot.store.database import Database


def services_of(
    database: Database,
    library: Library,
    replica: str = "one",
    commands: CommandSet | None = None,
    clock: Clock = system_clock,
) -> Services:
    """What a running bot lends to its adapters, as it builds it; with other commands where a test brings some."""
    return make_services(database, lambda: library, Connections(), commands=commands, replica=replica, clock=clock)


def settings_of(section: DiscordSection | None = None, token: str = TOKEN, replicas: int = 1) -> Settings:
    core = CoreSections(store=StoreSection(replicas=replicas))
    return Settings(core, {"discord": section or DiscordSection()}, Path.cwd(), None, {"DISCORD_TOKEN": token})


@asynccontextmanager
async def store_at(url: str) -> AsyncIterator[Database]:
    """An open store, closed at the end whatever happens."""
    database = await Database.open(url)
    try:
        yield database
    finally:
        await database.close()


@asynccontextmanager
async def serving(double: Double, services: Services, settings: Settings | None = None) -> AsyncIterator[None]:
    """The adapter, connected; asked to stop at the end, and then done without an error."""
    task = asyncio.ensure_future(ADAPTER.serve(settings or settings_of(), services))
    connecting = asyncio.create_task(double.connected())
    try:
        await asyncio.wait({task, connecting}, return_when=asyncio.FIRST_COMPLETED)
        if task.done():
            await task
        await connecting
        yield
    finally:
        connecting.cancel()
        services.stopping.set()
        try:
            await asyncio.gather(task)
        finally:
            await services.writes.finish(GUARD_SECONDS)
