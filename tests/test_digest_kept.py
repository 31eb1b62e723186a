"""What the digest keeps, and for how long."""

from collections.abc import AsyncIterator
from datetime import timedelta
from pathlib import Path

import pytest
import sqlalchemy as sa
from databases import database_url
from digest_world import DAY, START, World

from bot.schedule.values import owner_of
from bot.store.database import Database
from bot.store.ledger import POSTINGS_KEPT
from bot.store.picks import PICKS_KEPT
from bot.store.subscriptions import KEPT
from bot.store.tables import picks, postings


@pytest.fixture(params=["sqlite", "postgresql"])
async def world(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[World]:
    async with database_url(request.param, tmp_path) as url:
        database = await Database.open(url)
        yield World(database)
        await database.close()


async def test_postings_that_ended_are_kept_two_years(world: World) -> None:
    entry = await world.subscribe()
    for day in range(3):
        world.now = START + timedelta(days=day, hours=1)
        await world.tick()
    world.now = START + timedelta(hours=1)
    await world.ledger.enter_now(entry, DAY, extra=True)
    world.now = START + timedelta(days=1, hours=2) + POSTINGS_KEPT
    assert await world.ledger.forget_old() == 2
    left = {(one.day.day, one.state) for one in await world.ledger.history(entry.id)}
    assert left == {(3, "posted"), (1, "planned")}


async def test_picks_of_the_latest_cycle_are_kept_for_ever(world: World) -> None:
    entry = await world.subscribe()
    rows = [
        {"owner": owner_of(entry), "cycle": cycle, "paper": f"p{day}", "slot": f"2026-07-0{day}/000", "place": 0}
        for cycle, day in ((1, 1), (1, 2), (2, 3), (2, 4))
    ]
    rows.append({"owner": "channel:77", "cycle": 1, "paper": "p1", "slot": "2026-07-01/000", "place": 0})
    async with world.database.begin() as connection:
        await connection.execute(sa.insert(picks), rows)
    world.now = START + timedelta(days=1) + PICKS_KEPT
    assert await world.storage.picks.forget_old() == 1
    world.now = START + timedelta(days=10) + PICKS_KEPT
    assert await world.storage.picks.forget_old() == 1
    assert {one.paper for one in await world.storage.picks.all(owner_of(entry))} == {"p3", "p4"}
    assert len(await world.storage.picks.all("channel:77")) == 1


async def test_with_settings_that_are_dropped_goes_what_was_posted(world: World) -> None:
    await world.subscribe()
    world.now = START + timedelta(hours=1)
    await world.tick()
    await world.subscriptions.was_removed("slack", "T1")
    world.now += KEPT + timedelta(seconds=1)
    assert await world.subscriptions.forget_old() == 1
    async with world.database.read() as connection:
        for table in (postings, picks):
            assert (await connection.execute(sa.select(sa.func.count()).select_from(table))).scalar_one() == 0
