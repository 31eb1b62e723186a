"""What channels were given, kept so that no paper comes twice in a cycle and a delivery picks only once."""

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from bot.digest.pick import Choice
from bot.store.database import Database
from bot.store.tables import picks


@dataclass(frozen=True, slots=True)
class Given:
    """One paper that was picked: in which delivery (`slot`), and why."""

    paper: str
    slot: str
    reason: str
    cycle: int


@dataclass(frozen=True, slots=True)
class Delivery:
    """The papers of one delivery, and whether a new cycle began with it."""

    papers: tuple[Given, ...]
    new_cycle: bool


Chooser = Callable[[frozenset[str], int], Choice | None]
"""Given this cycle's papers and its number, the choice; None where there is nothing to choose from."""


class Picks:
    """The picks of one database. `owner` is a subscription, or a named digest that several channels share."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def settle(self, owner: str, slot: str, choose: Chooser) -> Delivery | None:
        """The papers of a delivery: those settled before, else `choose`n now. One at a time for each owner."""
        async with self._database.begin() as connection:
            await self._lock(connection, owner)
            settled = await self._of_slot(connection, owner, slot)
            if settled:
                return Delivery(settled, await self._first_of_cycle(connection, owner, settled[0]))
            cycle = await _latest_cycle(connection, owner)
            query = sa.select(picks.c.paper).where(picks.c.owner == owner, picks.c.cycle == cycle)
            given = frozenset(row[0] for row in await connection.execute(query))
            choice = choose(given, cycle)
            if choice is None:
                return None
            for place, pick in enumerate(choice.picks):
                row = {
                    "owner": owner,
                    "cycle": choice.cycle,
                    "paper": pick.paper.id,
                    "slot": slot,
                    "place": place,
                    "reason": pick.reason[:200],
                }
                await connection.execute(sa.insert(picks).values(row))
            found = tuple(Given(pick.paper.id, slot, pick.reason, choice.cycle) for pick in choice.picks)
        return Delivery(found, choice.new_cycle)

    async def given(self, owner: str) -> tuple[frozenset[str], int]:
        """The papers of the current cycle, and its number: for a preview that settles nothing."""
        async with self._database.engine.connect() as connection:
            cycle = await _latest_cycle(connection, owner)
            query = sa.select(picks.c.paper).where(picks.c.owner == owner, picks.c.cycle == cycle)
            return frozenset(row[0] for row in await connection.execute(query)), cycle

    async def all(self, owner: str) -> list[Given]:
        """Everything ever given, newest first."""
        query = sa.select(picks).where(picks.c.owner == owner).order_by(picks.c.slot.desc(), picks.c.place)
        async with self._database.engine.connect() as connection:
            return [_from_row(row) for row in (await connection.execute(query)).mappings()]

    async def _lock(self, connection: AsyncConnection, owner: str) -> None:
        if not self._database.is_sqlite:  # on SQLite every transaction holds the write lock anyway
            key = int.from_bytes(hashlib.sha256(f"picks/{owner}".encode()).digest()[:8], signed=True)
            await connection.execute(sa.text("SELECT pg_advisory_xact_lock(:key)"), {"key": key})

    async def _of_slot(self, connection: AsyncConnection, owner: str, slot: str) -> tuple[Given, ...]:
        query = sa.select(picks).where(picks.c.owner == owner, picks.c.slot == slot).order_by(picks.c.place)
        return tuple(_from_row(row) for row in (await connection.execute(query)).mappings())

    async def _first_of_cycle(self, connection: AsyncConnection, owner: str, one: Given) -> bool:
        if one.cycle == 1:
            return False
        query = sa.select(sa.func.min(picks.c.slot)).where(picks.c.owner == owner, picks.c.cycle == one.cycle)
        return bool((await connection.execute(query)).scalar_one() == one.slot)


async def _latest_cycle(connection: AsyncConnection, owner: str) -> int:
    found = await connection.execute(sa.select(sa.func.max(picks.c.cycle)).where(picks.c.owner == owner))
    return int(found.scalar() or 1)


def _from_row(row: sa.RowMapping | Mapping[str, object]) -> Given:
    return Given(str(row["paper"]), str(row["slot"]), str(row["reason"]), int(str(row["cycle"])))
