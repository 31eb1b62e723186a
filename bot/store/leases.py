"""Leases: what only one process may do at a time, given to one for a while, and free again when it falls silent."""

import sqlalchemy as sa

from bot.lists import Clock, system_clock
from bot.store.clock import to_ms
from bot.store.database import Database
from bot.store.tables import leases

_SERVER_NOW_MS = sa.text("SELECT CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000 AS BIGINT)")


class Leases:
    """Leases of one database, judged by one clock: the server's on PostgreSQL, ours on SQLite (one machine)."""

    def __init__(self, database: Database, clock: Clock = system_clock) -> None:
        self._database = database
        self._clock = clock

    async def take(self, name: str, holder: str, seconds: float) -> bool:
        """Take or renew a lease for so long. False while another holds it."""
        async with self._database.begin() as connection:
            if self._database.is_sqlite:
                now = to_ms(self._clock())
            else:
                now = int((await connection.execute(_SERVER_NOW_MS)).scalar_one())
            row = {"name": name, "holder": holder, "expires_ms": now + int(seconds * 1000)}
            if (await connection.execute(self._database.insert_if_new(leases, row))).rowcount:
                return True
            free = sa.or_(leases.c.holder == holder, leases.c.expires_ms <= now)
            change = sa.update(leases).where(leases.c.name == name, free)
            result = await connection.execute(change.values(holder=holder, expires_ms=row["expires_ms"]))
        return bool(result.rowcount)

    async def release(self, name: str, holder: str) -> None:
        """Give a lease back at once, if it is still held."""
        async with self._database.begin() as connection:
            await connection.execute(sa.delete(leases).where(leases.c.name == name, leases.c.holder == holder))
