"""REST v10 of the double: every request is checked as Discord would check it before anything happens."""

import asyncio
import json
import socket
import struct
import time
from collections.abc import Awaitable, Callable
from typing import Any

from aiohttp import web
from platforms.discord import openapi
from platforms.discord.interactions import InteractionRoutes
from platforms.discord.replies import Problem, Respond
from platforms.discord.rules import command_faults, message_faults
from platforms.discord.world import (
    APPLICATION,
    EMBED,
    EVERYTHING,
    HISTORY,
    MOST_LAG,
    NEW_THREADS,
    NONCE_SECONDS,
    SEND,
    THREAD,
    THREADS,
    VIEW,
    Channel,
    Fault,
    World,
)

Handler = Callable[[web.Request, Any], Awaitable[web.Response]]

_PER_CHANNEL, _WINDOW = 5, 5.0
"""Posts to one channel in so many seconds, where the double enforces rates."""


class Rest:
    """The routes of one world. `gateway_url` is what GET /gateway/bot answers."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.gateway_url = ""
        self._interactions = InteractionRoutes(world)

    def add_to(self, app: web.Application) -> None:
        bot: list[tuple[str, str, Handler]] = [
            ("GET", "/users/@me", self._me),
            ("GET", "/oauth2/applications/@me", self._application),
            ("GET", "/gateway/bot", self._gateway),
            ("GET", "/applications/{app}/commands", self._commands),
            ("PUT", "/applications/{app}/commands", self._register),
            ("GET", "/applications/{app}/guilds/{guild}/commands", self._commands),
            ("PUT", "/applications/{app}/guilds/{guild}/commands", self._register),
            ("POST", "/channels/{channel}/messages", self._post),
            ("GET", "/channels/{channel}/messages", self._history),
            ("GET", "/channels/{channel}/messages/{message}", self._get),
            ("PATCH", "/channels/{channel}/messages/{message}", self._edit),
            ("DELETE", "/channels/{channel}/messages/{message}", self._delete),
            ("POST", "/channels/{channel}/messages/{message}/threads", self._thread),
            ("POST", "/users/@me/channels", self._direct),
            ("GET", "/channels/{channel}", self._channel),
            ("GET", "/guilds/{guild}", self._guild),
            ("GET", "/guilds/{guild}/roles", self._roles),
            ("GET", "/guilds/{guild}/members/{user}", self._member),
        ]
        for method, path, handler in bot:
            app.router.add_route(method, f"/api/v10{path}", self._guarded(handler, bot=True))
        for method, path, handler in self._interactions.routes():
            app.router.add_route(method, f"/api/v10{path}", self._guarded(handler, bot=False))

    def _guarded(self, handler: Handler, *, bot: bool) -> Callable[[web.Request], Awaitable[web.StreamResponse]]:
        async def handle(request: web.Request) -> web.StreamResponse:
            path = request.path.removeprefix("/api/v10")
            call = f"{request.method} {path}"
            body = await self._body(request)
            if bot and not self._in_pace(path):
                return _exactly_json(Respond.limited(1.0, everywhere=True))
            fault = self.world.take_fault(call)
            if fault is not None and (answer := await self._suffer(fault, request, handler, body)):
                return _exactly_json(answer)
            async with self.world.arrived:
                self.world.requests.append((request.method, path, body))
                self.world.arrived.notify_all()
            try:
                self._check(request, path, body, bot=bot)
                response = await handler(request, body)
            except Problem as problem:
                self.world.refused.append((call, problem.faults or [problem.message]))
                response = problem.response()
            match fault.kind if fault is not None else "":
                case "drop after":
                    return _dropped(request)
                case "500 after":
                    return web.json_response({"message": "unavailable", "code": 0}, status=500)
                case "late answer":
                    assert fault is not None
                    await asyncio.sleep(fault.seconds)
                case _:
                    pass
            return _exactly_json(response)

        return handle

    def _in_pace(self, path: str) -> bool:
        world, now = self.world, time.perf_counter()
        if world.most_a_second is None or path.startswith(("/interactions/", "/webhooks/")):
            return True
        world.taken = [*(at for at in world.taken if at > now - 1.0), now]
        if len(world.taken) <= world.most_a_second:
            return True
        world.limited += 1
        return False

    async def _body(self, request: web.Request) -> Any:
        if not request.can_read_body:
            return None
        if request.content_type.startswith("multipart/"):
            form = await request.post()
            body = json.loads(str(form["payload_json"]))
            files = [entry for name, entry in form.items() if name.startswith("files[")]
            contents = {entry.filename: entry.file.read() for entry in files if isinstance(entry, web.FileField)}
            return {**body, "_files": len(files), "_contents": contents}
        return json.loads(await request.read() or b"null")

    def _check(self, request: web.Request, path: str, body: Any, *, bot: bool) -> None:
        if bot and request.headers.get("Authorization") != f"Bot {self.world.token}":
            raise Problem(401, 0, "401: Unauthorized")
        if body is None:
            return
        files = isinstance(body, dict) and "_files" in body
        if not files and request.headers.get("Content-Type") != "application/json":
            raise Problem(400, 50109, "The request body contains invalid JSON.")
        seen = {key: value for key, value in body.items() if key not in {"_files", "_contents"}} if files else body
        if path == "/users/@me/channels":
            seen = {"recipient_id": str(body["recipient_id"])}  # Discord takes the number that discord.py sends
        if found := openapi.faults(request.method, path, seen):
            raise Problem(400, 50035, "Invalid Form Body", found)

    async def _suffer(
        self, fault: Fault, request: web.Request, handler: Handler, body: Any
    ) -> web.StreamResponse | None:
        match fault.kind:
            case "drop before":
                return _dropped(request)
            case "reset":
                return _dropped(request, reset=True)
            case "late":

                async def accept() -> None:
                    await handler(request, body)

                self.world.late.append((self.world.clock.seconds + self.world.dice.uniform(0, MOST_LAG), accept))
                return _dropped(request)
            case "500" | "503":
                return web.json_response({"message": "unavailable", "code": 0}, status=int(fault.kind))
            case "429":
                return Respond.limited(fault.seconds)
            case "429 for all":
                return Respond.limited(0.5, everywhere=True)
            case "banned":
                return web.Response(status=429, text="error code: 1015")
            case refusal if refusal.startswith(("400 ", "403 ")):
                status, code = refusal.split()
                return web.json_response({"message": "refused", "code": int(code)}, status=int(status))
            case "slow":
                async with self.world.arrived:
                    self.world.arrived.notify_all()
                await fault.until.wait()
            case _:
                pass  # "drop after" and its like: what comes after what has been done
        return None

    async def _me(self, _request: web.Request, _body: Any) -> web.Response:
        return web.json_response(self.world.user(self.world.me, bot=True))

    async def _application(self, _request: web.Request, _body: Any) -> web.Response:
        owner = self.world.user(self.world.new_id())
        return web.json_response(
            {
                "id": str(APPLICATION), "name": "Paperboy", "icon": None, "description": "", "owner": owner,
                "verify_key": "0" * 64, "bot_public": True, "bot_require_code_grant": False, "flags": 0, "team": None,
            }
        )  # fmt: skip

    async def _gateway(self, _request: web.Request, _body: Any) -> web.Response:
        limit = {"total": 1000, "remaining": 1000, "reset_after": 0, "max_concurrency": 1}
        return web.json_response({"url": self.gateway_url, "shards": 2, "session_start_limit": limit})

    async def _commands(self, request: web.Request, _body: Any) -> web.Response:
        if int(request.match_info.get("guild", 0)) in self.world.closed_guilds:
            raise Problem(403, 50001, "Missing Access")
        return web.json_response(self.world.commands.get(int(request.match_info.get("guild", 0)), []))

    async def _register(self, request: web.Request, body: Any) -> web.Response:
        guild = int(request.match_info.get("guild", 0))
        if guild in self.world.closed_guilds:
            raise Problem(403, 50001, "Missing Access")
        if found := command_faults(body):
            raise Problem(400, 50035, "Invalid Form Body", found)
        more = {"application_id": str(APPLICATION), "default_member_permissions": None, "version": "1"}
        made = [{**command, **more, "id": str(self.world.new_id())} for command in body]
        if guild:
            made = [{**command, "guild_id": str(guild)} for command in made]
        self.world.commands[guild] = made
        return web.json_response(made)

    def _place(self, request: web.Request, needed: int) -> Channel:
        place = self.world.channels.get(int(request.match_info["channel"]))
        if place is None:
            raise Problem(404, 10003, "Unknown Channel")
        has = place.permissions(self.world.me)
        if not has & VIEW:
            raise Problem(403, 50001, "Missing Access")
        if needed & ~has:
            raise Problem(403, 50013, "Missing Permissions")
        return place

    async def _post(self, request: web.Request, body: Any) -> web.Response:
        world = self.world
        known = world.channels.get(int(request.match_info["channel"]))
        send = THREADS if known is not None and known.type == THREAD else SEND
        place = self._place(request, send | (EMBED if body.get("embeds") else 0))
        found = message_faults(body, files=body.get("_files", 0))
        if "empty message" in found:
            raise Problem(400, 50006, "Cannot send an empty message")
        if found:
            raise Problem(400, 50035, "Invalid Form Body", found)
        if world.rates:
            place.recent = [at for at in place.recent if at > world.clock.seconds - _WINDOW]
            if len(place.recent) >= _PER_CHANNEL:
                return Respond.limited(place.recent[0] + _WINDOW - world.clock.seconds)
            place.recent.append(world.clock.seconds)
        nonce = body.get("nonce")
        if nonce is not None and body.get("enforce_nonce"):
            at, sent = place.nonces.get(str(nonce), (0.0, ""))
            if sent and at > world.clock.seconds - NONCE_SECONDS:
                earlier = world.find(place.id, int(sent))
                if earlier is None:
                    raise Problem(404, 10008, "Unknown Message")
                return web.json_response({**earlier, "nonce": nonce})
        made = world.message(place, body)
        if nonce is not None:
            place.nonces[str(nonce)] = (world.clock.seconds, made["id"])
        return web.json_response({**made, **({"nonce": nonce} if nonce is not None else {})})

    async def _history(self, request: web.Request, _body: Any) -> web.Response:
        place = self._place(request, 0)
        limit = int(request.query.get("limit", 50))
        if not 1 <= limit <= 100:
            raise Problem(400, 50035, "Invalid Form Body", ["limit: 1 to 100"])
        if not place.permissions(self.world.me) & HISTORY:
            return web.json_response([])  # no error: it looks as if nobody had ever said a word
        return web.json_response(self.world.history(place)[:limit])

    def _message(self, request: web.Request) -> tuple[Channel, dict[str, Any]]:
        place = self._place(request, 0)
        found = self.world.find(place.id, int(request.match_info["message"]))
        if found is None:
            raise Problem(404, 10008, "Unknown Message")
        return place, found

    async def _get(self, request: web.Request, _body: Any) -> web.Response:
        return web.json_response(self._message(request)[1])

    async def _edit(self, request: web.Request, body: Any) -> web.Response:
        _, found = self._message(request)
        if faults := message_faults(body, edit=True):
            raise Problem(400, 50035, "Invalid Form Body", faults)
        self.world.edit(found, body)
        return web.json_response(found)

    async def _delete(self, request: web.Request, _body: Any) -> web.Response:
        place, found = self._message(request)
        place.messages.remove(found)
        return web.Response(status=204)

    async def _thread(self, request: web.Request, body: Any) -> web.Response:
        """A message's thread: one at most, with the message's own id."""
        place, found = self._message(request)
        if not place.permissions(self.world.me) & NEW_THREADS:
            raise Problem(403, 50013, "Missing Permissions")
        identity = int(found["id"])
        if identity in self.world.channels:
            raise Problem(400, 160004, "A thread has already been created for this message")
        self.world.channels[identity] = Channel(identity, place.guild, THREAD, place.may)
        return web.json_response({**self._shown(self.world.channels[identity]), "name": body["name"]}, status=201)

    async def _direct(self, _request: web.Request, body: Any) -> web.Response:
        person = int(body["recipient_id"])
        place = next((one for one in self.world.channels.values() if one.guild is None and one.id == person), None)
        if place is None:
            place = self.world.channels[person] = Channel(person, None, 1)
        return web.json_response({"id": str(place.id), "type": 1, "recipients": [self.world.user(person)]})

    async def _channel(self, request: web.Request, _body: Any) -> web.Response:
        return web.json_response(self._shown(self._place(request, 0)))

    def _shown(self, place: Channel) -> dict[str, Any]:
        overwrites = [
            {"id": str(user), "type": 1, "allow": str(has), "deny": str(EVERYTHING & ~has)}
            for user, has in place.may.items()
        ]
        return {
            "id": str(place.id), "type": place.type, "guild_id": str(place.guild), "name": "papers", "position": 1,
            "permission_overwrites": overwrites,
        }  # fmt: skip

    def _roles_of(self, guild: str) -> list[dict[str, Any]]:
        roles = {int(guild): EVERYTHING, **self.world.roles}
        return [
            {
                "id": str(role), "name": "a role", "permissions": str(may), "position": 0, "color": 0, "hoist": False,
                "managed": False, "mentionable": False, "flags": 0,
                "colors": {"primary_color": 0, "secondary_color": None, "tertiary_color": None},
            }
            for role, may in roles.items()
        ]  # fmt: skip

    async def _guild(self, request: web.Request, _body: Any) -> web.Response:
        guild = request.match_info["guild"]
        return web.json_response({"id": guild, "name": "Readers", "owner_id": "1", "roles": self._roles_of(guild)})

    async def _roles(self, request: web.Request, _body: Any) -> web.Response:
        return web.json_response(self._roles_of(request.match_info["guild"]))

    async def _member(self, request: web.Request, _body: Any) -> web.Response:
        identity = int(request.match_info["user"])
        roles = [str(role) for role in self.world.role_of.get(identity, [])]
        more = {"roles": roles, "joined_at": "2026-01-01T00:00:00+00:00", "deaf": False, "mute": False, "flags": 0}
        return web.json_response({"user": self.world.user(identity), **more})


def _exactly_json(response: web.StreamResponse) -> web.StreamResponse:
    """Discord sends no charset, and discord.py compares the whole header."""
    if response.content_type == "application/json":
        response.headers["Content-Type"] = "application/json"
    return response


def _dropped(request: web.Request, *, reset: bool = False) -> web.StreamResponse:
    """The connection ends without an answer; with `reset` by a TCP reset."""
    transport = request.transport
    if transport is not None:
        if reset:
            own = transport.get_extra_info("socket")
            own.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        transport.abort()
    return web.Response()
