"""What replicas agree on: who does what only one may do, and which commands a platform was last told."""

import sqlalchemy as sa

from bot.message import Platform
from bot.schedule.clock import Clock, system_clock
from bot.store.database import STEP_MS, Database, StoreClock, to_ms
from bot.store.tables import command_hashes, leases


class Leases:
    """Leases of one database: each is given to one holder for a while, and free again when that falls silent.

    They are judged by one clock that nobody sets (bot.store.database.StoreClock).
    """

    def __init__(self, database: Database, clock: Clock = system_clock) -> None:
        self._database = database
        self._time = StoreClock(database, clock)

    async def take(self, name: str, holder: str, seconds: float) -> bool:
        """Take or renew a lease for so long. False while another holds it.

        One that would last much longer than that was taken before somebody set the clock back, and counts as over.
        """
        async with self._database.begin() as connection:
            now = await self._time.now(connection)
            row = {"name": name, "holder": holder, "expires_ms": now + int(seconds * 1000)}
            if (await connection.execute(self._database.insert_if_new(leases, row))).rowcount:
                return True
            over = sa.or_(leases.c.expires_ms <= now, leases.c.expires_ms > now + int(seconds * 1000) + STEP_MS)
            free = sa.or_(leases.c.holder == holder, over)
            change = sa.update(leases).where(leases.c.name == name, free)
            result = await connection.execute(change.values(holder=holder, expires_ms=row["expires_ms"]))
        return bool(result.rowcount)

    async def release(self, name: str, holder: str) -> None:
        """Give a lease back at once, if it is still held."""
        async with self._database.begin() as connection:
            await connection.execute(sa.delete(leases).where(leases.c.name == name, leases.c.holder == holder))


class CommandHashes:
    """Hashes of the command definitions that platforms were last told, by scope (a guild, or "" for everywhere)."""

    def __init__(self, database: Database, clock: Clock = system_clock) -> None:
        self._database = database
        self._clock = clock

    async def get(self, platform: Platform, scope: str) -> str | None:
        """The hash of what was last told there, or None."""
        query = sa.select(command_hashes.c.hash).where(
            command_hashes.c.platform == platform, command_hashes.c.scope == scope
        )
        async with self._database.read() as connection:
            return (await connection.execute(query)).scalar_one_or_none()

    async def scopes(self, platform: Platform, prefix: str) -> dict[str, str]:
        """The hashes of scopes that begin so, by scope."""
        query = sa.select(command_hashes.c.scope, command_hashes.c.hash).where(
            command_hashes.c.platform == platform, command_hashes.c.scope.startswith(prefix, autoescape=True)
        )
        async with self._database.read() as connection:
            return {row[0]: row[1] for row in (await connection.execute(query)).all()}

    async def put(self, platform: Platform, scope: str, value: str) -> None:
        """Remember what was told there."""
        row = {"platform": platform, "scope": scope, "hash": value, "at_ms": to_ms(self._clock())}
        async with self._database.begin() as connection:
            await connection.execute(self._database.upsert(command_hashes, row))
