"""What people type for a time, for days and for dates."""

import re
from datetime import date, time, timedelta

from bot.schedule.values import DAILY, WEEKDAYS

_TIME = re.compile(
    r"(?P<hour>\d{1,2})(?:(?::|\.|h)?(?P<minute>\d{2}))?\s*(?P<half>am|pm|a\.m\.|p\.m\.)?h?", re.IGNORECASE
)
_NAMES = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
_WORDS = {
    "weekdays": WEEKDAYS,
    "weekday": WEEKDAYS,
    "workdays": WEEKDAYS,
    "daily": DAILY,
    "everyday": DAILY,
    "weekends": frozenset({5, 6}),
    "weekend": frozenset({5, 6}),
}


def parse_time(words: str) -> time | None:
    """`9am`, `9:00`, `09:00`, `0900`, `21h`, `9.30`, `noon`; None where it is no time of day."""
    words = words.strip().lower()
    if words in {"noon", "midday"}:
        return time(12)
    if words == "midnight":
        return time(0)
    found = _TIME.fullmatch(words)
    if not found:
        return None
    digits = found["hour"] + (found["minute"] or "")
    half = (found["half"] or "").replace(".", "")
    if digits == words and len(digits) not in {3, 4}:
        return None  # a bare 9 may be anything: say 9am, 9:00 or 9h
    hour, minute = int(found["hour"]), int(found["minute"] or 0)
    if half:
        if not 1 <= hour <= 12:
            return None
        hour = hour % 12 + (12 if half == "pm" else 0)
    return time(hour, minute) if hour < 24 and minute < 60 else None


def parse_days(words: str) -> frozenset[int] | None:
    """`weekdays`, `daily`, `mon,wed,fri`, `mon-thu`, `fridays`; None where it names no days. 0 is Monday."""
    words = words.strip().lower()
    if words in _WORDS:
        return _WORDS[words]
    found: set[int] = set()
    for part in re.split(r"[,+&/ ]+", words):
        first, dash, last = part.partition("-")
        start = _day(first)
        end = _day(last) if dash else start
        if start is None or end is None:
            return None
        found.update((start + step) % 7 for step in range((end - start) % 7 + 1))
    return frozenset(found)


def _day(word: str) -> int | None:
    full = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
    bare = word.removesuffix("s") if word not in full else word
    for number, name in enumerate(full):
        if len(bare) >= 3 and name.startswith(bare):
            return number
    return None


def parse_date(words: str, today: date) -> date | None:
    """`2026-08-03`, `3 aug`, `aug 3`, `tomorrow`, `monday` or `next monday` (the first to come); None for no date."""
    words = words.strip().lower()
    if words in {"today", "tomorrow"}:
        return today + timedelta(days=words == "tomorrow")
    if re.fullmatch(r"\d{4}-\d{1,2}-\d{1,2}", words):
        year, month, day = map(int, words.split("-"))
        return _date(year, month, day)
    day_number = _day(words.removeprefix("next "))
    if day_number is not None:
        return today + timedelta(days=(day_number - today.weekday() - 1) % 7 + 1)
    months = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
    found = re.fullmatch(r"(?:(\d{1,2})\.? ([a-z]{3,9})|([a-z]{3,9}) (\d{1,2}))", words)
    if not found:
        return None
    name = (found[2] or found[3])[:3]
    if name not in months:
        return None
    month, day = months.index(name) + 1, int(found[1] or found[4])
    this_year = _date(today.year, month, day)
    return this_year if this_year and this_year >= today else _date(today.year + 1, month, day)


def _date(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day)
    except ValueError:
        return None


def days_in_words(days: frozenset[int]) -> str:
    """`every day`, `Monday to Friday`, `Mon, Wed, Fri`."""
    if days == DAILY:
        return "every day"
    if days == WEEKDAYS:
        return "Monday to Friday"
    return ", ".join(_NAMES[day].capitalize() for day in sorted(days))


def date_in_words(day: date) -> str:
    """`Fri 3 Jul 2026`."""
    return f"{day:%a} {day.day} {day:%b %Y}"
