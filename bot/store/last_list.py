"""The numbered list that a person saw last in a channel, so that `tldr 2` means something."""

from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Protocol

from bot.message import Call, ChannelRef, User

LIFETIME = timedelta(hours=24)
"""After a day nobody remembers what number 2 was; better to say so than to show another paper."""


@dataclass(frozen=True, slots=True)
class LastList:
    """Numbers as shown, each with the id of its paper; `of` tells lists apart, so that pages of one add up.

    A paper that was shown alone is one without numbers: it leaves those of the list before it valid.
    """

    of: str
    numbers: Mapping[int, str]
    made_at: datetime
    paper: str | None = None
    """The id of the paper that was seen alone last: what “that” is."""
    call: Call | None = None
    """What gave the list: its next page is what “more” is."""

    def expired(self, now: datetime) -> bool:
        """Whether its numbers no longer count."""
        return now - self.made_at > LIFETIME

    def followed_by(self, later: "LastList") -> "LastList":
        """The later list; the numbers of this one stay valid where it is another page of the same."""
        if self.expired(later.made_at):
            return later
        if not later.numbers:
            return replace(self, paper=later.paper)  # its numbers grow no younger by that
        if self.of != later.of:
            return later
        return replace(later, numbers={**self.numbers, **later.numbers})


class LastLists(Protocol):
    """Where last lists are kept, by person and channel."""

    async def get(self, user: User, channel: ChannelRef) -> LastList | None:
        """The last list, also an expired one, or None."""
        ...

    async def put(self, user: User, channel: ChannelRef, shown: LastList) -> None:
        """Remember a list."""
        ...

    async def forget(self, user: User, channel: ChannelRef) -> None:
        """Forget all lists of a person in the channel's workspace."""
        ...


class MemoryLists:
    """Last lists of this process: for the terminal, and for tests of everything that uses them."""

    def __init__(self, most: int = 10_000) -> None:
        self._lists: OrderedDict[tuple[str, ChannelRef], LastList] = OrderedDict()
        self._most = most

    async def get(self, user: User, channel: ChannelRef) -> LastList | None:
        """The last list, also an expired one, or None."""
        return self._lists.get((user.id, channel))

    async def put(self, user: User, channel: ChannelRef, shown: LastList) -> None:
        """Remember a list; the oldest is forgotten when there are too many."""
        before = self._lists.pop((user.id, channel), None)
        self._lists[user.id, channel] = before.followed_by(shown) if before else shown
        if len(self._lists) > self._most:
            self._lists.popitem(last=False)

    async def forget(self, user: User, channel: ChannelRef) -> None:
        """Forget all lists of a person in the channel's workspace."""
        for key in [key for key in self._lists if key[0] == user.id and key[1].same_workspace(channel)]:
            del self._lists[key]

    def drop(self, user: User, channel: ChannelRef, shown: LastList) -> None:
        """Forget a list, unless another took its place or a page joined it."""
        if self._lists.get((user.id, channel)) == shown:
            del self._lists[user.id, channel]
