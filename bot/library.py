"""A corpus with everything that answers questions about it: one value, replaced whole when the corpus changes."""

import asyncio
import contextlib
import logging
from collections.abc import Awaitable, Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from bot.corpus.load import no_collection
from bot.papers import Corpus, Paper
from bot.search import SearchIndex
from bot.search.suggest import Suggester


@dataclass(frozen=True, slots=True)
class Library:
    """What commands look things up in."""

    corpus: Corpus
    index: SearchIndex
    suggester: Suggester

    @classmethod
    def of(cls, corpus: Corpus, directory: Path | None = None) -> "Library":
        """Index a corpus; `directory` keeps the index for the next start."""
        with no_collection():
            return cls(corpus, SearchIndex.build(corpus, directory), Suggester(corpus))


logger = logging.getLogger(__name__)

SETTLE_MS = 1_600
"""Changes are gathered for so long: an editor or a copy writes a file in several steps."""

RETRY_SECONDS = 30.0
"""Between two looks at files that cannot be watched."""

News = Callable[[Sequence[Paper]], Awaitable[object]]
"""Told the papers that are new since the last reload."""


class LibraryHolder:
    """Holds the library of this moment. `load` builds a new one (in a worker thread) from the files as they are."""

    def __init__(self, library: Library, load: Callable[[], Library]) -> None:
        self._library = library
        self._load = load
        self._turn = asyncio.Lock()
        # always the same thread: the allocator keeps what a library took for the threads that took it, and every
        # further thread that builds one would keep as much for itself
        self._loading = ThreadPoolExecutor(1, "corpus")
        self._failed = ""
        """What the last reload failed of, which is logged once."""

    def __call__(self) -> Library:
        """The library of this moment: a value, so that an answer begun with it ends with it."""
        return self._library

    async def reload(self) -> list[Paper]:
        """Load anew and swap; gives the papers that are new. A failure is logged, and the old library stays."""
        async with self._turn:
            try:
                fresh = await asyncio.get_running_loop().run_in_executor(self._loading, self._load)
            except Exception as error:
                if repr(error) != self._failed:
                    logger.exception("corpus: the change could not be loaded; the papers of before stay in use")
                self._failed = repr(error)
                return []
            self._failed = ""
            before = self._library
            if fresh.corpus.fingerprint == before.corpus.fingerprint:
                return []
            if not fresh.corpus.papers and before.corpus.papers:
                logger.error("corpus: no paper is left in its files; the papers of before stay in use")
                return []
            self._library = fresh
            new = [paper for paper in fresh.corpus if before.corpus.get(paper.id) is None]
            logger.info("corpus: %d papers, %d of them new", len(fresh.corpus), len(new))
            return new

    async def watch(self, paths: Sequence[Path], stopping: asyncio.Event, news: News | None = None) -> None:
        """Reload whenever something under these paths changes, until `stopping`.

        Whatever goes wrong is logged once and ends nothing: where the paths cannot be watched (a folder that is gone
        for a while, no watches left) they are looked at again every `RETRY_SECONDS`.
        """
        from watchfiles import awatch  # noqa: PLC0415 - the terminal does without

        failed = ""
        while not stopping.is_set():
            try:
                roots = list(dict.fromkeys(path if path.is_dir() else path.parent for path in paths))
                async for _ in awatch(*roots, debounce=SETTLE_MS, stop_event=stopping, ignore_permission_denied=True):
                    failed = ""
                    await self._renew(news)
                    if not all(root.exists() for root in roots):
                        break  # a folder that comes back is another one, and not watched yet
            except Exception as error:
                if repr(error) != failed:
                    logger.exception("corpus: its files cannot be watched; they are looked at now and then")
                failed = repr(error)
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(stopping.wait(), RETRY_SECONDS)
            if not stopping.is_set():
                await self._renew(news)

    async def _renew(self, news: News | None) -> None:
        new = await self.reload()
        if new and news is not None:
            try:
                await news(new)
            except Exception:
                logger.exception("corpus: the news of %d papers could not be told", len(new))
