"""What answers only remember: nobody waits for it, and it is known at once."""

import asyncio
from datetime import UTC, datetime, timedelta

import pytest
import sqlalchemy as sa
from waiting import until_true

from bot.errors import UserError
from bot.message import ChannelRef, User
from bot.store.database import Database
from bot.store.inbound import ActionStore, LaterWrites, PromptActions, PromptLists, StoredLists, key_of
from bot.store.last_list import LastList, MemoryLists
from bot.store.tables import presses

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

    async def forget(self, user: User, channel: ChannelRef) -> None:
        await self._wait()
        await self.lists.forget(user, channel)


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


async def test_what_waits_for_a_store_that_takes_none_is_bounded(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr("bot.store.inbound._AT_ONCE", 1)
    monkeypatch.setattr("bot.store.inbound._MOST_WAITING", 2)
    store, writes = Stalled(), LaterWrites()
    lists = PromptLists(store, writes)
    places = [ChannelRef("slack", "T1", f"C{number}") for number in range(5)]
    for place in places:
        await lists.put(ADA, place, SHOWN)
    assert "it takes none" in caplog.text
    for place in places:
        assert await lists.get(ADA, place) == SHOWN
    store.freed.set()
    assert await writes.finish(60) == 0
    # one was under way, the two that came next gave way to the two last
    kept = [await store.lists.get(ADA, place) is not None for place in places]
    assert kept == [True, False, False, True, True]


async def test_what_is_not_written_in_time_is_counted() -> None:
    store, writes = Stalled(), LaterWrites()
    lists = PromptLists(store, writes)
    for number in range(20):
        await lists.put(ADA, ChannelRef("slack", "T1", f"C{number}"), SHOWN)
    assert await writes.finish(0) == 20


async def test_the_later_of_two_lists_is_the_one_that_stays() -> None:
    store, writes = Stalled(), LaterWrites()
    lists = PromptLists(store, writes)
    later = LastList("similar", {1: "three"}, NOW + timedelta(seconds=1))
    last = LastList("topics", {1: "four"}, NOW + timedelta(seconds=2))
    for shown in (SHOWN, later, last):
        await lists.put(ADA, PLACE, shown)
    store.freed.set()
    assert await writes.finish(60) == 0
    assert await store.lists.get(ADA, PLACE) == last


async def test_a_page_adds_to_one_that_is_written_already(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bot.store.inbound.LOOK_SECONDS", 60.0)
    store, writes = Stalled(), LaterWrites()
    store.freed.set()
    lists = PromptLists(store, writes)
    await lists.put(ADA, PLACE, SHOWN)
    assert await writes.finish(60) == 0
    await lists.put(ADA, PLACE, LastList("search", {3: "three"}, NOW + timedelta(seconds=1)))
    for _ in range(2):  # before the second page is written, and after
        shown = await lists.get(ADA, PLACE)
        assert shown is not None
        assert shown.numbers == {1: "one", 2: "two", 3: "three"}
        assert await writes.finish(60) == 0


async def test_two_lists_of_one_moment_are_both_written(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of two lists with the same time the one that is written first is not taken for the other."""
    store, writes = Stalled(), LaterWrites()
    lists = PromptLists(store, writes)
    await lists.put(ADA, PLACE, SHOWN)
    await asyncio.sleep(0)
    other = LastList("similar", {1: "three"}, NOW)
    await lists.put(ADA, PLACE, other)
    store.freed.set()
    assert await writes.finish(60) == 0
    assert await store.lists.get(ADA, PLACE) == other


async def test_what_failed_is_written_once_the_store_works(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bot.store.inbound.RETRY_SECONDS", 0.0)
    store, writes = Stalled(), LaterWrites()
    store.broken = True
    store.freed.set()
    lists = PromptLists(store, writes)
    places = [ChannelRef("slack", "T1", f"C{number}") for number in range(30)]
    for place in places:
        await lists.put(ADA, place, SHOWN)
    for _ in range(100):
        await asyncio.sleep(0)  # it fails, and fails again
    store.broken = False
    await until_true(lambda: all((ADA.id, place) in store.lists._lists for place in places))


async def test_a_write_that_alone_fails_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bot.store.inbound.RETRY_SECONDS", 0.0)
    writes, tries = LaterWrites(), 0

    async def fails() -> None:
        nonlocal tries
        tries += 1
        raise ValueError("no such text")

    written = asyncio.Event()

    async def works() -> None:
        written.set()

    writes.begin("bad", fails)
    await until_true(lambda: tries >= 3)  # nothing else succeeds: it may be the store
    writes.begin("good", works)
    await written.wait()
    so_far = tries
    for _ in range(100):
        await asyncio.sleep(0)
    assert tries <= so_far + 1
    assert await writes.finish(60) == 0


async def test_a_store_that_fails_is_left_alone_for_a_while() -> None:
    store, writes, tries = Stalled(), LaterWrites(), 0

    async def fails() -> None:
        nonlocal tries
        tries += 1
        raise OSError("gone")

    writes.begin("one", fails)
    await until_true(lambda: tries == 1)
    for number in range(20):
        writes.begin(number, fails)
    for _ in range(100):
        await asyncio.sleep(0)
    assert tries == 1
    assert store.bodies == {}
    assert await writes.finish(60) == 21
    assert tries == 22


async def test_forgetting_is_not_overtaken_by_a_write_that_was_under_way(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bot.store.inbound.LOOK_SECONDS", 60.0)
    monkeypatch.setattr("bot.store.inbound._AT_ONCE", 1)
    store, writes = Stalled(), LaterWrites()
    lists = PromptLists(store, writes)
    elsewhere, other = ChannelRef("slack", "T1", "C2"), ChannelRef("slack", "T2", "C1")
    for place in (PLACE, elsewhere, other):
        await lists.put(ADA, place, SHOWN)
    await lists.put(User("U2"), PLACE, SHOWN)
    await asyncio.sleep(0)  # the first is under way, the others wait
    forgetting = asyncio.create_task(lists.forget(ADA, PLACE))
    await asyncio.sleep(0)
    store.freed.set()
    await forgetting
    assert await writes.finish(60) == 0
    assert await lists.get(ADA, PLACE) is None
    assert await lists.get(ADA, elsewhere) is None
    assert await lists.get(ADA, other) == SHOWN  # another workspace
    assert await lists.get(User("U2"), PLACE) == SHOWN


async def test_no_button_of_many_is_lost() -> None:
    database = await Database.open("sqlite:///:memory:")
    stored, writes = ActionStore(database), LaterWrites()
    actions = PromptActions(stored, writes)
    keys = [await actions.put(f"body {number}") for number in range(2_500)]
    assert await writes.finish(60) == 0
    assert [await stored.get(key) for key in (keys[0], keys[1_200], keys[2_499])] == [
        "body 0",
        "body 1200",
        "body 2499",
    ]
    async with database.read() as connection:
        assert (await connection.execute(sa.select(sa.func.count()).select_from(presses))).scalar() == 2_500
    await database.close()


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
