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


_RANGE = re.compile(r"\s*-\s*|\s+(?:to|thru|through|till|until)\s+")
_AFTER = re.compile(r"(?:in )(?P<count>\d{1,3}|an?|one|two|three|four) (?P<unit>day|week|month)s?")
_COUNTS = {"a": 1, "an": 1, "one": 1, "two": 2, "three": 3, "four": 4}
_WRITTEN = re.compile(
    r"(?:(?:the )?(?P<day>\d{1,2})(?:st|nd|rd|th)?\.?(?: of)? (?P<name>[a-z]{3,9})"
    r"|(?P<first>[a-z]{3,9}) (?P<second>\d{1,2})(?:st|nd|rd|th)?),?(?: (?P<year>\d{4}))?"
)


_MONTHS = (
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
)


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
    """`weekdays`, `daily`, `mon,wed,fri`, `mon thru thu`, `every friday`, `weekends and monday`; None for no days.

    0 is Monday.
    """
    words = _RANGE.sub("-", words.strip().lower())
    parts = [part for part in re.split(r"[,+&/ ]+", words) if part not in {"and", "each", "every", "on"}]
    if parts == ["day"] and words != "day":
        return DAILY
    if not parts:
        return None
    found: set[int] = set()
    for part in parts:
        if part in _WORDS:
            found |= _WORDS[part]
            continue
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
    """`2026-08-03`, `3 aug`, `3rd of august`, `aug 3, 2027`, `tomorrow`, `monday`, `next week`, `in 2 weeks`.

    None for no date. A day of the week is the first to come, `next week` its Monday; a date without a year that is over
    is next year's.
    """
    words = words.strip().lower()
    if words in {"today", "tomorrow"}:
        return today + timedelta(days=words == "tomorrow")
    if words == "next week":
        return today + timedelta(days=7 - today.weekday())
    if re.fullmatch(r"\d{4}-\d{1,2}-\d{1,2}", words):
        year, month, day = map(int, words.split("-"))
        return _date(year, month, day)
    if after := _AFTER.fullmatch(words):
        count = _COUNTS.get(after["count"]) or int(after["count"])
        return (
            _months_on(today, count)
            if after["unit"] == "month"
            else today + timedelta(days=count * (7 if after["unit"] == "week" else 1))
        )
    day_number = _day(words.removeprefix("next "))
    if day_number is not None:
        return today + timedelta(days=(day_number - today.weekday() - 1) % 7 + 1)
    found = _WRITTEN.fullmatch(words)
    if not found:
        return None
    named = _month(found["name"] or found["first"])
    if named is None:
        return None
    month, day = named, int(found["day"] or found["second"])
    if found["year"]:
        return _date(int(found["year"]), month, day)
    this_year = _date(today.year, month, day)
    return this_year if this_year and this_year >= today else _date(today.year + 1, month, day)


def _month(word: str) -> int | None:
    """1 to 12; of a name at least its first three letters."""
    return next((number for number, name in enumerate(_MONTHS, 1) if name.startswith(word)), None)


def _months_on(today: date, count: int) -> date | None:
    """The same day so many months later, or the last of that month."""
    years, month = divmod(today.month - 1 + count, 12)
    return next(
        (found for day in range(today.day, 27, -1) if (found := _date(today.year + years, month + 1, day))),
        _date(today.year + years, month + 1, min(today.day, 28)),
    )


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
