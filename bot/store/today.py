"""What stands in a workspace's channels today: for a person's home."""

import json
from dataclasses import dataclass
from datetime import date, timedelta

import sqlalchemy as sa

from bot.message import ChannelRef, Platform
from bot.schedule import zones
from bot.schedule.clock import Clock, system_clock
from bot.store.database import Database, to_ms
from bot.store.ledger import main_number
from bot.store.tables import postings, subscriptions

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
