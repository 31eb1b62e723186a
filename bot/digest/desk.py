"""What delivering works with."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Protocol

from bot.connections import Connections
from bot.library import Library
from bot.message import ChannelRef
from bot.schedule.runs import LONGEST_CATCH_UP
from bot.schedule.values import Posting, Subscription, Vote
from bot.store.ledger import Ledger
from bot.store.picks import PickHistory
from bot.store.subscriptions import Subscriptions

TRYING = timedelta(hours=2)
"""What was begun within the catch-up window may be tried for so long after it."""


class Votes(Protocol):
    """What channels think of papers."""

    async def of_some(self, channels: Collection[ChannelRef]) -> Mapping[ChannelRef, Mapping[str, Vote]]:
        """Channels' votes, by channel and paper."""
        ...


@dataclass(frozen=True, slots=True)
class Desk:
    """What delivering works with."""

    ledger: Ledger
    subscriptions: Subscriptions
    picks: PickHistory
    votes: Votes
    connections: Connections
    library: Callable[[], Library]

    def in_time(self, entry: Subscription, posting: Posting) -> bool:
        """Whether a posting may still be sent: another day's paper is due soon after."""
        longest = min(entry.schedule.catch_up, LONGEST_CATCH_UP)
        return self.ledger.age(posting) <= (longest + TRYING if posting.attempts else longest)
