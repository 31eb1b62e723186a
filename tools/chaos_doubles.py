"""The doubles of both platforms in a process of their own, their time running fast, their faults by chance.

Started by tools/chaos.py, with JSON of `Orders` as its argument. Prints one line of JSON with its addresses and
channels when it listens; `/report` on its control port gives every message that arrived, `/calm` ends the faults. In
front of PostgreSQL it stands as well: `/database/stall` stops what is forwarded, `/database/drop` breaks every
connection and refuses new ones, `/database/go` ends both.
"""

import asyncio
import contextlib
import json
import random
import re
import sys
import time
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from aiohttp import web

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

from clocks import WorldClock
from platforms.discord import world as discord_world
from platforms.discord.server import Double, elements
from platforms.slack import world as slack_world
from platforms.slack.server import SlackServer

_KEY = re.compile(r"[0-9a-f]{24}")

ANY_SLACK = ("drop_before", "drop_after", "late", "reset", "429", "500", "internal_error")
ANY_DISCORD = ("drop before", "drop after", "late", "reset", "503", "429")

ANSWER_SECONDS = 40.0
"""After so long comes an answer that comes late: twice what a send waits."""

LONGEST_LIMIT = 120
"""Seconds that a 429 asks to wait at most."""


@dataclass(frozen=True, slots=True)
class Orders:
    """What the doubles are told: `trouble` is the share of posts that meet one of the faults."""

    channels: int
    origin: float
    """When the world began, by the machine's clock, in seconds since 1970."""
    start: float
    """What time it was then in the world."""
    scale: float
    seed: int
    trouble: float
    slack: tuple[str, ...] = ANY_SLACK
    discord: tuple[str, ...] = ANY_DISCORD
    history: bool = True
    """Whether Discord lets the bot read what stands in channels."""
    database: tuple[str, int] | None = None
    """The PostgreSQL to stand in front of."""


class Clock(WorldClock):
    """Seconds since 1970 as everything under test sees them: `scale` times as fast as they are."""

    def __init__(self, orders: Orders) -> None:
        self._orders = orders

    @property
    def moment(self) -> datetime:
        """The time."""
        passed = (time.time() - self._orders.origin) * self._orders.scale
        return datetime.fromtimestamp(self._orders.start + passed, UTC)

    @moment.setter
    def moment(self, _: datetime) -> None:
        """It cannot be set."""

    def advance(self, seconds: float) -> None:
        """Not this one."""
        raise NotImplementedError("this clock runs by itself")


class SlackWorld(slack_world.World):
    """Slack's double with the fast clock: of the posts, a share `trouble` meets a fault."""

    def __init__(self, clock: Clock, dice: random.Random, orders: Orders) -> None:
        self._clock = clock
        super().__init__()
        self.random = dice
        self.trouble = orders.trouble
        self._orders = orders

    @property
    def now(self) -> float:
        """The time."""
        return self._clock.seconds

    def fault(self, method: str) -> slack_world.Fault | None:
        """What this call meets."""
        if method != "chat.postMessage" or self.random.random() >= self.trouble:
            return None
        kind = self.random.choice(self._orders.slack)
        if kind == "429":
            return slack_world.Fault(method, kind, seconds=self.random.randint(1, LONGEST_LIMIT))
        if kind == "late_answer":
            return slack_world.Fault(method, kind, seconds=ANSWER_SECONDS / self._orders.scale)
        # a request whose connection dropped is accepted at most so much later
        late = self.random.uniform(0, slack_world.LAG_SECONDS) / self._orders.scale
        return slack_world.Fault(method, kind, seconds=late)


class DiscordWorld(discord_world.World):
    """Discord's double with the fast clock. Faults come in rows, else the nonce alone would outlast them."""

    def __init__(self, clock: Clock, dice: random.Random, orders: Orders) -> None:
        super().__init__()
        self.clock = clock
        self.dice = dice
        self.trouble = orders.trouble
        self._orders = orders
        self._storms: dict[str, tuple[str, int]] = {}

    def take_fault(self, call: str) -> discord_world.Fault | None:
        """What this call meets."""
        if not (call.startswith("POST /channels/") and call.endswith("/messages")):
            return None
        kind, left = self._storms.pop(call, ("", 0))
        if not left and self.dice.random() < self.trouble:
            kind, left = self.dice.choice(self._orders.discord), self.dice.choice((1, 1, 3, 4))
        if not left:
            return None
        if left > 1:
            self._storms[call] = (kind, left - 1)
        seconds = self.dice.uniform(1, LONGEST_LIMIT) if kind == "429" else ANSWER_SECONDS
        return discord_world.Fault(kind, seconds=seconds / self._orders.scale)


class Between:
    """Stands between the workers and PostgreSQL."""

    def __init__(self, host: str, port: int) -> None:
        self._host, self._port = host, port
        self._going = asyncio.Event()
        self._going.set()
        self._refusing = False
        self._writers: set[asyncio.StreamWriter] = set()

    async def listen(self) -> int:
        """Begin; gives the port."""
        server = await asyncio.start_server(self._meet, "127.0.0.1", 0)
        return int(server.sockets[0].getsockname()[1])

    def stall(self) -> None:
        """Forward nothing more, and say so to nobody."""
        self._going.clear()

    def drop(self) -> None:
        """Break every connection, and refuse new ones: the server starts anew."""
        self._refusing = True
        for writer in self._writers:
            writer.transport.abort()

    def go(self) -> None:
        """All is well."""
        self._refusing = False
        self._going.set()

    async def _meet(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if self._refusing:
            writer.transport.abort()
            return
        there, to = await asyncio.open_connection(self._host, self._port)
        self._writers |= {writer, to}
        await asyncio.gather(self._pass_on(reader, to), self._pass_on(there, writer), return_exceptions=True)
        self._writers -= {writer, to}

    async def _pass_on(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(OSError):
            while data := await reader.read(65536):
                await self._going.wait()
                writer.write(data)
                await writer.drain()
        writer.transport.abort()


async def settle(world: DiscordWorld) -> None:
    """Accept late requests when their time has come."""
    while True:
        due = [accept for at, accept in world.late if at <= world.clock.seconds]
        world.late = [entry for entry in world.late if entry[0] > world.clock.seconds]
        for accept in due:
            try:
                await accept()
            except Exception as error:  # noqa: BLE001 - nobody waits for this answer
                print(f"late request refused: {error}", file=sys.stderr)
        await asyncio.sleep(0.01)


def messages(slack: slack_world.World, discord: discord_world.World) -> list[dict[str, Any]]:
    """Every message that arrived: its posting's key, its channel, and when history showed it."""
    found = [
        {"key": one.metadata["event_payload"]["key"], "channel": one.channel, "shown": one.shown_at}
        for one in slack.messages
        if one.metadata
    ]
    for channel in discord.channels.values():
        for one in channel.messages:
            custom_ids = " ".join(str(element.get("custom_id", "")) for element in elements(one))
            key = _KEY.search(custom_ids)
            found.append(
                {"key": key[0] if key else "", "channel": str(channel.id), "shown": channel.visible[one["id"]]}
            )
    return found


async def serve(orders: Orders) -> None:
    """Run until killed."""
    clock, dice = Clock(orders), random.Random(orders.seed)  # noqa: S311 - chance in a test
    slack = SlackWorld(clock, dice, orders)
    server = SlackServer(slack)
    double = Double()
    double.world = DiscordWorld(clock, dice, orders)
    double.rest = type(double.rest)(double.world)
    double.gateway = type(double.gateway)(double.world)
    world = double.world
    await server.start()
    await double.start()
    for number in range(orders.channels):
        name = f"C{number:05d}X"
        slack.channels[name] = slack_world.Channel(name, "T1", {"U1", "UBOT"})
    guild = world.guild()
    rooms = [world.channel(guild) for _ in range(orders.channels)]
    if not orders.history:
        for room in rooms:
            room.may[world.me] = discord_world.EVERYTHING & ~discord_world.HISTORY
    between = Between(*orders.database) if orders.database else None

    async def tell(_: web.Request) -> web.Response:
        return web.json_response(messages(slack, world))

    async def calm(_: web.Request) -> web.Response:
        slack.trouble = world.trouble = 0.0
        return web.Response()

    async def database(request: web.Request) -> web.Response:
        assert between is not None
        {"stall": between.stall, "drop": between.drop, "go": between.go}[request.match_info["what"]]()
        return web.Response()

    control = web.Application()
    control.router.add_get("/report", tell)
    control.router.add_get("/calm", calm)
    control.router.add_get("/database/{what}", database)
    runner = web.AppRunner(control, access_log=None)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    addresses = {
        "slack": server.api_url,
        "discord": f"http://127.0.0.1:{double.port}/api/v10",
        "control": f"http://127.0.0.1:{runner.addresses[0][1]}",
        "database": await between.listen() if between else None,
        "guild": str(guild),
        "slack_channels": [f"C{number:05d}X" for number in range(orders.channels)],
        "discord_channels": [str(room.id) for room in rooms],
    }
    print(json.dumps(addresses), flush=True)
    await settle(world)


if __name__ == "__main__":
    asyncio.run(serve(Orders(**json.loads(sys.argv[1]))))
