"""What the double knows: channels, messages, interactions; a clock that moves when told to; faults on demand."""

import asyncio
import random
from dataclasses import dataclass, field
from typing import Any

from clocks import WorldClock

Json = dict[str, Any]

VIEW, SEND, EMBED, HISTORY, THREADS, USE = 1 << 10, 1 << 11, 1 << 14, 1 << 16, 1 << 38, 1 << 31
MANAGE_SERVER, MANAGE_CHANNELS, ADMINISTRATOR = 1 << 5, 1 << 4, 1 << 3
NEW_THREADS, MANAGE = 1 << 35, 1 << 5
EVERYTHING = VIEW | SEND | EMBED | HISTORY | THREADS | NEW_THREADS | USE
EPHEMERAL, LOADING = 1 << 6, 1 << 7

ACKNOWLEDGE_SECONDS, TOKEN_SECONDS, NONCE_SECONDS = 3.0, 900.0, 180.0
MOST_LAG = 30.0
"""History shows a message so late at most, and a request may be accepted so long after its connection dropped."""

APPLICATION = 112233445566778899
TOKEN = "MTEyMjMzNDQ1NTY2Nzc4ODk5.double.secret-part"
THREAD = 11


@dataclass(slots=True)
class Channel:
    """A text channel (0), thread (11) or direct message (1); `may` has permissions by user id, else everything."""

    id: int
    guild: int | None
    type: int = 0
    may: dict[int, int] = field(default_factory=dict)
    messages: list[Json] = field(default_factory=list)
    visible: dict[str, float] = field(default_factory=dict)
    nonces: dict[str, tuple[float, str]] = field(default_factory=dict)
    recent: list[float] = field(default_factory=list)

    def permissions(self, user: int) -> int:
        return self.may.get(user, EVERYTHING)


@dataclass(slots=True)
class Interaction:
    """An interaction from its start to its answer; `answered` is set by whatever a person would take for one."""

    id: int
    token: str
    kind: int
    user: int
    channel: Channel
    at: float
    message: Json | None = None
    """The message whose component was pressed."""
    acknowledged: int | None = None
    """The type of the callback."""
    acknowledged_at: float = 0.0
    """When, by the performance counter: for benchmarks."""
    original: Json | None = None
    beside: list[Json] = field(default_factory=list)
    choices: list[Json] | None = None
    deleted: bool = False
    answered: asyncio.Event = field(default_factory=asyncio.Event)
    answers: int = 0

    @property
    def shown(self) -> Json:
        """The original answer, where there has to be one."""
        assert self.original is not None, "nothing was answered"
        return self.original


@dataclass(slots=True)
class Fault:
    """What happens to the next requests whose `METHOD path` holds `where`."""

    kind: str
    where: str = ""
    times: int = 1
    until: asyncio.Event = field(default_factory=asyncio.Event)
    """What is slow goes on when this is set."""
    seconds: float = 0.01
    """What a `429` asks to wait, and after what a `late answer` comes."""


class World:
    """State, shared by REST and gateway. `dice` decides how late history shows a message."""

    def __init__(self, seed: int = 1) -> None:
        self.clock = WorldClock()
        self.dice = random.Random(seed)
        self.token = TOKEN
        self.me = APPLICATION
        self.channels: dict[int, Channel] = {}
        self.commands: dict[int, list[Json]] = {}
        """Registered commands by guild; 0 for everywhere."""
        self.roles: dict[int, int] = {}
        """Permissions of roles by id; everyone's role has what is usual."""
        self.role_of: dict[int, list[int]] = {}
        """Roles of people by their id."""
        self.closed_guilds: set[int] = set()
        """Guilds where the application has no scope applications.commands."""
        self.interactions: dict[int, Interaction] = {}
        self.by_token: dict[str, Interaction] = {}
        self.faults: list[Fault] = []
        self.late: list[tuple[float, Any]] = []
        self.rates = False
        self.most_a_second: int | None = None
        """Requests that are taken in a second of real time, besides those of interactions; None for any."""
        self.limited = 0
        """Those that were not."""
        self.taken: list[float] = []
        self.requests: list[tuple[str, str, Any]] = []
        self.refused: list[tuple[str, list[str]]] = []
        self.pings: list[str] = []
        self._next = 1_200_000_000_000_000_000
        self.arrived = asyncio.Condition()

    def new_id(self) -> int:
        self._next += 1 << 22
        return self._next

    def guild(self) -> int:
        return self.new_id()

    def channel(self, guild: int | None, kind: int = 0) -> Channel:
        made = Channel(self.new_id(), guild, 1 if guild is None else kind)
        self.channels[made.id] = made
        return made

    def fault(self, kind: str, where: str = "", times: int = 1) -> Fault:
        made = Fault(kind, where, times)
        self.faults.append(made)
        return made

    def take_fault(self, call: str) -> Fault | None:
        for entry in self.faults:
            if entry.times > 0 and entry.where in call:
                entry.times -= 1
                return entry
        return None

    def find(self, channel: int, message: int) -> Json | None:
        place = self.channels.get(channel)
        return next((one for one in place.messages if one["id"] == str(message)), None) if place else None

    def message(self, channel: Channel, body: Json, flags: int = 0) -> Json:
        """A message as Discord gives it back; kept in its channel unless only one person sees it."""
        made: Json = {
            "id": str(self.new_id()),
            "channel_id": str(channel.id),
            "author": self.user(self.me, bot=True),
            "timestamp": "2026-07-01T09:00:00.000000+00:00",
            "edited_timestamp": None,
            "tts": False,
            "mention_everyone": False,
            "mentions": [],
            "mention_roles": [],
            "attachments": [],
            "pinned": False,
            "type": 0,
            "flags": flags,
            "content": body.get("content") or "",
            "embeds": body.get("embeds") or [],
            "components": body.get("components") or [],
        }
        self._ping(made, body)
        if not flags & EPHEMERAL:
            channel.messages.append(made)
            channel.visible[made["id"]] = self.clock.seconds + self.dice.uniform(0, MOST_LAG)
        return made

    def edit(self, message: Json, body: Json) -> None:
        for name in ("content", "embeds", "components"):
            if name in body:
                message[name] = body[name] or ("" if name == "content" else [])
        message["flags"] &= ~LOADING
        self._ping(message, body)

    def _ping(self, message: Json, body: Json) -> None:
        """Whom the content would notify: without `allowed_mentions` Discord reads it all."""
        allowed = body.get("allowed_mentions") or {"parse": ["everyone", "users", "roles"]}
        content = message["content"]
        if "everyone" in allowed.get("parse", []) and ("@everyone" in content or "@here" in content):
            self.pings.append(content)
        if "users" in allowed.get("parse", []) and "<@" in content:
            self.pings.append(content)

    def user(self, identity: int, *, bot: bool = False) -> Json:
        return {"id": str(identity), "username": f"user{identity}", "discriminator": "0", "avatar": None, "bot": bot}

    def history(self, channel: Channel) -> list[Json]:
        """Newest first, without nonces, and without what history does not show yet."""
        shown = [one for one in channel.messages if channel.visible[one["id"]] <= self.clock.seconds]
        return [{key: value for key, value in one.items() if key != "nonce"} for one in reversed(shown)]

    async def settle_late(self) -> None:
        """Accept now what was accepted after its connection dropped, if its time has come."""
        due = [entry for entry in self.late if entry[0] <= self.clock.seconds]
        self.late = [entry for entry in self.late if entry[0] > self.clock.seconds]
        for _, accept in due:
            await accept()
