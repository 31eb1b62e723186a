"""The digest's values: a channel's subscription, and one part of one delivery."""

import hashlib
from dataclasses import dataclass
from datetime import date, datetime
from typing import Literal

from bot.digest.schedule import Schedule
from bot.message import ChannelRef

Style = Literal["brief", "full"]


@dataclass(frozen=True, slots=True)
class Subscription:
    """One channel's digest. `digest` names one that several channels share; "" is the channel's own.

    `set_up_by` is the person, "" for a declared one. `trouble` is why deliveries are held (a missing
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
    trouble: str | None = None
    ended: datetime | None = None

    @property
    def declared(self) -> bool:
        """Whether it stands in the operator's config: commands make digests without a name."""
        return bool(self.digest)


State = Literal["planned", "rendered", "sending", "posted", "unconfirmed", "skipped", "failed"]
OPEN: tuple[State, ...] = ("planned", "rendered", "sending")


EXTRA = 10
"""Parts of one delivery lie below this; those of an extra one begin at 10, 20, … of its date."""


@dataclass(frozen=True, slots=True)
class Posting:
    """One part of one delivery. `key` is what the posted message carries, so that it can be found again."""

    subscription: int
    day: date
    part: int
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


def posting_key(subscription: int, day: date, part: int) -> str:
    """The key of a posting: the same whoever computes it, and short enough for a button's id and a nonce (24)."""
    return hashlib.sha256(f"{subscription}/{day.isoformat()}/{part}".encode()).hexdigest()[:24]
