"""All that is kept of one person in a workspace: told to them, and deleted when they say so."""

import json
from collections.abc import Mapping
from dataclasses import dataclass

import sqlalchemy as sa

from bot.digest.memory import mine
from bot.message import ChannelRef, User
from bot.store.database import Database
from bot.store.tables import last_lists, saves, subscriptions, votes, watches


@dataclass(frozen=True, slots=True)
class Forgotten:
    """What is gone: saved papers, watches and votes; and digests that no longer know who set them up."""

    entries: int
    digests: int


async def kept_of(database: Database, user: User, channel: ChannelRef) -> Mapping[str, object]:
    """Everything that names the person, ready for JSON. Papers stand by their ids."""
    async with database.read() as connection:

        async def rows(table: sa.Table, order: sa.Column[int]) -> list[sa.RowMapping]:
            query = sa.select(table).where(mine(table, user, channel)).order_by(order.desc())
            return list((await connection.execute(query)).mappings())

        kept, watched = await rows(saves, saves.c.at_ms), await rows(watches, watches.c.id)
        voted, lists = await rows(votes, votes.c.at_ms), await rows(last_lists, last_lists.c.at_ms)
        query = sa.select(subscriptions.c.channel).where(_set_up(user, channel)).order_by(subscriptions.c.id)
        digests = (await connection.execute(query)).scalars().all()
    return {
        "saved": [row["paper"] for row in kept],
        "watches": [
            {"query": row["query"], "channel": row["channel"], "public": bool(row["public"])} for row in watched
        ],
        "votes": [{"paper": row["paper"], "channel": row["channel"], "value": row["value"]} for row in voted],
        "last_lists": [
            {"channel": row["channel"], "papers": list(json.loads(row["numbers"]).values())} for row in lists
        ],
        "digests_set_up": list(digests),
    }


async def forget_person(database: Database, user: User, channel: ChannelRef) -> Forgotten:
    """Delete all of that. Digests go on, and tell nobody any more when they are held."""
    gone = 0
    async with database.begin() as connection:
        for table in (saves, watches, votes):
            gone += int((await connection.execute(sa.delete(table).where(mine(table, user, channel)))).rowcount)
        await connection.execute(sa.delete(last_lists).where(mine(last_lists, user, channel)))
        change = sa.update(subscriptions).where(_set_up(user, channel)).values(set_up_by="")
        digests = int((await connection.execute(change)).rowcount)
    return Forgotten(gone, digests)


def _set_up(user: User, channel: ChannelRef) -> sa.ColumnElement[bool]:
    return sa.and_(
        subscriptions.c.platform == channel.platform,
        subscriptions.c.workspace == channel.workspace,
        subscriptions.c.set_up_by == user.id,
    )
