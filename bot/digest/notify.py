"""Telling people that new papers match what they watch: one message a change of the corpus, of at most five lines.

What is to be told is entered in the ledger, which delivers it as it does digests: once, and again where that failed.
"""

import asyncio
import contextlib
import hashlib
import logging
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence

from bot.library import Library
from bot.message import Button, Call, ChannelRef, Reply, Shown
from bot.papers import Corpus, Paper
from bot.richtext import Bullets, Code, Inlines, Paragraph, said, text
from bot.schedule.values import Announcement, News
from bot.search import parse
from bot.store.kept import Watch
from bot.store.rows import announced
from bot.store.storage import Storage
from bot.views import title_of

logger = logging.getLogger(__name__)

MOST_LINES = 5
_MOST_MATCHES = 200


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


def announcement_reply(announcement: Announcement, corpus: Corpus) -> Reply | None:
    """The message of an announcement; None where its papers have left the corpus."""
    if not announcement.news:
        about = Button("About digests", Call("help", {"command": "digest"}))
        return Reply("notice", (Paragraph(said(announcement.words)),), buttons=(about,), private=False)
    return news_reply(announcement.news, corpus, to_person=bool(announcement.person))


def news_reply(news: Sequence[News], corpus: Corpus, *, to_person: bool = False) -> Reply | None:
    """A heading with how many there are, and the first papers of each query; None where none is in the corpus."""
    found = [(one.query, paper) for one in news for key in one.papers if (paper := corpus.get(key)) is not None]
    if not found:
        return None
    total = sum(one.count for one in news)
    shown = found[: MOST_LINES - 1]
    items: tuple[Inlines, ...] = tuple(text(*title_of(paper), " for ", Code(query)) for query, paper in shown)
    more = f" Here are {len(shown)} of {total}." if total > len(shown) else ""
    watched = "you watch" if to_person else "is watched here"
    return Reply(
        "watch",
        (Paragraph(text(f"New papers that match what {watched}.{more}")), Bullets(items)),
        papers=tuple(Shown(paper) for _, paper in shown),
        buttons=(Button("Find more", Call("search", {"query": found[0][0]})),),
        private=False,
    )


class WatchNotifier:
    """Has each person, or channel, told once for each change, whatever the number of replicas.

    Which papers were news before is kept in the store: those that came while the bot was stopped are news when it
    starts.
    """

    def __init__(self, storage: Storage, library: Callable[[], Library]) -> None:
        self._storage = storage
        self._library = library
        self._looked_at: Library | None = None
        self._changed = asyncio.Event()

    async def wake(self, _new: Sequence[Paper]) -> None:
        """The corpus has gained papers."""
        self._changed.set()

    async def run(self, stopping: asyncio.Event) -> None:
        """Look now, and whenever the corpus has changed, until `stopping`. Raises what the store raises."""
        stopped = asyncio.create_task(stopping.wait())
        try:
            while not stopping.is_set():
                self._changed.clear()
                await self.look()
                changed = asyncio.create_task(self._changed.wait())
                await asyncio.wait({changed, stopped}, return_when=asyncio.FIRST_COMPLETED)
                changed.cancel()
                with contextlib.suppress(asyncio.CancelledError):
                    await changed
        finally:
            stopped.cancel()

    async def look(self) -> int:
        """Enter what is to be told of papers that are news; gives how many announcements that were."""
        library = self._library()
        if library is self._looked_at:
            return 0
        corpus = library.corpus
        fresh = await self._storage.known.unknown({paper.id for paper in corpus})
        new = [paper for paper in corpus if fresh and paper.id in fresh]
        watches = await self._storage.watches.all() if new else []
        # a search takes milliseconds, and a team may watch a thousand queries: not on the event loop
        found = await asyncio.to_thread(matches, watches, new, library) if watches else {}
        entered = 0
        if new or fresh is None:
            papers = [paper.id for paper in (corpus if fresh is None else new)]
            entered = await self._storage.known.learn(papers, lambda learnt: self._rows(found, learnt))
        self._looked_at = library
        if entered:
            logger.info("watch: %d announcements of new papers are to be made", entered)
        return entered

    def _rows(self, found: Mapping[Watch, Sequence[Paper]], learnt: set[str]) -> list[Mapping[str, object]]:
        """The announcements of the papers that were learnt, one for each who is told."""
        change = hashlib.sha256("\0".join(sorted(learnt)).encode()).hexdigest()[:24]
        now = self._storage.clock()
        groups: dict[tuple[ChannelRef, str], dict[str, News]] = defaultdict(dict)
        for watch, papers in found.items():
            keys = [paper.id for paper in papers if paper.id in learnt]
            if keys:
                news = News(watch.query, tuple(keys[:MOST_LINES]), len(keys))
                groups[watch.channel, "" if watch.public else watch.user][watch.query] = news
        return [
            announced(f"news/{change}/{channel}/{person}", Announcement(channel, person, tuple(by_query.values())), now)
            for (channel, person), by_query in groups.items()
        ]
