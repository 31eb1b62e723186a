"""Health pages and metrics, over a real socket."""

import asyncio
import socket
from collections.abc import AsyncIterator

import aiohttp
import pytest
from waiting import until

from bot.adapters.console import CHANNEL, USER
from bot.commands import all_commands
from bot.config import HealthSection, default_corpus
from bot.corpus import load_corpus
from bot.digest.team import Team
from bot.dispatch import Dispatcher
from bot.library import Library
from bot.operate.health import Checks, Metrics, serve_health
from bot.services import Services
from bot.store.database import Database
from bot.store.deliveries import Deliveries
from bot.store.hashes import CommandHashes
from bot.store.installations import Installations, OAuthStates
from bot.store.leases import Leases
from bot.store.presses import PressStore

MONOTONIC = 1_000.0


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


class Running:
    def __init__(self, checks: Checks, port: int) -> None:
        self.checks = checks
        self.url = f"http://127.0.0.1:{port}"
        self.ticked: float | None = None

    async def get(self, path: str) -> tuple[int, str]:
        async with aiohttp.ClientSession() as session, session.get(self.url + path) as response:
            return response.status, await response.text()


@pytest.fixture
async def running() -> AsyncIterator[Running]:
    database = await Database.open("sqlite:///:memory:")
    library = Library.of(load_corpus(default_corpus()))
    team = Team.of(database, "test")
    services = Services(
        dispatcher=Dispatcher(lambda: library, all_commands(), team=team),
        deliveries=Deliveries(database),
        hashes=CommandHashes(database),
        installations=Installations(database),
        states=OAuthStates(database),
        leases=Leases(database),
        presses=PressStore(database),
        replica="test",
        team=team,
    )
    port = free_port()
    metrics = Metrics()
    services.dispatcher.observe = metrics.observe
    checks = Checks(services, database, metrics, lambda: result.ticked, lambda: MONOTONIC)
    result = Running(checks, port)
    serving = asyncio.create_task(serve_health(HealthSection(port=port), checks, services.stopping))

    async def listens() -> bool:
        try:
            await result.get("/healthz")
        except aiohttp.ClientError:
            return False
        return True

    await until(listens)
    yield result
    services.stopping.set()
    await serving
    await database.close()


async def test_alive_is_not_ready_before_the_first_tick(running: Running) -> None:
    assert (await running.get("/healthz"))[0] == 200
    status, body = await running.get("/readyz")
    assert status == 503
    assert '"digest ticks": false' in body
    assert '"ledger reachable": true' in body


async def test_ready_when_all_is_well_and_not_when_a_connection_or_the_tick_is_lost(running: Running) -> None:
    running.ticked = MONOTONIC
    running.checks.services.alive["slack"] = lambda: True
    assert (await running.get("/readyz"))[0] == 200
    running.checks.services.alive["slack"] = lambda: False
    assert (await running.get("/readyz"))[0] == 503
    running.checks.services.alive["slack"] = lambda: True
    running.ticked = MONOTONIC - 180
    assert (await running.get("/readyz"))[0] == 503


async def test_metrics_count_replies_and_hold_no_query_text(running: Running) -> None:
    await running.checks.services.dispatcher.say("search kv cache", USER, CHANNEL)
    await running.checks.services.dispatcher.say("show no-such-paper", USER, CHANNEL)
    status, body = await running.get("/metrics")
    assert status == 200
    assert 'paperboy_replies_total{command="search",outcome="ok"} 1.0' in body
    assert 'paperboy_replies_total{command="show",outcome="not_found"} 1.0' in body
    assert "paperboy_papers 38.0" in body
    assert "kv" not in body
    assert "no-such-paper" not in body


async def test_a_taken_port_stops_nothing(running: Running, caplog: pytest.LogCaptureFixture) -> None:
    port = int(running.url.rpartition(":")[2])
    await serve_health(HealthSection(port=port), running.checks, asyncio.Event())
    assert "set `health.port`" in caplog.text
