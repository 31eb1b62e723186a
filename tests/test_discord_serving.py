"""Connecting, losing the connection, several replicas, stopping: over sockets, with unmodified discord.py."""

import asyncio
import logging
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Literal, cast

import aiohttp
import discord
import pytest
from databases import database_url
from platforms.discord.markdown import read_message
from platforms.discord.running import services_of, serving, settings_of, store_at
from platforms.discord.server import Double, discord_double
from platforms.discord.surface import DiscordSurface
from waiting import GUARD_SECONDS

from bot.adapters.discord import ADAPTER
from bot.adapters.discord.client import PapersClient
from bot.adapters.discord.message import again
from bot.adapters.discord.section import DiscordSection
from bot.adapters.discord.serve import GatewayLease
from bot.adapters.services import Services, end
from bot.config import Settings, default_corpus
from bot.corpus import load_corpus
from bot.errors import OperatorError
from bot.library import Library
from bot.store.database import Database
from bot.store.leases import Leases


@pytest.fixture(scope="module")
def library() -> Library:
    return Library.of(load_corpus(default_corpus()))


@pytest.fixture
async def database(tmp_path: Path) -> AsyncIterator[Database]:
    async with store_at(f"sqlite:///{tmp_path / 'store.sqlite3'}") as database:
        yield database


@pytest.fixture
async def double() -> AsyncIterator[Double]:
    async with discord_double() as double:
        yield double


@pytest.fixture(autouse=True)
def quick_reconnects(monkeypatch: pytest.MonkeyPatch) -> None:
    """Waiting between tries is the library's and ours; here it takes no time."""
    monkeypatch.setattr("discord.backoff.ExponentialBackoff.delay", lambda _self: 0.0)
    monkeypatch.setattr("bot.adapters.discord.serve._FIRST_PAUSE", 0.0)


Begin = Callable[[Settings, Services], "asyncio.Task[None]"]


@pytest.fixture
async def begin(database: Database, double: Double) -> AsyncIterator[Begin]:
    """Serves in a task, which ends with the test also where that fails: its waits take no time, it would run hot.

    It ends before what it is connected to.
    """
    begun: list[tuple[asyncio.Task[None], Services]] = []

    def serve(settings: Settings, services: Services) -> "asyncio.Task[None]":
        task = asyncio.ensure_future(ADAPTER.serve(settings, services))
        begun.append((task, services))
        return task

    yield serve
    for task, services in begun:
        services.stopping.set()
        await asyncio.wait({task}, timeout=GUARD_SECONDS)
        await end((task,))


def surface_of(double: Double) -> DiscordSurface:
    return DiscordSurface(double, double.world.channel(double.world.guild()))


async def test_wrong_token_ends_the_adapter_with_one_clear_line(
    library: Library, database: Database, double: Double
) -> None:
    with pytest.raises(OperatorError) as caught:
        await ADAPTER.serve(settings_of(token="wrong-secret"), services_of(database, library))
    assert "DISCORD_TOKEN" in str(caught.value)
    assert "discord.com/developers" in str(caught.value)
    assert "wrong-secret" not in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(("code", "words"), [(4004, "DISCORD_TOKEN"), (4011, "discord.shards"), (4014, "intents")])
async def test_a_gateway_that_refuses_for_good_ends_the_adapter(
    code: int, words: str, library: Library, database: Database, double: Double
) -> None:
    double.gateway.refuse = code
    with pytest.raises(OperatorError) as caught:
        await ADAPTER.serve(settings_of(), services_of(database, library))
    assert words in str(caught.value)


async def test_token_reset_while_connected(library: Library, database: Database, double: Double, begin: Begin) -> None:
    task = begin(settings_of(), services_of(database, library))
    await double.connected()
    double.world.token = "another"
    await double.gateway.hang_up(4004)
    with pytest.raises(OperatorError):
        await task


async def test_intents_are_none(library: Library, database: Database, double: Double) -> None:
    async with serving(double, services_of(database, library)):
        assert double.gateway.sessions[0].intents == 0


async def test_op_7_resumes_the_session(library: Library, database: Database, double: Double) -> None:
    async with serving(double, services_of(database, library)):
        await double.gateway.ask_to_reconnect()
        await double.until(lambda: double.gateway.sessions[0].resumed == 1)
        assert "xKV" in (await surface_of(double).say("tldr xkv")).text


@pytest.mark.parametrize("code", [1000, 1006, 4000, 4007, 4009])
async def test_a_closed_connection_comes_back(code: int, library: Library, database: Database, double: Double) -> None:
    async with serving(double, services_of(database, library)):
        session = double.gateway.sessions[0]
        if code == 1006:
            double.gateway.cut()
        else:
            await double.gateway.hang_up(code)
        await double.until(lambda: session.resumed > 0 or len(double.gateway.sessions) > 1)
        assert "xKV" in (await surface_of(double).say("tldr xkv")).text


async def test_an_invalid_session_begins_anew(
    library: Library, database: Database, double: Double, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with serving(double, services_of(database, library)):
        await double.gateway.invalidate()
        await double.until(lambda: len(double.gateway.sessions) == 2)
        assert "xKV" in (await surface_of(double).say("tldr xkv")).text


async def test_what_came_while_away_is_answered_once_after_the_resume(
    library: Library, database: Database, double: Double
) -> None:
    async with serving(double, services_of(database, library)):
        channel = double.world.channel(double.world.guild())
        asked = await double.say(4, channel, "tldr", paper="xkv")
        await double.gateway.ask_to_reconnect()
        await double.until(lambda: double.gateway.sessions[0].resumed == 1)
        session = double.gateway.sessions[0]
        event = next(event for _, event in session.sent if event["t"] == "INTERACTION_CREATE")
        await double.gateway.dispatch(session, "INTERACTION_CREATE", event["d"])
        await double.answered(asked)
        await surface_of(double).say("tldr xkv")
        assert asked.answers == 1


async def test_a_server_that_is_away_at_the_start_is_tried_again(
    library: Library, database: Database, double: Double, caplog: pytest.LogCaptureFixture
) -> None:
    double.world.fault("503", "GET /users/@me")
    double.world.fault("reset", "GET /users/@me")
    async with serving(double, services_of(database, library)):
        assert "xKV" in (await surface_of(double).say("tldr xkv")).text
    assert "tried again" in caplog.text


async def test_an_event_that_cannot_be_read_stops_nothing(
    library: Library, database: Database, double: Double, caplog: pytest.LogCaptureFixture
) -> None:
    async with serving(double, services_of(database, library)):
        await double.gateway.dispatch(double.gateway.open[0], "INTERACTION_CREATE", {"id": "1", "type": 2})
        await double.until(lambda: len(double.gateway.sessions) == 2)
        assert "xKV" in (await surface_of(double).say("tldr xkv")).text
    assert "ended by a fault" in caplog.text


@pytest.mark.parametrize("shards", ["auto", 2])
async def test_shards_share_the_guilds(
    shards: int | Literal["auto"], library: Library, database: Database, double: Double
) -> None:
    section = DiscordSection(shards=shards)
    async with serving(double, services_of(database, library), settings_of(section)):
        await double.connected(2)
        assert sorted(session.shard for session in double.gateway.open) == [(0, 2), (1, 2)]
        for _ in range(2):
            assert "xKV" in (await surface_of(double).say("tldr xkv")).text
    assert double.gateway.open == []


async def test_stopping_finishes_what_is_in_flight_and_takes_nothing_new(
    library: Library, database: Database, double: Double, begin: Begin
) -> None:
    services = services_of(database, library)
    task = begin(settings_of(), services)
    await double.connected()
    channel = double.world.channel(double.world.guild())
    slow = double.world.fault("slow", "PATCH")
    asked = await double.say(4, channel, "tldr", paper="xkv")
    await double.until(lambda: double.world.faults[0].times == 0 and asked.acknowledged is not None)
    services.stopping.set()
    await double.until(lambda: not double.gateway.open)
    assert not task.done()
    slow.until.set()
    await asyncio.gather(task)
    assert "xKV" in read_message(asked.shown).text
    assert services.connections.alive() == {}


async def test_stopping_waits_for_nobody_for_ever(  # noqa: PLR0917 - fixtures
    library: Library,
    database: Database,
    double: Double,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    begin: Begin,
) -> None:
    monkeypatch.setattr("bot.adapters.discord.serve.GRACE_SECONDS", 0.05)
    services = services_of(database, library)
    task = begin(settings_of(), services)
    await double.connected()
    slow = double.world.fault("slow", "PATCH")
    asked = await double.say(4, double.world.channel(double.world.guild()), "tldr", paper="xkv")
    await double.until(lambda: double.world.faults[0].times == 0 and asked.acknowledged is not None)
    services.stopping.set()
    await asyncio.gather(task)
    slow.until.set()
    assert "1 answers were not finished" in caplog.text


async def test_stopping_before_there_is_a_connection(
    library: Library, database: Database, double: Double, begin: Begin
) -> None:
    slow = double.world.fault("slow", "GET /users/@me")
    services = services_of(database, library)
    task = begin(settings_of(), services)
    await double.until(lambda: True)
    services.stopping.set()
    slow.until.set()
    await asyncio.gather(task)


@pytest.mark.parametrize("kind", ["sqlite", "postgresql"])
async def test_only_the_holder_of_the_lease_connects_and_another_takes_over(  # noqa: PLR0917 - fixtures
    kind: str, library: Library, double: Double, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, begin: Begin
) -> None:
    settings = settings_of(DiscordSection(lease_seconds=1), replicas=2)
    async with database_url(kind, tmp_path) as url, store_at(url) as database:
        services = [services_of(database, library, name, clock=double.world.clock) for name in ("one", "two")]
        first = begin(settings, services[0])
        await double.connected()
        second = begin(settings, services[1])
        surface = surface_of(double)
        await surface.say("tldr xkv")
        assert double.gateway.identifies == 1
        first.cancel()  # dies without a word: nothing is given back
        monkeypatch.setattr(services[0].leases, "release", _never)
        double.world.clock.advance(1.1)  # on PostgreSQL the server's own clock judges
        await double.until(lambda: double.gateway.identifies == 2)
        await double.connected()
        assert (await surface.press("Similar")).replaced
        services[1].stopping.set()
        await asyncio.gather(second)
        await asyncio.gather(first, return_exceptions=True)


async def test_stopping_ends_a_connection_that_lost_its_first_cancel(
    library: Library, database: Database, begin: Begin, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As discord.py does on Python 3.11, where a cancel meets a failure inside `asyncio.wait_for`."""
    lost = 0
    running = asyncio.Event()

    async def start(_self: PapersClient, _token: str) -> None:
        nonlocal lost
        running.set()
        while True:
            try:
                await asyncio.Event().wait()
            except asyncio.CancelledError:
                lost += 1
                if lost == 2:
                    raise

    monkeypatch.setattr(PapersClient, "start", start)
    monkeypatch.setattr("bot.adapters.services.CANCEL_SECONDS", 0.01)
    services = services_of(database, library)
    task = begin(settings_of(), services)
    await running.wait()
    services.stopping.set()
    await asyncio.gather(task)
    assert lost == 2


async def _never(*_: object) -> None:
    return None


async def test_who_loses_the_lease_hangs_up_at_once_and_waits(
    library: Library, database: Database, double: Double, caplog: pytest.LogCaptureFixture, begin: Begin
) -> None:
    services = services_of(database, library)
    settings = settings_of(DiscordSection(lease_seconds=1), replicas=2)
    task = begin(settings, services)
    await double.connected()
    await services.leases.release("discord-gateway", services.replica)
    assert await services.leases.take("discord-gateway", "other", 30)  # s: within what a lease may last
    await double.until(lambda: not double.gateway.open)
    assert "another replica has the connection" in caplog.text
    await services.leases.release("discord-gateway", "other")
    await double.until(lambda: double.gateway.identifies == 2)
    services.stopping.set()
    await asyncio.gather(task)


async def test_stopping_gives_the_lease_back(library: Library, database: Database, double: Double) -> None:
    services = services_of(database, library)
    async with serving(double, services, settings_of(replicas=2)):
        assert not await services.leases.take("discord-gateway", "other", 1)
    assert await services.leases.take("discord-gateway", "other", 1)


async def test_a_store_that_is_away_costs_the_lease_before_it_runs_out(caplog: pytest.LogCaptureFixture) -> None:
    class Away(Leases):
        def __init__(self) -> None:
            self.answers = [True]

        async def take(self, name: str, holder: str, seconds: float) -> bool:
            if not self.answers:
                raise OSError("no route")
            return self.answers.pop()

    now = [0.0]
    lease = GatewayLease(Away(), "one", 0.03, lambda: now[0])
    assert await lease.take()
    now[0] = 0.021  # a third of it is left when the next try fails
    await lease.keep()
    assert "OSError" in caplog.text
    assert not await lease.take()


def test_failover_is_under_15_seconds_by_its_figures() -> None:
    """Death right after renewing: the lease runs out, the next look comes, then logging in and READY."""
    for seconds in (1.0, DiscordSection().lease_seconds, 12.0):
        lease = GatewayLease(Leases.__new__(Leases), "one", seconds)
        assert seconds + lease.pause < 14


async def test_library_warnings_are_calm_and_debug_holds_no_secret(
    library: Library, database: Database, double: Double, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    async with serving(double, services_of(database, library)):
        await double.gateway.hang_up(1000)
        await double.until(lambda: double.gateway.sessions[0].resumed > 0 or len(double.gateway.sessions) > 1)
    own = [entry for entry in caplog.records if entry.name.startswith("discord.")]
    assert not any("Guilds intent" in entry.getMessage() for entry in own)
    assert not any(entry.exc_info for entry in own)
    assert not any(entry.levelno < logging.INFO for entry in own)


@pytest.mark.parametrize(("status", "sent"), [(500, 1), (502, 1), (503, 3), (504, 1)])
async def test_what_the_library_tries_again_is_not_tried_again_by_us(
    status: int, sent: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bot.adapters.discord.message.PAUSES", (0.0, 0.0))
    requests: list[int] = []

    async def request() -> None:
        requests.append(status)
        raise discord.DiscordServerError(cast("aiohttp.ClientResponse", SimpleNamespace(status=status, reason="")), "")

    with pytest.raises(discord.DiscordServerError):
        await again(request)
    assert len(requests) == sent
