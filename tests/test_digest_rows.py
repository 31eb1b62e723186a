"""One bad row costs its own digest, and one slow channel its own."""

import asyncio
import logging
from collections.abc import AsyncIterator
from dataclasses import dataclass, field, replace
from datetime import time, timedelta
from pathlib import Path

import pytest
import sqlalchemy as sa
from connected import Access, connected
from databases import database_url
from digest_world import LIBRARY, PLACE, START, World

from bot.digest.deliver import Deliverer
from bot.message import ChannelRef, User
from bot.store.database import Database
from bot.store.picks import posted_today
from bot.store.subscriptions import UNREADABLE
from bot.store.tables import postings, subscriptions

OTHER = replace(PLACE, channel="C2")


@pytest.fixture(params=["sqlite", "postgresql"])
async def world(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[World]:
    async with database_url(request.param, tmp_path) as url:
        database = await Database.open(url)
        yield World(database)
        await database.close()


BAD = {
    "zone": "Mars/Olympus",
    "skips": "[",
    "at": "9 o'c",
    "weekdays": "mon",
    "paused_until": "soon",
}


@pytest.mark.parametrize("column", BAD)
async def test_a_bad_row_is_held_with_words_and_stops_no_other(
    world: World, column: str, caplog: pytest.LogCaptureFixture
) -> None:
    entry = await world.subscribe()
    await world.subscribe(OTHER)
    async with world.database.begin() as connection:
        change = sa.update(subscriptions).where(subscriptions.c.id == entry.id)
        await connection.execute(change.values({column: BAD[column]}))
    world.now = START + timedelta(hours=1)
    with caplog.at_level(logging.WARNING):
        await world.tick()
        await world.tick()
    assert sum(world.posts(OTHER).values()) == 1
    assert not world.posts()
    told = [record for record in caplog.records if record.levelno >= logging.WARNING]
    assert len(told) == 1
    assert "C1" in told[0].getMessage()
    assert "digest on" in told[0].getMessage()
    async with world.database.read() as connection:
        query = sa.select(subscriptions.c.held_for).where(subscriptions.c.id == entry.id)
        assert (await connection.execute(query)).scalar_one() == UNREADABLE
    assert len(await world.subscriptions.active()) == 1
    assert await posted_today(world.database, "slack", "T1", world.clock)
    await world.subscribe()
    assert (await world.subscriptions.of(PLACE)) is not None, "set up anew it goes on"


@pytest.mark.parametrize(("column", "value"), [("papers", "["), ("day", "today"), ("part", -7)])
async def test_a_bad_posting_ends_and_stops_no_other(world: World, column: str, value: object) -> None:
    entry = await world.subscribe()
    await world.subscribe(OTHER)
    world.now = START + timedelta(hours=1)
    await world.ledger.plan()
    async with world.database.begin() as connection:
        change = sa.update(postings).where(postings.c.subscription == entry.id)
        await connection.execute(change.values({column: value}))
    await world.tick()
    assert sum(world.posts(OTHER).values()) == 1
    async with world.database.read() as connection:
        query = sa.select(postings.c.state).where(postings.c.subscription == entry.id)
        assert (await connection.execute(query)).scalar_one() in {"failed", "planned"}
    assert await world.ledger.history(entry.id) == []


@dataclass
class Slow(Access):
    """A platform that takes its time to say whether the bot may post."""

    go: asyncio.Event = field(default_factory=asyncio.Event)
    asked: int = 0

    async def may_post(self, channel: ChannelRef) -> str | None:
        self.asked += 1
        await self.go.wait()
        return None

    async def may_manage(self, user: User, channel: ChannelRef) -> str | None:
        return None


async def test_held_channels_that_answer_slowly_delay_no_delivery(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bot.digest.deliver.PROBES_WAITED", 0.1)
    held = [await world.subscribe(replace(PLACE, channel=f"H{number}")) for number in range(30)]
    for entry in held:
        await world.subscriptions.hold(entry.id, "archived")
    await world.subscribe()
    slow = Slow()
    lent = connected(poster=world.platform, access=slow)
    deliverer = Deliverer(world.storage, lent, lambda: LIBRARY, pace=0, between=0)
    world.now = START + timedelta(hours=1, minutes=1)
    await deliverer.tick()
    assert sum(world.posts().values()) == 1
    assert slow.asked == 10, "some at a time, and none has answered"
    slow.go.set()
    assert deliverer._probing is not None
    await deliverer._probing
    assert {entry.held_for for entry in await world.subscriptions.active()} == {None}


async def test_a_plan_that_fails_is_none_that_was_made(world: World) -> None:
    await world.tick()
    first = world.deliverer.planned
    assert first is not None
    async with world.database.begin() as connection:
        await connection.execute(sa.text("ALTER TABLE subscriptions RENAME TO elsewhere"))
    await world.tick()
    assert world.deliverer.planned == first
    async with world.database.begin() as connection:
        await connection.execute(sa.text("ALTER TABLE elsewhere RENAME TO subscriptions"))
    await world.tick()
    assert world.deliverer.planned > first


async def test_what_becomes_due_while_others_are_delivered_is_planned_meanwhile(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    await world.subscribe()
    other = await world.subscribe(OTHER)
    await world.subscriptions.change(
        other.id,
        lambda entry: replace(entry, schedule=replace(entry.schedule, at=time(9, 5))),
    )
    world.now = START + timedelta(hours=1)
    monkeypatch.setattr("bot.digest.deliver.TICK_SECONDS", -1.0)

    async def takes_minutes() -> None:
        world.now = START + timedelta(hours=1, minutes=6)

    world.platform.accepted = takes_minutes
    await world.tick()
    assert sum(world.posts(OTHER).values()) == 1
