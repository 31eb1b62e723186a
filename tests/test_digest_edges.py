"""Where two things meet: a fault of ours while sending, a lease about to end, a paper that may have been posted."""

from collections import Counter
from collections.abc import AsyncIterator
from dataclasses import dataclass, replace
from datetime import timedelta
from pathlib import Path

import pytest
from connected import Access, connected
from databases import database_url
from digest_world import DAY, LIBRARY, PLACE, START, World
from fake_platform import nothing

from bot.connections import SEND_SECONDS
from bot.digest.deliver import GIVE_UP, Deliverer
from bot.errors import RetryLaterError
from bot.message import ChannelRef
from bot.schedule.values import DEFAULT_CATCH_UP, MAIN, owner_of, posting_key
from bot.store.database import Database
from bot.store.ledger import LEASE, LEAVES_WITHIN, QUIET, SEND_WITHIN, TRYING

NINE = START + timedelta(hours=1)
OTHER = replace(PLACE, channel="C2")
SECOND = timedelta(seconds=1)
STEPS = [timedelta(seconds=300), timedelta(minutes=-30), timedelta(hours=-5)]


@pytest.fixture(params=["sqlite", "postgresql"])
async def world(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[World]:
    async with database_url(request.param, tmp_path) as url:
        database = await Database.open(url)
        yield World(database)
        await database.close()


async def state(world: World, subscription: int) -> str:
    return (await world.ledger.history(subscription))[-1].state


def test_what_durations_count_on() -> None:
    assert SEND_WITHIN + timedelta(seconds=SEND_SECONDS) <= LEAVES_WITHIN
    assert LEAVES_WITHIN + timedelta(seconds=30) + timedelta(seconds=30) <= QUIET
    assert QUIET < LEASE


async def test_each_step_renews_the_lease(world: World) -> None:
    await world.subscribe()
    world.now = NINE
    await world.ledger.plan()
    ledger = world.ledger
    (posting,) = await ledger.claim(("slack",))
    world.start()
    world.now += LEASE - SECOND
    assert await ledger.rendered_all([(posting, ["paper"], "payload")])
    world.now += LEASE - SECOND
    assert await world.ledger.claim(("slack",)) == []
    assert await ledger.sending(posting)
    world.now += LEASE - SECOND
    assert await world.ledger.claim(("slack",)) == []


async def test_a_later_attempt_of_another_is_quiet_from_its_own_time(world: World) -> None:
    """Whoever made the first attempt takes the row back from one that made a second: its own time says nothing."""
    await world.subscribe()
    world.now = NINE
    await world.ledger.plan()
    first = world.ledger
    (posting,) = await first.claim(("slack",))
    assert await first.sending(posting)
    world.now += LEASE + SECOND
    world.start()
    (taken,) = await world.ledger.claim(("slack",))
    assert await world.ledger.sending(taken)
    await world.ledger.put_off(taken, 0, "stopped")
    (again,) = await first.claim(("slack",))
    assert again.attempts == 2
    assert not first.quiet_is_over(again)


@pytest.mark.parametrize("world", ["postgresql"], indirect=True)
async def test_the_time_of_a_send_is_that_of_its_latest_attempt(world: World) -> None:
    await world.subscribe()
    world.now = NINE
    world.platform.fault = "dropped before"
    await world.tick()
    world.platform.fault = None
    world.now += QUIET + 5 * SECOND
    assert await world.tick(kill="after sending")
    async with world.database.begin() as connection:  # its lease is over sooner than that: nothing may hang on it
        await connection.exec_driver_sql("UPDATE postings SET lease_ms = 0")
    world.now += SECOND
    (taken,) = await world.ledger.claim(("slack",))
    assert taken.attempts == 2
    assert not world.ledger.quiet_is_over(taken)


async def test_a_fault_of_ours_once_it_was_posted_is_looked_for(world: World) -> None:
    entry = await world.subscribe()
    world.now = NINE

    async def fault() -> None:
        raise RuntimeError("a fault of ours")

    world.platform.accepted = fault
    await world.tick()
    assert await state(world, entry.id) == "sending"
    await world.pass_time(timedelta(minutes=10))
    assert world.posts() == Counter({posting_key(entry.id, DAY, MAIN): 1})
    assert await state(world, entry.id) == "posted"


async def test_a_fault_of_ours_while_looking_sends_nothing(world: World) -> None:
    entry = await world.subscribe()
    world.now = NINE
    world.platform.fault = "dropped after"
    await world.tick()
    world.platform.fault = None

    async def fault() -> None:
        raise RuntimeError("a fault of ours")

    world.platform.looking = fault
    await world.pass_time(timedelta(hours=1), timedelta(minutes=5))
    assert await state(world, entry.id) == "sending"
    world.platform.looking = nothing
    await world.pass_time(timedelta(minutes=20), timedelta(minutes=1))
    assert world.posts() == Counter({posting_key(entry.id, DAY, MAIN): 1})
    assert await state(world, entry.id) == "posted"


@pytest.mark.parametrize("step", STEPS)
async def test_what_arrived_before_the_clock_was_set_is_found(world: World, step: timedelta) -> None:
    entry = await world.subscribe()
    world.now = NINE
    world.platform.fault = "dropped after"
    await world.tick()
    world.platform.fault = None
    world.skew = step
    await world.pass_time(timedelta(minutes=10))
    assert world.posts() == Counter({posting_key(entry.id, DAY, MAIN): 1})
    assert await state(world, entry.id) == "posted"


async def test_a_look_that_begins_before_the_quiet_time_is_over_proves_nothing(world: World) -> None:
    entry = await world.subscribe()
    world.now = NINE
    world.platform.fault = "accepted late"
    await world.tick()
    world.platform.fault = None
    (message,) = world.platform.messages
    message.visible = NINE + QUIET - 3 * SECOND
    world.now = NINE + QUIET - 5 * SECOND
    await world.ledger.put_off((await world.ledger.history(entry.id))[0], 0, "")
    async with world.database.begin() as connection:
        await connection.exec_driver_sql("UPDATE postings SET not_before_ms = 0")

    async def passes() -> None:
        world.now += 10 * SECOND

    world.platform.looked = passes
    await world.tick()
    world.platform.looked = nothing
    await world.pass_time(timedelta(minutes=10))
    assert world.posts() == Counter({posting_key(entry.id, DAY, MAIN): 1})


async def test_what_was_posted_before_a_long_stop_is_found_though_it_is_late_by_now(world: World) -> None:
    entry = await world.subscribe()
    world.now = NINE
    assert await world.tick(kill="before posted")
    world.now += timedelta(hours=10)
    await world.pass_time(timedelta(minutes=5))
    assert await state(world, entry.id) == "posted"
    assert not world.platform.told
    assert len(await world.storage.picks.all(owner_of(entry))) == 1


async def test_what_cannot_be_looked_for_is_unconfirmed_after_a_day_and_told_once(world: World) -> None:
    entry = await world.subscribe()
    world.now = NINE
    world.platform.fault = "dropped after"
    await world.tick()
    world.platform.fault = "archived"

    async def away() -> None:
        raise RetryLaterError("no answer came", 0)

    world.platform.looking = away
    await world.pass_time(GIVE_UP - timedelta(hours=2), timedelta(hours=1))
    assert await state(world, entry.id) == "sending"
    await world.pass_time(timedelta(hours=3), timedelta(minutes=30))
    assert await state(world, entry.id) == "unconfirmed"
    assert len([words for words in world.platform.told if "may not have been posted" in words]) == 1


async def test_what_one_channel_may_have_got_is_not_given_back_for_another(world: World) -> None:
    first = await world.subscribe(digest="team")
    second = await world.subscribe(OTHER, digest="team")
    world.now = NINE
    world.platform.fault = "dropped after"
    world.platform.archived = {OTHER}
    await world.tick()
    assert await state(world, second.id) == "failed"
    assert await state(world, first.id) == "sending"
    assert len(await world.storage.picks.all(owner_of(first))) == 1


async def test_the_paper_of_a_channel_that_refuses_goes_back(world: World) -> None:
    entry = await world.subscribe()
    world.now = NINE
    world.platform.fault = "archived"
    await world.tick()
    assert await state(world, entry.id) == "failed"
    assert await world.storage.picks.all(owner_of(entry)) == []


async def test_what_is_switched_off_meanwhile_is_not_posted(world: World) -> None:
    entry = await world.subscribe()
    world.now = NINE
    await world.ledger.plan()
    await world.subscriptions.change(entry.id, lambda one: replace(one, ended=world.now))
    await world.tick()
    assert not world.posts()
    assert await state(world, entry.id) == "skipped"


async def test_a_thread_is_not_begun_under_what_is_not_confirmed(world: World) -> None:
    entry = await world.subscribe(thread=True)
    world.now = NINE
    world.platform.may_look = False
    world.platform.fault = "dropped before"
    await world.tick()
    world.platform.fault = None
    await world.pass_time(timedelta(minutes=10))
    rows = {row.part: row.state for row in await world.ledger.history(entry.id)}
    assert rows == {MAIN: "unconfirmed", MAIN.thread: "skipped"}
    assert not world.posts()


async def test_what_was_begun_in_time_is_tried_for_a_while_more(world: World) -> None:
    entry = await world.subscribe()
    world.now = NINE
    world.platform.fault = "rate limited"
    await world.tick()
    await world.pass_time(DEFAULT_CATCH_UP + TRYING - timedelta(minutes=30), timedelta(minutes=30))
    world.platform.fault = None
    await world.pass_time(timedelta(minutes=20), timedelta(minutes=5))
    assert world.posts() == Counter({posting_key(entry.id, DAY, MAIN): 1})


async def test_who_posted_says_so_also_late_where_nobody_could_look(world: World) -> None:
    entry = await world.subscribe()
    world.now = NINE
    world.platform.may_look = False

    async def late() -> None:
        world.now += LEASE + 10 * SECOND

    world.platform.accepted = late
    await world.tick()
    assert await state(world, entry.id) == "posted"


async def test_a_thread_waits_for_its_paper(world: World) -> None:
    entry = await world.subscribe(thread=True)
    world.now = NINE
    world.platform.fault = "rate limited"
    await world.tick()
    world.platform.fault = None
    await world.pass_time(timedelta(minutes=10))
    assert world.posts() == Counter({posting_key(entry.id, DAY, MAIN): 1, posting_key(entry.id, DAY, MAIN.thread): 1})


@dataclass
class Asked(Access):
    """Counts how often it is asked whether the bot may post, and says no."""

    times: int = 0

    async def may_post(self, channel: ChannelRef) -> str | None:
        self.times += 1
        return "the channel is archived."


async def test_a_held_channel_is_asked_after_once_an_hour_and_stays_held_as_long_as_it_refuses(world: World) -> None:
    entry = await world.subscribe()
    await world.subscriptions.hold(entry.id, "the channel is archived.")
    access = Asked()
    deliverer = Deliverer(
        world.storage, connected(poster=world.platform, access=access), lambda: LIBRARY, pace=0, between=0
    )
    for _ in range(3 * 6):
        world.now += timedelta(minutes=10)
        await deliverer.tick()
    assert 2 <= access.times <= 3
    kept = await world.subscriptions.get(entry.id)
    assert kept is not None
    assert kept.held_for is not None
    assert not world.posts()
