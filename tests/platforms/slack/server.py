"""The double's server on 127.0.0.1: Web API, response addresses and Socket Mode, with faults on demand."""

import asyncio
import base64
import json
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

from aiohttp import WSMsgType, web
from platforms.slack.api import Api
from platforms.slack.rules import message_problems
from platforms.slack.world import (
    ACK_SECONDS,
    RESPONSE_SECONDS,
    RESPONSE_USES,
    Fault,
    Message,
    SlackError,
    World,
)
from waiting import GUARD_SECONDS

Json = dict[str, Any]
Act = Callable[[], Awaitable[web.Response]]

LATE_BOUND = 5.0
"""A request may be accepted at most so many seconds after its connection dropped."""


class SlackServer:
    """Slack, as far as a bot can see it."""

    def __init__(self, world: World | None = None) -> None:
        self.world = world or World()
        self.port = 0
        self.api = Api(self.world, self._socket_url, lambda key: f"{self.base}/upload/{key}")
        self.sockets: list[web.WebSocketResponse] = []
        self.refuse_sockets = 0
        """How many of the next sockets are refused."""
        self.connections = 0
        self.acks: dict[str, asyncio.Future[Json]] = {}
        self.arrived: dict[str, float] = {}
        """When an answer came to a response address, by perf_counter: before it is looked at."""
        self._tickets: set[str] = set()
        self._turn = 0
        self._tasks: set[asyncio.Task[None]] = set()
        self._runner: web.AppRunner | None = None

    # life

    @property
    def base(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def api_url(self) -> str:
        return f"{self.base}/api/"

    async def start(self) -> None:
        """Listen, on the port of before if there was one."""
        app = web.Application(client_max_size=4 << 20)
        app.router.add_route("*", "/api/{method}", self._call)
        app.router.add_post("/response/{key}", self._response)
        app.router.add_post("/upload/{key}", self._upload)
        app.router.add_get("/socket", self._socket)
        self._runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.2)
        await self._runner.setup()
        await web.TCPSite(self._runner, "127.0.0.1", self.port).start()
        self.port = int(self._runner.addresses[0][1])

    async def stop(self) -> None:
        """Be gone: nobody listens, every connection breaks."""
        for socket in self.sockets:
            if socket._req is not None and socket._req.transport is not None:
                socket._req.transport.abort()
        self.sockets.clear()
        for task in self._tasks:
            task.cancel()
        if self._runner is not None:
            await self._runner.cleanup()

    # web api

    async def _call(self, request: web.Request) -> web.StreamResponse:
        method = request.match_info["method"]
        arguments = await _arguments(request)
        token = request.headers.get("Authorization", "").removeprefix("Bearer ") or str(arguments.get("token", ""))

        async def act() -> web.Response:
            try:
                answer = await self.api.call(method, token, arguments)
            except SlackError as error:
                return _failed(error)
            known = self.world.tokens.get(token)
            return web.json_response(
                answer, headers={"x-oauth-scopes": ",".join(sorted(known.scopes)) if known else ""}
            )

        return await self._with_faults(request, method, act)

    async def _with_faults(self, request: web.Request, method: str, act: Act) -> web.StreamResponse:
        fault = self.world.fault(method)
        if fault is None:
            return await act()
        match fault.kind:
            case "drop_before":
                return _break(request)
            case "drop_after":
                await act()
                return _break(request)
            case "reset":
                return _break(request)
            case "late":
                self._later(fault, act)
                return _break(request)
            case "500_after":
                await act()
                return web.Response(status=500, text="fatal")
            case "late_answer":
                answer = await act()
                await asyncio.sleep(fault.seconds)
                return answer
            case "slow":
                await (asyncio.sleep(fault.seconds) if fault.until is None else fault.until.wait())
                return await act()
            case "429":
                return _failed(SlackError("ratelimited", retry_after=int(fault.seconds)))
            case number if number.isdigit():
                return web.Response(status=int(number), text="fatal")
            case code:
                return _failed(SlackError(code))

    def _later(self, fault: Fault, act: Act) -> None:
        async def wait() -> None:
            await asyncio.sleep(min(fault.seconds, LATE_BOUND))
            await act()

        task = asyncio.create_task(wait())
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _upload(self, request: web.Request) -> web.StreamResponse:
        content = await request.read()

        async def act() -> web.Response:
            status = self.api.files.upload(request.match_info["key"], content)
            return web.Response(status=status, text="OK" if status == 200 else "no such upload")

        return await self._with_faults(request, "upload", act)

    # response addresses

    async def _response(self, request: web.Request) -> web.StreamResponse:
        key = request.match_info["key"]
        self.arrived.setdefault(key, time.perf_counter())
        body = await request.json()

        async def act() -> web.Response:
            try:
                await self._answered(key, body)
            except SlackError as error:
                status = 404 if error.code in {"expired_url", "used_url"} else 400
                return web.json_response({"ok": False, "error": error.code}, status=status)
            return web.Response(text="ok")

        return await self._with_faults(request, "response_url", act)

    async def _answered(self, key: str, body: Json) -> None:
        world = self.world
        address = world.responses.get(key)
        if address is None or world.now - address.made_at > RESPONSE_SECONDS:
            raise SlackError("expired_url")
        address.uses += 1
        if address.uses > RESPONSE_USES:
            raise SlackError("used_url")
        text, blocks = str(body.get("text") or ""), body.get("blocks") or []
        if blocks and (problems := message_problems(blocks)):
            world.refused.append(("response", problems))
            raise SlackError("msg_blocks_too_long" if problems == ["msg_blocks_too_long"] else "invalid_blocks")
        original = next((one for one in world.messages if one.ts == address.message), None)
        if body.get("delete_original"):
            if original is not None:
                world.messages.remove(original)
        elif body.get("replace_original") and original is not None:
            original.text, original.blocks, original.sent = text, blocks, body
            original.version += 1
        else:
            if not text and not blocks:
                raise SlackError("no_text")
            only = "" if body.get("response_type") == "in_channel" else address.user
            made = Message(world.new_ts(), address.channel, address.team, "UBOT", text, blocks, only=only, sent=body)
            made.thread = body.get("thread_ts")
            world.add_message(made)
        world.calls.append(("response_url", body))
        await world.touch()

    # sockets

    def _socket_url(self, team: str) -> str:
        ticket = f"ticket-{self.world.number()}-{team}"
        self._tickets.add(ticket)
        return f"ws://127.0.0.1:{self.port}/socket?ticket={ticket}"

    async def _socket(self, request: web.Request) -> web.StreamResponse:
        ticket = request.query.get("ticket", "")
        if ticket not in self._tickets or len(self.sockets) >= 10:
            return web.Response(status=403)
        self._tickets.discard(ticket)
        if self.refuse_sockets > 0:
            self.refuse_sockets -= 1
            return web.Response(status=503)
        socket = web.WebSocketResponse()
        await socket.prepare(request)
        await socket.send_json({"type": "hello", "num_connections": len(self.sockets) + 1})
        self.sockets.append(socket)
        self.connections += 1
        await self.world.touch()
        try:
            async for message in socket:
                if message.type is WSMsgType.TEXT:
                    answer = json.loads(message.data)
                    future = self.acks.get(str(answer.get("envelope_id")))
                    if future is not None and not future.done():
                        future.set_result(answer)
        finally:
            if socket in self.sockets:
                self.sockets.remove(socket)
            await self.world.touch()
        return socket

    async def disconnect(self, reason: str = "refresh_requested") -> None:
        """Ask every connection to make a new one."""
        for socket in list(self.sockets):
            await socket.send_json({"type": "disconnect", "reason": reason, "debug_info": {}})

    def break_sockets(self) -> None:
        """Every connection breaks without a word."""
        for socket in list(self.sockets):
            if socket._req is not None and socket._req.transport is not None:
                socket._req.transport.abort()

    async def envelope(self, kind: str, payload: Json, *, envelope_id: str = "", retry: int = 0) -> Json | None:
        """Deliver over one of the sockets; the acknowledgement, or None where none came within 3 s of the world."""
        name = envelope_id or f"env-{self.world.number()}"
        self.acks[name] = asyncio.get_running_loop().create_future()
        await self.world.until(lambda: self.sockets)
        self._turn += 1
        socket = self.sockets[self._turn % len(self.sockets)]
        more = {"retry_attempt": retry, "retry_reason": "timeout"} if retry else {}
        accepts = kind != "events_api"
        await socket.send_json(
            {"envelope_id": name, "type": kind, "payload": payload, "accepts_response_payload": accepts, **more}
        )
        sent = self.world.now
        try:
            answer = await asyncio.wait_for(self.acks[name], GUARD_SECONDS)
        except TimeoutError:
            answer = None
        if answer is None or self.world.now - sent > ACK_SECONDS:
            self.world.late.append(name)
            return None
        return answer


async def _arguments(request: web.Request) -> Json:
    arguments: Json = dict(request.query)
    if request.method == "POST":
        if request.content_type == "application/json":
            arguments |= await request.json()
        else:
            arguments |= dict(await request.post())
    if (secret := request.headers.get("Authorization", "")).startswith("Basic "):
        name, _, password = base64.b64decode(secret.removeprefix("Basic ")).decode().partition(":")
        arguments |= {"client_id": name, "client_secret": password}
    return arguments


def _failed(error: SlackError) -> web.Response:
    if error.code == "ratelimited":
        wait = str(error.more.get("retry_after", 1))
        return web.json_response({"ok": False, "error": "ratelimited"}, status=429, headers={"Retry-After": wait})
    return web.json_response({"ok": False, "error": error.code, **error.more})


def _break(request: web.Request) -> web.StreamResponse:
    assert request.transport is not None
    request.transport.abort()
    return web.Response(status=500)


@asynccontextmanager
async def slack_server(world: World | None = None) -> AsyncIterator[SlackServer]:
    """A running double."""
    server = SlackServer(world)
    await server.start()
    try:
        yield server
    finally:
        await server.stop()
