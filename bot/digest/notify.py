"""Telling people that new papers match what they watch: one message a corpus change, of at most five lines."""

import asyncio
import hashlib
import logging
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence

from bot.connections import Connections, Offer, Poster
from bot.errors import DeliveryError
from bot.library import Library
from bot.message import ChannelRef, Reply, Shown, concerning
from bot.papers import Paper
from bot.richtext import Bullets, Code, Inlines, Paragraph, text
from bot.schedule.clock import Clock, system_clock
from bot.search import parse
from bot.store.inbound import InboundEvents
from bot.store.kept import StoredWatches, Watch
from bot.views import title_of

logger = logging.getLogger(__name__)

MOST_LINES = 5
_MOST_MATCHES = 200

Found = Mapping[str, Sequence[Paper]]
"""New papers by the query that they match."""


def matches(watches: Sequence[Watch], new: Sequence[Paper], library: Library) -> dict[Watch, list[Paper]]:
    """The new papers that each watch is about, best first; watches without any are left out."""
    fresh = {paper.id for paper in new}
    found: dict[Watch, list[Paper]] = {}
    for watch in watches:
        hits = library.index.find(parse(watch.query), 0, _MOST_MATCHES).hits
        papers = [hit.paper for hit in hits if hit.paper.id in fresh]
        if papers:
            found[watch] = papers
    return found


def news_lines(found: Found) -> list[str]:
    """At most five lines: a heading, papers of each query, and how many more there are."""
    lines = ["New papers that match what you watch:"]
    entries = [(query, paper) for query, papers in found.items() for paper in papers]
    shown = entries if len(entries) < MOST_LINES else entries[: MOST_LINES - 2]
    lines.extend(f"{paper.title_text} ({paper.handle}), for {query}" for query, paper in shown)
    if len(entries) > len(shown):
        lines.append(f"and {len(entries) - len(shown)} more: search for what you watch to see them.")
    return lines


def news_reply(found: Found) -> Reply:
    """The same for a channel, where titles are links."""
    entries = [(query, paper) for query, papers in found.items() for paper in papers]
    shown = entries if len(entries) < MOST_LINES else entries[: MOST_LINES - 2]
    items: tuple[Inlines, ...] = tuple(text(*title_of(paper), " for ", Code(query)) for query, paper in shown)
    more = f" Here are {len(shown)} of {len(entries)}." if len(entries) > len(shown) else ""
    return Reply(
        "watch",
        (Paragraph(text(f"New papers that match what is watched here.{more}")), Bullets(items)),
        papers=tuple(Shown(paper) for _, paper in shown),
        private=False,
    )


class WatchNotifier:
    """Tells each person, or channel, once for each change, whatever the number of replicas."""

    def __init__(
        self,
        watches: StoredWatches,
        inbound: InboundEvents,
        connections: Connections,
        library: Callable[[], Library],
        clock: Clock = system_clock,
    ) -> None:
        self._watches = watches
        self._inbound = inbound
        self._connections = connections
        self._library = library
        self._clock = clock

    async def tell(self, new: Sequence[Paper]) -> int:
        """Tell of papers that the corpus has gained; gives how many messages were sent. One failing stops no other."""
        library = self._library()
        groups: dict[tuple[ChannelRef, str], dict[str, list[Paper]]] = defaultdict(dict)
        watches = await self._watches.all()
        # a search takes milliseconds, and a team may watch a thousand queries: not on the event loop
        for watch, papers in (await asyncio.to_thread(matches, watches, new, library)).items():
            groups[watch.channel, "" if watch.public else watch.user][watch.query] = papers
        change = hashlib.sha256("\0".join(sorted(paper.id for paper in new)).encode()).hexdigest()[:24]
        sent = 0
        for (channel, user), found in groups.items():
            poster = self._connections.poster(channel.platform, Offer.NEWS)
            key = f"news:{change}:{channel.channel}:{user}"
            if poster is None or not await self._inbound.claim(channel.platform, channel.workspace, key):
                continue
            with concerning(channel):
                try:
                    await self._send(poster, channel, user, found)
                    sent += 1
                except DeliveryError as error:
                    logger.warning("watch: news for channel %s could not be told: %s", channel.channel, error)
        return sent

    async def _send(self, poster: Poster, channel: ChannelRef, user: str, found: Found) -> None:
        if user:
            await poster.tell(user, channel, "\n".join(news_lines(found)))
            return
        key = hashlib.sha256(f"{channel}/{self._clock().isoformat()}".encode()).hexdigest()[:24]
        payload = await poster.render(news_reply(found), key)
        await poster.send(channel, key, payload, None)
