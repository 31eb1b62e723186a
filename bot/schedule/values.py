"""The digest's values: a channel's subscription, one part of one delivery, what was chosen for it and why."""

import hashlib
from dataclasses import dataclass
from datetime import date, datetime
from typing import Literal

from bot.message import ChannelRef
from bot.papers import Paper
from bot.schedule.runs import Schedule

Style = Literal["brief", "full"]

REMOVED = "the bot was removed from the workspace"
"""What a digest is held for that ended with its workspace: its settings wait there for the bot to come back."""


@dataclass(frozen=True, slots=True)
class Subscription:
    """One channel's digest. `digest` names one that several channels share; "" is the channel's own.

    `set_up_by` is the person, "" for a declared one. `held_for` is why deliveries are held (a missing
    permission, an archived channel), in words for the channel.
    """

    id: int
    channel: ChannelRef
    schedule: Schedule
    set_up_by: str
    digest: str = ""
    topic: str = ""
    count: int = 1
    thread: bool = False
    style: Style = "full"
    held_for: str | None = None
    ended: datetime | None = None

    @property
    def declared(self) -> bool:
        """Whether it stands in the operator's config: commands make digests without a name."""
        return bool(self.digest)


State = Literal["planned", "rendered", "sending", "posted", "unconfirmed", "skipped", "failed"]
OPEN: tuple[State, ...] = ("planned", "rendered", "sending")


MESSAGES = 10
"""A delivery's messages in the numbers that are stored: a date's are 0 to 9, those of its first extra one 10 to 19."""


@dataclass(frozen=True, slots=True, order=True)
class Part:
    """Which message of which delivery of a date. Raises ValueError for one that has no number.

    `delivery` is 0 for the one that its schedule asks for, 1, 2, … for those that people asked for besides. `reply` is
    0 for the paper itself, 1 for the first message of its thread.
    """

    delivery: int = 0
    reply: int = 0

    def __post_init__(self) -> None:
        if self.delivery < 0 or not 0 <= self.reply < MESSAGES:
            raise ValueError(f"a delivery has up to {MESSAGES} messages: {self}")

    @classmethod
    def of(cls, number: int) -> "Part":
        """The part with this stored number."""
        return cls(*divmod(number, MESSAGES))

    @property
    def number(self) -> int:
        """As it is stored; it is part of a posting's key."""
        return self.delivery * MESSAGES + self.reply

    @property
    def main(self) -> "Part":
        """The paper itself, of the same delivery."""
        return Part(self.delivery)

    @property
    def thread(self) -> "Part":
        """The first message of the delivery's thread."""
        return Part(self.delivery, 1)

    @property
    def threaded(self) -> bool:
        """Whether it is posted under another message."""
        return self.reply > 0

    @property
    def extra(self) -> bool:
        """Whether it is of a delivery beside the scheduled one."""
        return self.delivery > 0


MAIN = Part()
"""The paper itself, as scheduled."""


@dataclass(frozen=True, slots=True)
class Posting:
    """One part of one delivery. `key` is what the posted message carries, so that it can be found again."""

    subscription: int
    day: date
    part: Part
    key: str
    state: State
    due: datetime
    late: bool = False
    attempts: int = 0
    papers: tuple[str, ...] = ()
    payload: str | None = None
    sent: datetime | None = None
    message: str | None = None
    posted: datetime | None = None
    not_before: datetime | None = None
    note: str | None = None


def posting_key(subscription: int, day: date, part: Part) -> str:
    """The key of a posting: the same whoever computes it, and short enough for a button's id and a nonce (24)."""
    return hashlib.sha256(f"{subscription}/{day.isoformat()}/{part.number}".encode()).hexdigest()[:24]


def owner_of(entry: Subscription) -> str:
    """Whose picks: the channel's own, or those of the named digest that it shares."""
    return f"digest:{entry.digest}" if entry.digest else f"channel:{entry.id}"


def slot_of(day: date, part: Part) -> str:
    """The delivery that a part belongs to, as a text that sorts by date and then by delivery."""
    return f"{day.isoformat()}/{part.main.number:03d}"


@dataclass(frozen=True, slots=True)
class Vote:
    """What a channel said of a paper in all: how many up, how many down."""

    up: int = 0
    down: int = 0


@dataclass(frozen=True, slots=True)
class Pick:
    """A paper, and why this one, in a few words."""

    paper: Paper
    reason: str


@dataclass(frozen=True, slots=True)
class Selection:
    """What a delivery brings. `new_cycle` says that the pool was used up and starts anew with this one."""

    picks: tuple[Pick, ...]
    cycle: int
    new_cycle: bool
