"""The store, on SQLite and on a real PostgreSQL."""

import asyncio
import subprocess
import sys
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
import sqlalchemy as sa
from databases import database_url

from bot.errors import StoreError
from bot.message import ChannelRef, User
from bot.store.database import Database, _upgrade, async_url, schema_difference
from bot.store.inbound import EVENTS_KEPT, InboundEvents, StoredLists
from bot.store.installations import Installations, OAuthStates
from bot.store.last_list import LastList
from bot.store.leases import CommandHashes, Leases
from bot.store.ledger import Ledger
from bot.store.subscriptions import Subscriptions
from bot.store.tables import command_hashes

NOW = datetime(2026, 7, 1, 12, tzinfo=UTC)
PERSON = User("U1")
PLACE = ChannelRef("slack", "T1", "C1")
ROW = {"platform": "slack", "scope": "", "hash": "abc", "at_ms": 0}


@pytest.fixture(params=["sqlite", "postgresql"])
async def url(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[str]:
    async with database_url(request.param, tmp_path) as address:
        yield address


@pytest.fixture
async def database(url: str) -> AsyncIterator[Database]:
    opened = await Database.open(url)
    yield opened
    await opened.close()


async def test_migrations_build_what_the_tables_say(database: Database) -> None:
    async with database.engine.connect() as connection:
        assert await connection.run_sync(schema_difference) == []


SUBSCRIPTION = {
    "platform": "slack", "workspace": "T1", "channel": "C1", "at": "09:00", "zone": "Europe/Berlin",
    "weekdays": "01234", "since_ms": 0, "set_up_by": "U1", "next_ms": 1, "trouble": "the channel is archived.",
}  # fmt: skip
POSTING = {
    "subscription": 1, "day": "2026-06-30", "part": 0, "key": "k" * 24, "state": "posted", "due_ms": 1, "message": "m1",
    "papers": '["p1"]',
}  # fmt: skip
"""Rows as the second schema knew them."""


async def test_what_the_second_schema_kept_is_known_to_the_third(url: str) -> None:
    before = await Database.open(url, upgrade=False)
    event = {"platform": "slack", "workspace": "T1", "key": "Ev1", "at_ms": int(NOW.timestamp() * 1000)}
    async with before._writing.begin() as connection:
        await connection.run_sync(_upgrade, "0002")
        for table, row in (("deliveries", event), ("subscriptions", SUBSCRIPTION), ("postings", POSTING)):
            columns = ", ".join(f'"{name}"' for name in row)
            values = ", ".join(f":{name}" for name in row)
            await connection.execute(sa.text(f"INSERT INTO {table} ({columns}) VALUES ({values})"), row)  # noqa: S608
    await before.close()
    opened = await asyncio.gather(*(Database.open(url) for _ in range(3)))
    events = InboundEvents(opened[0], lambda: NOW)
    assert not await events.claim("slack", "T1", "Ev1"), "it was answered already"
    assert await events.claim("slack", "T1", "Ev2")
    (entry,) = await Subscriptions(opened[0]).active()
    assert (entry.channel, entry.held_for) == (PLACE, "the channel is archived.")
    (posting,) = await Ledger(opened[0], "test").history(entry.id)
    assert (posting.key, posting.message, posting.papers, posting.announcement) == ("k" * 24, "m1", ("p1",), None)
    async with opened[0].engine.connect() as connection:
        assert await connection.run_sync(schema_difference) == []
        names = await connection.run_sync(lambda one: sa.inspect(one).get_table_names())
        key = await connection.run_sync(lambda one: sa.inspect(one).get_pk_constraint("inbound_events"))
    assert "deliveries" not in names
    assert key["name"] == "pk_inbound_events"
    for one in opened:
        await one.close()


async def test_opening_again_and_at_once_is_harmless(url: str) -> None:
    opened = await asyncio.gather(*(Database.open(url) for _ in range(4)))
    for entry in opened:
        await entry.close()


async def test_reading_waits_for_nobody_who_writes(url: str) -> None:
    writer, reader = await Database.open(url), await Database.open(url)
    async with writer.begin() as connection:
        await connection.execute(writer.insert_if_new(command_hashes, ROW))
        # a reader that took the write lock would fail, since this transaction ends only after it
        assert await CommandHashes(reader).get("slack", "") is None
    assert await CommandHashes(reader).get("slack", "") == "abc"
    await writer.close()
    await reader.close()


async def test_an_event_is_claimed_once_also_by_many(database: Database) -> None:
    claims = await asyncio.gather(*(InboundEvents(database).claim("slack", "T1", f"Ev{i % 10}") for i in range(50)))
    assert sum(claims) == 10
    assert await InboundEvents(database).claim("slack", "T2", "Ev1")
    assert await InboundEvents(database).claim("discord", "T1", "Ev1")


async def test_two_processes_claim_once(url: str) -> None:
    first, second = await Database.open(url), await Database.open(url)
    claims = await asyncio.gather(
        *(InboundEvents(entry).claim("slack", "T1", f"Ev{i}") for i in range(20) for entry in (first, second))
    )
    assert sum(claims) == 20
    await first.close()
    await second.close()


async def test_old_events_are_forgotten(database: Database) -> None:
    await InboundEvents(database, lambda: NOW).claim("slack", "T1", "old")
    await InboundEvents(database, lambda: NOW + EVENTS_KEPT).claim("slack", "T1", "new")
    later = InboundEvents(database, lambda: NOW + EVENTS_KEPT + timedelta(seconds=1))
    assert await later.forget_old() == 1
    assert await later.claim("slack", "T1", "old")
    assert not await later.claim("slack", "T1", "new")


async def test_lists_come_back_and_pages_add_up(database: Database) -> None:
    lists = StoredLists(database, lambda: NOW)
    assert await lists.get(PERSON, PLACE) is None
    await lists.put(PERSON, PLACE, LastList("q", {1: "a", 2: "b"}, NOW))
    await lists.put(PERSON, PLACE, LastList("q", {3: "c"}, NOW))
    assert await lists.get(PERSON, PLACE) == LastList("q", {1: "a", 2: "b", 3: "c"}, NOW)
    await lists.put(PERSON, PLACE, LastList("other", {1: "z"}, NOW))
    assert await lists.get(PERSON, PLACE) == LastList("other", {1: "z"}, NOW)
    assert await lists.get(User("U2"), PLACE) is None
    assert await lists.get(PERSON, ChannelRef("slack", "T2", "C1")) is None
    assert await StoredLists(database, lambda: NOW + timedelta(days=8)).forget_old() == 1


async def test_command_hashes(database: Database) -> None:
    hashes = CommandHashes(database)
    assert await hashes.get("discord", "") is None
    await hashes.put("discord", "", "one")
    await hashes.put("discord", "", "two")
    await hashes.put("discord", "G1", "three")
    assert await hashes.get("discord", "") == "two"


async def test_installations(database: Database) -> None:
    store = Installations(database)
    await store.put("slack", "T1", "", "bot")
    await store.put("slack", "T1", "U1", "person")
    await store.put("slack", "T1", "", "bot again")
    await store.put("slack", "T2", "", "other")
    assert await store.get("slack", "T1", "") == "bot again"
    assert sorted(await store.all("slack")) == [("T1", "", "bot again"), ("T1", "U1", "person"), ("T2", "", "other")]
    assert await store.delete("slack", "T1", "U1") == 1
    assert await store.delete("slack", "T1") == 1
    assert await store.get("slack", "T1", "") is None


async def test_oauth_state_is_good_once_and_for_a_while(database: Database) -> None:
    states = OAuthStates(database, lambda: NOW)
    await states.issue("s1", 60)
    await states.issue("s2", 60)
    assert [await states.consume("s1"), await states.consume("s1"), await states.consume("never")] == [
        True,
        False,
        False,
    ]
    assert not await OAuthStates(database, lambda: NOW + timedelta(seconds=61)).consume("s2")


async def test_a_lease_has_one_holder(database: Database) -> None:
    leases = Leases(database)
    taken = await asyncio.gather(*(leases.take("gateway", f"p{i}", 60) for i in range(8)))
    assert sum(taken) == 1
    holder = f"p{taken.index(True)}"
    assert await leases.take("gateway", holder, 60)
    await leases.release("gateway", "somebody else")
    assert not await leases.take("gateway", "late", 60)
    await leases.release("gateway", holder)
    assert await leases.take("gateway", "late", 60)


async def test_a_lease_that_ran_out_is_free(database: Database) -> None:
    leases = Leases(database)
    assert await leases.take("gateway", "dead", -1)
    assert await leases.take("gateway", "alive", 60)
    assert not await leases.take("gateway", "dead", 60)


async def test_sqlite_writers_wait_for_each_other(tmp_path: Path) -> None:
    async with database_url("sqlite", tmp_path) as url:
        opened = [await Database.open(url) for _ in range(5)]
        lists = [StoredLists(entry) for entry in opened]
        await asyncio.gather(
            *(lists[i % 5].put(User(f"U{i}"), PLACE, LastList("q", {1: "a"}, NOW)) for i in range(100))
        )
        for entry in opened:
            await entry.close()


@pytest.mark.parametrize("url", ["mysql://x", "nonsense", ""])
def test_other_databases_are_refused(url: str) -> None:
    with pytest.raises(StoreError, match="sqlite:// or postgresql://"):
        async_url(url)


async def test_an_unreachable_server_is_named_without_its_password() -> None:
    with pytest.raises(StoreError) as caught:
        await Database.open("postgresql://me:hunter2@127.0.0.1:1/x")
    assert "127.0.0.1:1/x" in str(caught.value)
    assert "hunter2" not in str(caught.value)


def test_no_value_that_is_stored_reaches_the_log_at_any_level(tmp_path: Path) -> None:
    script = """
import asyncio, sys
from pathlib import Path
from bot.app import set_up_logging
from bot.config import CoreSections, LogSection, Settings
from bot.store.database import Database
from bot.store.installations import Installations

async def main():
    set_up_logging(Settings(CoreSections(log=LogSection(level="debug")), {}, Path(), None, {}))
    database = await Database.open(sys.argv[1])
    await Installations(database).put("slack", "T-named", "", "gAAAA-the-body")
    assert await Installations(database).get("slack", "T-named", "") == "gAAAA-the-body"
    await database.close()

asyncio.run(main())
"""
    url = f"sqlite:///{tmp_path / 'store.sqlite3'}"
    done = subprocess.run([sys.executable, "-c", script, url], capture_output=True, text=True, check=True)
    assert "DEBUG alembic" in done.stderr  # the level is in force
    assert "gAAAA-the-body" not in done.stderr
    assert "T-named" not in done.stderr
