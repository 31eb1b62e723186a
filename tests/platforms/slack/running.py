"""The adapter, running on a store of its own against the double."""

import asyncio
import socket
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from platforms.slack.people import SIGNING_SECRET, OverHttp, OverSocket, Person
from platforms.slack.server import SlackServer
from waiting import GUARD_SECONDS

from bot.adapters.services import Services
from bot.adapters.slack import ADAPTER
from bot.adapters.slack.section import HttpSection, SlackSection
from bot.commands.base import CommandSet
from bot.config import CoreSections, Settings, default_corpus
from bot.connections import Connections
from bot.corpus import load_corpus
from bot.library import Library
from bot.operate.serve import make_services
from bot.schedule.clock import Clock
from bot.store.database import Database

TOKENS = {
    "SLACK_BOT_TOKEN": "xoxb-1-good",
    "SLACK_APP_TOKEN": "xapp-1-good",
    "SLACK_SIGNING_SECRET": SIGNING_SECRET,
}


@cache
def seeds() -> Library:
    """The corpus that ships with the bot."""
    return Library.of(load_corpus(default_corpus()))


def services_on(
    database: Database, clock: Clock, library: Callable[[], Library] = seeds, commands: CommandSet | None = None
) -> Services:
    """What a running bot lends to its adapters, as it builds it; with other commands where a test brings some."""
    return make_services(database, library, Connections(), commands=commands, clock=clock)


@dataclass
class Running:
    """A bot under test."""

    server: SlackServer
    settings: Settings
    services: Services
    task: asyncio.Task[None]

    def person(self, user: str = "U1", channel: str = "C1", team: str = "T1") -> Person:
        section = self.settings.sections["slack"]
        assert isinstance(section, SlackSection)
        return person_of(self.server, section, user, channel, team)

    async def stop(self) -> None:
        """Ask it to end, and wait until it has."""
        self.services.stopping.set()
        await asyncio.wait_for(self.task, GUARD_SECONDS)


def person_of(
    server: SlackServer, section: SlackSection, user: str = "U1", channel: str = "C1", team: str = "T1"
) -> Person:
    """Somebody who reaches a bot with this section."""
    line = (
        OverSocket(server) if section.mode == "socket" else OverHttp(server, [f"http://127.0.0.1:{section.http.port}"])
    )
    return Person(server, line, user, channel, team)


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def settings_for(
    server: SlackServer,
    folder: Path,
    section: SlackSection | None = None,
    environment: dict[str, str] | None = None,
) -> Settings:
    own = section or SlackSection()
    if own.http == HttpSection():
        own = replace(own, http=HttpSection(port=free_port()))
    env = TOKENS if environment is None else environment
    return Settings(CoreSections(), {"slack": replace(own, api=server.api_url)}, folder, None, env)


@asynccontextmanager
async def running_bot(
    server: SlackServer,
    folder: Path,
    section: SlackSection | None = None,
    *,
    environment: dict[str, str] | None = None,
    library: Callable[[], Library] = seeds,
    commands: CommandSet | None = None,
    url: str = "",
    ready: bool = True,
) -> AsyncIterator[Running]:
    """The adapter connected to the double; `url` names a store that several share."""
    database = await Database.open(url or f"sqlite:///{folder / 'store.sqlite3'}")
    settings = settings_for(server, folder, section, environment)
    services = services_on(database, server.world.clock, library, commands)
    before = server.connections
    task = asyncio.ensure_future(ADAPTER.serve(settings, services))
    bot = Running(server, settings, services, task)
    try:
        if ready:
            await _until_ready(bot, before)
        yield bot
    finally:
        services.stopping.set()
        await asyncio.wait({task}, timeout=GUARD_SECONDS)
        if not task.done():
            task.cancel()
        await services.writes.finish(GUARD_SECONDS)
        await database.close()
    if not task.cancelled() and (error := task.exception()) is not None:
        raise error


async def _until_ready(bot: Running, before: int) -> None:
    section = bot.settings.sections["slack"]
    assert isinstance(section, SlackSection)
    if section.mode == "socket":
        connected = asyncio.create_task(bot.server.world.until(lambda: bot.server.connections > before))
        await asyncio.wait({bot.task, connected}, return_when=asyncio.FIRST_COMPLETED)
        connected.cancel()
        return
    while not bot.task.done():
        try:
            _, writer = await asyncio.open_connection("127.0.0.1", section.http.port)
        except OSError:
            await asyncio.sleep(0.02)
            continue
        writer.close()
        return
