"""Deliveries chosen and drawn, many at once, and kept before anything is sent."""

import asyncio
import logging
from collections.abc import Mapping, Sequence
from dataclasses import replace

from bot.digest.compose import Item, digest_reply, thread_reply
from bot.digest.desk import Desk
from bot.digest.draw import Pools, chooser, owner_of, slot_of
from bot.digest.pick import Vote
from bot.digest.picks import Delivery, Wish
from bot.digest.values import EXTRA, Posting, Subscription
from bot.library import Library
from bot.message import Reply

logger = logging.getLogger(__name__)


class Renderer:
    """Renders what a desk owes."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk

    async def ready(self, claimed: Sequence[Posting], entries: Mapping[int, Subscription]) -> list[Posting]:
        """The claimed postings, the bare ones rendered all at once; without those that come to nothing."""
        bare = [
            (entry, posting)
            for posting in claimed
            if posting.payload is None
            and not posting.part % EXTRA
            and (entry := entries.get(posting.subscription)) is not None
            and entry.ended is None
            and entry.channel.platform in self._desk.posters
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
        wishes = await asyncio.to_thread(
            lambda: [_wish(entry, one, library, votes[entry.channel], pools) for entry, one in bare]
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


def _wish(entry: Subscription, posting: Posting, library: Library, votes: Mapping[str, Vote], pools: Pools) -> Wish:
    slot = slot_of(posting.day.isoformat(), posting.part)
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
    if posting.part % EXTRA:
        return thread_reply(items)
    return digest_reply(
        items, posting.day, style=entry.style, late=posting.late, new_cycle=delivery.new_cycle, votes=votes
    )
