"""The workspace that the double plays: people, channels, messages, tokens, a clock that tests may push on."""

import asyncio
import itertools
import random
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, TypeVar

from clocks import WorldClock
from waiting import GUARD_SECONDS

Json = dict[str, Any]
Held = TypeVar("Held")

LAG_SECONDS = 30.0
"""History shows a message only after a while of at most this."""

RESPONSE_USES = 5
RESPONSE_SECONDS = 30 * 60
TRIGGER_SECONDS = 3.0
ACK_SECONDS = 3.0

ALL_SCOPES = (
    "app_mentions:read,channels:history,channels:read,chat:write,commands,files:write,groups:history,groups:read,"
    "im:history,im:read,im:write,mpim:read,users:read"
)


class SlackError(Exception):
    """What the API answers instead of a result."""

    def __init__(self, code: str, **more: object) -> None:
        super().__init__(code)
        self.code = code
        self.more = more


@dataclass
class Token:
    team: str
    kind: str = "bot"
    scopes: set[str] = field(default_factory=set)
    revoked: str = ""
    expires_at: float | None = None
    refresh: str = ""


@dataclass
class Channel:
    id: str
    team: str
    members: set[str] = field(default_factory=set)
    private: bool = False
    archived: bool = False
    restricted: bool = False
    kind: str = "channel"


@dataclass
class Message:
    ts: str
    channel: str
    team: str
    user: str
    text: str
    blocks: list[Json]
    only: str = ""
    """The one person who sees it; empty where all do."""
    thread: str | None = None
    metadata: Json | None = None
    shown_at: float = 0.0
    """When history shows it."""
    version: int = 0
    sent: Json = field(default_factory=dict)
    """What was sent, whole."""
    files: dict[str, bytes] = field(default_factory=dict)
    """What was uploaded with it, by name."""


@dataclass
class View:
    id: str
    user: str
    team: str
    view: Json
    version: int = 0


@dataclass
class ResponseUrl:
    channel: str
    team: str
    user: str
    made_at: float
    message: str = ""
    uses: int = 0


@dataclass
class Fault:
    """What goes wrong with the next calls of a method (`response_url` for those), so many times.

    `drop_before` closes the connection and does nothing; `drop_after` does it and closes; `500_after` does it and says
    that it failed; `late_answer` does it and answers after `seconds`; `late` closes and does it
    after `seconds` (at most 5); `reset` aborts the connection; `slow` waits `seconds` first; numbers are HTTP statuses
    (429 with Retry-After of `seconds`); anything else is the error that the API answers with.
    """

    method: str
    kind: str
    times: int = 1
    seconds: float = 1.0
    until: asyncio.Event | None = None
    """What `slow` waits for instead, where a test decides when."""


@dataclass
class Upload:
    """A file on its way: announced, sent, then completed."""

    team: str
    name: str
    length: int
    content: bytes | None = None


class World:
    """Everything that the double remembers. `changed` wakes whoever waits for something to happen."""

    def __init__(self, seed: int = 0) -> None:
        self.random = random.Random(seed)
        self.clock = WorldClock()
        self.tokens: dict[str, Token] = {}
        self.channels: dict[str, Channel] = {}
        self.messages: list[Message] = []
        self.views: dict[str, View] = {}
        self.homes: dict[tuple[str, str], Json] = {}
        self.triggers: dict[str, tuple[float, str]] = {}
        self.responses: dict[str, ResponseUrl] = {}
        self.uploads: dict[str, Upload] = {}
        self.faults: list[Fault] = []
        self.calls: list[tuple[str, Json]] = []
        """Every call that was let in, with its arguments."""
        self.refused: list[tuple[str, list[str]]] = []
        """Every payload that was refused, with what was wrong."""
        self.late: list[str] = []
        """Deliveries that were not acknowledged in time."""
        self.users = {"U1": "Europe/Berlin", "U2": "America/New_York", "UBOT": "UTC"}
        self.about: dict[str, Json] = {}
        """What else users.info says of a person, such as `is_restricted`."""
        self.buckets: defaultdict[tuple[str, str], list[float]] = defaultdict(list)
        self.codes: dict[str, Json] = {}
        self.refreshes: dict[str, str] = {}
        self.changed = asyncio.Condition()
        self._count = itertools.count(1)
        self.add_team("T1", "xoxb-1-good", "xapp-1-good")

    # time

    @property
    def now(self) -> float:
        return self.clock.seconds

    def pass_seconds(self, seconds: float) -> None:
        """Let time pass at once."""
        self.clock.advance(seconds)

    # contents

    def number(self) -> int:
        return next(self._count)

    def add_team(self, team: str, token: str, app_token: str) -> None:
        self.tokens[token] = Token(team, scopes=set(ALL_SCOPES.split(",")))
        self.tokens[app_token] = Token(team, "app", {"connections:write"})
        more = "" if team == "T1" else team  # so that channels of two teams have different names
        for channel in (
            Channel(f"C1{more}", team, {"U1", "U2", "UBOT"}),
            Channel(f"C2{more}", team, {"U1"}),
            Channel(f"C3{more}", team, {"U2", "UBOT"}),
            Channel(f"G1{more}", team, {"U1"}, private=True),
            Channel(f"D1{more}", team, {"U1", "UBOT"}, kind="im"),
            Channel(f"D2{more}", team, {"U2", "UBOT"}, kind="im"),
            Channel(f"GM{more}", team, {"U1", "U2", "UBOT"}, private=True, kind="mpim"),
            Channel(f"CARCH{more}", team, {"U1", "UBOT"}, archived=True),
            Channel(f"CREST{more}", team, {"U1", "UBOT"}, restricted=True),
        ):
            self.channels.setdefault(channel.id, channel)

    def new_ts(self) -> str:
        return f"{int(self.now)}.{self.number():06d}"

    def new_trigger(self, user: str) -> str:
        trigger = f"{self.number()}.{int(self.now)}.trigger"
        self.triggers[trigger] = (self.now, user)
        return trigger

    def add_message(self, message: Message) -> Message:
        message.shown_at = self.now + self.random.uniform(0, LAG_SECONDS)
        self.messages.append(message)
        return message

    def message(self, channel: str, ts: str) -> Message | None:
        return next((one for one in self.messages if one.channel == channel and one.ts == ts), None)

    def public(self, channel: str) -> list[Message]:
        """What all members of a channel see."""
        return [one for one in self.messages if one.channel == channel and not one.only]

    def private(self, user: str, channel: str | None = None) -> list[Message]:
        """What only this person sees, in a channel or anywhere."""
        return [one for one in self.messages if one.only == user and channel in {None, one.channel}]

    # waiting

    async def touch(self) -> None:
        """Say that something changed."""
        async with self.changed:
            self.changed.notify_all()

    async def until(self, holds: Callable[[], Held | None]) -> Held:
        """Wait until something holds, and give it. Raises TimeoutError with what was refused meanwhile."""
        async with self.changed:
            try:
                async with asyncio.timeout(GUARD_SECONDS):
                    while not (result := holds()):
                        await self.changed.wait()
            except TimeoutError as error:
                seen = [name for name, _ in self.calls[-8:]]
                raise AssertionError(f"nothing came; calls {seen}, refused {self.refused[-2:]}") from error
        return result

    # rules

    def limit(self, method: str, channel: str) -> None:
        """About one message a second in a channel, with a short burst. Raises SlackError with Retry-After."""
        if method != "chat.postMessage":
            return
        recent = self.buckets[method, channel]
        recent[:] = [moment for moment in recent if moment > self.now - 5.0]
        if len(recent) >= 8:
            raise SlackError("ratelimited", retry_after=1)
        recent.append(self.now)

    def fault(self, method: str) -> Fault | None:
        """The fault that hits this call, used up by it."""
        for fault in self.faults:
            if fault.method == method and fault.times > 0:
                fault.times -= 1
                return fault
        return None
