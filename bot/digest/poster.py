"""A platform as the digest sees it."""

from collections.abc import Callable
from enum import Enum
from typing import Protocol

from bot.digest.values import Posting, Subscription
from bot.message import ChannelRef, Reply

SEND_SECONDS = 20.0
"""A poster gives up on a send after this, its own tries again included: the ledger's quiet time counts on it."""


class Look(Enum):
    """What a channel's history says of a posting."""

    ABSENT = "absent"
    CANNOT = "cannot look"


class Poster(Protocol):
    """A platform as the digest sees it. Methods raise the DeliveryErrors, and nothing else on purpose."""

    async def render(self, reply: Reply, posting: Posting) -> str:
        """The payload, as text to be kept: with the posting's key in it where the platform shows it again."""
        ...

    async def send(self, channel: ChannelRef, payload: str, posting: Posting, parent: str | None) -> str:
        """Post it (as a reply to `parent`) within SEND_SECONDS and give the message's id."""
        ...

    async def find(self, channel: ChannelRef, posting: Posting, parent: str | None) -> str | Look:
        """The id of the message with this posting's key in the channel (or under `parent`), or why there is none."""
        ...

    async def relabel(self, channel: ChannelRef, payload: str, message: str, label_of: Callable[[str], str]) -> None:
        """Give the buttons of a posted message new labels, from the payload that it was sent with; all else stays."""
        ...

    async def tell(self, subscription: Subscription, words: str) -> None:
        """A private word to who set the digest up; failing to is no error."""
        ...
