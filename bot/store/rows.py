"""Postings as rows of the ledger's table, and as values."""

import json
import logging
from collections.abc import Iterable
from datetime import UTC, date, datetime

import sqlalchemy as sa

from bot.message import ChannelRef
from bot.schedule.values import MAIN, MESSAGES, Announcement, News, Part, Posting, announcement_key, posting_key
from bot.store.database import from_ms, to_ms
from bot.store.tables import postings

logger = logging.getLogger(__name__)

NO_SUBSCRIPTION = 0
"""What announcements have in the place of a subscription; those are numbered from 1."""


def planned(subscription: int, day: date, part: Part, at: datetime, *, late: bool) -> dict[str, object]:
    """The row of a posting that is owed."""
    return {
        "subscription": subscription,
        "day": day.isoformat(),
        "part": part.number,
        "key": posting_key(subscription, day, part),
        "state": "planned",
        "due_ms": to_ms(at),
        "late": late,
    }


def announced(identity: str, announcement: Announcement, now: datetime) -> dict[str, object]:
    """The row of an announcement. `identity` is the same for whoever enters it."""
    news = [[one.query, one.papers, one.count] for one in announcement.news]
    return {
        "subscription": NO_SUBSCRIPTION,
        "day": now.astimezone(UTC).date().isoformat(),
        "part": MAIN.number,
        "key": announcement_key(identity),
        "state": "planned",
        "due_ms": to_ms(now),
        "platform": announcement.channel.platform,
        "workspace": announcement.channel.workspace,
        "channel": announcement.channel.channel,
        "person": announcement.person,
        "content": json.dumps({"news": news, "words": announcement.words}, ensure_ascii=False),
    }


def _announcement_of(row: sa.RowMapping) -> Announcement | None:
    if row["subscription"] != NO_SUBSCRIPTION:
        return None
    content = json.loads(row["content"])
    return Announcement(
        ChannelRef(row["platform"], row["workspace"], row["channel"]),
        row["person"],
        tuple(News(query, tuple(papers), count) for query, papers, count in content["news"]),
        content["words"],
    )


def of_day(subscription: int, day: date) -> sa.ColumnElement[bool]:
    """Where the postings of a date are."""
    return sa.and_(postings.c.subscription == subscription, postings.c.day == day.isoformat())


def main_number(part: sa.ColumnElement[int]) -> sa.ColumnElement[int]:
    """The stored number of the main message of a part's delivery, as `Part.main` gives it."""
    return part - part % MESSAGES


def posting_of(row: sa.RowMapping) -> Posting:
    """The posting of a row."""
    return Posting(
        subscription=row["subscription"],
        day=date.fromisoformat(row["day"]),
        part=Part.of(row["part"]),
        key=row["key"],
        state=row["state"],
        due=from_ms(row["due_ms"]),
        late=bool(row["late"]),
        attempts=row["attempts"],
        papers=tuple(json.loads(row["papers"])),
        payload=row["payload"],
        sent=from_ms(row["sent_ms"]) if row["sent_ms"] is not None else None,
        message=row["message"],
        posted=from_ms(row["posted_ms"]) if row["posted_ms"] is not None else None,
        not_before=from_ms(row["not_before_ms"]) if row["not_before_ms"] else None,
        note=row["note"],
        replaced=row["replaced"],
        announcement=_announcement_of(row),
    )


def postings_of(rows: Iterable[sa.RowMapping]) -> list[Posting]:
    """The postings of rows, without those that are none: one bad row stops no other."""
    found: list[Posting] = []
    for row in rows:
        try:
            found.append(posting_of(row))
        except Exception as error:  # noqa: BLE001 - whatever is wrong with one row
            words = "digest: posting %s of subscription %s cannot be read and is left out: %s: %s"
            logger.warning(words, row["key"], row["subscription"], type(error).__name__, error)
    return found
