"""Which command definition a platform was last told."""

import sqlalchemy as sa

from bot.lists import Clock, system_clock
from bot.message import Platform
from bot.store.clock import to_ms
from bot.store.database import Database
from bot.store.tables import command_hashes


class CommandHashes:
    """Hashes by platform and scope (a guild, or "" for everywhere)."""

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
        async with self._database.engine.connect() as connection:
            return {row[0]: row[1] for row in (await connection.execute(query)).all()}

    async def put(self, platform: Platform, scope: str, value: str) -> None:
        """Remember what was told there."""
        row = {"platform": platform, "scope": scope, "hash": value, "at_ms": to_ms(self._clock())}
        async with self._database.begin() as connection:
            await connection.execute(self._database.upsert(command_hashes, row))
