"""News of watched queries: one message a change, at most five lines, private by default, once, whatever goes wrong."""

import asyncio
import threading
from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from connected import connected
from databases import database_url
from digest_world import LIBRARY, PLACE, World
from fake_platform import Fault
from waiting import until

from bot.connections import Connections, Offer
from bot.corpus.load import no_collection
from bot.digest.deliver import Deliverer
from bot.digest.notify import MOST_LINES, WatchNotifier, news_reply
from bot.library import Library
from bot.message import Call, ChannelRef, User
from bot.papers import Corpus
from bot.schedule.values import News
from bot.search import SearchIndex
from bot.search.query import Query, Results
from bot.store.database import Database
from bot.store.ledger import ANNOUNCEMENTS_KEPT, TELL_WITHIN

OTHER = replace(PLACE, channel="C2")


def without(*handles: str) -> Library:
    """The corpus as it was before these came."""
    with no_collection():
        return Library.of(Corpus(tuple(paper for paper in LIBRARY.corpus if paper.handle not in handles)))


BEFORE = without("xkv", "sinq")


class Room(World):
    """A world whose corpus changes."""

    def __init__(self, database: Database) -> None:
        super().__init__(database)
        self.library = BEFORE
        self.watches = self.storage.watches
        self.news = self.notifier()

    def notifier(self) -> WatchNotifier:
        """One that is started now."""
        return WatchNotifier(self.storage, lambda: self.library)

    async def gains(self) -> int:
        """The corpus gains two papers, one of them about the cache of keys and values."""
        self.library = LIBRARY
        return await self.news.look()

    def at(self, place: ChannelRef) -> int:
        """How many messages stand there."""
        return sum(message.channel == place for message in self.platform.messages)


@pytest.fixture(params=["sqlite", "postgresql"])
async def room(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Room]:
    async with database_url(request.param, tmp_path) as url:
        database = await Database.open(url)
        room = Room(database)
        assert await room.news.look() == 0
        yield room
        await database.close()


async def test_private_by_default_and_told_once_also_by_replicas(room: Room) -> None:
    await room.watches.put(User("U1"), PLACE, "kv cache", public=False)
    other = room.notifier()
    await other.look()
    room.library = LIBRARY
    assert sum(await asyncio.gather(room.news.look(), other.look())) == 1
    assert await room.notifier().look() == 0
    await room.tick()
    await room.tick()
    (words,) = room.platform.told
    assert words.startswith("U1: New papers that match what you watch.")
    assert "xKV" in words
    assert "SINQ" not in words
    assert room.at(PLACE) == 0


async def test_to_the_channel_by_choice(room: Room) -> None:
    await room.watches.put(User("U1"), PLACE, "kv cache", public=True)
    await room.gains()
    await room.tick()
    assert room.at(PLACE) == 1
    assert room.platform.told == []


async def test_several_queries_of_one_person_are_one_message(room: Room) -> None:
    for query in ("kv cache", "quantization", "pruning"):
        await room.watches.put(User("U1"), PLACE, query, public=False)
    assert await room.gains() == 1


async def test_nothing_new_that_matches_is_no_message(room: Room) -> None:
    await room.watches.put(User("U1"), PLACE, "sourdough bread recipe", public=False)
    assert await room.gains() == 0


async def test_a_corpus_that_is_set_up_is_no_news_and_a_paper_that_comes_back_is_none(room: Room) -> None:
    await room.watches.put(User("U1"), PLACE, "kv cache", public=False)
    assert await room.gains() == 1
    room.library = BEFORE
    assert await room.news.look() == 0
    assert await room.gains() == 0


async def test_what_came_while_the_bot_was_stopped_is_told_when_it_starts(room: Room) -> None:
    await room.watches.put(User("U1"), PLACE, "kv cache", public=False)
    room.library = LIBRARY
    room.start()  # another life, which never saw the corpus as it was before
    assert await room.notifier().look() == 1
    await room.tick()
    assert len(room.platform.told) == 1


async def test_while_a_platform_is_away_news_wait_for_it(room: Room) -> None:
    await room.watches.put(User("U1"), PLACE, "kv cache", public=False)
    await room.gains()
    deliverer = room.deliverer
    room.deliverer = Deliverer(room.storage, Connections(), lambda: room.library, pace=0, between=0)
    await room.pass_time(timedelta(hours=30), timedelta(hours=1))
    assert room.platform.told == []
    room.deliverer = deliverer
    await room.tick()
    assert len(room.platform.told) == 1


@pytest.mark.parametrize("fault", ["refused", "dropped before", "dropped after", "accepted late", "rate limited"])
@pytest.mark.parametrize("public", [False, True])
async def test_a_fault_neither_loses_nor_doubles(room: Room, fault: Fault, *, public: bool) -> None:
    await room.watches.put(User("U1"), PLACE, "kv cache", public=public)
    await room.gains()
    room.platform.fault = fault
    await room.tick()
    room.platform.fault = None
    await room.pass_time(timedelta(minutes=10))
    assert room.at(PLACE) == public
    assert len(room.platform.told) == (not public)


@pytest.mark.parametrize("kill", ["claim", "rendered_all", "sending", "posted"])
@pytest.mark.parametrize("when", ["before", "after"])
async def test_killed_at_every_step(room: Room, when: str, kill: str) -> None:
    await room.watches.put(User("U1"), PLACE, "kv cache", public=False)
    await room.gains()
    assert await room.tick(f"{when} {kill}")
    await room.pass_time(timedelta(minutes=10))
    assert len(room.platform.told) == 1


async def test_a_notice_is_kept_with_what_it_is_about(room: Room) -> None:
    """Killed right after it noted that a channel refuses, it tells so in its next life."""
    await room.subscribe()
    room.now += timedelta(hours=1)
    room.platform.fault = "archived"
    assert await room.tick("after failed")
    room.platform.fault = "rate limited"
    await room.tick()
    assert room.platform.told == []
    room.platform.fault = None
    await room.pass_time(timedelta(minutes=5))
    (told,) = room.platform.told
    assert "paused" in told


async def test_a_channel_that_refuses_is_told_to_who_watches_and_stops_no_other(room: Room) -> None:
    await room.watches.put(User("U1"), PLACE, "kv cache", public=True)
    await room.watches.put(User("U2"), OTHER, "kv cache", public=False)
    await room.gains()
    room.platform.fault = "archived"
    await room.tick()
    assert room.at(PLACE) == 0
    first, second = sorted(room.platform.told)
    assert first.startswith("U1: New papers match what you watch for a channel: the channel is archived.")
    assert second.startswith("U2: New papers that match")


async def test_what_cannot_be_told_for_days_is_given_up_and_goes(room: Room, caplog: pytest.LogCaptureFixture) -> None:
    await room.watches.put(User("U1"), PLACE, "kv cache", public=False)
    await room.gains()
    room.platform.fault = "rate limited"
    await room.pass_time(TELL_WITHIN + timedelta(hours=1), timedelta(hours=1))
    room.platform.fault = None
    await room.tick()
    assert room.platform.told == []
    assert sum("given up: rate limited" in line for line in caplog.messages) == 1
    assert await room.ledger.forget_old() == 0
    room.now += ANNOUNCEMENTS_KEPT
    assert await room.ledger.forget_old() == 1


async def test_a_surface_that_offers_news_alone_is_told(room: Room) -> None:
    room.deliverer = Deliverer(
        room.storage,
        connected(poster=room.platform, offers=Offer.STORAGE | Offer.NEWS),
        lambda: room.library,
        pace=0,
        between=0,
    )
    await room.subscribe()
    await room.watches.put(User("U1"), PLACE, "kv cache", public=False)
    await room.gains()
    await room.pass_time(timedelta(hours=2), timedelta(minutes=10))
    assert len(room.platform.told) == 1
    assert room.at(PLACE) == 0


async def test_papers_that_left_meanwhile_are_not_told(room: Room) -> None:
    await room.watches.put(User("U1"), PLACE, "kv cache", public=False)
    await room.gains()
    room.library = BEFORE
    room.deliverer = Deliverer(room.storage, connected(poster=room.platform), lambda: room.library, pace=0, between=0)
    await room.tick()
    assert room.platform.told == []


def test_lines_are_counted() -> None:
    papers = tuple(paper.id for paper in LIBRARY.corpus)
    for shown, count, lines in ((1, 1, 2), (4, 4, 5), (5, 20, 5)):
        reply = news_reply([News("a", papers[:shown], count)], LIBRARY.corpus)
        assert reply is not None
        assert len([line for line in reply.text.splitlines() if line.strip()]) == lines <= MOST_LINES
    assert reply is not None
    assert "Here are 4 of 20." in reply.text
    # it works wherever the message stands: in direct messages on Discord nobody's watches are known
    assert [button.call for button in reply.buttons] == [Call("search", {"query": "a"})]


async def test_watches_are_searched_for_off_the_event_loop(room: Room, monkeypatch: pytest.MonkeyPatch) -> None:
    threads: list[int] = []
    find = type(LIBRARY.index).find

    def noting(index: SearchIndex, query: Query, offset: int = 0, limit: int = 5) -> Results:
        threads.append(threading.get_ident())
        return find(index, query, offset, limit)

    monkeypatch.setattr(type(LIBRARY.index), "find", noting)
    for number in range(20):
        await room.watches.put(User(f"U{number}"), PLACE, f"kv cache {number}", public=False)
    assert await room.gains() == 20
    assert len(threads) >= 20
    assert threading.get_ident() not in threads


async def test_it_looks_whenever_the_corpus_has_changed_until_the_bot_stops(room: Room) -> None:
    stopping = asyncio.Event()
    await room.watches.put(User("U1"), PLACE, "kv cache", public=False)
    running = asyncio.create_task(room.news.run(stopping))
    room.library = LIBRARY
    await room.news.wake([])

    async def told() -> object:
        return (await room.storage.kept_of(User("U1"), PLACE))["told"]

    await until(told)
    stopping.set()
    await running
