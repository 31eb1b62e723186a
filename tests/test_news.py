"""WatchNotifier of watched queries: one message a change, at most five lines, private by default, once."""

import random
import threading
from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import UTC, datetime

import pytest
from connected import connected
from fake_platform import FakePlatform

from bot.config import default_corpus
from bot.corpus import load_corpus
from bot.digest.notify import MOST_LINES, WatchNotifier, news_lines
from bot.library import Library
from bot.message import ChannelRef, User
from bot.search import SearchIndex
from bot.search.query import Query, Results
from bot.store.database import Database
from bot.store.inbound import InboundEvents
from bot.store.kept import StoredWatches

LIBRARY = Library.of(load_corpus(default_corpus()))
PLACE = ChannelRef("slack", "T1", "C1")
NOW = datetime(2026, 7, 1, tzinfo=UTC)


class Room:
    def __init__(self, database: Database) -> None:
        self.watches = StoredWatches(database)
        self.platform = FakePlatform(lambda: NOW, random.Random(1))
        lent = connected(poster=self.platform)
        self.news = WatchNotifier(self.watches, InboundEvents(database), lent, lambda: LIBRARY, lambda: NOW)


@pytest.fixture
async def room() -> AsyncIterator[Room]:
    database = await Database.open("sqlite:///:memory:")
    yield Room(database)
    await database.close()


async def test_private_by_default_and_told_once_also_by_replicas(room: Room) -> None:
    await room.watches.put(User("U1"), PLACE, "kv cache", public=False)
    new = [paper for paper in LIBRARY.corpus if paper.handle in {"xkv", "sinq"}]
    assert await room.news.tell(new) == 1
    assert await room.news.tell(new) == 0
    (words,) = room.platform.told
    assert words.startswith("U1: New papers")
    assert "xkv" in words
    assert "sinq" not in words
    assert room.platform.messages == []


async def test_to_the_channel_by_choice(room: Room) -> None:
    await room.watches.put(User("U1"), PLACE, "kv cache", public=True)
    await room.news.tell(list(LIBRARY.corpus))
    assert len(room.platform.messages) == 1
    assert room.platform.told == []


async def test_several_queries_of_one_person_are_one_message(room: Room) -> None:
    for query in ("kv cache", "quantization", "pruning"):
        await room.watches.put(User("U1"), PLACE, query, public=False)
    await room.news.tell(list(LIBRARY.corpus))
    (words,) = room.platform.told
    assert len(words.splitlines()) == MOST_LINES
    assert "more" in words.splitlines()[-1]


async def test_nothing_new_that_matches_is_no_message(room: Room) -> None:
    await room.watches.put(User("U1"), PLACE, "sourdough bread recipe", public=False)
    assert await room.news.tell(list(LIBRARY.corpus)) == 0


async def test_one_failing_channel_stops_no_other(room: Room) -> None:
    other = replace(PLACE, channel="C2")
    await room.watches.put(User("U1"), PLACE, "kv cache", public=True)
    await room.watches.put(User("U2"), other, "kv cache", public=False)
    room.platform.fault = "archived"
    assert await room.news.tell(list(LIBRARY.corpus)) == 1
    assert len(room.platform.told) == 1


def test_lines_are_counted() -> None:
    papers = list(LIBRARY.corpus)
    assert len(news_lines({"a": papers[:1]})) == 2
    assert len(news_lines({"a": papers[:4]})) == 5
    assert len(news_lines({"a": papers[:20]})) == 5


async def test_watches_are_searched_for_off_the_event_loop(room: Room, monkeypatch: pytest.MonkeyPatch) -> None:
    threads: list[int] = []
    find = type(LIBRARY.index).find

    def noting(index: SearchIndex, query: Query, offset: int = 0, limit: int = 5) -> Results:
        threads.append(threading.get_ident())
        return find(index, query, offset, limit)

    monkeypatch.setattr(type(LIBRARY.index), "find", noting)
    for number in range(20):
        await room.watches.put(User(f"U{number}"), PLACE, f"kv cache {number}", public=False)
    assert await room.news.tell(list(LIBRARY.corpus)) == 20
    assert len(threads) >= 20
    assert threading.get_ident() not in threads
