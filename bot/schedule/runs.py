"""When a digest is due: a pure function of a schedule and the time. Nothing here ticks, stores or sends.

A run is known by its scheduled local date, whatever instant that turns out to be. The instant of a date is that of
its wall time at the first time it occurs; where a clock change leaves the wall time out, it is the change itself,
the first valid instant after the gap, even if that is on the next local date.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta

from bot.schedule import zones

WEEKDAYS = frozenset({0, 1, 2, 3, 4})
DAILY = frozenset(range(7))

DEFAULT_CATCH_UP = timedelta(hours=6)
LONGEST_CATCH_UP = timedelta(hours=20)
"""A longer window could make two dates due at once on a day that a clock change shortens."""

_HORIZON_DAYS = 400
"""How far ahead the next runs are looked for: beyond a year of skips there is none worth showing."""


@dataclass(frozen=True, slots=True)
class Schedule:
    """Local time, zone, weekdays (0 is Monday), dates left out, and from when on it counts.

    `since` is the instant from which runs count: set-up, or the end of a pause; what was due before is not owed.
    `until` ends a pause: runs before that local date are left out.
    """

    at: time
    zone: str
    since: datetime
    weekdays: frozenset[int] = WEEKDAYS
    skips: frozenset[date] = frozenset()
    paused_until: date | None = None
    catch_up: timedelta = DEFAULT_CATCH_UP


@dataclass(frozen=True, slots=True)
class ScheduledRun:
    """One delivery that a schedule asks for: its local date is its identity, `at` its instant in UTC."""

    day: date
    at: datetime
    moved: bool = False
    """The wall time does not exist on that date: it runs when the clocks have changed."""
    repeated: bool = False
    """The wall time occurs twice on that date: it runs at the first."""


def run_on(day: date, at: time, zone: str) -> ScheduledRun:
    """The run of a local date. Raises KeyError for an unknown zone."""
    tz = zones.load(zone)
    wall = datetime.combine(day, at)
    first = wall.replace(tzinfo=tz).utcoffset()
    second = wall.replace(tzinfo=tz, fold=1).utcoffset()
    assert first is not None
    assert second is not None
    early = (wall - first).replace(tzinfo=UTC)
    if first == second:
        return ScheduledRun(day, early)
    if second < first:  # the clock goes back over this time: fold=0 is its first occurrence
        return ScheduledRun(day, early, repeated=True)
    # In a gap fold=0 has the offset before the change, so that `wall - first` lies after it and `wall - second`
    # before it; the change is the one instant between them at which the offset jumps.
    before = (wall - second).replace(tzinfo=UTC)
    return ScheduledRun(day, _change_between(before, early, zone), moved=True)


def _change_between(low: datetime, high: datetime, zone: str) -> datetime:
    """The first whole second in (low, high] with the offset of `high`."""
    tz = zones.load(zone)
    target = high.astimezone(tz).utcoffset()
    a, b = 0, int((high - low).total_seconds())
    while b - a > 1:
        middle = (a + b) // 2
        if (low + timedelta(seconds=middle)).astimezone(tz).utcoffset() == target:
            b = middle
        else:
            a = middle
    return low + timedelta(seconds=b)


def runs_from(schedule: Schedule, day: date) -> Iterator[ScheduledRun]:
    """The runs of a schedule from a local date on, in order, for a little over a year."""
    for ahead in range(_HORIZON_DAYS):
        current = day + timedelta(days=ahead)
        if current.weekday() not in schedule.weekdays or current in schedule.skips:
            continue
        if schedule.paused_until is not None and current < schedule.paused_until:
            continue
        run = run_on(current, schedule.at, schedule.zone)
        if run.at >= schedule.since:
            yield run


def due(schedule: Schedule, now: datetime) -> ScheduledRun | None:
    """The run that is owed at `now`: its instant has come, and the catch-up window is not over. At most one."""
    today = now.astimezone(zones.load(schedule.zone)).date()
    found: ScheduledRun | None = None
    for run in runs_from(schedule, today - timedelta(days=2)):
        if run.at > now:
            break
        if now - run.at <= min(schedule.catch_up, LONGEST_CATCH_UP):
            found = run
    return found


def following(schedule: Schedule, now: datetime, count: int) -> list[ScheduledRun]:
    """The next runs after `now`."""
    today = now.astimezone(zones.load(schedule.zone)).date()
    result: list[ScheduledRun] = []
    for run in runs_from(schedule, today - timedelta(days=1)):
        if run.at > now:
            result.append(run)
            if len(result) == count:
                break
    return result


def next_check(schedule: Schedule, now: datetime) -> datetime | None:
    """The instant before which `due` cannot change from None: when to look at this schedule again."""
    upcoming = following(schedule, now, 1)
    return upcoming[0].at if upcoming else None
