"""Delivering what the ledger owes: one tick plans, claims, renders, posts, and looks before it posts again."""

import asyncio
import logging
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import timedelta
from enum import Enum
from typing import Protocol

from bot.digest.compose import Item, digest_reply, thread_reply
from bot.digest.draw import chooser, owner_of, slot_of
from bot.digest.ledger import Ledger
from bot.digest.pick import Vote
from bot.digest.picks import Delivery, Picks, Wish
from bot.digest.schedule import LONGEST_CATCH_UP
from bot.digest.subscriptions import Subscriptions
from bot.digest.team import Gate
from bot.digest.values import Posting, Subscription
from bot.errors import AmbiguousPostError, ChannelTroubleError, InstallTroubleError, RetryLaterError
from bot.library import Library
from bot.message import ChannelRef, Platform, Reply

logger = logging.getLogger(__name__)

AT_ONCE = 40
"""Deliveries worked on at the same time; each channel's are one after another."""
PACE_SECONDS = 1.1
"""Between two messages to one channel: both platforms allow about one a second."""
BACKOFF_SECONDS = (5.0, 15.0, 60.0, 180.0, 600.0)
MOST_ATTEMPTS = 12
"""With the backoff above, about an hour and a half of trying."""
TRYING = timedelta(hours=2)
"""What was begun within the catch-up window may be tried for so long after it."""
SEND_SECONDS = 20.0
"""A poster gives up on a send after this, its own tries again included: the ledger's quiet time counts on it."""
GIVE_UP = timedelta(hours=24)
"""After so long, a message that may have been posted is looked for no more, and reported."""


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

    async def tell(self, subscription: Subscription, words: str) -> None:
        """A private word to who set the digest up; failing to is no error."""
        ...


class Votes(Protocol):
    """What channels think of papers."""

    async def of_some(self, channels: Collection[ChannelRef]) -> Mapping[ChannelRef, Mapping[str, Vote]]:
        """Channels' votes, by channel and paper."""
        ...


@dataclass(frozen=True, slots=True)
class Desk:
    """What delivering works with. `gates` tell when a channel that is held can be posted to again."""

    ledger: Ledger
    subscriptions: Subscriptions
    picks: Picks
    votes: Votes
    posters: Mapping[Platform, Poster]
    library: Callable[[], Library]
    gates: Mapping[Platform, Gate] = field(default_factory=dict)


class Deliverer:
    """Works off the ledger."""

    def __init__(self, desk: Desk, *, pace: float = PACE_SECONDS) -> None:
        self._desk = desk
        self._pace = pace
        self._turns = asyncio.Semaphore(AT_ONCE)
        self._channels: dict[ChannelRef, asyncio.Lock] = {}
        self._last: dict[ChannelRef, float] = {}

    async def tick(self) -> int:
        """Plan what is due and deliver what can be; gives how many postings were worked on. Never raises."""
        worked = 0
        try:
            await self._desk.ledger.plan()
            await self._probe()
            while claimed := await self._desk.ledger.claim(tuple(self._desk.posters)):
                entries = await self._desk.subscriptions.some({posting.subscription for posting in claimed})
                ready = await self._rendered(claimed, entries)
                await asyncio.gather(*(self._guarded(one, entries.get(one.subscription)) for one in ready))
                worked += len(claimed)
        except Exception:
            logger.exception("digest: the ledger cannot be reached; the next tick tries again")
        self._channels.clear()
        now = time.monotonic()
        self._last = {channel: at for channel, at in self._last.items() if now - at < self._pace}
        return worked

    async def _probe(self) -> None:
        """Ask after the channels that are held, and let deliveries go on where the cause is gone."""
        for entry in await self._desk.ledger.held(tuple(self._desk.gates)):
            gate = self._desk.gates.get(entry.channel.platform)
            try:
                if gate is None or await gate.may_post(entry.channel) is not None:
                    continue
            except Exception:
                logger.exception("digest: channel %s could not be asked after", entry.channel.channel)
                continue
            if await self._desk.subscriptions.set_trouble(entry.id, None):
                logger.info("digest: channel %s goes on, the cause of its pause is gone", entry.channel.channel)

    async def _guarded(self, posting: Posting, entry: Subscription | None) -> None:
        async with self._turns:
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
                    await self._desk.ledger.put_off(posting, BACKOFF_SECONDS[-1], "a fault of ours")

    async def _work(self, entry: Subscription, posting: Posting) -> None:
        ledger = self._desk.ledger
        poster = self._desk.posters.get(entry.channel.platform)
        if poster is None:
            await ledger.put_off(posting, BACKOFF_SECONDS[0], f"{entry.channel.platform} is not connected")
            return
        parent = await self._parent(posting)
        if posting.part % 10 and parent is None:
            await ledger.skipped(posting, "the message that it belongs under was not confirmed")
            return
        if posting.state == "sending" and not await self._reconcile(entry, posting, poster, parent):
            return
        if not self._in_time(entry, posting):
            await ledger.skipped(posting, "it could not be posted in time")  # another day's paper is due by then
            return
        if posting.payload is None:
            rendered = await self._render([(entry, posting)])
            if not rendered:
                return
            posting = rendered[0]
        await self._wait_for_pace(entry.channel)
        sending = await ledger.sending(posting)
        if sending is not None:  # else the lease was lost: another worker has it
            await self._send(entry, sending, poster, parent)

    async def _wait_for_pace(self, channel: ChannelRef) -> None:
        last = self._last.get(channel)
        if last is not None and (left := last + self._pace - time.monotonic()) > 0:
            await asyncio.sleep(left)
        self._last[channel] = time.monotonic()

    async def _reconcile(self, entry: Subscription, posting: Posting, poster: Poster, parent: str | None) -> bool:
        """Ask the platform about an attempt without an answer. True where it is safe to send again."""
        ledger = self._desk.ledger
        quiet_is_over = ledger.quiet_is_over(posting)  # as of now: a look that begins before then proves nothing
        try:
            found = await poster.find(entry.channel, posting, parent)
        except (RetryLaterError, ChannelTroubleError, InstallTroubleError, AmbiguousPostError) as error:
            if ledger.age(posting) > GIVE_UP:
                await ledger.unconfirmed(posting, f"no answer came, and it could not be looked for: {error}")
            else:
                await ledger.look_later(posting, f"looking for it: {error}")
            return False
        match found:
            case str():
                await ledger.posted(posting, found)
                return False
            case Look.CANNOT:
                await ledger.unconfirmed(posting, "no answer came, and its history may not be read here")
                await _tell(
                    poster, entry, "Today's paper may not have been posted, and I cannot look. I do not send it twice."
                )
                return False
            case Look.ABSENT:
                if quiet_is_over:
                    return True
                await ledger.look_later(posting, "no answer came; looking again before anything is sent")
                return False

    async def _rendered(self, claimed: Sequence[Posting], entries: Mapping[int, Subscription]) -> list[Posting]:
        """The claimed postings, the bare ones rendered all at once; without those that come to nothing."""
        bare = [
            (entry, posting)
            for posting in claimed
            if posting.payload is None
            and not posting.part % 10
            and (entry := entries.get(posting.subscription)) is not None
            and entry.ended is None
            and entry.channel.platform in self._desk.posters
            and self._in_time(entry, posting)
        ]
        if not bare:
            return list(claimed)
        try:
            rendered = {posting.key: posting for posting in await self._render(bare)}
        except Exception:
            logger.exception("digest: rendering several at once failed; each is tried by itself")
            return list(claimed)
        asked = {posting.key for _, posting in bare}
        return [
            rendered.get(posting.key, posting)
            for posting in claimed
            if posting.key in rendered or posting.key not in asked
        ]

    def _in_time(self, entry: Subscription, posting: Posting) -> bool:
        longest = min(entry.schedule.catch_up, LONGEST_CATCH_UP)
        return self._desk.ledger.age(posting) <= (longest + TRYING if posting.attempts else longest)

    async def _render(self, bare: Sequence[tuple[Subscription, Posting]]) -> list[Posting]:
        """Choose papers, draw the messages and keep them; gives those that may be sent."""
        library = self._desk.library()
        votes = await self._desk.votes.of_some({entry.channel for entry, _ in bare})
        wishes = await asyncio.to_thread(
            lambda: [_wish(entry, one, library, votes[entry.channel]) for entry, one in bare]
        )
        deliveries = await self._desk.picks.settle_all(wishes)
        composed = await asyncio.to_thread(
            lambda: [
                _compose(entry, one, delivery, library, votes[entry.channel])
                for (entry, one), delivery in zip(bare, deliveries, strict=True)
            ]
        )
        drawn: list[tuple[Posting, tuple[str, ...], str]] = []
        for (entry, posting), reply in zip(bare, composed, strict=True):
            if isinstance(reply, str):
                await self._desk.ledger.skipped(posting, reply)
                continue
            payload = await self._desk.posters[entry.channel.platform].render(reply, posting)
            drawn.append((posting, tuple(shown.paper.id for shown in reply.papers), payload))
        kept = await self._desk.ledger.rendered_all(drawn)
        return [
            replace(posting, state="rendered", papers=papers, payload=payload)
            for posting, papers, payload in drawn
            if posting.key in kept
        ]

    async def _parent(self, posting: Posting) -> str | None:
        """The message that a second part replies to."""
        if not posting.part % 10:
            return None
        first = posting.part - posting.part % 10
        of_day = await self._desk.ledger.of_day(posting.subscription, posting.day)
        return next((entry.message for entry in of_day if entry.part == first), None)

    async def _send(self, entry: Subscription, posting: Posting, poster: Poster, parent: str | None) -> None:
        """Send a posting whose row says so already. Whatever is not sure to have failed is looked for later."""
        ledger = self._desk.ledger
        assert posting.payload is not None
        try:
            message = await poster.send(entry.channel, posting.payload, posting, parent)
        except RetryLaterError as error:
            if posting.attempts >= MOST_ATTEMPTS:
                await ledger.failed(posting, f"given up after {MOST_ATTEMPTS} attempts: {error}")
                return
            backoff = BACKOFF_SECONDS[min(posting.attempts, len(BACKOFF_SECONDS)) - 1]
            await ledger.try_again(posting, error.seconds or backoff, str(error))
        except AmbiguousPostError as error:
            await ledger.look_later(posting, str(error))
        except ChannelTroubleError as error:
            await ledger.failed(posting, str(error))
            if not posting.part % 10:  # a thread that cannot be begun is no reason to hold the paper itself
                await self._hold(entry, posting, str(error), poster)
        except InstallTroubleError as error:
            await ledger.failed(posting, str(error))
            if await self._desk.subscriptions.set_trouble(entry.id, str(error)[:200]):
                logger.error("digest: workspace %s refuses: %s", entry.channel.workspace, error)  # noqa: TRY400 - one line
        except Exception:
            logger.exception("digest: sending %s ended by a fault of ours; it is looked for", posting.key)
            await ledger.look_later(posting, "a fault of ours")
        else:
            await ledger.posted(posting, message)
            if entry.trouble is not None:
                await self._desk.subscriptions.set_trouble(entry.id, None)

    async def _hold(self, entry: Subscription, posting: Posting, words: str, poster: Poster) -> None:
        """Pause the channel; tell who set it up, once for as long as it goes on failing."""
        changed = await self._desk.subscriptions.set_trouble(entry.id, words[:200])
        if not changed:
            return
        logger.warning("digest: channel %s is paused: %s", entry.channel.channel, words)
        earlier = [row for row in await self._desk.ledger.history(entry.id) if row.key != posting.key]
        main = next((row for row in earlier if not row.part % 10), None)
        if main is None or main.state != "failed":
            await _tell(
                poster, entry, f"The paper of the day is paused: {words} It goes on by itself once that is done."
            )


async def _tell(poster: Poster, entry: Subscription, words: str) -> None:
    """In private to who set it up; of a declared digest, to the operator, whose log it is."""
    if entry.set_up_by:
        await poster.tell(entry, words)
    else:
        logger.warning("digest: %s in channel %s: %s", entry.digest, entry.channel.channel, words)


def _wish(entry: Subscription, posting: Posting, library: Library, votes: Mapping[str, Vote]) -> Wish:
    slot = slot_of(posting.day.isoformat(), posting.part)
    return Wish(owner_of(entry), slot, chooser(entry, slot, library, votes))


def _compose(
    entry: Subscription, posting: Posting, delivery: Delivery | None, library: Library, votes: Mapping[str, Vote]
) -> Reply | str:
    """The message, or why there is none."""
    if delivery is None:
        return f"no paper matches “{entry.topic}”" if entry.topic else "no papers"
    papers = [(library.corpus.get(given.paper), given.reason) for given in delivery.papers]
    items = [Item(paper, reason) for paper, reason in papers if paper is not None]
    if not items:
        return "its papers have left the corpus"
    if posting.part % 10:
        return thread_reply(items)
    return digest_reply(
        items, posting.day, style=entry.style, late=posting.late, new_cycle=delivery.new_cycle, votes=votes
    )
