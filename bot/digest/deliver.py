"""Delivering what the ledger owes: one tick plans, claims, renders, posts, and looks before it posts again."""

import asyncio
import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from enum import Enum
from typing import Protocol

from bot.digest.compose import Item, digest_reply, thread_reply
from bot.digest.draw import chooser, owner_of, slot_of
from bot.digest.ledger import Ledger
from bot.digest.pick import Vote
from bot.digest.picks import Delivery, Picks
from bot.digest.subscriptions import Subscriptions
from bot.digest.values import Posting, Subscription
from bot.errors import AmbiguousPostError, ChannelTroubleError, InstallTroubleError, RetryLaterError
from bot.library import Library
from bot.message import ChannelRef, Platform, Reply

logger = logging.getLogger(__name__)

AT_ONCE = 20
"""Deliveries worked on at the same time; each channel's are one after another."""
PACE_SECONDS = 1.1
"""Between two messages to one channel: both platforms allow about one a second."""
BACKOFF_SECONDS = (5.0, 15.0, 60.0, 180.0, 600.0)
MOST_ATTEMPTS = 12
"""With the backoff above, about an hour and a half of trying."""


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
        """Post it (as a reply to `parent`) and give the message's id."""
        ...

    async def find(self, channel: ChannelRef, posting: Posting) -> str | Look:
        """The id of the message with this posting's key in the channel's history, or why there is none."""
        ...

    async def tell(self, subscription: Subscription, words: str) -> None:
        """A private word to who set the digest up; failing to is no error."""
        ...


class Votes(Protocol):
    """What channels think of papers."""

    async def of(self, channel: ChannelRef) -> Mapping[str, Vote]:
        """A channel's votes by paper."""
        ...


@dataclass(frozen=True, slots=True)
class Desk:
    """What delivering works with."""

    ledger: Ledger
    subscriptions: Subscriptions
    picks: Picks
    votes: Votes
    posters: Mapping[Platform, Poster]
    library: Callable[[], Library]


class Deliverer:
    """Works off the ledger."""

    def __init__(self, desk: Desk, *, pace: float = PACE_SECONDS) -> None:
        self._desk = desk
        self._pace = pace
        self._gate = asyncio.Semaphore(AT_ONCE)
        self._channels: dict[ChannelRef, asyncio.Lock] = {}

    async def tick(self) -> int:
        """Plan what is due and deliver what can be; gives how many postings were worked on. Never raises."""
        try:
            await self._desk.ledger.plan()
            worked = 0
            while claimed := await self._desk.ledger.claim():
                await asyncio.gather(*(self._guarded(posting) for posting in claimed))
                worked += len(claimed)
        except Exception:
            logger.exception("digest: the ledger cannot be reached; the next tick tries again")
            return 0
        self._channels.clear()
        return worked

    async def _guarded(self, posting: Posting) -> None:
        async with self._gate:
            entry = await self._desk.subscriptions.get(posting.subscription)
            if entry is None or entry.ended is not None:
                await self._desk.ledger.skipped(posting, "the digest was switched off")
                return
            lock = self._channels.setdefault(entry.channel, asyncio.Lock())
            async with lock:
                try:
                    await self._work(entry, posting)
                except Exception:
                    logger.exception(
                        "digest: posting %s of channel %s failed; it is tried again", posting.key, entry.channel.channel
                    )
                    await self._desk.ledger.try_again(posting, BACKOFF_SECONDS[-1], "a fault of ours")

    async def _work(self, entry: Subscription, posting: Posting) -> None:
        poster = self._desk.posters.get(entry.channel.platform)
        if poster is None:
            await self._desk.ledger.try_again(posting, BACKOFF_SECONDS[-1], f"{entry.channel.platform} is not running")
            return
        parent = await self._parent(posting)
        if posting.part % 10 and parent is None:
            await self._desk.ledger.skipped(posting, "the message that it belongs under was not confirmed")
            return
        if posting.state == "sending" and not await self._reconcile(entry, posting, poster):
            return
        if posting.payload is None:
            rendered = await self._render(entry, posting, poster)
            if rendered is None:
                return
            posting = rendered
        if not await self._desk.ledger.sending(posting):
            return  # the lease was lost: another worker has it
        await self._send(entry, posting, poster, parent)
        await asyncio.sleep(self._pace)

    async def _reconcile(self, entry: Subscription, posting: Posting, poster: Poster) -> bool:
        """Ask the platform about an attempt without an answer. True where it is safe to send again."""
        ledger = self._desk.ledger
        try:
            found = await poster.find(entry.channel, posting)
        except RetryLaterError as error:
            await ledger.look_later(posting, f"looking for it: {error}")
            return False
        except (ChannelTroubleError, InstallTroubleError, AmbiguousPostError) as error:
            await ledger.look_later(posting, f"looking for it: {error}")
            return False
        match found:
            case str():
                await ledger.posted(posting, found)
                return False
            case Look.CANNOT:
                await ledger.unconfirmed(posting, "no answer came, and its history may not be read here")
                await poster.tell(
                    entry, "Today's paper may not have been posted, and I cannot look. I do not send it twice."
                )
                return False
            case Look.ABSENT:
                if ledger.quiet_is_over(posting):
                    return True
                await ledger.look_later(posting, "no answer came; looking again before anything is sent")
                return False

    async def _render(self, entry: Subscription, posting: Posting, poster: Poster) -> Posting | None:
        library = self._desk.library()
        delivery = await self._settle(entry, posting, library)
        if delivery is None:
            await self._desk.ledger.skipped(
                posting, f"no paper matches “{entry.topic}”" if entry.topic else "no papers"
            )
            return None
        items = [
            Item(paper, given.reason)
            for given in delivery.papers
            if (paper := library.corpus.get(given.paper)) is not None
        ]
        if not items:
            await self._desk.ledger.skipped(posting, "its papers have left the corpus")
            return None
        if posting.part % 10:
            reply = await asyncio.to_thread(thread_reply, items)
        else:
            votes = await self._desk.votes.of(entry.channel)
            reply = await asyncio.to_thread(
                digest_reply,
                items,
                posting.day,
                style=entry.style,
                late=posting.late,
                new_cycle=delivery.new_cycle,
                votes=votes,
            )
        payload = await poster.render(reply, posting)
        papers = tuple(item.paper.id for item in items)
        if not await self._desk.ledger.rendered(posting, papers, payload):
            return None
        return replace(posting, state="rendered", papers=papers, payload=payload)

    async def _settle(self, entry: Subscription, posting: Posting, library: Library) -> Delivery | None:
        slot = slot_of(posting.day.isoformat(), posting.part)
        votes = await self._desk.votes.of(entry.channel)
        choose_now = await asyncio.to_thread(chooser, entry, slot, library, votes)
        return await self._desk.picks.settle(owner_of(entry), slot, choose_now)

    async def _parent(self, posting: Posting) -> str | None:
        """The message that a second part replies to."""
        if not posting.part % 10:
            return None
        first = posting.part - posting.part % 10
        of_day = await self._desk.ledger.of_day(posting.subscription, posting.day)
        return next((entry.message for entry in of_day if entry.part == first), None)

    async def _send(self, entry: Subscription, posting: Posting, poster: Poster, parent: str | None) -> None:
        ledger = self._desk.ledger
        assert posting.payload is not None
        try:
            message = await poster.send(entry.channel, posting.payload, posting, parent)
        except RetryLaterError as error:
            if posting.attempts + 1 >= MOST_ATTEMPTS:
                await ledger.failed(posting, f"given up after {MOST_ATTEMPTS} attempts: {error}")
                return
            backoff = BACKOFF_SECONDS[min(posting.attempts, len(BACKOFF_SECONDS) - 1)]
            await ledger.try_again(posting, max(error.seconds, backoff if error.seconds == 0 else 0.0), str(error))
        except AmbiguousPostError as error:
            await ledger.look_later(posting, str(error))
        except ChannelTroubleError as error:
            await ledger.failed(posting, str(error))
            await self._hold(entry, str(error), poster)
        except InstallTroubleError as error:
            await ledger.failed(posting, str(error))
            logger.error("digest: workspace %s refuses: %s", entry.channel.workspace, error)  # noqa: TRY400 - one line
            await self._desk.subscriptions.set_trouble(entry.id, str(error))
        else:
            await ledger.posted(posting, message)
            await self._desk.subscriptions.set_trouble(entry.id, None)

    async def _hold(self, entry: Subscription, words: str, poster: Poster) -> None:
        """Pause the channel; tell who set it up, once."""
        if await self._desk.subscriptions.set_trouble(entry.id, words[:200]):
            logger.warning("digest: channel %s is paused: %s", entry.channel.channel, words)
            await poster.tell(entry, f"The paper of the day is paused: {words} Then type `digest on` there.")
