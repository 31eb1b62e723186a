"""The doubles of both platforms in a process of their own, their time running fast, their faults by chance.

Started by tools/chaos.py. Prints one line of JSON with its addresses and channels when it listens; `/report` on its
control port gives every message that arrived, `/calm` ends the faults.
"""

import argparse
import asyncio
import json
import random
import re
import sys
import time
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

SLACK_FAULTS = ("drop_before", "drop_after", "late", "reset", "429", "500", "internal_error")
DISCORD_FAULTS = ("drop before", "drop after", "late", "reset", "503", "429")


class Clock(WorldClock):
    """Seconds since 1970 as everything under test sees them: `scale` times as fast as they are."""

    def __init__(self, start: float, scale: float) -> None:
        self._start, self._scale = start, scale

    @property
    def moment(self) -> datetime:
        """The time."""
        return datetime.fromtimestamp(self._start + (time.time() - self._start) * self._scale, UTC)

    @moment.setter
    def moment(self, _: datetime) -> None:
        """It cannot be set."""

    def advance(self, seconds: float) -> None:
        """Not this one."""
        raise NotImplementedError("this clock runs by itself")


class SlackWorld(slack_world.World):
    """Slack's double with the fast clock: of the posts, a share `trouble` meets a fault."""

    def __init__(self, clock: Clock, dice: random.Random, scale: float) -> None:
        self._clock = clock
        super().__init__()
        self.random = dice
        self.trouble = 0.0
        self._scale = scale

    @property
    def now(self) -> float:
        """The time."""
        return self._clock.seconds

    def fault(self, method: str) -> slack_world.Fault | None:
        """What this call meets."""
        if method != "chat.postMessage" or self.random.random() >= self.trouble:
            return None
        kind = self.random.choice(SLACK_FAULTS)
        if kind == "429":
            return slack_world.Fault(method, kind, seconds=self.random.randint(1, 40))
        # a request whose connection dropped is accepted at most so much later
        return slack_world.Fault(method, kind, seconds=self.random.uniform(0, slack_world.LAG_SECONDS) / self._scale)


class DiscordWorld(discord_world.World):
    """Discord's double with the fast clock. Faults come in rows, else the nonce alone would outlast them."""

    def __init__(self, clock: Clock, dice: random.Random) -> None:
        super().__init__()
        self.clock = clock
        self.dice = dice
        self.trouble = 0.0
        self._storms: dict[str, tuple[str, int]] = {}

    def take_fault(self, call: str) -> discord_world.Fault | None:
        """What this call meets."""
        if not (call.startswith("POST /channels/") and call.endswith("/messages")):
            return None
        kind, left = self._storms.pop(call, ("", 0))
        if not left and self.dice.random() < self.trouble:
            kind, left = self.dice.choice(DISCORD_FAULTS), self.dice.choice((1, 1, 3, 4))
        if not left:
            return None
        if left > 1:
            self._storms[call] = (kind, left - 1)
        return discord_world.Fault(kind)


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


def report(slack: SlackWorld, discord: DiscordWorld) -> list[dict[str, Any]]:
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


async def serve(channels: int, start: float, scale: float, trouble: float, seed: int) -> None:
    """Run until killed."""
    clock, dice = Clock(start, scale), random.Random(seed)  # noqa: S311 - chance in a test
    slack = SlackWorld(clock, dice, scale)
    server = SlackServer(slack)
    double = Double()
    double.world = DiscordWorld(clock, dice)
    double.rest = type(double.rest)(double.world)
    double.gateway = type(double.gateway)(double.world)
    world = double.world
    await server.start()
    await double.start()
    for number in range(channels):
        name = f"C{number:05d}X"
        slack.channels[name] = slack_world.Channel(name, "T1", {"U1", "UBOT"})
    guild = world.guild()
    rooms = [world.channel(guild) for _ in range(channels)]
    slack.trouble = world.trouble = trouble

    async def tell(_: web.Request) -> web.Response:
        return web.json_response(report(slack, world))

    async def calm(_: web.Request) -> web.Response:
        slack.trouble = world.trouble = 0.0
        return web.Response()

    control = web.Application()
    control.router.add_get("/report", tell)
    control.router.add_get("/calm", calm)
    runner = web.AppRunner(control, access_log=None)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    listening: Any = site._server  # noqa: SLF001 - aiohttp tells the port nowhere else
    addresses = {
        "slack": server.api_url,
        "discord": f"http://127.0.0.1:{double.port}/api/v10",
        "control": f"http://127.0.0.1:{listening.sockets[0].getsockname()[1]}",
        "guild": str(guild),
        "slack_channels": [f"C{number:05d}X" for number in range(channels)],
        "discord_channels": [str(room.id) for room in rooms],
    }
    print(json.dumps(addresses), flush=True)
    await settle(world)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--channels", type=int, required=True)
    parser.add_argument("--start", type=float, required=True)
    parser.add_argument("--scale", type=float, required=True)
    parser.add_argument("--trouble", type=float, required=True)
    parser.add_argument("--seed", type=int, required=True)
    given = parser.parse_args()
    asyncio.run(serve(given.channels, given.start, given.scale, given.trouble, given.seed))
