"""Last lists that survive a restart and are shared by replicas."""

import json

import sqlalchemy as sa

from bot.lists import LIFETIME, Clock, LastList, system_clock
from bot.message import ChannelRef, User
from bot.store.clock import from_ms, to_ms
from bot.store.database import Database
from bot.store.tables import last_lists


class StoredLists:
    """Last lists in the database."""

    def __init__(self, database: Database, clock: Clock = system_clock) -> None:
        self._database = database
        self._clock = clock

    async def get(self, user: User, channel: ChannelRef) -> LastList | None:
        """The last list, also an expired one, or None."""
        async with self._database.read() as connection:
            row = (await connection.execute(sa.select(last_lists).where(_of(user, channel)))).mappings().first()
        return _from_row(row) if row else None

    async def put(self, user: User, channel: ChannelRef, shown: LastList) -> None:
        """Remember a list; pages of one list add up."""
        async with self._database.begin() as connection:
            row = (await connection.execute(sa.select(last_lists).where(_of(user, channel)))).mappings().first()
            if row:
                shown = _from_row(row).followed_by(shown)
            values = {
                "platform": channel.platform,
                "workspace": channel.workspace,
                "channel": channel.channel,
                "user": user.id,
                "list": shown.of,
                "numbers": json.dumps({str(number): paper for number, paper in shown.numbers.items()}),
                "at_ms": to_ms(shown.made_at),
            }
            await connection.execute(self._database.upsert(last_lists, values))

    async def forget_old(self) -> int:
        """Drop lists that expired long enough ago for nobody to ask why; gives how many."""
        limit = to_ms(self._clock() - 7 * LIFETIME)
        async with self._database.begin() as connection:
            result = await connection.execute(sa.delete(last_lists).where(last_lists.c.at_ms < limit))
        return int(result.rowcount)


def _of(user: User, channel: ChannelRef) -> sa.ColumnElement[bool]:
    return sa.and_(
        last_lists.c.platform == channel.platform,
        last_lists.c.workspace == channel.workspace,
        last_lists.c.channel == channel.channel,
        last_lists.c.user == user.id,
    )


def _from_row(row: sa.RowMapping) -> LastList:
    numbers = {int(number): str(paper) for number, paper in json.loads(row["numbers"]).items()}
    return LastList(row["list"], numbers, from_ms(row["at_ms"]))
