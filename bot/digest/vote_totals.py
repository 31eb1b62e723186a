"""The totals on the vote buttons of posted digests, brought up to date now and then by the bot itself.

Nobody's press changes a post: it is answered privately. The bot counts afterwards, and changes nothing but two labels.
"""

import logging
from functools import partial

from bot.connections import Connections, Offer
from bot.digest.compose import relabelled
from bot.errors import DeliveryError
from bot.message import ChannelRef, concerning
from bot.store.database import steady_of
from bot.store.storage import Storage

logger = logging.getLogger(__name__)

EVERY = 60.0
"""Seconds: a post's labels change no more often."""
LONGEST = 30.0
"""Seconds that one tick spends on them: the papers of the day wait behind."""
MOST_A_TICK = 15
"""Posts in one tick of 20 s: Slack takes about 50 changes a minute from one app."""
LOOKED_BACK = 60
"""Postings of a channel among which the paper is looked for: older posts keep the totals that they have."""


class VoteTotals:
    """Redraws the vote buttons of posts that were voted on."""

    def __init__(self, storage: Storage, connections: Connections) -> None:
        self._storage = storage
        self._connections = connections
        self._drawn: dict[tuple[ChannelRef, str], float] = {}
        self._steady = steady_of(storage.clock)

    async def flush(self) -> int:
        """Redraw what waits and may change again; gives how many posts were. Never raises."""
        now = self._steady()
        self._drawn = {key: at for key, at in self._drawn.items() if now - at < EVERY}
        drawn = 0
        for key in sorted(self._storage.votes.fresh - set(self._drawn), key=str)[:MOST_A_TICK]:
            if self._steady() - now > LONGEST:
                break
            self._storage.votes.fresh.discard(key)
            self._drawn[key] = now
            with concerning(key[0]):
                try:
                    drawn += await self._redraw(*key)
                except DeliveryError as error:
                    logger.info("digest: the totals in channel %s stay as they were: %s", key[0].channel, error)
                except Exception:
                    logger.exception("digest: the totals in channel %s could not be drawn", key[0].channel)
        return drawn

    async def _redraw(self, channel: ChannelRef, paper: str) -> bool:
        poster = self._connections.poster(channel.platform, Offer.DIGEST)
        entry = await self._storage.subscriptions.here(channel)
        if poster is None or entry is None:
            return False
        for posting in await self._storage.ledger.history(entry.id, LOOKED_BACK):
            if paper in posting.papers and not posting.part.threaded and posting.message and posting.payload:
                labels = partial(relabelled, papers=posting.papers, votes=await self._storage.votes.of(channel))
                await poster.relabel(channel, posting.payload, posting.message, labels)
                return True
        return False
