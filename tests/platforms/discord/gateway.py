"""The gateway of the double: HELLO, IDENTIFY, RESUME, heartbeats, compressed events, and close codes on demand."""

import json
import zlib
from dataclasses import dataclass, field
from typing import Any

from aiohttp import WSMsgType, web
from platforms.discord.world import APPLICATION, World

_KNOWN_INTENTS = (1 << 26) - 1
_PRIVILEGED = 1 << 1 | 1 << 8 | 1 << 15


@dataclass(slots=True)
class Session:
    """A session outlives its connection, so that it can be resumed; `sent` is what a resume may ask for again."""

    id: str
    shard: tuple[int, int]
    intents: int
    socket: web.WebSocketResponse | None
    deflate: Any
    sequence: int = 0
    sent: list[tuple[int, dict[str, Any]]] = field(default_factory=list)
    resumed: int = 0
    heartbeats: int = 0


class Gateway:
    """All sessions of one world. `resume_url` is told in READY."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.resume_url = ""
        self.sessions: list[Session] = []
        self.interval_ms = 41_250
        self.identifies = 0
        self.refuse: int | None = None
        """The close code for whoever identifies next."""

    @property
    def open(self) -> list[Session]:
        """Sessions that are connected now."""
        return [session for session in self.sessions if session.socket is not None and not session.socket.closed]

    async def handle(self, request: web.Request) -> web.WebSocketResponse:
        socket = web.WebSocketResponse(autoping=True)
        await socket.prepare(request)
        deflate = zlib.compressobj() if request.query.get("compress") == "zlib-stream" else None
        session: Session | None = None
        await self._send(socket, deflate, {"op": 10, "d": {"heartbeat_interval": self.interval_ms}})
        async for frame in socket:
            if frame.type is not WSMsgType.TEXT:
                continue
            said = json.loads(frame.data)
            match said["op"]:
                case 1:
                    if session:
                        session.heartbeats += 1
                    await self._send(socket, deflate, {"op": 11})
                case 2:
                    session = await self._identify(socket, deflate, said["d"])
                case 6:
                    session = await self._resume(socket, deflate, said["d"])
                case _:
                    pass  # presence, voice and members: nobody here asks for them
        if session is not None and session.socket is socket:
            session.socket = None
            await self._changed()
        return socket

    async def _changed(self) -> None:
        async with self.world.arrived:
            self.world.arrived.notify_all()

    async def _send(self, socket: web.WebSocketResponse, deflate: Any, event: dict[str, Any]) -> None:
        text = json.dumps({"s": None, "t": None, "d": None, **event})
        if deflate is None:
            await socket.send_str(text)
        else:
            await socket.send_bytes(deflate.compress(text.encode()) + deflate.flush(zlib.Z_SYNC_FLUSH))

    async def _identify(self, socket: web.WebSocketResponse, deflate: Any, data: dict[str, Any]) -> Session | None:
        self.identifies += 1
        code = self.refuse
        if data.get("token") != self.world.token:
            code = 4004
        elif data.get("intents", -1) & ~_KNOWN_INTENTS or data.get("intents", -1) < 0:
            code = 4013
        elif data["intents"] & _PRIVILEGED:
            code = 4014
        shard = tuple(data.get("shard", (0, 1)))
        if not 0 <= shard[0] < shard[1]:
            code = 4010
        if code is not None:
            self.refuse = None
            await socket.close(code=code)
            return None
        session = Session(f"session{len(self.sessions)}", (shard[0], shard[1]), data["intents"], socket, deflate)
        self.sessions.append(session)
        ready = {
            "v": 10,
            "user": self.world.user(self.world.me, bot=True),
            "guilds": [],
            "session_id": session.id,
            "resume_gateway_url": self.resume_url,
            "application": {"id": str(APPLICATION), "flags": 0},
            "shard": list(shard),
        }
        await self.dispatch(session, "READY", ready)
        await self._changed()
        return session

    async def _resume(self, socket: web.WebSocketResponse, deflate: Any, data: dict[str, Any]) -> Session | None:
        session = next((one for one in self.sessions if one.id == data["session_id"]), None)
        if session is None or data.get("token") != self.world.token:
            await self._send(socket, deflate, {"op": 9, "d": False})
            return None
        session.socket, session.deflate = socket, deflate
        session.resumed += 1
        for sequence, event in session.sent:
            if sequence > data["seq"]:
                await self._send(socket, deflate, {**event, "s": sequence})
        await self.dispatch(session, "RESUMED", {})
        await self._changed()
        return session

    async def dispatch(self, session: Session, name: str, data: dict[str, Any]) -> None:
        """An event to one session; kept for a resume also where nobody listens now."""
        session.sequence += 1
        event = {"op": 0, "t": name, "d": data}
        session.sent.append((session.sequence, event))
        if session.socket is not None and not session.socket.closed:
            await self._send(session.socket, session.deflate, {**event, "s": session.sequence})

    async def deliver(self, guild: int | None, data: dict[str, Any]) -> int:
        """An interaction to every connected session of the guild's shard; gives how many got it."""
        mine = [one for one in self.open if (guild or 0) // (1 << 22) % one.shard[1] == one.shard[0]]
        for session in mine:
            await self.dispatch(session, "INTERACTION_CREATE", data)
        return len(mine)

    async def ask_to_reconnect(self) -> None:
        for session in self.open:
            assert session.socket is not None
            await self._send(session.socket, session.deflate, {"op": 7})

    async def invalidate(self, *, resumable: bool = False) -> None:
        for session in self.open:
            assert session.socket is not None
            await self._send(session.socket, session.deflate, {"op": 9, "d": resumable})

    async def hang_up(self, code: int) -> None:
        """Close every connection with a code."""
        for session in self.open:
            assert session.socket is not None
            await session.socket.close(code=code)

    def cut(self) -> None:
        """Every connection is gone without a word."""
        for session in self.open:
            assert session.socket is not None
            if session.socket._req is not None and session.socket._req.transport is not None:
                session.socket._req.transport.abort()
