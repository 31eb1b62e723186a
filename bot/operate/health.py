"""For whoever operates it: `/healthz`, `/readyz` and `/metrics` over HTTP, on loopback unless told otherwise."""

import asyncio
import json
import logging
import time
from collections.abc import Callable, Collection
from dataclasses import dataclass

import sqlalchemy as sa
from aiohttp import web
from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from sqlalchemy.exc import SQLAlchemyError

from bot.adapters.services import Services
from bot.config import HealthSection
from bot.message import Platform
from bot.operate.supervise import Supervisor
from bot.store.database import Database

logger = logging.getLogger(__name__)

STALE_TICK_SECONDS = 120.0
"""Six missed ticks: the digest is stuck."""


class Metrics:
    """What is counted. No query text, no names: only commands, platforms and states."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        self.replies = Counter(
            "paperboy_replies", "Replies by command and outcome", ["command", "outcome"], registry=self.registry
        )
        self.seconds = Histogram(
            "paperboy_reply_seconds",
            "Seconds from call to reply",
            ["command"],
            registry=self.registry,
            buckets=(0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1, 3),
        )
        self.papers = Gauge("paperboy_papers", "Papers in the corpus", registry=self.registry)
        self.tick_age = Gauge("paperboy_tick_age_seconds", "Seconds since the last digest tick", registry=self.registry)
        self.plan_age = Gauge(
            "paperboy_plan_age_seconds", "Seconds since what is due was last written down", registry=self.registry
        )

    def observe(self, command: str, outcome: str, seconds: float) -> None:
        """Count one reply."""
        self.replies.labels(command, outcome).inc()
        self.seconds.labels(command).observe(seconds)

    def text(self) -> bytes:
        """Everything in Prometheus' text form."""
        return generate_latest(self.registry)


@dataclass(frozen=True, slots=True)
class Checks:
    """What the health pages look at."""

    services: Services
    database: Database
    metrics: Metrics
    last_tick: Callable[[], float | None]
    """When the last tick ended, by `monotonic`; None before the first."""
    last_plan: Callable[[], float | None]
    """When what is due was last written down, likewise: a tick that fails ends all the same."""
    supervisor: Supervisor
    unanswered: Callable[[], Collection[Platform]] = frozenset
    """Platforms that have answered no send for a while (bot.digest.deliver.Deliverer)."""
    monotonic: Callable[[], float] = time.monotonic

    def tick_age(self) -> float | None:
        """Seconds since the last digest tick ended; None before the first."""
        return self._age(self.last_tick())

    def plan_age(self) -> float | None:
        """Seconds since what is due was last written down; None before the first time."""
        return self._age(self.last_plan())

    def _age(self, last: float | None) -> float | None:
        return None if last is None else self.monotonic() - last

    async def ready(self) -> dict[str, bool]:
        """Each check by name: connections, ledger, tick, plan; and where they fail, posts and what runs beside."""
        results = {f"{name} connected": stands for name, stands in self.services.connections.alive().items()}
        try:
            async with self.database.read() as connection:
                await connection.execute(sa.text("SELECT 1"))
            results["ledger reachable"] = True
        except (SQLAlchemyError, OSError):
            results["ledger reachable"] = False
        for name, age in (("digest ticks", self.tick_age()), ("digest plans", self.plan_age())):
            results[name] = age is not None and age < STALE_TICK_SECONDS
        results |= {f"{name} takes posts": False for name in sorted(self.unanswered())}
        return results | dict.fromkeys(sorted(self.supervisor.failing), False)


def application(checks: Checks) -> web.Application:
    """The three pages."""

    async def healthz(_request: web.Request) -> web.Response:
        return web.json_response({"ok": True})

    async def readyz(_request: web.Request) -> web.Response:
        results = await checks.ready()
        ok = all(results.values())
        ages = {"tick_age_seconds": checks.tick_age(), "plan_age_seconds": checks.plan_age()}
        body = json.dumps({"ok": ok, "checks": results, **ages})
        return web.Response(text=body, status=200 if ok else 503, content_type="application/json")

    async def metrics(_request: web.Request) -> web.Response:
        checks.metrics.papers.set(len(checks.services.dispatcher.library.corpus))
        for gauge, age in ((checks.metrics.tick_age, checks.tick_age()), (checks.metrics.plan_age, checks.plan_age())):
            gauge.set(-1 if age is None else age)
        return web.Response(body=checks.metrics.text(), headers={"Content-Type": CONTENT_TYPE_LATEST})

    app = web.Application()
    app.add_routes([web.get("/healthz", healthz), web.get("/readyz", readyz), web.get("/metrics", metrics)])
    return app


async def serve_health(section: HealthSection, checks: Checks, stopping: asyncio.Event) -> None:
    """Serve until `stopping`. A port that is taken is logged, and the bot runs without these pages."""
    runner = web.AppRunner(application(checks), access_log=None)
    await runner.setup()
    try:
        await web.TCPSite(runner, section.host, section.port).start()
        await stopping.wait()
    except OSError as error:
        logger.error("health: %s:%s cannot be served (%s): set `health.port`", section.host, section.port, error)  # noqa: TRY400 - one line
    finally:
        await runner.cleanup()
