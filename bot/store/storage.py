"""What is kept for the people of a workspace, in one hand: commands work with it, and so does what delivers."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta

from bot.message import ChannelRef, User
from bot.schedule.clock import Clock, system_clock
from bot.schedule.values import DEFAULT_CATCH_UP
from bot.store.database import Database
from bot.store.inbound import StoredLists
from bot.store.kept import Forgotten, StoredSaves, StoredWatches, forget_person, kept_of
from bot.store.known import KnownPapers
from bot.store.last_list import LastLists
from bot.store.ledger import Ledger
from bot.store.moves import move_channel
from bot.store.picks import PickHistory, StoredVotes
from bot.store.subscriptions import Subscriptions


@dataclass(frozen=True, slots=True)
class Storage:
    """The repositories of one database by one clock. It is built once, beside the database."""

    database: Database
    subscriptions: Subscriptions
    ledger: Ledger
    picks: PickHistory
    votes: StoredVotes
    saves: StoredSaves
    watches: StoredWatches
    known: KnownPapers
    lists: LastLists
    clock: Clock = system_clock

    @classmethod
    def of(
        cls,
        database: Database,
        replica: str,
        clock: Clock = system_clock,
        catch_up: timedelta = DEFAULT_CATCH_UP,
        lists: LastLists | None = None,
    ) -> "Storage":
        """The repositories on a database; `replica` names this process to others that share it.

        `lists` are where last lists are kept, where that is not the database itself.
        """
        return cls(
            database=database,
            subscriptions=Subscriptions(database, clock, catch_up=catch_up),
            ledger=Ledger(database, replica, clock, catch_up=catch_up),
            picks=PickHistory(database, clock),
            votes=StoredVotes(database, clock),
            saves=StoredSaves(database, clock),
            watches=StoredWatches(database, clock),
            known=KnownPapers(database),
            lists=lists or StoredLists(database, clock),
            clock=clock,
        )

    async def kept_of(self, user: User, channel: ChannelRef) -> Mapping[str, object]:
        """All that is kept of a person in a workspace, ready for JSON."""
        return await kept_of(self.database, user, channel)

    async def move_channel(self, channel: ChannelRef, new: str) -> list[str]:
        """All that is kept of a channel goes along to its new id; gives the names of the digests that did."""
        return await move_channel(self.database, channel, new, self.clock)

    async def forget_person(self, user: User, channel: ChannelRef) -> Forgotten:
        """Delete all that is kept of a person in a workspace."""
        await self.lists.forget(user, channel)
        return await forget_person(self.database, user, channel)
