"""A year of fifty channels in twenty zones: pauses, outages, changes of the corpus, lost answers; each date once."""

import random
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator
from datetime import UTC, date, datetime, time, timedelta
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from connected import connected
from fake_platform import FakePlatform, Fault

from bot.config import default_corpus
from bot.corpus import load_corpus
from bot.digest.deliver import Deliverer
from bot.library import Library
from bot.message import ChannelRef
from bot.papers import Corpus
from bot.schedule.values import DAILY, MAIN, Schedule, Subscription, posting_key, run_on
from bot.store.database import Database
from bot.store.ledger import Ledger
from bot.store.picks import PickHistory
from bot.store.storage import Storage
from bot.store.subscriptions import Subscriptions

ZONES = (
    "Europe/Berlin", "Europe/London", "America/New_York", "America/Los_Angeles", "America/Santiago", "America/Nuuk",
    "America/Sao_Paulo", "America/St_Johns", "Africa/Cairo", "Africa/Casablanca", "Asia/Beirut", "Asia/Kolkata",
    "Asia/Kathmandu", "Asia/Tokyo", "Asia/Tehran", "Australia/Lord_Howe", "Australia/Adelaide", "Pacific/Auckland",
    "Pacific/Chatham", "Pacific/Apia",
)  # fmt: skip
TIMES = (time(0, 15), time(2, 30), time(9), time(23, 30))
DAYS = (frozenset({2}), frozenset({6}), frozenset({0}), frozenset({4}), frozenset({3}), frozenset({5}), frozenset({1}))
BEGIN = datetime(2026, 1, 1, 12, tzinfo=UTC)
END = BEGIN + timedelta(days=365)
STEP = timedelta(hours=4)
FAULTS: tuple[Fault, ...] = ("dropped before", "dropped after", "accepted late", "refused", "rate limited")


def outages() -> list[tuple[datetime, datetime]]:
    """When the bot does not run: short ones, which are caught up on, and two long ones."""
    dice = random.Random(5)
    short = [BEGIN + timedelta(days=dice.randint(2, 360), hours=dice.randint(0, 23)) for _ in range(20)]
    spans = [(start, start + timedelta(hours=3)) for start in short]
    return [*spans, *((BEGIN + timedelta(days=day), BEGIN + timedelta(days=day + 2)) for day in (100, 290))]


def moments(down: list[tuple[datetime, datetime]]) -> Iterator[datetime]:
    """When it runs, every fourth hour."""
    at = BEGIN
    while at <= END:
        if not any(start <= at < end for start, end in down):
            yield at
        at += STEP


def expected(entry: Subscription, ran: list[datetime]) -> tuple[set[date], set[date]]:
    """The dates that are owed, and those whose window passed while nothing ran; by hand, not by the ledger."""
    owed: set[date] = set()
    passed: set[date] = set()
    for number in range(-2, 368):
        day = BEGIN.date() + timedelta(days=number)
        schedule = entry.schedule
        if day.weekday() not in schedule.weekdays or day in schedule.skips:
            continue
        if schedule.paused_until is not None and BEGIN.date() <= day < schedule.paused_until:
            continue
        at = run_on(day, schedule.at, schedule.zone).at
        if not BEGIN < at <= END - timedelta(hours=3):
            continue
        following = bisect_left(ran, at)
        running = following < len(ran) and ran[following] <= at + timedelta(hours=6)
        (owed if running else passed).add(day)
    return owed, passed


DOWN = outages()
TICKS = list(moments(DOWN))


def channels() -> list[Subscription]:
    """Fifty, each with its own time, days and pauses."""
    dice = random.Random(3)
    entries: list[Subscription] = []
    for number in range(50):
        skips = frozenset(BEGIN.date() + timedelta(days=dice.randint(1, 364)) for _ in range(number % 4))
        until = BEGIN.date() + timedelta(days=30) if number % 10 == 3 else None
        schedule = Schedule(
            TIMES[number % 4],
            ZONES[number % 20],
            BEGIN,
            DAILY if number % 20 == 0 else DAYS[number % 7],
            skips=skips,
            paused_until=until,
        )
        place = ChannelRef("slack", "T1", f"C{number}")
        entries.append(Subscription(0, place, schedule, "U1", style="brief"))
    return entries


async def quick_database(folder: Path) -> Database:
    """A store that does not wait for the disk: nothing here loses power."""
    database = await Database.open(f"sqlite:///{folder / 'year.sqlite3'}")
    await database.engine.dispose()
    sa.event.listen(database.engine.sync_engine, "connect", _hurry)
    return database


def _hurry(connection: Any, _: object) -> None:
    cursor = connection.cursor()
    cursor.execute("PRAGMA synchronous=OFF")
    cursor.close()


async def test_a_year_of_fifty_channels_misses_and_doubles_nothing(tmp_path: Path) -> None:
    whole = load_corpus(default_corpus())
    half = Library.of(Corpus(whole.papers[: len(whole.papers) // 2]))
    libraries = (half, Library.of(whole))
    now = BEGIN
    database = await quick_database(tmp_path)
    platform = FakePlatform(lambda: now, random.Random(1))
    keep = Subscriptions(database, lambda: now)
    dice = random.Random(2)

    def library() -> Library:
        return libraries[(now - BEGIN).days // 40 % 2]

    def start(life: int) -> tuple[Ledger, Deliverer]:
        storage = Storage.of(database, f"life {life}", lambda: now)
        return storage.ledger, Deliverer(storage, connected(poster=platform), library, pace=0, between=0)

    entries = [await keep.put(entry) for entry in channels()]
    _, deliverer = start(0)
    ran: list[datetime] = []
    for number, tick in enumerate(TICKS):
        now = tick
        if number % 200 == 0:
            _, deliverer = start(number)
        platform.fault = dice.choice(FAULTS) if dice.random() < 0.25 else None
        worked = await deliverer.tick()
        ran.append(now)
        if worked and platform.fault is not None:  # it gets well, and what was lost is looked for
            platform.fault = None
            for _ in range(2):
                now += timedelta(minutes=10)
                await deliverer.tick()
                ran.append(now)
    found = Counter(message.key for message in platform.messages)
    missed, doubled, owed_in_all = 0, 0, 0
    for entry in entries:
        owed, passed = expected(entry, ran)
        owed_in_all += len(owed)
        for day in owed:
            missed += found[posting_key(entry.id, day, MAIN)] == 0
            doubled += found[posting_key(entry.id, day, MAIN)] > 1
        assert not [day for day in passed if found[posting_key(entry.id, day, MAIN)]], "no backlog after an outage"
        assert sum(found[posting_key(entry.id, day, MAIN)] for day in owed) == sum(
            message.channel == entry.channel for message in platform.messages
        ), "nothing is posted that is not owed"
    assert owed_in_all > 3_000
    assert (missed, doubled) == (0, 0)
    for entry in entries[:5]:
        await _no_paper_twice_in_a_round(database, entry)
    await database.close()


async def _no_paper_twice_in_a_round(database: Database, entry: Subscription) -> None:
    given = await PickHistory(database).all(f"channel:{entry.id}")
    rounds = Counter((one.cycle, one.paper) for one in given)
    assert len(given) > 40
    assert set(rounds.values()) == {1}
    assert max(one.cycle for one in given) >= len(given) // 38


def test_the_year_has_what_it_is_to_prove() -> None:
    entries = channels()
    assert len({entry.schedule.zone for entry in entries}) == 20
    assert any(expected(entry, TICKS)[1] for entry in entries), "an outage is longer than the window"
    moved = [
        run_on(BEGIN.date() + timedelta(days=number), entry.schedule.at, entry.schedule.zone)
        for entry in entries
        for number in range(365)
    ]
    assert any(run.moved for run in moved)
    assert any(run.repeated for run in moved)
