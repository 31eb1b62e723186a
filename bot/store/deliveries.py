"""Every delivery of a platform is answered once, also when it comes again, also by another replica."""

from datetime import timedelta

import sqlalchemy as sa

from bot.lists import Clock, system_clock
from bot.message import Platform
from bot.store.clock import to_ms
from bot.store.database import Database
from bot.store.tables import deliveries

KEPT = timedelta(days=2)
"""Slack sends a delivery again within minutes, Discord's interactions live 15; two days is far beyond both."""


class Deliveries:
    """Deliveries claimed so far."""

    def __init__(self, database: Database, clock: Clock = system_clock) -> None:
        self._database = database
        self._clock = clock

    async def claim(self, platform: Platform, workspace: str, key: str) -> bool:
        """True for whoever is first with this delivery, and must answer it; False for everyone after."""
        row = {"platform": platform, "workspace": workspace, "key": key[:200], "at_ms": to_ms(self._clock())}
        async with self._database.begin() as connection:
            result = await connection.execute(self._database.insert_if_new(deliveries, row))
        return bool(result.rowcount)

    async def forget_old(self) -> int:
        """Drop what is too old to come again; gives how many."""
        limit = to_ms(self._clock() - KEPT)
        async with self._database.begin() as connection:
            result = await connection.execute(sa.delete(deliveries).where(deliveries.c.at_ms < limit))
        return int(result.rowcount)
