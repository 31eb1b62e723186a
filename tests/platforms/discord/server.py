"""The double itself: a server on 127.0.0.1, and the people who use Discord through it."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager

import discord
import yarl
from aiohttp import web
from platforms.discord.gateway import Gateway
from platforms.discord.interactions import AUTOCOMPLETE, COMMAND, COMPONENT
from platforms.discord.rest import Rest
from platforms.discord.world import APPLICATION, Channel, Interaction, Json, World
from waiting import GUARD_SECONDS


class Double:
    """A running double. Clients reach it by the addresses that `discord_double` points discord.py to."""

    def __init__(self) -> None:
        self.world = World()
        self.rest = Rest(self.world)
        self.gateway = Gateway(self.world)
        self._runner: web.AppRunner | None = None
        self.port = 0

    async def start(self) -> None:
        app = web.Application()
        self.rest.add_to(app)
        app.router.add_get("/gw/", self.gateway.handle)
        app.router.add_get("/gw", self.gateway.handle)
        self._runner = web.AppRunner(app, shutdown_timeout=0.1)
        await self._runner.setup()
        await web.TCPSite(self._runner, "127.0.0.1", self.port).start()
        self.port = int(self._runner.addresses[0][1])
        self.rest.gateway_url = self.gateway.resume_url = f"ws://127.0.0.1:{self.port}/gw/"

    async def stop(self) -> None:
        self.gateway.cut()
        if self._runner is not None:
            await self._runner.cleanup()

    async def until(self, holds: Callable[[], bool]) -> None:
        """Wait for something that requests or connections bring about."""
        async with asyncio.timeout(GUARD_SECONDS), self.world.arrived:
            await self.world.arrived.wait_for(holds)

    async def connected(self, sessions: int = 1) -> None:
        await self.until(lambda: len(self.gateway.open) >= sessions)

    def registered(self, guild: int | None) -> Json:
        """The command `papers` as somebody in this guild, or in a direct message, has it."""
        own = [*self.world.commands.get(guild or 0, []), *self.world.commands.get(0, [])]
        found = [command for command in own if command["name"] == "papers"]
        assert found, "the command is not registered here"
        assert guild is not None or 1 in found[0]["contexts"], "the command is not for direct messages"
        return found[0]

    async def say(self, user: int, channel: Channel, path: str, times: int = 1, **options: object) -> Interaction:
        """Use a subcommand with options, as Discord's client lets one: only what is registered, in its types."""
        return await self.use(user, channel, path, options, times)

    async def use(
        self, user: int, channel: Channel, path: str, options: Mapping[str, object], times: int = 1
    ) -> Interaction:
        """The same, with the options in a mapping."""
        command = self.registered(channel.guild)
        data = {"id": command["id"], "name": "papers", "type": 1, "options": [_chosen(command, path.split(), options)]}
        if command.get("guild_id"):
            data["guild_id"] = command["guild_id"]
        return await self._send(COMMAND, user, channel, data, times=times)

    async def type(self, user: int, channel: Channel, path: str, option: str, typed: str) -> list[Json]:
        """The choices that show up while somebody types an option."""
        command = self.registered(channel.guild)
        chosen = _chosen(command, path.split(), {option: typed}, focused=option)
        data = {"id": command["id"], "name": "papers", "type": 1, "options": [chosen]}
        if command.get("guild_id"):
            data["guild_id"] = command["guild_id"]
        asked = await self.answered(await self._send(AUTOCOMPLETE, user, channel, data))
        assert asked.choices is not None
        return asked.choices

    async def press(self, user: int, channel: Channel, message: Json, label: str, times: int = 1) -> Interaction:
        """Action a button by its label."""
        element = next(one for one in elements(message) if one["type"] == 2 and one["label"] == label)
        data = {"custom_id": element["custom_id"], "component_type": 2}
        return await self._send(COMPONENT, user, channel, data, message, times=times)

    async def choose(self, user: int, channel: Channel, message: Json, label: str) -> Interaction:
        """Choose an option of the message's menu by its label."""
        menu = next(one for one in elements(message) if one["type"] == 3)
        value = next(option["value"] for option in menu["options"] if option["label"] == label)
        data = {"custom_id": menu["custom_id"], "component_type": 3, "values": [value]}
        return await self._send(COMPONENT, user, channel, data, message)

    async def answered(self, interaction: Interaction) -> Interaction:
        async with asyncio.timeout(GUARD_SECONDS):
            await interaction.answered.wait()
        return interaction

    async def _send(
        self, kind: int, user: int, channel: Channel, data: Json, message: Json | None = None, *, times: int = 1
    ) -> Interaction:
        world = self.world
        identity = world.new_id()
        made = Interaction(identity, f"token-{identity}", kind, user, channel, world.clock.seconds, message)
        world.interactions[identity] = world.by_token[made.token] = made
        event: Json = {
            "id": str(identity),
            "application_id": str(APPLICATION),
            "type": kind,
            "token": made.token,
            "version": 1,
            "data": data,
            "channel_id": str(channel.id),
            "channel": {
                "id": str(channel.id),
                "type": channel.type,
                "name": "papers",
                "position": 1,
                "parent_id": None,
                "nsfw": False,
                "rate_limit_per_user": 0,
                "topic": None,
                "last_message_id": None,
                "flags": 0,
                "permissions": str(channel.permissions(user)),
            },
            "app_permissions": str(channel.permissions(world.me)),
            "locale": "en-GB",
            "attachment_size_limit": 10_485_760,
            "entitlements": [],
            "authorizing_integration_owners": {"0": str(channel.guild or 0)},
            "context": 0 if channel.guild else 1,
        }
        if message is not None:
            event["message"] = message
        if channel.guild is None:
            event["user"] = world.user(user)
            event["channel"]["recipients"] = [world.user(user)]
        else:
            event["guild_id"] = str(channel.guild)
            event["guild"] = {"id": str(channel.guild), "locale": "en-GB", "features": []}
            event["member"] = {
                "user": world.user(user), "roles": [], "joined_at": "2026-01-01T00:00:00+00:00", "deaf": False,
                "mute": False, "flags": 0, "permissions": str(channel.permissions(user)),
            }  # fmt: skip
            if channel.type == 11:
                event["channel"] |= {
                    "parent_id": "5", "owner_id": "5", "member_count": 1, "message_count": 1,
                    "thread_metadata": {"archived": False, "auto_archive_duration": 60, "locked": False,
                                        "archive_timestamp": "2026-01-01T00:00:00+00:00"},
                }  # fmt: skip
        for _ in range(times):
            assert await self.gateway.deliver(channel.guild, json.loads(json.dumps(event))), "nobody is connected"
        return made


def elements(message: Json) -> list[Json]:
    return [element for row in message["components"] for element in row["components"]]


_TYPES: dict[int, type] = {3: str, 4: int, 5: bool}


def _chosen(command: Json, path: list[str], options: Mapping[str, object], focused: str = "") -> Json:
    """The options as sent, checked as Discord's client checks them before it sends."""
    node = next(option for option in command["options"] if option["name"] == path[0])
    if node["type"] == 2:
        return {"type": 2, "name": path[0], "options": [_chosen(node, path[1:], options, focused)]}
    known = {option["name"]: option for option in node["options"]}
    sent: list[Json] = []
    for name, value in options.items():
        declared = known[name]
        if not focused:
            assert type(value) is _TYPES[declared["type"]], f"{name} is not of its type"
            if isinstance(value, str):
                assert declared.get("min_length", 0) <= len(value) <= declared.get("max_length", 6_000)
            elif isinstance(value, int) and not isinstance(value, bool):
                assert declared.get("min_value", value) <= value <= declared.get("max_value", value)
        else:
            assert declared["autocomplete"]
        sent.append({"type": declared["type"], "name": name, "value": value, **({"focused": True} if focused else {})})
    if not focused:
        needed = {option["name"] for option in node["options"] if option.get("required")}
        lacking = sorted(needed - set(options))
        assert not lacking, f"the client does not send without {lacking}"
    return {"type": 1, "name": node["name"], "options": sent}


@asynccontextmanager
async def discord_double() -> AsyncIterator[Double]:
    """A double that discord.py connects to for as long as the context lasts."""
    double = Double()
    await double.start()
    base, gateway = discord.http.Route.BASE, discord.gateway.DiscordWebSocket.DEFAULT_GATEWAY
    discord.http.Route.BASE = f"http://127.0.0.1:{double.port}/api/v10"
    discord.gateway.DiscordWebSocket.DEFAULT_GATEWAY = yarl.URL(f"ws://127.0.0.1:{double.port}/gw/")
    try:
        yield double
    finally:
        discord.http.Route.BASE, discord.gateway.DiscordWebSocket.DEFAULT_GATEWAY = base, gateway
        await double.stop()
