"""What long buttons do: kept by the hash of it, so that the same button is kept once."""

import hashlib
from datetime import timedelta

import sqlalchemy as sa

from bot.lists import Clock, system_clock
from bot.store.clock import to_ms
from bot.store.database import Database
from bot.store.tables import presses

KEPT = timedelta(days=90)
"""As long as somebody may scroll back to a shared paper and press its buttons."""


class PressStore:
    """Bodies of buttons by key."""

    def __init__(self, database: Database, clock: Clock = system_clock) -> None:
        self._database = database
        self._clock = clock

    async def put(self, body: str) -> str:
        """Keep a body; gives its key of 24 hexadecimal digits."""
        key = hashlib.sha256(body.encode()).hexdigest()[:24]
        row = {"key": key, "body": body, "at_ms": to_ms(self._clock())}
        async with self._database.begin() as connection:
            await connection.execute(self._database.upsert(presses, row))
        return key

    async def get(self, key: str) -> str | None:
        """The body of a key, or None where it is unknown or forgotten."""
        query = sa.select(presses.c.body).where(presses.c.key == key)
        async with self._database.read() as connection:
            return (await connection.execute(query)).scalar_one_or_none()

    async def forget_old(self) -> int:
        """Drop bodies that no button was made of for KEPT; gives how many."""
        limit = to_ms(self._clock() - KEPT)
        async with self._database.begin() as connection:
            return int((await connection.execute(sa.delete(presses).where(presses.c.at_ms < limit))).rowcount)
