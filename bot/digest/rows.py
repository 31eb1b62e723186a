"""The ledger's rows as values, and the other way round."""

import json
from datetime import date, datetime

import sqlalchemy as sa

from bot.digest.values import MESSAGES, Part, Posting, posting_key
from bot.store.database import from_ms, to_ms
from bot.store.tables import postings


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
    )
