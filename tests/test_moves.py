"""A channel that gets another id: what is kept of it goes along, and what the new id has already stays."""

from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import pytest
from databases import database_url
from digest_world import PLACE, World

from bot.message import User
from bot.schedule.values import Announcement, Vote
from bot.store.database import Database
from bot.store.rows import NO_SUBSCRIPTION

NEW = replace(PLACE, channel="C9")
ELSEWHERE = replace(PLACE, workspace="T2")


@pytest.fixture(params=["sqlite", "postgresql"])
async def world(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[World]:
    async with database_url(request.param, tmp_path) as url:
        database = await Database.open(url)
        yield World(database)
        await database.close()


async def test_everything_of_a_channel_goes_along_and_nothing_of_another(world: World) -> None:
    storage = world.storage
    own, shared = await world.subscribe(), await world.subscribe(digest="team")
    other = await world.subscribe(ELSEWHERE)
    await storage.watches.put(User("U1"), PLACE, "kv cache", public=True)
    await storage.votes.put(User("U1"), PLACE, "p1", 1)
    await storage.ledger.announce("news", Announcement(PLACE, "U1", words="Something."))
    assert await storage.move_channel(PLACE, "C9") == ["", "team"]
    assert await storage.move_channel(PLACE, "C9") == []
    assert [entry.id for entry in await storage.subscriptions.active()] == [own.id, shared.id, other.id]
    assert {entry.channel for entry in await storage.subscriptions.active()} == {NEW, ELSEWHERE}
    assert len(await storage.watches.told_to(NEW)) == 1
    assert await storage.votes.of(NEW) == {"p1": Vote(1, 0)}
    (posting,) = await storage.ledger.of_day(NO_SUBSCRIPTION, world.now.date())
    assert posting.announcement == Announcement(NEW, "U1", words="Something.")


async def test_what_the_new_id_has_already_stays_as_it_is(world: World) -> None:
    storage = world.storage
    old, new = await world.subscribe(topic="pruning"), await world.subscribe(NEW)
    for channel, value in ((PLACE, 1), (NEW, -1)):
        await storage.votes.put(User("U1"), channel, "p1", value)
        await storage.watches.put(User("U1"), channel, "kv cache", public=True)
    assert await storage.move_channel(PLACE, "C9") == []
    assert [entry.id for entry in await storage.subscriptions.active()] == [new.id]
    ended = await storage.subscriptions.get(old.id)
    assert ended is not None
    assert ended.ended is not None
    assert await storage.votes.of(NEW) == {"p1": Vote(0, 1)}
    assert await storage.votes.of(PLACE) == {}
    assert len(await storage.watches.told_to(NEW)) == 1
