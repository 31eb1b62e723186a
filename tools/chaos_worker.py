"""One life of a bot under tools/chaos.py: real clients, a real store, ticks until it is killed."""

import asyncio
import logging
import mmap
import os
import random
import signal
import struct
import tempfile
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Any, TypeVar

import aiohttp
import discord
import sqlalchemy as sa

from bot.adapters.actions import ActionCodec
from bot.adapters.discord import message
from bot.adapters.discord.client import LONGEST_WAIT
from bot.adapters.discord.permissions import DiscordAccess
from bot.adapters.discord.posting import DiscordPoster
from bot.adapters.discord.section import DiscordSection
from bot.adapters.discord.surface import Buttons
from bot.adapters.services import watched
from bot.adapters.slack.api import ClientKind, Clients
from bot.adapters.slack.permissions import SlackAccess
from bot.adapters.slack.posting import SlackPoster
from bot.adapters.slack.section import SlackSection
from bot.connections import SEND_SECONDS, ChannelAccess, Connection, Connections, Look, Offer, Poster, never
from bot.digest import deliver
from bot.digest.deliver import PACE_SECONDS, STUCK_SECONDS, Deliverer, Ticker
from bot.errors import AmbiguousPostError
from bot.library import Library
from bot.message import ChannelRef, Reply
from bot.store import database as store
from bot.store.database import Database
from bot.store.inbound import ActionStore
from bot.store.ledger import Ledger
from bot.store.storage import Storage

TOKEN = "MTEyMjMzNDQ1NTY2Nzc4ODk5.double.secret-part"  # noqa: S105 - the double's
STEPS = (
    "plan", "claim", "rendered_all", "sending", "posted", "try_again", "look_later", "render", "send",
    "in flight", "find",
)  # fmt: skip
"""The ledger's writes, and the platform's calls between them; before or after each the process may be killed."""

Result = TypeVar("Result")


class Setting:
    """What the machine's clock is set to differ by; one for all lives of a run, shared as they are forked."""

    def __init__(self) -> None:
        self._memory = mmap.mmap(-1, 8)

    @property
    def seconds(self) -> float:
        """How far it is ahead."""
        return float(struct.unpack("d", self._memory[:8])[0])

    @seconds.setter
    def seconds(self, value: float) -> None:
        """Set it."""
        self._memory[:8] = struct.pack("d", value)


class Tally:
    """Counts what happens in any life of a run: one byte for each, in a file that all of them have."""

    def __init__(self) -> None:
        self._file = tempfile.TemporaryFile("ab", buffering=0)  # noqa: SIM115 - it lasts as long as the run

    def add(self) -> None:
        """One more."""
        self._file.write(b".")

    @property
    def count(self) -> int:
        """How many there are."""
        return os.fstat(self._file.fileno()).st_size


@dataclass(frozen=True, slots=True)
class Life:
    """What a worker is born with.

    `step` is where it sends itself `signal`, at the `nth` time, and at every so many more if it lives on; None leaves
    it to others.
    """

    url: str
    slack: str
    discord: str
    origin: float
    start: float
    scale: float
    seed: int
    name: str
    setting: Setting
    unanswered: Tally
    step: str | None = None
    nth: int = 1
    signal: int = signal.SIGKILL
    history: bool = True
    pause: float = 0.05
    """Seconds between ticks."""

    def passed(self) -> float:
        """Seconds of the world, which nobody sets."""
        return self.start + (time.time() - self.origin) * self.scale

    def clock(self) -> datetime:
        """The time as the bot sees it."""
        return datetime.fromtimestamp(self.passed() + self.setting.seconds, UTC)


class Reaper:
    """Kills or stops the process at its appointed step."""

    def __init__(self, life: Life) -> None:
        self._step, self._left, self._nth, self._signal = life.step, life.nth, life.nth, life.signal

    def at(self, step: str) -> None:
        """A step is about to be made, or was."""
        if step == self._step:
            self._left -= 1
            if not self._left:
                self._left = self._nth
                os.kill(os.getpid(), self._signal)


class MortalPoster:
    """A platform's poster that may be killed around, and in the middle of, its calls."""

    def __init__(self, poster: Poster, reaper: Reaper, dice: random.Random, unanswered: Tally) -> None:
        self._poster, self._reaper, self._dice, self._unanswered = poster, reaper, dice, unanswered

    async def render(self, reply: Reply, key: str, *, threaded: bool = False, about: ChannelRef | None = None) -> str:
        """See Poster."""
        return await self._around("render", lambda: self._poster.render(reply, key, threaded=threaded, about=about))

    async def send(
        self, channel: ChannelRef, key: str, payload: str, parent: str | None, too_late: Callable[[], bool] = never
    ) -> str:
        """See Poster."""
        loop = asyncio.get_running_loop()
        wait = self._dice.uniform(0, 0.02)
        dying = loop.call_later(wait, self._reaper.at, "before in flight")
        try:
            return await self._around("send", lambda: self._poster.send(channel, key, payload, parent, too_late))
        except AmbiguousPostError:
            self._unanswered.add()
            raise
        finally:
            dying.cancel()

    async def find(self, channel: ChannelRef, key: str, ago: timedelta, parent: str | None) -> str | Look:
        """See Poster."""
        return await self._around("find", lambda: self._poster.find(channel, key, ago, parent))

    async def direct(self, person: str, channel: ChannelRef) -> ChannelRef:
        """See Poster."""
        return await self._poster.direct(person, channel)

    async def relabel(self, channel: ChannelRef, payload: str, message: str, label_of: Callable[[str], str]) -> None:
        """See Poster."""
        await self._poster.relabel(channel, payload, message, label_of)

    async def _around(self, step: str, act: Callable[[], Awaitable[Result]]) -> Result:
        self._reaper.at(f"before {step}")
        result = await act()
        self._reaper.at(f"after {step}")
        return result


def mortal(ledger: Ledger, reaper: Reaper) -> None:
    """Put the reaper before and after each of the ledger's steps."""
    for step in STEPS:
        method = getattr(ledger, step, None)
        if method is not None:
            setattr(ledger, step, _reaped(step, method, reaper))


def _reaped(step: str, method: Callable[..., Awaitable[Any]], reaper: Reaper) -> Callable[..., Awaitable[Any]]:
    async def call(*args: object, **kwargs: object) -> Any:
        reaper.at(f"before {step}")
        result = await method(*args, **kwargs)
        reaper.at(f"after {step}")
        return result

    return call


def hurry(life: Life) -> None:
    """Let what the product waits for by the machine's own time pass as fast as the world, and wait no less than it can.

    On PostgreSQL the time comes from the server: it is told to run as fast.
    """
    discord.http.Route.BASE = life.discord
    message.PAUSES = (0.25 / life.scale, 1.0 / life.scale)
    store.CALL_SECONDS = max(1.5, store.CALL_SECONDS / life.scale)
    store.CONNECT_SECONDS = max(0.7, store.CONNECT_SECONDS / life.scale)
    store.BUSY_MS = max(700, int(store.BUSY_MS / life.scale))
    store._SERVER_NOW_MS = sa.text(  # noqa: SLF001 - the server's clock has no other setting
        "SELECT CAST(((EXTRACT(EPOCH FROM clock_timestamp()) - :origin) * :scale + :start) * 1000 AS BIGINT)"
    ).bindparams(origin=life.origin, scale=life.scale, start=life.start)
    deliver.GIVE_UP_SECONDS /= life.scale


def storage_of(life: Life, database: Database) -> Storage:
    """The repositories, by a clock that may be set and seconds that pass whatever it says."""
    ledger = Ledger(database, life.name, life.clock, steady=life.passed)
    ledger._time._asks = not database.is_sqlite  # noqa: SLF001 - with a clock of its own a ledger asks no server
    return replace(Storage.of(database, life.name, life.clock), ledger=ledger)


async def live(life: Life, library: Library) -> None:
    """Tick until killed."""
    hurry(life)
    reaper, dice = Reaper(life), random.Random(life.seed)  # noqa: S311 - chance in a test
    database = await Database.open(life.url, upgrade=False)
    storage = storage_of(life, database)
    mortal(storage.ledger, reaper)
    seconds = SEND_SECONDS / life.scale
    async with aiohttp.ClientSession(trace_configs=[watched()]) as session:

        async def token(_: str) -> str:
            return "xoxb-1-good"

        presses = ActionStore(database)
        kind = ClientKind(life.slack, session, logging.getLogger("chaos.slack"))
        clients, section = Clients(token, kind), SlackSection(history=life.history)
        slack = SlackPoster(clients, ActionCodec(presses, 500), section, seconds)
        bot = discord.Client(intents=discord.Intents.none(), max_messages=None, http_trace=watched())
        bot.http.max_ratelimit_timeout = LONGEST_WAIT / life.scale
        await bot.login(TOKEN)
        lent = Connections()
        posters: dict[str, Poster] = {"slack": slack, "discord": DiscordPoster(bot, Buttons(presses), seconds)}
        access: dict[str, ChannelAccess] = {
            "slack": SlackAccess(clients, section),
            "discord": DiscordAccess(bot, DiscordSection()),
        }
        for name, poster in posters.items():
            posts = MortalPoster(poster, reaper, dice, life.unanswered)
            lent.enter(Connection(name, Offer.DIGEST, lambda: True, posts, access[name]))
        deliverer = Deliverer(
            storage,
            lent,
            lambda: library,
            pace=PACE_SECONDS / life.scale,
            heartbeat=lambda: ticker.heartbeat(),  # noqa: PLW0108 - it is there once this is
        )
        ticker = Ticker(deliverer.tick, life.pause, STUCK_SECONDS / life.scale)
        await ticker.run(asyncio.Event())
