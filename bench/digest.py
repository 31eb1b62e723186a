"""The digest's own time: a thousand channels due in one minute, and a tick with nothing to do.

Claims and renders as a running bot does, on a SQLite file, with the platforms' own renderers; nothing is sent, since
how fast a post goes is up to the platform. Prints figures and targets.
"""

import asyncio
import logging
import os
import sys
import tempfile
import time as timer
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, time, timedelta
from pathlib import Path

sys.path[:] = [entry for entry in sys.path if Path(entry or ".").resolve() != Path(__file__).resolve().parent]
# without this folder, where another benchmark has the name of the library

import aiohttp  # noqa: E402
import discord  # noqa: E402

from bot.adapters.actions import ActionCodec  # noqa: E402
from bot.adapters.discord.posting import DiscordPoster  # noqa: E402
from bot.adapters.discord.surface import Buttons  # noqa: E402
from bot.adapters.slack.api import ClientKind, Clients  # noqa: E402
from bot.adapters.slack.permissions import SlackAccess  # noqa: E402
from bot.adapters.slack.posting import SlackPoster  # noqa: E402
from bot.adapters.slack.section import SlackSection  # noqa: E402
from bot.config import default_corpus  # noqa: E402
from bot.connections import Connection, Connections, Look, Offer, Poster, never  # noqa: E402
from bot.corpus import load_corpus  # noqa: E402
from bot.digest.deliver import Deliverer  # noqa: E402
from bot.library import Library  # noqa: E402
from bot.message import ChannelRef, Reply  # noqa: E402
from bot.schedule.values import (  # noqa: E402
    DAILY,
    Schedule,
    Subscription,
)
from bot.store.database import Database  # noqa: E402
from bot.store.inbound import ActionStore  # noqa: E402
from bot.store.storage import Storage  # noqa: E402

DUE, IDLE = 1_000, 10_000
SHARED = Path(os.environ.get("PAPERBOY_SHARED", Path(__file__).resolve().parents[2] / "shared"))
CORPUS = SHARED / "data" / "icml2026.jsonl.gz"
NOW = datetime(2026, 7, 1, 6, 59, tzinfo=UTC)


class Counting:
    """Renders with a real poster, sends nowhere, and notes when the last was rendered."""

    def __init__(self, poster: Poster) -> None:
        self._poster = poster
        self.rendered = 0
        self.last = 0.0

    async def render(self, reply: Reply, key: str, *, threaded: bool = False, about: ChannelRef | None = None) -> str:
        """See Poster."""
        payload = await self._poster.render(reply, key, threaded=threaded, about=about)
        self.rendered += 1
        self.last = timer.perf_counter()
        return payload

    async def send(
        self,
        channel: ChannelRef,  # noqa: ARG002
        key: str,
        payload: str,  # noqa: ARG002
        parent: str | None,  # noqa: ARG002
        too_late: Callable[[], bool] = never,  # noqa: ARG002
    ) -> str:
        """See Poster."""
        return key

    async def find(self, channel: ChannelRef, key: str, ago: timedelta, parent: str | None) -> str | Look:  # noqa: ARG002
        """See Poster."""
        return Look.ABSENT

    async def relabel(self, channel: ChannelRef, payload: str, message: str, label_of: Callable[[str], str]) -> None:
        """See Poster."""

    async def direct(self, person: str, channel: ChannelRef) -> ChannelRef:  # noqa: ARG002
        """See Poster."""
        return channel


async def _no_token(_: str) -> str | None:
    return None


async def measure(folder: Path) -> tuple[float, float, float, list[float]]:
    """Seconds until all were claimed and rendered, until all was written down, of the processor, of each idle tick."""
    now = NOW
    database = await Database.open(f"sqlite:///{folder / 'bench.sqlite3'}")
    storage = Storage.of(database, "bench", lambda: now)
    schedule = Schedule(time(9), "Europe/Berlin", now, DAILY)
    for number in range(DUE):
        place = ChannelRef("slack" if number % 2 else "discord", "1", str(1000 + number))
        await storage.subscriptions.put(Subscription(0, place, schedule, "1"))
    presses = ActionStore(database)
    session = aiohttp.ClientSession()
    clients = Clients(_no_token, ClientKind("http://127.0.0.1/", session, logging.getLogger("bench.slack")))
    slack = SlackPoster(clients, ActionCodec(presses, 500), SlackSection())
    client = discord.Client(intents=discord.Intents.none())
    posters = {"slack": Counting(slack), "discord": Counting(DiscordPoster(client, Buttons(presses)))}
    library = Library.of(load_corpus(CORPUS if CORPUS.exists() else default_corpus()))
    lent = Connections()
    for name, poster in posters.items():
        access = SlackAccess(clients, SlackSection())
        lent.enter(Connection(name, Offer.DIGEST, lambda: True, poster, access))
    deliverer = Deliverer(storage, lent, lambda: library, between=0)
    now = NOW + timedelta(minutes=1)
    start, worked = timer.perf_counter(), timer.process_time()
    await deliverer.tick()
    done, worked = timer.perf_counter() - start, timer.process_time() - worked
    assert sum(one.rendered for one in posters.values()) == DUE
    rendered = max(one.last for one in posters.values()) - start
    later = replace(schedule, at=time(22))
    async with database.begin() as connection:
        from bot.store.subscriptions import _to_row  # noqa: PLC0415 - ten thousand rows in one write
        from bot.store.tables import subscriptions  # noqa: PLC0415

        rows = [
            _to_row(Subscription(0, ChannelRef("slack", "2", str(number)), later, "1"), now) for number in range(IDLE)
        ]
        await connection.execute(subscriptions.insert(), rows)
    ticks: list[float] = []
    for _ in range(20):
        begin = timer.perf_counter()
        await deliverer.tick()
        ticks.append(timer.perf_counter() - begin)
    await session.close()
    await database.close()
    return rendered, done, worked, sorted(ticks)


def main() -> int:
    """Print the table; 1 where a target is missed."""
    with tempfile.TemporaryDirectory() as folder:
        rendered, done, worked, ticks = asyncio.run(measure(Path(folder)))
    middle, slowest = ticks[len(ticks) // 2], ticks[-1]
    print(f"{DUE} channels due in one minute: all claimed and rendered in {rendered:.2f} s (target 5 s)")
    print(f"  with every step written down and posts answered at once: {done:.2f} s, {worked:.2f} s of processor time")
    print(
        f"tick with {IDLE + DUE} schedules and nothing due: {middle * 1000:.1f} ms, slowest of {len(ticks)} "
        f"{slowest * 1000:.1f} ms (target 50 ms)"
    )
    return int(rendered >= 5 or middle >= 0.05)


if __name__ == "__main__":
    sys.exit(main())
