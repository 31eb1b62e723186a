"""Ticks come whatever the clock says, and one that hangs holds up no other."""

import asyncio
import logging
import time
from collections.abc import AsyncIterator, Sequence
from datetime import UTC, datetime, timedelta, tzinfo
from itertools import pairwise
from pathlib import Path

import asyncpg
import pytest
import sqlalchemy as sa
from databases import database_url
from digest_world import START, World
from sqlalchemy.exc import SQLAlchemyError
from waiting import until

from bot.digest.deliver import Ticker
from bot.schedule.values import Posting
from bot.store.database import Database


async def many(ticks: Sequence[object], count: int) -> None:
    async def so_many() -> bool:
        return len(ticks) >= count

    await until(so_many)


class Clock:
    """The machine's clock as APScheduler and the ticker read it, set to differ by `skew`."""

    skew = timedelta()


class Skewed(datetime):
    """Now, by a clock that somebody set."""

    @classmethod
    def now(cls, tz: tzinfo | None = None) -> "Skewed":
        moment = datetime.fromtimestamp(time.monotonic() + 1_780_000_000, tz or UTC) + Clock.skew
        return cls.combine(moment.date(), moment.timetz())


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> type[Clock]:
    for module in ("apscheduler.schedulers.base", "apscheduler.triggers.interval", "bot.digest.deliver"):
        monkeypatch.setattr(f"{module}.datetime", Skewed)
    Clock.skew = timedelta()
    return Clock


@pytest.mark.parametrize("step", [timedelta(minutes=-30), timedelta(seconds=300), timedelta(days=-400)])
async def test_ticks_go_on_when_the_clock_is_set(clock: type[Clock], step: timedelta) -> None:
    ticks: list[float] = []

    async def tick() -> None:
        ticks.append(time.monotonic())

    stopping = asyncio.Event()
    running = asyncio.create_task(Ticker(tick, 0.1).run(stopping))
    await many(ticks, 2)
    clock.skew = step
    await many(ticks, 8)
    stopping.set()
    await running
    assert max(b - a for a, b in pairwise(ticks)) < 5


async def test_a_tick_that_hangs_is_given_up_and_the_next_goes_on(caplog: pytest.LogCaptureFixture) -> None:
    ticks: list[str] = []

    async def tick() -> None:
        ticks.append("begun")
        if len(ticks) == 1:
            await asyncio.Event().wait()

    stopping = asyncio.Event()
    ticker = Ticker(tick, 0.05, stuck=0.2)
    with caplog.at_level(logging.ERROR):
        running = asyncio.create_task(ticker.run(stopping))
        await many(ticks, 3)
    assert "is given up" in caplog.text
    stopping.set()
    await running
    assert ticker.last is not None


async def test_a_tick_that_gets_on_is_not_given_up() -> None:
    ended: list[bool] = []

    async def tick() -> None:
        for _ in range(10):
            await asyncio.sleep(0.1)
            ticker.heartbeat()
        ended.append(True)

    stopping = asyncio.Event()
    ticker = Ticker(tick, 0.05, stuck=0.5)
    running = asyncio.create_task(ticker.run(stopping))
    await many(ended, 1)
    stopping.set()
    await running


async def test_a_tick_that_fails_is_followed_by_another(caplog: pytest.LogCaptureFixture) -> None:
    ticks: list[str] = []

    async def tick() -> None:
        ticks.append("begun")
        raise RuntimeError("a fault of ours")

    stopping = asyncio.Event()
    running = asyncio.create_task(Ticker(tick, 0.05).run(stopping))
    await many(ticks, 2)
    stopping.set()
    await running
    assert "a tick failed" in caplog.text


async def test_a_bot_that_stops_claims_nothing_more(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with database_url("sqlite", tmp_path) as url:
        database = await Database.open(url)
        world = World(database)
        entry = await world.subscribe()
        world.now = START + timedelta(hours=1)
        world.deliverer._stopping = lambda: True
        claims: list[object] = []

        async def claimed(*given: object) -> list[Posting]:
            claims.append(given)
            return []

        monkeypatch.setattr(world.ledger, "claim", claimed)
        await world.tick()
        assert claims == []
        assert (await world.ledger.history(entry.id))[0].state == "planned"
        await database.close()


class Network:
    """Leads to the server; connections that stood when it was cut stay silent, new ones work."""

    def __init__(self) -> None:
        self.cut: set[asyncio.StreamReader] = set()
        self.readers: set[asyncio.StreamReader] = set()
        self.writers: list[asyncio.StreamWriter] = []

    async def meet(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        address = sa.make_url(self.url)
        there, to = await asyncio.open_connection(address.host, address.port or 5432)
        self.writers += [writer, to]
        await asyncio.gather(self.pass_on(reader, to), self.pass_on(there, writer))

    async def pass_on(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.readers.add(reader)
        while data := await reader.read(65536):
            if reader not in self.cut:
                writer.write(data)
        writer.close()

    url = ""


@pytest.fixture
async def behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[tuple[Network, Database]]:
    monkeypatch.setattr("bot.store.database.CONNECT_SECONDS", 1.0)
    monkeypatch.setattr("bot.store.database.CALL_SECONDS", 1.5)
    network = Network()
    async with database_url("postgresql", tmp_path) as url:
        network.url = url
        server = await asyncio.start_server(network.meet, "127.0.0.1", 0)
        port = server.sockets[0].getsockname()[1]
        through = sa.make_url(url).set(host="127.0.0.1", port=port).render_as_string(hide_password=False)
        database = await Database.open(through)
        yield network, database
        await database.close()
        server.close()
        for writer in network.writers:
            writer.close()


async def ask(database: Database, times: int = 1) -> None:
    async with database.read() as connection:
        for _ in range(times):
            await connection.execute(sa.text("SELECT pg_sleep(0.05)"))


async def test_connections_that_died_while_they_waited_cost_seconds_and_no_call(
    behind: tuple[Network, Database],
) -> None:
    network, database = behind
    await asyncio.gather(*(ask(database) for _ in range(4)))
    network.cut = set(network.readers)
    began = time.monotonic()
    await ask(database)
    await asyncio.gather(*(ask(database) for _ in range(4)))
    assert time.monotonic() - began < 8


async def test_a_call_on_a_connection_that_dies_ends_and_the_next_has_a_fresh_one(
    behind: tuple[Network, Database],
) -> None:
    network, database = behind
    await asyncio.gather(*(ask(database) for _ in range(4)))
    began = time.monotonic()

    async def cut_in_the_middle() -> None:
        async with database.begin() as connection:
            await connection.execute(sa.text("SELECT 1"))
            network.cut = set(network.readers)
            await connection.execute(sa.text("SELECT 1"))

    with pytest.raises(SQLAlchemyError):
        await cut_in_the_middle()
    await ask(database)
    assert time.monotonic() - began < 8


async def test_a_call_that_waits_for_a_lock_ends(behind: tuple[Network, Database]) -> None:
    network, database = behind
    other = await asyncpg.connect(network.url)
    await other.execute("SELECT pg_advisory_lock(1)")

    async def wait_for_the_lock() -> None:
        async with database.begin() as connection:
            await connection.execute(sa.text("SELECT pg_advisory_xact_lock(1)"))

    with pytest.raises(SQLAlchemyError):
        await wait_for_the_lock()
    await other.close()
    await ask(database)


async def test_a_server_that_is_away_is_trouble_of_the_stores(behind: tuple[Network, Database]) -> None:
    network, database = behind
    network.cut = set(network.readers)
    network.url = "postgresql://127.0.0.1:1/x"
    with pytest.raises(SQLAlchemyError):
        await ask(database)
