"""No step of a clock, no stop of the process and no stall of its database loses a digest or sends it twice."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Collection
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest
import sqlalchemy as sa
from databases import database_url
from digest_world import DAY, START, World
from fake_platform import nothing

from bot.message import Platform
from bot.schedule.values import MAIN, Posting, posting_key
from bot.store.database import Database, from_ms
from bot.store.leases import Leases
from bot.store.ledger import LEASE, LEAVES_WITHIN, QUIET, SEND_WITHIN, Ledger, Send
from bot.store.tables import leases, postings

NINE = START + timedelta(hours=1)
STEPS = [timedelta(seconds=300), timedelta(minutes=-30), timedelta(days=-1)]


@pytest.fixture(params=["sqlite", "postgresql"])
async def world(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[World]:
    async with database_url(request.param, tmp_path) as url:
        database = await Database.open(url)
        yield World(database)
        await database.close()


async def attempts(world: World, subscription: int) -> int:
    return (await world.ledger.history(subscription))[0].attempts


@pytest.mark.parametrize("step", STEPS)
async def test_a_step_of_the_clock_changes_no_quiet_time(world: World, step: timedelta) -> None:
    entry = await world.subscribe()
    world.now = NINE
    world.platform.fault = "dropped before"
    await world.tick()
    world.platform.fault = None
    world.skew = step
    await world.pass_time(QUIET - timedelta(seconds=10), timedelta(seconds=8))
    assert await attempts(world, entry.id) == 1
    await world.pass_time(timedelta(seconds=100))
    assert await attempts(world, entry.id) == 2
    assert world.posts() == Counter({posting_key(entry.id, DAY, MAIN): 1})


@pytest.mark.parametrize("step", STEPS)
@pytest.mark.parametrize("kill", ["after claim", "after rendered_all", "after sending", "before posted"])
async def test_killed_and_started_again_by_another_clock(world: World, step: timedelta, kill: str) -> None:
    entry = await world.subscribe()
    world.now = NINE
    world.skew = -step
    world.start()
    world.skew = timedelta()
    assert await world.tick(kill=kill)
    world.skew = step
    world.start()
    await world.pass_time(LEASE + 2 * QUIET)
    assert world.posts() == Counter({posting_key(entry.id, DAY, MAIN): 1})


@pytest.mark.parametrize("world", ["sqlite"], indirect=True)
async def test_what_an_earlier_life_may_have_sent_is_quiet_from_when_it_is_found(world: World) -> None:
    """The clock was set forward between two lives: how long ago that was nobody knows."""
    entry = await world.subscribe()
    world.now = NINE
    assert await world.tick(kill="after sending")
    world.skew = timedelta(minutes=5)
    world.start()
    await world.pass_time(QUIET - timedelta(seconds=10), timedelta(seconds=8))
    assert await attempts(world, entry.id) == 1
    await world.pass_time(QUIET)
    assert world.posts() == Counter({posting_key(entry.id, DAY, MAIN): 1})


async def test_what_a_clock_that_was_ahead_put_off_comes_in_its_time(world: World) -> None:
    entry = await world.subscribe()
    await world.tick()
    world.skew = timedelta(days=3)
    await world.tick()
    world.skew = timedelta()
    await world.pass_time(timedelta(hours=26), timedelta(minutes=10))
    keys = {posting_key(entry.id, date(2026, 7, day), MAIN) for day in (1, 2)}
    assert world.posts() & Counter(keys) == Counter(keys)


def after(step: str, world: World, then: Callable[[], Awaitable[None]]) -> None:
    """Once, when the ledger has made this step, something happens before its caller goes on."""
    made = getattr(world.ledger, step)
    ledger = world.ledger

    async def call(*args: object) -> object:
        result = await made(*args)
        setattr(ledger, step, made)
        await then()
        return result

    setattr(ledger, step, call)


@pytest.mark.parametrize("stop", [SEND_WITHIN + timedelta(seconds=1), timedelta(seconds=130), timedelta(hours=1)])
async def test_stopped_once_it_said_that_it_sends_it_sends_nothing(world: World, stop: timedelta) -> None:
    entry = await world.subscribe()
    world.now = NINE

    async def stopped() -> None:
        world.now += stop

    after("sending", world, stopped)
    await world.tick()
    assert not world.posts()
    await world.pass_time(timedelta(minutes=1))
    assert world.posts() == Counter({posting_key(entry.id, DAY, MAIN): 1})
    assert world.platform.messages[0].posted < NINE + stop + timedelta(minutes=1), "nothing is waited for"


async def test_stopped_while_another_takes_over_and_sends(world: World) -> None:
    entry = await world.subscribe()
    world.now = NINE
    first = world.deliverer

    async def taken_over() -> None:
        world.start()
        await world.pass_time(LEASE + 2 * QUIET)

    after("sending", world, taken_over)
    await first.tick()
    await world.pass_time(timedelta(minutes=5))
    assert world.posts() == Counter({posting_key(entry.id, DAY, MAIN): 1})


async def test_stopped_right_before_its_request_leaves_while_another_takes_over(world: World) -> None:
    entry = await world.subscribe()
    world.now = NINE
    first = world.deliverer

    async def taken_over() -> None:
        world.platform.leaving = nothing
        world.start()
        await world.pass_time(LEASE + 2 * QUIET)

    world.platform.leaving = taken_over
    await first.tick()
    await world.pass_time(timedelta(minutes=5))
    assert world.posts() == Counter({posting_key(entry.id, DAY, MAIN): 1})


@pytest.mark.parametrize("late", [timedelta(seconds=27), timedelta(seconds=29)])
async def test_a_request_leaves_within_what_the_quiet_time_counts_on(world: World, late: timedelta) -> None:
    await world.subscribe()
    world.now = NINE

    async def slow() -> None:
        world.now += late

    world.platform.leaving = slow
    await world.tick()
    assert len(world.posts()) == (late < LEAVES_WITHIN)


@pytest.mark.parametrize("world", ["sqlite"], indirect=True)
@pytest.mark.parametrize("back", [timedelta(), timedelta(hours=5)])
async def test_a_message_of_a_life_that_ended_hours_ago_is_found_by_whatever_clock(
    world: World, back: timedelta
) -> None:
    entry = await world.subscribe()
    world.now = NINE
    assert await world.tick(kill="before posted")
    world.now += timedelta(hours=3)
    world.skew = -back
    world.start()
    await world.pass_time(timedelta(minutes=10))
    assert world.posts() == Counter({posting_key(entry.id, DAY, MAIN): 1})
    assert (await world.ledger.history(entry.id))[0].state == "posted"


@pytest.mark.parametrize("left", [timedelta(seconds=1), timedelta(seconds=60)])
async def test_whoever_takes_over_sends_nothing_before_the_quiet_time_is_over(world: World, left: timedelta) -> None:
    entry = await world.subscribe()
    world.now = NINE
    await world.tick(kill="after rendered_all")
    world.now += LEASE
    await world.tick(kill="after sending")
    sent = world.now
    async with world.database.begin() as connection:  # its lease is over sooner than that: nothing may hang on it
        await connection.execute(sa.update(postings).values(lease_ms=0))
    world.now += left
    await world.pass_time(QUIET - left - timedelta(seconds=10), timedelta(seconds=5))
    assert await attempts(world, entry.id) == 1
    await world.pass_time(2 * QUIET)
    (message,) = world.platform.messages
    assert message.posted >= sent + QUIET


async def test_the_holder_may_write_that_it_posted_also_late(world: World) -> None:
    entry = await world.subscribe()
    world.now = NINE

    async def late() -> None:
        world.now += LEASE + timedelta(seconds=10)
        assert await world.ledger.claim(("slack",), 50, world.deliverer._working) == [], "not from itself"

    world.platform.accepted = late
    await world.tick()
    (row,) = await world.ledger.history(entry.id)
    assert (row.state, row.message, row.attempts) == ("posted", "m1", 1)


async def test_the_next_tick_takes_nothing_that_the_one_before_is_still_at(world: World) -> None:
    await world.subscribe()
    world.now = NINE
    claim = world.ledger.claim
    taken: list[str] = []

    async def noted(
        platforms: Collection[Platform],
        limit: int = 100,
        besides: Collection[str] = (),
        announcing: Collection[Platform] = (),
    ) -> list[Posting]:
        found = await claim(platforms, limit, besides, announcing)
        taken.extend(posting.key for posting in found)
        return found

    async def late() -> None:
        world.now += LEASE + timedelta(seconds=10)
        await world.deliverer.tick()

    world.ledger.claim = noted  # type: ignore[method-assign]
    world.platform.accepted = late
    async with asyncio.timeout(30):  # it would wait for itself
        await world.tick()
    assert len(taken) == 1


async def test_who_is_no_holder_any_more_writes_nothing(world: World) -> None:
    await world.subscribe()
    world.now = NINE
    await world.ledger.plan()
    before = world.ledger
    (posting,) = await before.claim(("slack",))
    world.now += LEASE + timedelta(seconds=1)
    world.start()
    (again,) = await world.ledger.claim(("slack",))
    for write in (before.sending(posting), before.posted(posting, "m"), before.try_again(posting, 0, "")):
        assert not await write
    assert await world.ledger.sending(again)


@pytest.mark.parametrize("world", ["postgresql"], indirect=True)
async def test_leases_and_quiet_time_are_by_the_servers_clock_where_there_is_one(world: World) -> None:
    """The test's wall clock stands at another date: what is written must not be by it."""
    entry = await world.subscribe()
    await world.ledger.enter_now(entry, DAY, extra=False)
    ledger = Ledger(world.database, "us")
    (posting,) = await ledger.claim(("slack",))
    send = await ledger.sending(posting)
    assert isinstance(send, Send)
    assert await Leases(world.database).take("gateway", "us", 60)
    async with world.database.read() as connection:
        epoch = sa.text("SELECT EXTRACT(EPOCH FROM clock_timestamp())")
        server = datetime.fromtimestamp(float((await connection.execute(epoch)).scalar_one()), UTC)
        row = (await connection.execute(sa.select(postings))).mappings().one()
        until = from_ms((await connection.execute(sa.select(leases.c.expires_ms))).scalar_one())
    assert abs(from_ms(row["lease_ms"]) - server - LEASE) < timedelta(seconds=30)
    assert abs(from_ms(row["sent_ms"]) - server) < timedelta(seconds=30)
    assert abs(until - server - timedelta(seconds=60)) < timedelta(seconds=30)
    other = Ledger(world.database, "another")
    async with world.database.begin() as connection:
        ago = int((LEASE + timedelta(seconds=1)).total_seconds() * 1000)
        change = sa.update(postings).values(sent_ms=postings.c.sent_ms - ago, lease_ms=0)
        await connection.execute(change)
    (taken,) = await other.claim(("slack",))
    assert other.quiet_is_over(taken), "the server knows how long ago that was"


async def test_a_lease_of_a_clock_that_was_ahead_is_over(world: World) -> None:
    ahead = Leases(world.database, lambda: START + timedelta(minutes=30))
    assert await ahead.take("gateway", "dead", 60)
    assert await Leases(world.database, lambda: START).take("gateway", "alive", 60)
    assert not await Leases(world.database, lambda: START).take("gateway", "late", 60)


async def test_replicas_whose_looks_at_the_clock_differ_a_little_take_nothing_from_each_other(world: World) -> None:
    """Who read the clock a moment earlier must not take a fresh lease for one that a clock ahead gave."""
    await world.subscribe()
    world.now = NINE
    await world.ledger.plan()
    world.now += timedelta(seconds=1)
    assert len(await world.ledger.claim(("slack",))) == 1
    world.start()
    world.now -= timedelta(seconds=1)
    assert await world.ledger.claim(("slack",)) == []
    assert await Leases(world.database, lambda: START + timedelta(seconds=1)).take("gateway", "one", 60)
    assert not await Leases(world.database, lambda: START).take("gateway", "another", 60)


async def test_a_posting_that_a_clock_far_ahead_leased_is_free(world: World) -> None:
    entry = await world.subscribe()
    world.now = NINE
    await world.ledger.plan()
    world.skew = timedelta(days=3)
    world.start()
    assert len(await world.ledger.claim(("slack",))) == 1
    world.skew = timedelta()
    world.start()
    await world.tick()
    assert world.posts() == Counter({posting_key(entry.id, DAY, MAIN): 1})
