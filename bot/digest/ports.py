"""A platform as the digest sees it: what posts and tells, and who may do what in a channel."""

from collections.abc import Callable
from datetime import datetime
from enum import Enum
from typing import Protocol

from bot.message import ChannelRef, Reply, User

SEND_SECONDS = 20.0
"""A poster gives up on a send after this, its own tries again included: the ledger's quiet time counts on it."""


class Look(Enum):
    """What a channel's history says of a message."""

    ABSENT = "absent"
    CANNOT = "cannot look"


class Poster(Protocol):
    """What posts on a platform. Methods raise the DeliveryErrors, and nothing else on purpose.

    `key` is what a message is known by: the same for every attempt at it. `parent` is the id of the message that it
    is posted under.
    """

    async def render(self, reply: Reply, key: str, *, threaded: bool = False) -> str:
        """The payload, as text to be kept: with the key in it where the platform shows it again.

        `threaded` says that it will be posted under another message, which has notified people already.
        """
        ...

    async def send(self, channel: ChannelRef, key: str, payload: str, parent: str | None) -> str:
        """Post it within SEND_SECONDS and give the message's id."""
        ...

    async def find(self, channel: ChannelRef, key: str, since: datetime, parent: str | None) -> str | Look:
        """The id of the message with this key, or why there is none; it was posted `since` then, if at all."""
        ...

    async def relabel(self, channel: ChannelRef, payload: str, message: str, label_of: Callable[[str], str]) -> None:
        """Give the buttons of a posted message new labels, from the payload that it was sent with; all else stays."""
        ...

    async def tell(self, person: str, channel: ChannelRef, words: str) -> None:
        """A private word to a person about a channel; failing to is no error."""
        ...


class ChannelAccess(Protocol):
    """A platform's answers about a channel, asked at that moment. A reason says how to mend it; None is yes."""

    async def may_manage(self, user: User, channel: ChannelRef) -> str | None:
        """Why this person may not change the channel's digest."""
        ...

    async def may_post(self, channel: ChannelRef) -> str | None:
        """Why the bot cannot post in the channel."""
        ...

    async def zone_of(self, user: User, channel: ChannelRef) -> str | None:
        """The person's own IANA zone, where the platform knows it."""
        ...

    async def link_to(self, channel: ChannelRef, message: str) -> str | None:
        """The address of a message that was posted there, or None where the platform gives none."""
        ...
