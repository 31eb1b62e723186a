"""Delivered once: every fault, every kill, against a fake clock and a platform in memory."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import date, timedelta
from pathlib import Path

import pytest
from databases import database_url
from digest_world import DAY, PLACE, START, World
from fake_platform import FAULTS, STEPS, Fault
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule

from bot.message import ChannelRef
from bot.schedule.values import DEFAULT_CATCH_UP, MAIN, owner_of, posting_key
from bot.store.database import Database
from bot.store.ledger import LEASE, QUIET, TRYING


@pytest.fixture(params=["sqlite", "postgresql"])
async def world(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[World]:
    async with database_url(request.param, tmp_path) as url:
        database = await Database.open(url)
        yield World(database)
        await database.close()


async def test_posted_once_at_its_time(world: World) -> None:
    entry = await world.subscribe()
    await world.tick()
    assert not world.posts()
    world.now = START + timedelta(hours=1)
    await world.tick()
    await world.tick()
    assert world.posts() == Counter({posting_key(entry.id, DAY, MAIN): 1})
    (posting,) = await world.ledger.history(entry.id)
    assert (posting.state, posting.day, posting.late) == ("posted", DAY, False)


async def test_a_long_delivery_shows_its_heartbeat(world: World) -> None:
    """Health asks when a tick last got on: a delivery of thousands is one tick of minutes."""
    for number in range(30):
        await world.subscribe(ChannelRef("slack", "T1", f"C{number}"))
    await world.tick()
    assert world.moves == 0
    world.now = START + timedelta(hours=1)
    await world.tick()
    assert world.moves


async def test_restart_across_the_slot_catches_up_and_says_so(world: World) -> None:
    entry = await world.subscribe()
    world.now = START + timedelta(hours=4)
    world.start()
    await world.tick()
    (posting,) = await world.ledger.history(entry.id)
    assert posting.late
    assert "Later than planned" in (posting.payload or "")


async def test_outage_longer_than_the_window_leaves_no_backlog(world: World) -> None:
    entry = await world.subscribe()
    world.now = START + timedelta(days=30, hours=9)
    await world.tick()
    assert not world.posts()
    await world.pass_time(timedelta(hours=24), timedelta(minutes=10))
    assert world.posts() == Counter({posting_key(entry.id, date(2026, 8, 1), MAIN): 1})


@pytest.mark.parametrize("fault", ["refused", "dropped before", "dropped after", "accepted late", "rate limited"])
async def test_a_fault_neither_loses_nor_doubles(world: World, fault: Fault) -> None:
    entry = await world.subscribe()
    world.now = START + timedelta(hours=1)
    world.platform.fault = fault
    await world.tick()
    world.platform.fault = None
    await world.pass_time(timedelta(minutes=10))
    assert world.posts() == Counter({posting_key(entry.id, DAY, MAIN): 1})
    assert (await world.ledger.history(entry.id))[0].state == "posted"


async def test_giving_up_is_by_time_and_not_by_tries(world: World) -> None:
    """A platform that asks for one second each time is asked often: that is no reason to lose the paper."""
    entry = await world.subscribe()
    world.now = START + timedelta(hours=1)
    world.platform.fault, world.platform.retry_after = "rate limited", 1
    await world.pass_time(timedelta(seconds=285), timedelta(seconds=2))
    assert (await world.ledger.history(entry.id))[0].attempts > 100
    world.platform.fault = None
    await world.pass_time(timedelta(minutes=1))
    assert world.posts() == Counter({posting_key(entry.id, DAY, MAIN): 1})
    assert not world.platform.told


@pytest.mark.parametrize("fault", ["rate limited", "refused"])
async def test_what_is_given_up_is_told_once_with_its_reason(world: World, fault: Fault) -> None:
    entry = await world.subscribe(thread=True)
    world.now = START + timedelta(hours=1)
    world.platform.fault = fault
    await world.pass_time(DEFAULT_CATCH_UP, timedelta(minutes=10))
    assert (await world.ledger.history(entry.id))[0].state == "rendered"
    await world.pass_time(TRYING + timedelta(hours=1), timedelta(minutes=10))
    main = (await world.ledger.history(entry.id))[0]
    assert main.state == "skipped"
    reason = {"rate limited": "rate limited", "refused": "connection refused"}[fault]
    assert reason in (main.note or "")
    assert world.platform.told == []  # nor is anything else taken
    world.platform.fault = None
    await world.pass_time(timedelta(hours=1), timedelta(minutes=10))
    (told,) = world.platform.told
    assert told.startswith("U1: ")
    assert "given up" in told
    assert reason in told
    assert await world.storage.picks.all(owner_of(entry)) == []


async def test_without_history_an_ambiguous_post_is_unconfirmed_and_never_sent_again(world: World) -> None:
    entry = await world.subscribe()
    world.platform.may_look = False
    world.now = START + timedelta(hours=1)
    world.platform.fault = "dropped after"
    await world.tick()
    world.platform.fault = None
    await world.pass_time(timedelta(hours=1), timedelta(minutes=1))
    assert world.posts() == Counter({posting_key(entry.id, DAY, MAIN): 1})
    assert (await world.ledger.history(entry.id))[0].state == "unconfirmed"
    assert len(world.platform.told) == 1


@pytest.mark.parametrize("when", ["before", "after"])
@pytest.mark.parametrize("step", ["plan", "claim", "rendered_all", "sending", "posted"])
async def test_killed_at_every_step(world: World, when: str, step: str) -> None:
    entry = await world.subscribe()
    world.now = START + timedelta(hours=1)
    assert await world.tick(kill=f"{when} {step}")
    await world.pass_time(LEASE + QUIET + timedelta(minutes=1))
    assert world.posts() == Counter({posting_key(entry.id, DAY, MAIN): 1})


async def test_archived_for_three_days_is_one_notice(world: World) -> None:
    await world.subscribe()
    world.platform.fault = "archived"
    await world.pass_time(timedelta(days=3), timedelta(minutes=30))
    assert len(world.platform.told) == 1
    assert "paused" in world.platform.told[0]


async def test_the_second_part_waits_for_the_first_and_continues_alone(world: World) -> None:
    entry = await world.subscribe(thread=True)
    world.now = START + timedelta(hours=1)
    await world.tick(kill="after posted")
    await world.pass_time(LEASE + QUIET + timedelta(minutes=1))
    assert world.posts() == Counter({posting_key(entry.id, DAY, MAIN): 1, posting_key(entry.id, DAY, MAIN.thread): 1})
    first, second = world.platform.messages
    assert first.parent is None
    assert second.parent == "m1"


async def test_a_platform_that_answers_no_send_is_told_until_it_does(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    await world.subscribe()
    world.now = START + timedelta(hours=1)
    world.platform.fault = "rate limited"
    await world.tick()
    assert world.deliverer.unanswered() == frozenset(), "once is not for long"
    monkeypatch.setattr("bot.digest.deliver.IN_VAIN_SECONDS", 0.0)
    assert world.deliverer.unanswered() == {"slack"}
    monkeypatch.setattr("bot.digest.deliver.FORGOTTEN_SECONDS", 0.0)
    assert world.deliverer.unanswered() == frozenset(), "nothing was sent for long"
    monkeypatch.undo()
    monkeypatch.setattr("bot.digest.deliver.IN_VAIN_SECONDS", 0.0)
    world.platform.fault = None
    await world.pass_time(timedelta(minutes=1))
    assert len(world.posts()) == 1
    assert world.deliverer.unanswered() == frozenset()


async def test_one_channels_trouble_stops_no_other(world: World) -> None:
    other = replace(PLACE, channel="C2")
    await world.subscribe()
    await world.subscribe(other)
    world.now = START + timedelta(hours=1)
    world.platform.broken = {PLACE}
    await world.tick()
    assert sum(world.posts(other).values()) == 1
    assert not world.posts()


async def test_no_match_for_the_topic_posts_nothing_and_says_why(world: World) -> None:
    entry = await world.subscribe(topic="sourdough bread recipe")
    world.now = START + timedelta(hours=1)
    await world.tick()
    assert not world.posts()
    (posting,) = await world.ledger.history(entry.id)
    assert posting.state == "skipped"
    assert "sourdough" in (posting.note or "")


async def test_no_paper_twice_until_the_pool_is_used_up_then_a_new_round_is_announced_once(world: World) -> None:
    entry = await world.subscribe(topic="experts", count=2)
    world.now = START + timedelta(hours=1)
    for _ in range(20):
        await world.tick()
        world.now += timedelta(days=1)
    payloads = [
        (posting.papers, "new round begins" in (posting.payload or ""))
        for posting in reversed(await world.ledger.history(entry.id, 50))
    ]
    assert len(payloads) == 20
    seen: list[str] = []
    for papers, new_round in payloads:
        if new_round:
            seen = []
        assert not set(papers) & set(seen)
        seen.extend(papers)
    pool = len({paper for papers, _ in payloads for paper in papers})
    assert sum(new for _, new in payloads) == (20 - 1) // -(-pool // 2)


async def test_channels_of_a_named_digest_share_a_pick(world: World) -> None:
    first = await world.subscribe(digest="team")
    second = await world.subscribe(replace(PLACE, channel="C2"), digest="team")
    alone = await world.subscribe(replace(PLACE, channel="C3"))
    papers: dict[int, list[tuple[str, ...]]] = {entry.id: [] for entry in (first, second, alone)}
    world.now = START + timedelta(hours=1)
    for _ in range(6):
        await world.tick()
        world.now += timedelta(days=1)
    for key, found in papers.items():
        found.extend(posting.papers for posting in await world.ledger.history(key))
    assert papers[first.id] == papers[second.id]
    assert papers[first.id] != papers[alone.id]


async def test_now_uses_up_todays_slot_unless_extra(world: World) -> None:
    entry = await world.subscribe()
    assert await world.ledger.enter_now(entry, DAY, extra=False)
    assert not await world.ledger.enter_now(entry, DAY, extra=False)
    await world.pass_time(timedelta(hours=2), timedelta(minutes=10))
    assert sum(world.posts().values()) == 1
    assert await world.ledger.enter_now(entry, DAY, extra=True)
    assert await world.ledger.enter_now(entry, DAY, extra=True)
    await world.tick()
    assert sum(world.posts().values()) == 3
    assert len({posting.papers for posting in await world.ledger.history(entry.id)}) == 3


async def test_three_replicas_deliver_once(world: World) -> None:
    channels = [replace(PLACE, channel=f"C{number}") for number in range(30)]
    entries = [await world.subscribe(channel) for channel in channels]
    world.now = START + timedelta(hours=1)
    others = []
    for _ in range(3):
        world.start()
        others.append(world.deliverer)
    await asyncio.gather(*(deliverer.tick() for deliverer in others))
    for entry in entries:
        assert world.posts(entry.channel) == Counter({posting_key(entry.id, DAY, MAIN): 1})


async def test_a_worker_that_lost_its_lease_writes_nothing(world: World) -> None:
    await world.subscribe()
    world.now = START + timedelta(hours=1)
    await world.ledger.plan()
    slow = world.ledger
    (posting,) = await slow.claim(("slack",))
    world.now += LEASE + timedelta(seconds=1)
    world.start()
    (again,) = await world.ledger.claim(("slack",))
    assert again.key == posting.key
    assert not await slow.sending(posting)
    assert await world.ledger.sending(again)


class Deliveries(RuleBasedStateMachine):
    """Days pass, faults come and go, the process is killed anywhere: each date once, or a reported reason."""

    def __init__(self) -> None:
        super().__init__()
        self.runner = asyncio.Runner()

    @initialize(seed=st.integers(0, 1000), may_look=st.booleans(), thread=st.booleans())
    def begin(self, seed: int, may_look: bool, thread: bool) -> None:
        self.runner.run(self._begin(seed, may_look=may_look, thread=thread))

    async def _begin(self, seed: int, *, may_look: bool, thread: bool) -> None:
        self.world = World(await Database.open("sqlite:///:memory:"), seed)
        self.world.platform.may_look = may_look
        self.entry = await self.world.subscribe(thread=thread)

    @rule(minutes=st.sampled_from([1, 3, 20, 61, 300]), fault=st.sampled_from([None, *FAULTS[:-1]]))
    def time_passes(self, minutes: int, fault: Fault | None) -> None:
        self.world.platform.fault = fault
        self.world.now += timedelta(minutes=minutes)
        self.runner.run(self.world.tick())

    @rule(
        step=st.sampled_from(STEPS),
        when=st.sampled_from(["before", "after"]),
        fault=st.sampled_from([None, *FAULTS[:-1]]),
    )
    def killed(self, step: str, when: str, fault: Fault | None) -> None:
        self.world.platform.fault = fault
        self.world.now += timedelta(seconds=50)
        self.runner.run(self.world.tick(f"{when} {step}"))

    def teardown(self) -> None:
        if hasattr(self, "world"):
            self.runner.run(self._end())
        self.runner.close()

    async def _end(self) -> None:
        self.world.platform.fault = None
        await self.world.pass_time(timedelta(hours=3), timedelta(minutes=1))
        for key, count in self.world.posts().items():
            assert count == 1, key
        rows = await self.world.ledger.history(self.entry.id, 1000)
        # nine in Berlin is seven in UTC; the longest time without a tick is shorter than the window to catch up
        days = (self.world.now - timedelta(hours=7)).date() - DAY
        due = {DAY + timedelta(days=number) for number in range(days.days + 1)}
        assert {posting.day for posting in rows if posting.part == MAIN} == due
        for posting in rows:
            found = self.world.posts()[posting.key]
            match posting.state:
                case "posted":
                    assert found == 1
                case "unconfirmed" | "skipped" | "failed":
                    assert posting.note
                case _:
                    raise AssertionError(f"still {posting.state}: {posting.note}")
        await self.world.database.close()


Deliveries.TestCase.settings = settings(
    max_examples=25, stateful_step_count=30, deadline=None, suppress_health_check=list(HealthCheck)
)
test_each_date_once_or_a_reported_reason = Deliveries.TestCase
