"""What channels were given, so that no paper comes twice in a cycle and a delivery picks once; and how they voted."""

import asyncio
import hashlib
import json
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from bot.message import ChannelRef, Platform, User
from bot.schedule import zones
from bot.schedule.clock import Clock, system_clock
from bot.schedule.values import Selection, Vote, delivery_of
from bot.store.database import Database, to_ms
from bot.store.rows import main_number
from bot.store.tables import picks, postings, subscriptions, votes

_LONGEST_DAY = timedelta(hours=50)
"""A local date lasts so long over all zones of the world, from its first beginning to its last end."""


@dataclass(frozen=True, slots=True)
class Posted:
    """A delivery that stands in a channel. `set_up_by` is the person whose digest it is, in direct messages."""

    channel: ChannelRef
    set_up_by: str
    day: date
    papers: tuple[str, ...]


async def posted_today(
    database: Database, platform: Platform, workspace: str, clock: Clock = system_clock
) -> list[Posted]:
    """The latest delivery of each channel whose local date is still today there, the newest first."""
    now = clock()
    query = (
        sa.select(postings.c.day, postings.c.papers, subscriptions)
        .join(subscriptions, subscriptions.c.id == postings.c.subscription)
        .where(
            subscriptions.c.platform == platform,
            subscriptions.c.workspace == workspace,
            postings.c.state == "posted",
            postings.c.part == main_number(postings.c.part),  # the others are threads
            postings.c.posted_ms >= to_ms(now - _LONGEST_DAY),
        )
        .order_by(postings.c.posted_ms.desc())
    )
    found: dict[ChannelRef, Posted] = {}
    async with database.read() as connection:
        for row in (await connection.execute(query)).mappings():
            channel = ChannelRef(platform, workspace, row["channel"])
            if channel in found:
                continue
            try:
                day = date.fromisoformat(row["day"])
                if day == now.astimezone(zones.load(row["zone"])).date():
                    found[channel] = Posted(channel, row["set_up_by"], day, tuple(json.loads(row["papers"])))
            except (KeyError, ValueError):
                continue  # told of where it is due
    return list(found.values())


PICKS_KEPT = timedelta(days=730)
"""As long as the posts that `seen` leads to."""


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


Chooser = Callable[[frozenset[str], int], Selection | None]
"""Given this cycle's papers and its number, the choice; None where there is nothing to choose from."""


@dataclass(frozen=True, slots=True)
class Wish:
    """A delivery whose papers are to be resolved."""

    owner: str
    slot: str
    choose: Chooser


class PickHistory:
    """The picks of one database. `owner` is a subscription, or a named digest that several channels share."""

    def __init__(self, database: Database, clock: Clock = system_clock) -> None:
        self._database = database
        self._clock = clock

    async def resolve(self, wishes: Sequence[Wish]) -> list[Delivery | None]:
        """The papers of deliveries: those chosen before, else chosen now while nobody else chooses for the owners."""
        owners = sorted({wish.owner for wish in wishes})
        async with self._database.begin() as connection:
            for owner in owners:  # in order, so that two workers with owners in common never wait for each other
                await self._lock(connection, owner)
            histories = await _histories(connection, owners, {wish.slot for wish in wishes})
            rows: list[dict[str, object]] = []
            # drawing from thousands of papers takes its time: not on the event loop
            found = await asyncio.to_thread(lambda: [_resolved(wish, histories[wish.owner], rows) for wish in wishes])
            if rows:
                await connection.execute(sa.insert(picks), rows)
        return found

    async def release(self, owner: str, slot: str) -> None:
        """Give the papers of a delivery back to the pool: nothing of it was posted."""
        async with self._database.begin() as connection:
            await connection.execute(sa.delete(picks).where(picks.c.owner == owner, picks.c.slot == slot))

    async def given(self, owner: str) -> tuple[frozenset[str], int]:
        """The papers of the current cycle, and its number: for a preview that keeps nothing."""
        async with self._database.read() as connection:
            cycle = await _latest_cycle(connection, owner)
            query = sa.select(picks.c.paper).where(picks.c.owner == owner, picks.c.cycle == cycle)
            return frozenset(row[0] for row in await connection.execute(query)), cycle

    async def all(self, owner: str) -> list[Given]:
        """Everything ever given, newest first."""
        query = sa.select(picks).where(picks.c.owner == owner).order_by(picks.c.slot.desc(), picks.c.place)
        async with self._database.read() as connection:
            return [_from_row(row) for row in (await connection.execute(query)).mappings()]

    async def forget_old(self) -> int:
        """Drop picks of PICKS_KEPT ago, but for those of each owner's latest cycle; gives how many.

        Those keep papers from coming twice, however slowly a channel goes through its pool.
        """
        limit = (self._clock() - PICKS_KEPT).date().isoformat()  # slots sort by date
        others = picks.alias("others")
        latest = sa.select(sa.func.max(others.c.cycle)).where(others.c.owner == picks.c.owner).scalar_subquery()
        async with self._database.begin() as connection:
            old = sa.delete(picks).where(picks.c.slot < limit, picks.c.cycle < latest)
            return int((await connection.execute(old)).rowcount)

    async def _lock(self, connection: AsyncConnection, owner: str) -> None:
        if not self._database.is_sqlite:  # on SQLite every transaction holds the write lock anyway
            key = int.from_bytes(hashlib.sha256(f"picks/{owner}".encode()).digest()[:8], signed=True)
            await connection.execute(sa.text("SELECT pg_advisory_xact_lock(:key)"), {"key": key})


@dataclass(slots=True)
class _Past:
    """What an owner was given in the latest cycle, and in the slots asked for."""

    rows: list[Mapping[str, Any]]

    @property
    def cycle(self) -> int:
        """The latest."""
        return max((int(row["cycle"]) for row in self.rows), default=1)

    @property
    def given(self) -> frozenset[str]:
        """The papers of the latest cycle."""
        cycle = self.cycle
        return frozenset(str(row["paper"]) for row in self.rows if row["cycle"] == cycle)

    def begins(self, cycle: int, slot: str) -> bool:
        """Whether a cycle, as far as it is here, began with this slot's delivery and is not the first one."""
        first = min(str(row["slot"]) for row in self.rows if row["cycle"] == cycle)
        return cycle > 1 and delivery_of(first) == delivery_of(slot)


def _resolved(wish: Wish, history: _Past, rows: list[dict[str, object]]) -> Delivery | None:
    """What a wish gets; new rows are added to `rows` and to the owner's history."""
    before = tuple(sorted((row for row in history.rows if row["slot"] == wish.slot), key=lambda row: int(row["place"])))
    if before:
        new_cycle = history.begins(int(before[0]["cycle"]), wish.slot)
        return Delivery(tuple(_from_row(row) for row in before), new_cycle)
    choice = wish.choose(history.given, history.cycle)
    if choice is None:
        return None
    for place, pick in enumerate(choice.picks):
        row = {
            "owner": wish.owner,
            "cycle": choice.cycle,
            "paper": pick.paper.id,
            "slot": wish.slot,
            "place": place,
            "reason": pick.reason[:200],
        }
        rows.append(row)
        history.rows.append(row)
    new_cycle = choice.new_cycle or history.begins(choice.cycle, wish.slot)
    given = tuple(Given(pick.paper.id, wish.slot, pick.reason, choice.cycle) for pick in choice.picks)
    return Delivery(given, new_cycle)


async def _histories(connection: AsyncConnection, owners: Sequence[str], slots: Collection[str]) -> dict[str, _Past]:
    """The rows of owners' latest cycles, and of the cycles that have the slots asked for."""
    latest = (
        sa.select(picks.c.owner, sa.func.max(picks.c.cycle).label("cycle"))
        .where(picks.c.owner.in_(owners))
        .group_by(picks.c.owner)
    )
    asked = sa.select(picks.c.owner, picks.c.cycle).where(picks.c.owner.in_(owners), picks.c.slot.in_(slots))
    wanted = latest.union(asked).subquery()
    query = sa.select(picks).join(wanted, sa.and_(picks.c.owner == wanted.c.owner, picks.c.cycle == wanted.c.cycle))
    found = {owner: _Past([]) for owner in owners}
    for row in (await connection.execute(query)).mappings():
        found[row["owner"]].rows.append(dict(row))
    return found


async def _latest_cycle(connection: AsyncConnection, owner: str) -> int:
    found = await connection.execute(sa.select(sa.func.max(picks.c.cycle)).where(picks.c.owner == owner))
    return int(found.scalar() or 1)


def _from_row(row: sa.RowMapping | Mapping[str, object]) -> Given:
    return Given(str(row["paper"]), str(row["slot"]), str(row["reason"]), int(str(row["cycle"])))


class StoredVotes:
    """Votes in the database: one for each person, channel and paper."""

    def __init__(self, database: Database, clock: Clock = system_clock) -> None:
        self._database = database
        self._clock = clock
        self.fresh: set[tuple[ChannelRef, str]] = set()
        """Channels and papers that were voted on here since their posts were last told (bot.digest.vote_totals)."""

    async def put(self, user: User, channel: ChannelRef, paper: str, value: int) -> Vote:
        """Note a vote, in place of the person's earlier one; gives the channel's for that paper."""
        row = {
            "platform": channel.platform,
            "workspace": channel.workspace,
            "channel": channel.channel,
            "paper": paper,
            "user": user.id,
            "value": value,
            "at_ms": to_ms(self._clock()),
        }
        async with self._database.begin() as connection:
            await connection.execute(self._database.upsert(votes, row))
        self.fresh.add((channel, paper))
        return (await self.of(channel)).get(paper, Vote())

    async def of(self, channel: ChannelRef) -> dict[str, Vote]:
        """A channel's votes by paper."""
        up = sa.func.sum(sa.case((votes.c.value > 0, 1), else_=0))
        down = sa.func.sum(sa.case((votes.c.value < 0, 1), else_=0))
        query = (
            sa.select(votes.c.paper, up, down)
            .where(
                votes.c.platform == channel.platform,
                votes.c.workspace == channel.workspace,
                votes.c.channel == channel.channel,
            )
            .group_by(votes.c.paper)
        )
        async with self._database.read() as connection:
            return {row[0]: Vote(int(row[1]), int(row[2])) for row in await connection.execute(query)}

    async def of_some(self, channels: Collection[ChannelRef]) -> dict[ChannelRef, dict[str, Vote]]:
        """The votes of several channels, by channel and paper."""
        up = sa.func.sum(sa.case((votes.c.value > 0, 1), else_=0))
        down = sa.func.sum(sa.case((votes.c.value < 0, 1), else_=0))
        place = (votes.c.platform, votes.c.workspace, votes.c.channel, votes.c.paper)
        query = (
            sa.select(*place, up, down).where(votes.c.channel.in_({one.channel for one in channels})).group_by(*place)
        )
        found: dict[ChannelRef, dict[str, Vote]] = {channel: {} for channel in channels}
        async with self._database.read() as connection:
            for platform, workspace, channel, paper, ups, downs in await connection.execute(query):
                ref = ChannelRef(platform, workspace, channel)
                if ref in found:
                    found[ref][paper] = Vote(int(ups), int(downs))
        return found
