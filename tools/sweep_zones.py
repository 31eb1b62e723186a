"""Every IANA zone, every date of 2024 to 2037: one run per scheduled local date, at the right instant.

Every minute of the days next to an offset change, and several times of every other day, against an oracle that only
walks UTC forward and looks at the wall clock. Ends with one line: `instants N missed M doubled D`.

    python tools/sweep_zones.py [--sample ZONES] [--seed N]
"""

import argparse
import random
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from importlib import resources

from bot.schedule import zones
from bot.schedule.values import run_on

FIRST, LAST = date(2024, 1, 1), date(2037, 12, 31)
ORDINARY = (time(0, 0), time(0, 30), time(2, 30), time(9, 0), time(12, 0), time(23, 30), time(23, 59))
MINUTE = timedelta(minutes=1)


@dataclass(slots=True)
class Tally:
    """What was looked at and what was wrong."""

    instants: int = 0
    missed: int = 0
    doubled: int = 0


def distinct_zones() -> list[str]:
    """One name for each different set of rules: aliases share their file's bytes."""
    seen: dict[bytes, str] = {}
    for name in zones.names():
        file = resources.files("tzdata.zoneinfo").joinpath(*name.split("/"))
        seen.setdefault(file.read_bytes(), name)
    return list(seen.values())


def days(first: date, last: date) -> Iterator[date]:
    """Every date of a span."""
    for ahead in range((last - first).days + 1):
        yield first + timedelta(days=ahead)


def change_days(zone: str) -> set[date]:
    """The dates next to an offset change, and the one itself."""
    tz = zones.load(zone)
    found: set[date] = set()
    before = None
    for day in days(FIRST - timedelta(days=2), LAST + timedelta(days=2)):
        for hour in range(0, 24, 6):
            offset = datetime(day.year, day.month, day.day, hour, tzinfo=UTC).astimezone(tz).utcoffset()
            if before is not None and offset != before:
                found.update(day + timedelta(days=step) for step in (-2, -1, 0, 1, 2))
            before = offset
    return {day for day in found if FIRST <= day <= LAST}


def walls(zone: str, first: date, last: date) -> list[tuple[datetime, datetime]]:
    """Wall time and instant of every minute that covers these local dates, walking UTC forward."""
    tz = zones.load(zone)
    now = datetime.combine(first, time(), UTC) - timedelta(hours=16)
    end = datetime.combine(last, time(), UTC) + timedelta(hours=40)
    walked = []
    while now < end:
        walked.append((now.astimezone(tz).replace(tzinfo=None, fold=0), now))
        now += MINUTE
    return walked


def oracle(walked: list[tuple[datetime, datetime]], wanted: set[date]) -> dict[datetime, datetime]:
    """The first instant at which the wall clock shows each minute, or first shows a later one."""
    answers: dict[datetime, datetime] = {}
    reached = walked[0][0]
    for wall, instant in walked:
        while reached <= wall:
            if reached.date() in wanted:
                answers[reached] = instant
            reached += MINUTE
    return answers


def sweep_changes(zone: str, changed: set[date], tally: Tally) -> None:
    """Every minute of the days near a change."""
    spans: list[list[date]] = []
    for day in sorted(changed):
        if spans and day - spans[-1][-1] == timedelta(days=1):
            spans[-1].append(day)
        else:
            spans.append([day])
    for span in spans:
        expected = oracle(walls(zone, span[0], span[-1]), set(span))
        by_time: dict[time, datetime] = {}
        for wall, instant in expected.items():
            run = run_on(wall.date(), wall.time(), zone)
            tally.instants += 1
            tally.missed += run.at != instant or run.day != wall.date()
            before = by_time.get(wall.time())
            tally.doubled += before is not None and before >= run.at
            by_time[wall.time()] = run.at


def sweep_ordinary(zone: str, changed: set[date], tally: Tally) -> None:
    """Several times of every other day: there the wall clock shows exactly the scheduled time, once a date."""
    tz = zones.load(zone)
    before: dict[time, datetime] = {}
    for day in days(FIRST, LAST):
        if day in changed:
            before.clear()
            continue
        for at in ORDINARY:
            run = run_on(day, at, zone)
            tally.instants += 1
            tally.missed += run.at.astimezone(tz).replace(tzinfo=None) != datetime.combine(day, at)
            tally.doubled += at in before and before[at] >= run.at
            before[at] = run.at


def sweep(names: list[str]) -> Tally:
    """Sweep these zones."""
    tally = Tally()
    for name in names:
        changed = change_days(name)
        sweep_changes(name, changed, tally)
        sweep_ordinary(name, changed, tally)
    return tally


def main() -> int:
    """Print the line; 1 where anything was missed or doubled."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--sample", type=int, default=0, help="so many zones by chance instead of all")
    arguments.add_argument("--seed", type=int, default=1)
    options = arguments.parse_args()
    names = distinct_zones()
    if options.sample:
        names = random.Random(options.seed).sample(names, options.sample)  # noqa: S311 - a sample, not a secret
    tally = sweep(names)
    print(f"instants {tally.instants} missed {tally.missed} doubled {tally.doubled}")
    return 1 if tally.missed or tally.doubled else 0


if __name__ == "__main__":
    sys.exit(main())
