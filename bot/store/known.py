"""Papers that are no news any more: kept, so that what is added while the bot is stopped is news when it starts."""

from collections.abc import Callable, Collection, Mapping, Sequence

import sqlalchemy as sa

from bot.store.database import Database
from bot.store.tables import known_papers, postings

_FIRST_LOOK = ""
"""In place of an id: somebody looked at the papers before."""
_AT_ONCE = 500
"""Ids in one statement: it is put together on the event loop, in some milliseconds."""


class KnownPapers:
    """The papers of one database that are no news."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def unknown(self, papers: Collection[str]) -> set[str] | None:
        """Those of the papers that are news. Before the first look None: a corpus that is set up is no news."""
        async with self._database.read() as connection:
            known = set((await connection.execute(sa.select(known_papers.c.paper))).scalars())
        return set(papers) - known if _FIRST_LOOK in known else None

    async def learn(
        self, papers: Collection[str], announce: Callable[[set[str]], Sequence[Mapping[str, object]]]
    ) -> int:
        """These are no news from now on; gives how many announcements were entered with that.

        `announce` gives the rows of the announcements of papers: of those that no other replica has learnt meanwhile.
        """
        insert = self._database.insert_if_new(known_papers).returning(known_papers.c.paper)
        names = sorted({*papers, _FIRST_LOOK})
        learnt: set[str] = set()
        async with self._database.begin() as connection:
            query = sa.select(known_papers.c.paper).where(known_papers.c.paper == _FIRST_LOOK)
            looked = (await connection.execute(query)).first() is not None
            for start in range(0, len(names), _AT_ONCE):
                values = [{"paper": name} for name in names[start : start + _AT_ONCE]]
                learnt.update((await connection.execute(insert.values(values))).scalars())
            rows = [dict(row) for row in announce(learnt - {_FIRST_LOOK})] if looked else []
            if rows:
                await connection.execute(self._database.insert_if_new(postings), rows)
        return len(rows)
