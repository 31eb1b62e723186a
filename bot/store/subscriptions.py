"""Channels' digests as values, and where they are kept."""

import contextlib
import json
from collections.abc import Callable, Collection, Iterable
from dataclasses import replace
from datetime import date, datetime, time, timedelta
from typing import Any

import sqlalchemy as sa

from bot.message import ChannelRef, Platform
from bot.schedule import zones
from bot.schedule.clock import Clock, system_clock
from bot.schedule.values import DEFAULT_CATCH_UP, REMOVED, Schedule, Subscription, due, next_check
from bot.store.database import Database, from_ms, to_ms
from bot.store.tables import picks, postings, subscriptions

PROBE_EVERY = timedelta(hours=1)
"""A channel whose deliveries are held is asked so often whether the cause is gone."""

KEPT = timedelta(days=90)
"""Settings of a workspace that took the bot out are kept so long."""


class Subscriptions:
    """The subscriptions of one database."""

    def __init__(
        self, database: Database, clock: Clock = system_clock, *, catch_up: timedelta = DEFAULT_CATCH_UP
    ) -> None:
        self._database = database
        self._clock = clock
        self._catch_up = catch_up

    async def put(self, entry: Subscription) -> Subscription:
        """Keep a subscription, in place of the channel's earlier one of that name; gives it with its id."""
        values = _to_row(entry, self._clock())
        place = ("platform", "workspace", "channel", "digest")
        others = {name: value for name, value in values.items() if name not in place}
        insert = self._database.insert(subscriptions).values(values)
        change = insert.on_conflict_do_update(index_elements=place, set_=others).returning(subscriptions.c.id)
        async with self._database.begin() as connection:
            found = int((await connection.execute(change)).scalar_one())
        return replace(entry, id=found)

    async def change(
        self, key: int, how: Callable[[Subscription], Subscription]
    ) -> tuple[Subscription, Subscription] | None:
        """Change a subscription as it is now, while nobody else can; gives it as it was and as it is.

        None where there is none, or its row cannot be read. `how` gets what is stored, with all that others changed
        meanwhile. Raises what that raises, and changes nothing then.
        """
        query = sa.select(subscriptions).where(subscriptions.c.id == key)
        if not self._database.is_sqlite:  # there a transaction that writes has the only write lock
            query = query.with_for_update()
        async with self._database.begin() as connection:
            rows = (await connection.execute(query)).mappings().all()
            found = readable(rows, self._catch_up)
            if not found:
                return None
            then = how(found[0])
            if then != found[0]:
                change = sa.update(subscriptions).where(subscriptions.c.id == key)
                await connection.execute(change.values(_to_row(then, self._clock())))
        return found[0], then

    async def of(self, channel: ChannelRef, digest: str = "") -> Subscription | None:
        """The channel's subscription, also one that is switched off, or None."""
        rows = await self._select(_place(channel, digest))
        return rows[0] if rows else None

    async def here(self, channel: ChannelRef) -> Subscription | None:
        """What goes for a channel: the digest that is on, declared by the operator or its own, else its own as it was.

        Where the operator's file declares one, the channel's own is off (bot.digest.declared).
        """
        rows = await self._select(_in(channel))
        by_rank = sorted(rows, key=lambda entry: (entry.ended is not None, entry.declared == (entry.ended is not None)))
        return by_rank[0] if by_rank else None

    async def get(self, key: int) -> Subscription | None:
        """A subscription by its id."""
        rows = await self._select(subscriptions.c.id == key)
        return rows[0] if rows else None

    async def some(self, keys: Collection[int]) -> dict[int, Subscription]:
        """Subscriptions by their ids."""
        return {entry.id: entry for entry in await self._select(subscriptions.c.id.in_(keys))}

    async def sharing(self, digest: str) -> list[Subscription]:
        """Every active subscription of a named digest."""
        return await self._select(sa.and_(subscriptions.c.digest == digest, subscriptions.c.ended_ms.is_(None)))

    async def upcoming(self) -> tuple[int, datetime | None]:
        """How many channels are to get digests, and when the first of them gets the next; None where none will."""
        due = sa.and_(subscriptions.c.ended_ms.is_(None), subscriptions.c.held_for.is_(None))
        query = sa.select(sa.func.count(), sa.func.min(subscriptions.c.next_ms)).where(due)
        async with self._database.read() as connection:
            channels, at = (await connection.execute(query)).one()
        return int(channels), from_ms(int(at)) if at is not None else None

    async def active(self) -> list[Subscription]:
        """Every subscription that is not switched off."""
        return await self._select(subscriptions.c.ended_ms.is_(None))

    async def hold(self, key: int, reason: str) -> bool:
        """Hold a channel's deliveries for a reason; True where that is a change."""
        return await self._set_hold(key, reason)

    async def end_hold(self, key: int) -> bool:
        """Let them go on; True where that is a change. What was missed meanwhile is not owed."""
        return await self._set_hold(key, None)

    async def _set_hold(self, key: int, reason: str | None) -> bool:
        now = self._clock()
        current = await self.get(key)
        if current is None or current.held_for == reason:
            return False
        if reason is None:
            schedule = replace(current.schedule, since=now)
            upcoming = next_check(schedule, now)
            changes = {"since_ms": to_ms(now), "next_ms": to_ms(upcoming) if upcoming else None}
        else:
            changes = {"next_ms": to_ms(now + PROBE_EVERY)}
        change = sa.update(subscriptions).where(subscriptions.c.id == key, subscriptions.c.ended_ms.is_(None))
        async with self._database.begin() as connection:
            return bool((await connection.execute(change.values(held_for=reason, **changes))).rowcount)

    async def was_removed(self, platform: Platform, workspace: str) -> int:
        """The bot was taken out of a workspace: its digests end, and their settings wait for it to come back."""
        where = sa.and_(_within(platform, workspace), subscriptions.c.ended_ms.is_(None))
        change = sa.update(subscriptions).where(where)
        async with self._database.begin() as connection:
            ended = change.values(held_for=REMOVED, ended_ms=to_ms(self._clock()), next_ms=None)
            return int((await connection.execute(ended)).rowcount)

    async def came_back(self, platform: Platform, workspace: str) -> int:
        """The bot is in a workspace again: what ended with its removal goes on, without a backlog."""
        now = self._clock()
        gone = await self._select(sa.and_(_within(platform, workspace), subscriptions.c.held_for == REMOVED))

        def back(entry: Subscription) -> Subscription:
            return replace(entry, held_for=None, ended=None, schedule=replace(entry.schedule, since=now))

        for entry in gone:
            await self.change(entry.id, back)
        return len(gone)

    async def forget_old(self) -> int:
        """Drop the digests of workspaces that took the bot out KEPT ago, with all they posted; gives how many."""
        limit = to_ms(self._clock() - KEPT)
        gone = sa.and_(subscriptions.c.held_for == REMOVED, subscriptions.c.ended_ms < limit)
        async with self._database.begin() as connection:
            keys = (await connection.execute(sa.select(subscriptions.c.id).where(gone))).scalars().all()
            await connection.execute(sa.delete(postings).where(postings.c.subscription.in_(keys)))
            await connection.execute(sa.delete(picks).where(picks.c.owner.in_([f"channel:{key}" for key in keys])))
            return int((await connection.execute(sa.delete(subscriptions).where(gone))).rowcount)

    async def _select(self, where: sa.ColumnElement[bool]) -> list[Subscription]:
        query = sa.select(subscriptions).where(where).order_by(subscriptions.c.id)
        async with self._database.read() as connection:
            rows = (await connection.execute(query)).mappings().all()
        return readable(rows, self._catch_up)


UNREADABLE = "its settings cannot be read: `digest on` with a time and a zone sets it up anew"
"""What a digest is held for whose row became no value: one row stops no other, and only people can mend it."""


def readable(rows: Iterable[sa.RowMapping], catch_up: timedelta = DEFAULT_CATCH_UP) -> list[Subscription]:
    """The subscriptions of rows, without those that are none: those are told of when they are due, and then held."""
    found: list[Subscription] = []
    for row in rows:
        with contextlib.suppress(ValueError):
            found.append(from_row(row, catch_up))
    return found


def _within(platform: Platform, workspace: str) -> sa.ColumnElement[bool]:
    return sa.and_(subscriptions.c.platform == platform, subscriptions.c.workspace == workspace)


def _in(channel: ChannelRef) -> sa.ColumnElement[bool]:
    return sa.and_(_within(channel.platform, channel.workspace), subscriptions.c.channel == channel.channel)


def _place(channel: ChannelRef, digest: str) -> sa.ColumnElement[bool]:
    return sa.and_(_in(channel), subscriptions.c.digest == digest)


def _next_look(schedule: Schedule, now: datetime) -> datetime | None:
    """When to plan again: at once where something is owed, since a change of settings must not lose it."""
    run = due(schedule, now)
    return now if run is not None and run.at > schedule.since else next_check(schedule, now)


def _to_row(entry: Subscription, now: datetime) -> dict[str, Any]:
    schedule = entry.schedule
    upcoming = None
    if entry.ended is None:
        upcoming = _next_look(schedule, now) if entry.held_for is None else now + PROBE_EVERY
    return {
        "platform": entry.channel.platform,
        "workspace": entry.channel.workspace,
        "channel": entry.channel.channel,
        "digest": entry.digest,
        "at": schedule.at.strftime("%H:%M"),
        "zone": schedule.zone,
        "weekdays": "".join(str(day) for day in sorted(schedule.weekdays)),
        "skips": json.dumps(sorted(day.isoformat() for day in schedule.skips)),
        "topic": entry.topic,
        "count": entry.count,
        "thread": entry.thread,
        "style": entry.style,
        "since_ms": to_ms(schedule.since),
        "paused_until": schedule.paused_until.isoformat() if schedule.paused_until else None,
        "held_for": entry.held_for,
        "set_up_by": entry.set_up_by,
        "next_ms": to_ms(upcoming) if upcoming else None,
        "ended_ms": to_ms(entry.ended) if entry.ended else None,
    }


def from_row(row: sa.RowMapping, catch_up: timedelta = DEFAULT_CATCH_UP) -> Subscription:
    """The subscription of a row. Raises ValueError where it is none: broken JSON, a zone that the data lacks."""
    try:
        return _from_row(row, catch_up)
    except Exception as error:
        raise ValueError(f"{type(error).__name__}: {error}") from error


def _from_row(row: sa.RowMapping, catch_up: timedelta) -> Subscription:
    zones.load(row["zone"])
    schedule = Schedule(
        at=time.fromisoformat(row["at"]),
        zone=row["zone"],
        since=from_ms(row["since_ms"]),
        weekdays=frozenset(int(day) for day in row["weekdays"]),
        skips=frozenset(date.fromisoformat(day) for day in json.loads(row["skips"])),
        paused_until=date.fromisoformat(row["paused_until"]) if row["paused_until"] else None,
        catch_up=catch_up,
    )
    return Subscription(
        id=row["id"],
        channel=ChannelRef(row["platform"], row["workspace"], row["channel"]),
        schedule=schedule,
        set_up_by=row["set_up_by"],
        digest=row["digest"],
        topic=row["topic"],
        count=row["count"],
        thread=bool(row["thread"]),
        style=row["style"],
        held_for=row["held_for"],
        ended=from_ms(row["ended_ms"]) if row["ended_ms"] is not None else None,
    )
