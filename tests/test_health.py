"""Health pages and metrics, over a real socket."""

import asyncio
import json
import socket
from collections.abc import AsyncIterator

import aiohttp
import pytest
from connected import EVERYTHING
from waiting import until

from bot.adapters.terminal import CHANNEL, USER
from bot.config import HealthSection, default_corpus
from bot.connections import Connection, Connections, Offer
from bot.corpus import load_corpus
from bot.library import Library
from bot.operate.health import Checks, Metrics, serve_health
from bot.operate.serve import make_services
from bot.operate.supervise import Supervisor
from bot.store.database import Database

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
        self.planned: float | None = None
        self.unanswered: set[str] = set()

    async def get(self, path: str) -> tuple[int, str]:
        async with aiohttp.ClientSession() as session, session.get(self.url + path) as response:
            return response.status, await response.text()


@pytest.fixture
async def running() -> AsyncIterator[Running]:
    database = await Database.open("sqlite:///:memory:")
    library = Library.of(load_corpus(default_corpus()))
    expected = Connections({"slack": EVERYTHING, "discord": EVERYTHING})
    services = make_services(database, lambda: library, expected, replica="test")
    supervisor = Supervisor(services.stopping)
    port = free_port()
    metrics = Metrics()
    services.dispatcher.observe = metrics.observe
    checks = Checks(
        services,
        database,
        metrics,
        lambda: result.ticked,
        lambda: result.planned,
        supervisor,
        lambda: result.unanswered,
        lambda: MONOTONIC,
    )
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


async def test_ready_once_every_configured_platform_is_connected_and_the_digest_ticks(running: Running) -> None:
    stands = {"slack": True, "discord": True}
    connections = running.checks.services.connections

    def connect(name: str) -> None:
        connections.enter(Connection(name, Offer.STORAGE, lambda: stands[name]))

    async def ready() -> dict[str, bool]:
        status, body = await running.get("/readyz")
        value = json.loads(body)
        assert status == (200 if value["ok"] else 503)
        assert value["ok"] == all(value["checks"].values())
        return {name: well for name, well in value["checks"].items() if not well}

    running.ticked = running.planned = MONOTONIC
    assert await ready() == {"slack connected": False, "discord connected": False}
    connect("slack")
    assert await ready() == {"discord connected": False}  # between tries, or not yet
    connect("discord")
    assert await ready() == {}
    stands["slack"] = False
    assert await ready() == {"slack connected": False}
    stands["slack"] = True
    connections.leave("discord")
    assert await ready() == {"discord connected": False}
    connect("discord")
    running.ticked = MONOTONIC - 180
    assert await ready() == {"digest ticks": False}
    running.ticked, running.planned = MONOTONIC, MONOTONIC - 180
    assert await ready() == {"digest plans": False}, "ticks that fail come and go"


async def test_a_platform_that_answers_no_send_is_named_and_not_ready(running: Running) -> None:
    running.ticked = running.planned = MONOTONIC
    for name in ("slack", "discord"):
        running.checks.services.connections.enter(Connection(name, Offer.STORAGE, lambda: True))
    assert (await running.get("/readyz"))[0] == 200
    running.unanswered.add("discord")
    status, body = await running.get("/readyz")
    assert status == 503
    assert json.loads(body)["checks"]["discord takes posts"] is False


async def test_a_task_that_failed_is_named_and_not_ready(running: Running) -> None:
    running.ticked = running.planned = MONOTONIC
    for name in ("slack", "discord"):
        running.checks.services.connections.enter(Connection(name, Offer.STORAGE, lambda: True))
    assert (await running.get("/readyz"))[0] == 200
    running.checks.supervisor.failing.add("watching the corpus")
    status, body = await running.get("/readyz")
    assert status == 503
    assert json.loads(body)["checks"]["watching the corpus"] is False


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
