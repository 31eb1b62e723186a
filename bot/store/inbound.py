"""What answering people needs to remember: events answered, lists shown, buttons too long for a platform."""

import hashlib
import json
from datetime import timedelta

import sqlalchemy as sa

from bot.message import ChannelRef, Platform, User
from bot.schedule.clock import Clock, system_clock
from bot.store.database import Database, from_ms, to_ms
from bot.store.last_list import LIFETIME, LastList
from bot.store.tables import inbound_events, last_lists, presses

EVENTS_KEPT = timedelta(days=2)
"""Slack sends an event again within minutes, Discord's interactions live 15; two days is far beyond both."""


class InboundEvents:
    """Events of platforms, each answered once, also when it comes again, also by another replica."""

    def __init__(self, database: Database, clock: Clock = system_clock) -> None:
        self._database = database
        self._clock = clock

    async def claim(self, platform: Platform, workspace: str, key: str) -> bool:
        """True for whoever is first with this event, and must answer it; False for everyone after."""
        row = {"platform": platform, "workspace": workspace, "key": key[:200], "at_ms": to_ms(self._clock())}
        async with self._database.begin() as connection:
            result = await connection.execute(self._database.insert_if_new(inbound_events, row))
        return bool(result.rowcount)

    async def forget_old(self) -> int:
        """Drop what is too old to come again; gives how many."""
        limit = to_ms(self._clock() - EVENTS_KEPT)
        async with self._database.begin() as connection:
            result = await connection.execute(sa.delete(inbound_events).where(inbound_events.c.at_ms < limit))
        return int(result.rowcount)


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


BUTTONS_KEPT = timedelta(days=90)
"""As long as somebody may scroll back to a shared paper and press its buttons."""


def key_of(body: str) -> str:
    """The key of a button's body: 24 hexadecimal digits that follow from it."""
    return hashlib.sha256(body.encode()).hexdigest()[:24]


class ActionStore:
    """Bodies of buttons by key."""

    def __init__(self, database: Database, clock: Clock = system_clock) -> None:
        self._database = database
        self._clock = clock

    async def put(self, body: str) -> str:
        """Keep a body and give its key."""
        key = key_of(body)
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
        """Drop bodies that no button was made of for BUTTONS_KEPT; gives how many."""
        limit = to_ms(self._clock() - BUTTONS_KEPT)
        async with self._database.begin() as connection:
            return int((await connection.execute(sa.delete(presses).where(presses.c.at_ms < limit))).rowcount)
