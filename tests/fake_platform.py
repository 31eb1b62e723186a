"""A platform in memory for the digest's own tests: messages, a history that lags, and every fault on demand.

The digest meets the real client libraries in the platform tests; this one makes thousands of faults a second.
"""

import random
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Literal

from bot.connections import Look, never
from bot.errors import AmbiguousPostError, ChannelTroubleError, ContentRefusedError, RetryLaterError
from bot.message import ChannelRef, Reply
from bot.store.ledger import Ledger

LAG = timedelta(seconds=30)
"""History may show a message so late, and a request may be accepted so long after its connection dropped."""

Fault = Literal["refused", "dropped before", "dropped after", "accepted late", "rate limited", "archived"]
FAULTS: tuple[Fault, ...] = ("refused", "dropped before", "dropped after", "accepted late", "rate limited", "archived")


class Killed(BaseException):
    """The process ends here: stands for SIGKILL, which no handler sees."""


@dataclass(slots=True)
class Message:
    """What the channel holds; `visible` is when history shows it."""

    channel: ChannelRef
    key: str
    posted: datetime
    visible: datetime
    parent: str | None


async def nothing() -> None:
    """Nothing happens."""


@dataclass(slots=True)
class FakePlatform:
    """Posts into memory. `fault` names what the next requests do; None is health."""

    clock: Callable[[], datetime]
    dice: random.Random
    may_look: bool = True
    fault: Fault | None = None
    retry_after: float = 7
    leaving: Callable[[], Awaitable[None]] = nothing
    """Happens before a request leaves."""
    accepted: Callable[[], Awaitable[None]] = nothing
    """Happens between a message and its answer."""
    looking: Callable[[], Awaitable[None]] = nothing
    """Happens when history is asked for."""
    looked: Callable[[], Awaitable[None]] = nothing
    """Happens between what history says and its answer."""
    archived: set[ChannelRef] = field(default_factory=set)
    messages: list[Message] = field(default_factory=list)
    told: list[str] = field(default_factory=list)
    broken: set[ChannelRef] = field(default_factory=set)
    forbidden: set[str] = field(default_factory=set)
    """A message with one of these words is refused for what it says."""
    forbidden_in: set[ChannelRef] | None = None
    """Where that is so; None is everywhere."""

    def accept(
        self, channel: ChannelRef, key: str, parent: str | None, after: timedelta = timedelta(), text: str = ""
    ) -> None:
        at = self.clock() + after
        lag = timedelta(seconds=self.dice.uniform(0, LAG.total_seconds()))
        self.messages.append(Message(channel, key, at, at + lag, parent))
        if channel.channel.startswith("@"):
            self.told.append(f"{channel.channel[1:]}: {text}")

    async def render(self, reply: Reply, key: str, *, threaded: bool = False, about: ChannelRef | None = None) -> str:
        return f"{key}:{reply.text}"

    async def send(
        self, channel: ChannelRef, key: str, payload: str, parent: str | None, too_late: Callable[[], bool] = never
    ) -> str:
        assert payload.startswith(key)
        await self.leaving()
        if too_late():
            raise RetryLaterError("it came too late", 0)
        if channel in self.broken:
            raise RuntimeError("a fault of ours")
        if any(word in payload for word in self.forbidden) and channel in (self.forbidden_in or {channel}):
            raise ContentRefusedError("the words are forbidden.")
        if channel in self.archived:
            raise ChannelTroubleError("the channel is archived.")
        text = payload.removeprefix(f"{key}:")
        match self.fault:
            case "refused":
                raise RetryLaterError("connection refused", 0)
            case "rate limited":
                raise RetryLaterError("rate limited", self.retry_after)
            case "archived" if not channel.channel.startswith("@"):
                raise ChannelTroubleError("the channel is archived.")
            case "dropped before":
                raise AmbiguousPostError("connection reset")
            case "dropped after":
                self.accept(channel, key, parent, text=text)
                raise AmbiguousPostError("connection reset")
            case "accepted late":
                after = timedelta(seconds=self.dice.uniform(0, LAG.total_seconds()))
                self.accept(channel, key, parent, after, text)
                raise AmbiguousPostError("timed out")
            case _:
                pass
        self.accept(channel, key, parent, text=text)
        message = f"m{len(self.messages)}"
        await self.accepted()
        return message

    async def find(self, channel: ChannelRef, key: str, ago: timedelta, parent: str | None) -> str | Look:
        await self.looking()
        if not self.may_look:
            return Look.CANNOT
        now = self.clock()
        await self.looked()
        for number, message in enumerate(self.messages, 1):
            if message.key == key and message.channel == channel and message.visible <= now <= message.posted + ago:
                return f"m{number}"
        return Look.ABSENT

    async def direct(self, person: str, channel: ChannelRef) -> ChannelRef:
        return replace(channel, channel=f"@{person}")


STEPS = (
    "plan", "claim", "rendered_all", "sending", "posted", "try_again", "put_off", "look_later", "failed", "skipped",
    "unconfirmed",
)  # fmt: skip


class MortalLedger(Ledger):
    """A ledger whose process may be killed before or after any of its steps."""

    kill: str | None = None
    """`before sending`, `after posted`, …"""


def _make(step: str) -> Callable[..., object]:
    base = getattr(Ledger, step)

    async def mortal(self: MortalLedger, *args: object, **kwargs: object) -> object:
        if self.kill == f"before {step}":
            raise Killed(step)
        result = await base(self, *args, **kwargs)
        if self.kill == f"after {step}":
            raise Killed(step)
        return result

    return mortal


for _step in STEPS:
    setattr(MortalLedger, _step, _make(_step))
