"""A channel that the platform knows by another id from now on: all that is kept of it goes along."""

from collections.abc import Sequence

import sqlalchemy as sa

from bot.message import ChannelRef
from bot.schedule.clock import Clock, system_clock
from bot.store.database import Database, to_ms
from bot.store.tables import last_lists, postings, subscriptions, votes, watches

_BY_CHANNEL: Sequence[tuple[sa.Table, tuple[str, ...]]] = (
    (subscriptions, ("digest",)),
    (watches, ("user", "query")),
    (votes, ("paper", "user")),
    (last_lists, ("user",)),
)
"""Tables with a channel, and what makes a row there once in it."""


async def move_channel(database: Database, channel: ChannelRef, new: str, clock: Clock = system_clock) -> list[str]:
    """Move a channel's digests with their history, watches, votes and lists to its new id; safe to repeat.

    Gives the names of the digests that moved ("" is the channel's own). What the new id has already stays as it is
    there: a digest of the same name that was kept under the old id ends, since nothing can be posted to that.
    """
    async with database.begin() as connection:
        for table, unique in _BY_CHANNEL:
            there = table.alias()
            twice = sa.exists().where(
                *(there.c[name] == table.c[name] for name in ("platform", "workspace", *unique)),
                there.c.channel == new,
            )
            change = sa.update(table).where(_at(table, channel), ~twice).values(channel=new)
            if table is subscriptions:
                moved = sorted((await connection.execute(change.returning(subscriptions.c.digest))).scalars())
                ended = sa.update(table).where(_at(table, channel), table.c.ended_ms.is_(None))
                await connection.execute(ended.values(ended_ms=to_ms(clock()), next_ms=None))
            else:
                await connection.execute(change)
                await connection.execute(sa.delete(table).where(_at(table, channel)))
        await connection.execute(sa.update(postings).where(_at(postings, channel)).values(channel=new))
        # what it was held for was that nothing is found under its old id
        held = sa.update(subscriptions).where(_at(subscriptions, channel, new), subscriptions.c.held_for.is_not(None))
        await connection.execute(held.values(next_ms=to_ms(clock())))
    return moved


def _at(table: sa.Table, channel: ChannelRef, other: str = "") -> sa.ColumnElement[bool]:
    return sa.and_(
        table.c.platform == channel.platform,
        table.c.workspace == channel.workspace,
        table.c.channel == (other or channel.channel),
    )
