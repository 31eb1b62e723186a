"""A bot that delivers digests, on a platform in memory, with a clock that tests push on and set."""

import random
from collections import Counter
from dataclasses import replace
from datetime import UTC, date, datetime, time, timedelta
from typing import TypedDict, Unpack

from connected import connected
from fake_platform import FakePlatform, Killed, MortalLedger

from bot.config import default_corpus
from bot.corpus import load_corpus
from bot.digest.deliver import Deliverer
from bot.library import Library
from bot.message import ChannelRef
from bot.schedule.values import DAILY, Schedule, Subscription
from bot.store.database import Database
from bot.store.storage import Storage

START = datetime(2026, 7, 1, 6, tzinfo=UTC)  # 8:00 in Berlin, a Wednesday
DAY = date(2026, 7, 1)
PLACE = ChannelRef("slack", "T1", "C1")
LIBRARY = Library.of(load_corpus(default_corpus()))


class Changes(TypedDict, total=False):
    """What a digest has that is not usual."""

    digest: str
    topic: str
    count: int
    thread: bool


class World:
    """One bot that can die and start again, one platform, one clock."""

    def __init__(self, database: Database, seed: int = 1) -> None:
        self.database = database
        self.now = START
        self.skew = timedelta()
        """What somebody set the machine's clock to differ by; time passes all the same."""
        self.platform = FakePlatform(lambda: self.now, random.Random(seed))
        self.lives = 0
        self.start()

    def start(self) -> None:
        self.lives += 1
        self.ledger = MortalLedger(self.database, f"life {self.lives}", self.clock, steady=self.passed)
        storage = replace(Storage.of(self.database, "test", self.clock), ledger=self.ledger)
        self.storage = storage
        self.subscriptions = storage.subscriptions
        self.moves = 0
        lent = connected(poster=self.platform)
        self.deliverer = Deliverer(storage, lent, lambda: LIBRARY, pace=0, between=0, heartbeat=self.moved)

    def clock(self) -> datetime:
        return self.now + self.skew

    def passed(self) -> float:
        return self.now.timestamp()

    def moved(self) -> None:
        self.moves += 1

    async def subscribe(self, channel: ChannelRef = PLACE, **changes: Unpack[Changes]) -> Subscription:
        schedule = Schedule(time(9), "Europe/Berlin", self.now, DAILY)
        entry = Subscription(0, channel, schedule, "U1")
        return await self.subscriptions.put(replace(entry, **changes))

    async def tick(self, kill: str | None = None) -> bool:
        """One tick; a kill ends this life and begins the next. True where it was killed."""
        self.ledger.kill = kill
        try:
            await self.deliverer.tick()
        except Killed:
            self.start()
            return True
        self.ledger.kill = None
        return False

    async def pass_time(self, span: timedelta, step: timedelta = timedelta(seconds=20)) -> None:
        end = self.now + span
        while self.now < end:
            self.now += step
            await self.tick()

    def posts(self, channel: ChannelRef = PLACE) -> Counter[str]:
        return Counter(message.key for message in self.platform.messages if message.channel == channel)
