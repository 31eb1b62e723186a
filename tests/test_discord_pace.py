"""The pace of requests: one after another, and never closer together for having been held up."""

import asyncio
import itertools

from aiohttp import ClientSession, TraceConfig, web
from aiohttp.test_utils import TestServer

from bot.adapters.discord.pace import Pace


class Stopwatch:
    """Time that passes while somebody sleeps, and when a test says so."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now

    async def sleep(self, seconds: float) -> None:
        self.now += seconds


async def test_requests_at_once_begin_one_gap_apart() -> None:
    watch = Stopwatch()
    pace = Pace(0.025, watch, watch.sleep)
    began: list[float] = []

    async def one() -> None:
        await pace.take()
        began.append(watch.now)

    await asyncio.gather(*(one() for _ in range(400)))
    assert all(later - earlier >= 0.025 - 1e-9 for earlier, later in itertools.pairwise(began))
    assert began[0] == 0.0, "the first one waits for nothing"
    watch.now += 60.0  # everything stood still
    await asyncio.gather(*(one() for _ in range(3)))
    assert [round(at - began[400], 3) for at in began[400:]] == [0.0, 0.025, 0.05]


async def test_answers_to_interactions_wait_for_nobody() -> None:
    taken: list[str] = []

    class Noting(Pace):
        async def take(self) -> None:
            taken.append("")

    async def answer(_: web.Request) -> web.Response:
        return web.Response()

    application = web.Application()
    application.router.add_route("*", "/{path:.*}", answer)
    config = TraceConfig()
    Noting().over(config)
    async with TestServer(application) as server, ClientSession(trace_configs=[config]) as session:
        for path, count in (
            ("/api/v10/channels/1/messages", 1),
            ("/api/v10/interactions/1/token/callback", 1),
            ("/api/v10/webhooks/1/token/messages/@original", 1),
            ("/gateway", 1),
            ("/api/v10/guilds/1", 2),
        ):
            await session.get(server.make_url(path))
            assert len(taken) == count, path
