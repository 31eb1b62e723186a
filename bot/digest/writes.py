"""Changes of the ledger's rows by one worker: only while it holds them, and many in one transaction."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from bot.store.database import Database
from bot.store.tables import postings


@dataclass(frozen=True, slots=True)
class Change:
    """New values of a posting's row, to be written if its lease outlives `now_ms`."""

    key: str
    now_ms: int
    values: Mapping[str, object]


class Writes:
    """Writes changes of rows that `holder` has the lease of."""

    def __init__(self, database: Database, holder: str) -> None:
        self._database = database
        self._holder = holder
        self._waiting: list[tuple[Change, asyncio.Future[bool]]] = []
        self._writing: asyncio.Task[None] | None = None

    async def one(self, change: Change) -> bool:
        """Write a change together with whatever else waits; False where the lease is lost."""
        answer: asyncio.Future[bool] = asyncio.get_running_loop().create_future()
        self._waiting.append((change, answer))
        if self._writing is None or self._writing.done():
            self._writing = asyncio.create_task(self._write_waiting())
        return await answer

    async def all(self, changes: Sequence[Change]) -> set[str]:
        """Write changes of different rows in one transaction; gives the keys whose leases still held."""
        if not changes:
            return set()
        async with self._database.begin() as connection:
            return await self._write(connection, changes)

    async def _write_waiting(self) -> None:
        """Write what has gathered while the last transaction was under way, in one: a commit waits for the disk."""
        while self._waiting:
            batch: dict[str, tuple[Change, asyncio.Future[bool]]] = {}
            later: list[tuple[Change, asyncio.Future[bool]]] = []
            for change, answer in self._waiting:
                if change.key in batch:  # what its first change says of the lease counts for the second
                    later.append((change, answer))
                else:
                    batch[change.key] = change, answer
            self._waiting = later
            try:
                kept = await self.all([change for change, _ in batch.values()])
            except Exception as error:  # noqa: BLE001 - each who waits is told
                for _, answer in batch.values():
                    if not answer.done():
                        answer.set_exception(error)
            else:
                for key, (_, answer) in batch.items():
                    if not answer.done():
                        answer.set_result(key in kept)

    async def _write(self, connection: AsyncConnection, changes: Sequence[Change]) -> set[str]:
        query = sa.select(postings.c.key, postings.c.lease_ms).where(
            postings.c.key.in_([change.key for change in changes]), postings.c.holder == self._holder
        )
        if not self._database.is_sqlite:
            # in the order of keys, so that two workers with rows in common never wait for each other
            query = query.order_by(postings.c.key).with_for_update()
        leases = {row.key: int(row.lease_ms) for row in await connection.execute(query)}
        held = [change for change in changes if leases.get(change.key, 0) > change.now_ms]
        by_columns: dict[tuple[str, ...], list[dict[str, object]]] = {}
        for change in held:
            row = {f"new_{name}": value for name, value in change.values.items()} | {"its_key": change.key}
            by_columns.setdefault(tuple(sorted(change.values)), []).append(row)
        for columns, rows in by_columns.items():
            await connection.execute(_update(columns), rows)
        return {change.key for change in held}


@cache
def _update(columns: tuple[str, ...]) -> sa.Update:
    """The statement that changes these columns of one row; there are as many as steps of the ledger."""
    change = sa.update(postings).where(postings.c.key == sa.bindparam("its_key"))
    return change.values({name: sa.bindparam(f"new_{name}") for name in columns})
