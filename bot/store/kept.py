"""What people told the bot to keep: saved papers and watched queries; told and deleted on demand."""

import json
from collections.abc import Mapping
from dataclasses import dataclass

import sqlalchemy as sa

from bot.message import ChannelRef, User
from bot.schedule.clock import Clock, system_clock
from bot.store.database import Database, to_ms
from bot.store.tables import last_lists, postings, saves, subscriptions, votes, watches

MOST_WATCHES = 25
"""Watches of one person in one workspace: each is searched for at every change of the corpus."""


@dataclass(frozen=True, slots=True)
class Watch:
    """A query that somebody wants to hear about. `public` ones are told to the channel, others to the person."""

    id: int
    channel: ChannelRef
    user: str
    query: str
    public: bool


class StoredSaves:
    """Papers that people keep, each list private to its person."""

    def __init__(self, database: Database, clock: Clock = system_clock) -> None:
        self._database = database
        self._clock = clock

    async def put(self, user: User, channel: ChannelRef, paper: str) -> bool:
        """Keep a paper. False where it was kept already."""
        row = {
            "platform": channel.platform,
            "workspace": channel.workspace,
            "user": user.id,
            "paper": paper,
            "at_ms": to_ms(self._clock()),
        }
        async with self._database.begin() as connection:
            return bool((await connection.execute(self._database.insert_if_new(saves, row))).rowcount)

    async def drop(self, user: User, channel: ChannelRef, paper: str) -> bool:
        """Keep it no longer. False where it was not kept."""
        change = sa.delete(saves).where(mine(saves, user, channel), saves.c.paper == paper)
        async with self._database.begin() as connection:
            return bool((await connection.execute(change)).rowcount)

    async def of(self, user: User, channel: ChannelRef) -> list[str]:
        """The ids of a person's papers, the latest first."""
        query = sa.select(saves.c.paper).where(mine(saves, user, channel)).order_by(saves.c.at_ms.desc())
        async with self._database.read() as connection:
            return [row[0] for row in await connection.execute(query)]


class StoredWatches:
    """Queries that people watch."""

    def __init__(self, database: Database, clock: Clock = system_clock) -> None:
        self._database = database
        self._clock = clock

    async def put(self, user: User, channel: ChannelRef, query: str, *, public: bool) -> bool:
        """Watch a query. False where the person has too many."""
        mine = await self.of(user, channel)
        if any(watch.query == query and watch.channel == channel for watch in mine):
            return True
        if len(mine) >= MOST_WATCHES:
            return False
        row = {
            "platform": channel.platform,
            "workspace": channel.workspace,
            "user": user.id,
            "channel": channel.channel,
            "query": query[:500],
            "public": public,
            "at_ms": to_ms(self._clock()),
        }
        async with self._database.begin() as connection:
            await connection.execute(self._database.insert_if_new(watches, row))
        return True

    async def of(self, user: User, channel: ChannelRef) -> list[Watch]:
        """A person's watches in a workspace, oldest first."""
        return await self._select(mine(watches, user, channel))

    async def told_to(self, channel: ChannelRef) -> list[Watch]:
        """What is told to a channel for all, whoever watches it, oldest first."""
        return await self._select(_told_to(channel))

    async def drop_told_to(self, channel: ChannelRef, query: str) -> int:
        """Tell a channel no more about a query, whoever asked for that; gives how many watches ended."""
        change = sa.delete(watches).where(_told_to(channel), watches.c.query == query)
        async with self._database.begin() as connection:
            return int((await connection.execute(change)).rowcount)

    async def all(self) -> list[Watch]:
        """Everyone's watches: for a change of the corpus."""
        return await self._select(sa.true())

    async def drop(self, user: User, channel: ChannelRef, query: str) -> bool:
        """Watch no longer. False where it was not watched."""
        change = sa.delete(watches).where(mine(watches, user, channel), watches.c.query == query)
        async with self._database.begin() as connection:
            return bool((await connection.execute(change)).rowcount)

    async def _select(self, where: sa.ColumnElement[bool]) -> list[Watch]:
        query = sa.select(watches).where(where).order_by(watches.c.id)
        async with self._database.read() as connection:
            return [
                Watch(
                    row["id"],
                    ChannelRef(row["platform"], row["workspace"], row["channel"]),
                    row["user"],
                    row["query"],
                    bool(row["public"]),
                )
                for row in (await connection.execute(query)).mappings()
            ]


def _told_to(channel: ChannelRef) -> sa.ColumnElement[bool]:
    return sa.and_(
        watches.c.platform == channel.platform,
        watches.c.workspace == channel.workspace,
        watches.c.channel == channel.channel,
        watches.c.public,
    )


def mine(table: sa.Table, user: User, channel: ChannelRef) -> sa.ColumnElement[bool]:
    """A person's rows of a table, in the channel's workspace."""
    return sa.and_(
        table.c.platform == channel.platform, table.c.workspace == channel.workspace, table.c.user == user.id
    )


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
        query = sa.select(postings).where(_to(user, channel)).order_by(postings.c.due_ms.desc())
        told = (await connection.execute(query)).mappings().all()
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
        "told": [{"channel": row["channel"], **json.loads(row["content"])} for row in told],
    }


async def forget_person(database: Database, user: User, channel: ChannelRef) -> Forgotten:
    """Delete all of that. Digests go on, and tell nobody any more when they are held."""
    gone = 0
    async with database.begin() as connection:
        for table in (saves, watches, votes):
            gone += int((await connection.execute(sa.delete(table).where(mine(table, user, channel)))).rowcount)
        await connection.execute(sa.delete(postings).where(_to(user, channel)))
        await connection.execute(sa.delete(last_lists).where(mine(last_lists, user, channel)))
        change = sa.update(subscriptions).where(_set_up(user, channel)).values(set_up_by="")
        digests = int((await connection.execute(change)).rowcount)
    return Forgotten(gone, digests)


def _to(user: User, channel: ChannelRef) -> sa.ColumnElement[bool]:
    """What the person was told, or is to be, in private."""
    return sa.and_(
        postings.c.platform == channel.platform,
        postings.c.workspace == channel.workspace,
        postings.c.person == user.id,
    )


def _set_up(user: User, channel: ChannelRef) -> sa.ColumnElement[bool]:
    return sa.and_(
        subscriptions.c.platform == channel.platform,
        subscriptions.c.workspace == channel.workspace,
        subscriptions.c.set_up_by == user.id,
    )
