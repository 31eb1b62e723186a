"""What answers only remember: nobody waits for it, and it is known at once."""

import asyncio
from datetime import UTC, datetime, timedelta

import pytest

from bot.errors import UserError
from bot.message import ChannelRef, User
from bot.store.database import Database
from bot.store.inbound import ActionStore, LaterWrites, PromptActions, PromptLists, StoredLists, key_of
from bot.store.last_list import LastList, MemoryLists

ADA, PLACE = User("U1"), ChannelRef("slack", "T1", "C1")
NOW = datetime(2026, 7, 1, 9, tzinfo=UTC)
SHOWN = LastList("search", {1: "one", 2: "two"}, NOW)


class Stalled:
    """A store that answers once it is freed, and fails where it is told to."""

    def __init__(self) -> None:
        self.freed = asyncio.Event()
        self.broken = False
        self.lists = MemoryLists()
        self.bodies: dict[str, str] = {}

    async def _wait(self) -> None:
        await self.freed.wait()
        if self.broken:
            raise OSError("disk full")

    async def get(self, user: User, channel: ChannelRef) -> LastList | None:
        await self._wait()
        return await self.lists.get(user, channel)

    async def put(self, user: User, channel: ChannelRef, shown: LastList) -> None:
        await self._wait()
        await self.lists.put(user, channel, shown)


@pytest.fixture(autouse=True)
def _no_patience(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bot.store.inbound.LOOK_SECONDS", 0.0)


async def test_a_list_is_known_before_it_is_written() -> None:
    store, writes = Stalled(), LaterWrites()
    lists = PromptLists(store, writes)
    await lists.put(ADA, PLACE, SHOWN)
    assert await lists.get(ADA, PLACE) == SHOWN
    assert await store.lists.get(ADA, PLACE) is None
    store.freed.set()
    assert await writes.finish(60) == 0
    assert await store.lists.get(ADA, PLACE) == SHOWN


async def test_what_is_written_is_remembered_by_the_store_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bot.store.inbound.LOOK_SECONDS", 60.0)
    store, writes = Stalled(), LaterWrites()
    store.freed.set()
    lists = PromptLists(store, writes)
    await lists.put(ADA, PLACE, SHOWN)
    assert await writes.finish(60) == 0
    store.lists = MemoryLists()  # the person had everything deleted
    assert await lists.get(ADA, PLACE) is None


async def test_a_later_list_of_another_replica_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bot.store.inbound.LOOK_SECONDS", 60.0)
    store, writes = Stalled(), LaterWrites()
    lists = PromptLists(store, writes)
    await lists.put(ADA, PLACE, SHOWN)
    theirs = LastList("similar", {1: "three"}, NOW + timedelta(seconds=1))
    await store.lists.put(ADA, PLACE, theirs)
    looking = asyncio.create_task(lists.get(ADA, PLACE))
    await asyncio.sleep(0)
    store.freed.set()
    assert await looking == theirs


async def test_what_only_the_store_knows_is_said_to_be_out_of_reach(caplog: pytest.LogCaptureFixture) -> None:
    lists = PromptLists(Stalled(), LaterWrites())
    with pytest.raises(UserError, match="Try again in a minute, or name the paper"):
        await lists.get(ADA, PLACE)
    assert "it does not answer" in caplog.text
    store = Stalled()
    store.broken = True
    store.freed.set()
    with pytest.raises(UserError):
        await PromptLists(store, LaterWrites()).get(ADA, PLACE)


async def test_a_store_that_fails_is_named_once_until_it_works_again(caplog: pytest.LogCaptureFixture) -> None:
    store, writes = Stalled(), LaterWrites()
    lists = PromptLists(store, writes)
    store.freed.set()
    for broken, lines in ((True, 1), (True, 1), (False, 1), (True, 2)):
        store.broken = broken
        await lists.put(ADA, PLACE, SHOWN)
        await writes.finish(60)
        assert caplog.text.count("is not kept") == lines


async def test_writes_do_not_pile_up(monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    monkeypatch.setattr("bot.store.inbound._MOST_WRITES", 2)
    store, writes = Stalled(), LaterWrites()
    lists = PromptLists(store, writes)
    for number in range(5):
        await lists.put(ADA, ChannelRef("slack", "T1", f"C{number}"), SHOWN)
    assert "it takes none" in caplog.text
    assert await writes.finish(0) == 2
    for number in range(5):
        assert await lists.get(ADA, ChannelRef("slack", "T1", f"C{number}")) == SHOWN


async def test_a_button_works_before_and_after_its_body_is_written(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bot.store.inbound.LOOK_SECONDS", 60.0)
    database = await Database.open("sqlite:///:memory:")
    stored, writes = ActionStore(database), LaterWrites()
    actions = PromptActions(stored, writes)
    key = await actions.put("x" * 3_000)
    assert key == key_of("x" * 3_000)
    assert await actions.get(key) == "x" * 3_000
    await writes.finish(60)
    assert await stored.get(key) == "x" * 3_000
    assert await actions.get(key) == "x" * 3_000
    assert await actions.get("0" * 24) is None
    lists = PromptLists(StoredLists(database), writes)
    await lists.put(ADA, PLACE, SHOWN)
    await writes.finish(60)
    assert await lists.get(ADA, PLACE) == SHOWN
    await database.close()
