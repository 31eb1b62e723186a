"""Deliveries chosen and drawn, many at once, and kept before anything is sent."""

import asyncio
import logging
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TypeVar

from bot.connections import Offer
from bot.digest.compose import Item, digest_reply, thread_reply
from bot.digest.desk import Desk
from bot.digest.selection import Pools, chooser
from bot.library import Library
from bot.message import Reply
from bot.schedule.values import Posting, Subscription, Vote, owner_of, slot_of
from bot.store.picks import Delivery, Wish

logger = logging.getLogger(__name__)


SLICE = 4
"""Deliveries chosen or drawn without a pause: some ten milliseconds."""

Entry = TypeVar("Entry")
Result = TypeVar("Result")


class Renderer:
    """Renders what a desk owes."""

    def __init__(self, desk: Desk, *, rest: float = 1.0) -> None:
        """`rest` is how long the processor is left to others after each slice, in parts of what the slice took."""
        self._desk = desk
        self._rest = rest

    async def ready(self, claimed: Sequence[Posting], entries: Mapping[int, Subscription]) -> list[Posting]:
        """The claimed postings, the bare ones rendered all at once; without those that come to nothing."""
        bare = [
            (entry, posting)
            for posting in claimed
            if posting.payload is None
            and not posting.part.threaded
            and (entry := entries.get(posting.subscription)) is not None
            and entry.ended is None
            and self._desk.connections.poster(entry.channel.platform, Offer.DIGEST) is not None
            and self._desk.in_time(entry, posting)
        ]
        if not bare:
            return list(claimed)
        try:
            rendered = {posting.key: posting for posting in await self.render(bare)}
        except Exception:
            logger.exception("digest: rendering several at once failed; each is tried by itself")
            return list(claimed)
        asked = {posting.key for _, posting in bare}
        return [
            rendered.get(posting.key, posting)
            for posting in claimed
            if posting.key in rendered or posting.key not in asked
        ]

    async def render(self, bare: Sequence[tuple[Subscription, Posting]]) -> list[Posting]:
        """Choose papers, draw the messages and keep them; gives those that may be sent."""
        library = self._desk.library()
        votes = await self._desk.votes.of_some({entry.channel for entry, _ in bare})
        pools = Pools(library)
        wishes = await self._in_slices(
            bare, lambda pair: _wish(pair[0], pair[1], library, votes[pair[0].channel], pools)
        )
        deliveries = await self._desk.picks.resolve(wishes)
        composed = await self._in_slices(
            list(zip(bare, deliveries, strict=True)),
            lambda given: _compose(given[0][0], given[0][1], given[1], library, votes[given[0][0].channel]),
        )
        drawn: list[tuple[Posting, tuple[str, ...], str]] = []
        for (entry, posting), reply in zip(bare, composed, strict=True):
            if isinstance(reply, str):
                await self._desk.ledger.skipped(posting, reply)
                continue
            poster = self._desk.connections.poster(entry.channel.platform, Offer.DIGEST)
            if poster is None:  # it left meanwhile: drawn once it is back
                continue
            payload = await poster.render(reply, posting.key, threaded=posting.part.threaded)
            drawn.append((posting, tuple(shown.paper.id for shown in reply.papers), payload))
        kept = await self._desk.ledger.rendered_all(drawn)
        return [
            replace(posting, state="rendered", papers=papers, payload=payload)
            for posting, papers, payload in drawn
            if posting.key in kept
        ]

    async def _in_slices(self, items: Sequence[Entry], work: Callable[[Entry], Result]) -> list[Result]:
        """The same work on each item, on a thread, a few at a time: people's commands go on beside a large delivery."""
        results: list[Result] = []
        for start in range(0, len(items), SLICE):
            began = time.perf_counter()
            results += await asyncio.to_thread(lambda few: [work(one) for one in few], items[start : start + SLICE])
            await asyncio.sleep((time.perf_counter() - began) * self._rest)
        return results


def _wish(entry: Subscription, posting: Posting, library: Library, votes: Mapping[str, Vote], pools: Pools) -> Wish:
    slot = slot_of(posting.day, posting.part)
    return Wish(owner_of(entry), slot, chooser(entry, slot, library, votes, pools))


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
    if posting.part.threaded:
        return thread_reply(items)
    return digest_reply(
        items, posting.day, style=entry.style, late=posting.late, new_cycle=delivery.new_cycle, votes=votes
    )
