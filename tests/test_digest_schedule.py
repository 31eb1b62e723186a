"""When a digest is due: the clock changes, the windows, and one run per local date."""

import subprocess
import sys
from dataclasses import replace
from datetime import UTC, date, datetime, time, timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.schedule import zones
from bot.schedule.dates import days_in_words, parse_date, parse_days, parse_time
from bot.schedule.values import DAILY, Schedule, ScheduledRun, due, following, next_check, run_on

ROOT = Path(__file__).resolve().parent.parent
BERLIN = "Europe/Berlin"
SETUP = datetime(2026, 1, 1, tzinfo=UTC)
NINE = Schedule(time(9), BERLIN, SETUP)


def utc(year: int, month: int, day: int, hour: int = 0, minute: int = 0) -> datetime:
    return datetime(year, month, day, hour, minute, tzinfo=UTC)


@pytest.mark.parametrize(
    ("zone", "day", "at", "instant"),
    [
        # gaps: the first valid instant after them
        (BERLIN, date(2026, 3, 29), time(2, 30), utc(2026, 3, 29, 1)),
        ("America/Nuuk", date(2026, 3, 28), time(23, 30), utc(2026, 3, 29, 1)),
        ("America/Santiago", date(2026, 9, 6), time(0, 0), utc(2026, 9, 6, 4)),
        ("Africa/Cairo", date(2026, 4, 24), time(0, 30), utc(2026, 4, 23, 22)),
        ("Australia/Lord_Howe", date(2026, 10, 4), time(2, 15), utc(2026, 10, 3, 15, 30)),
        # twice: the first time
        (BERLIN, date(2026, 10, 25), time(2, 30), utc(2026, 10, 25, 0, 30)),
        ("America/New_York", date(2026, 11, 1), time(1, 30), utc(2026, 11, 1, 5, 30)),
        # ordinary, also next to a change
        (BERLIN, date(2026, 3, 29), time(3, 0), utc(2026, 3, 29, 1)),
        (BERLIN, date(2026, 3, 30), time(0, 30), utc(2026, 3, 29, 22, 30)),
        ("Asia/Kolkata", date(2026, 7, 1), time(9), utc(2026, 7, 1, 3, 30)),
    ],
)
def test_instant_of_a_date(zone: str, day: date, at: time, instant: datetime) -> None:
    run = run_on(day, at, zone)
    assert (run.day, run.at) == (day, instant)


def test_moved_and_repeated_are_flagged() -> None:
    assert run_on(date(2026, 3, 29), time(2, 30), BERLIN).moved
    assert run_on(date(2026, 10, 25), time(2, 30), BERLIN).repeated
    assert run_on(date(2026, 7, 1), time(2, 30), BERLIN) == ScheduledRun(date(2026, 7, 1), utc(2026, 7, 1, 0, 30))


def test_due_from_its_instant_to_the_end_of_the_window() -> None:
    at = utc(2026, 7, 1, 7)
    assert due(NINE, at - timedelta(seconds=1)) is None
    assert due(NINE, at) == ScheduledRun(date(2026, 7, 1), at)
    assert due(NINE, at + NINE.catch_up) == ScheduledRun(date(2026, 7, 1), at)
    assert due(NINE, at + NINE.catch_up + timedelta(seconds=1)) is None


def test_weekend_is_left_out_by_default() -> None:
    assert due(NINE, utc(2026, 7, 4, 8)) is None
    assert due(replace(NINE, weekdays=DAILY), utc(2026, 7, 4, 8)) is not None


def test_first_subscription_starts_at_the_next_slot() -> None:
    fresh = replace(NINE, since=utc(2026, 7, 1, 7) + timedelta(seconds=1))
    assert due(fresh, utc(2026, 7, 1, 8)) is None
    assert [run.day for run in following(fresh, fresh.since, 3)] == [
        date(2026, 7, 2),
        date(2026, 7, 3),
        date(2026, 7, 6),
    ]


def test_a_pause_leaves_no_backlog() -> None:
    paused = replace(NINE, paused_until=date(2026, 8, 1))
    assert due(paused, utc(2026, 7, 15, 8)) is None
    assert due(paused, utc(2026, 7, 31, 8)) is None
    assert following(paused, utc(2026, 7, 1), 1)[0].day == date(2026, 8, 3)


def test_restart_across_the_slot_catches_up_once_inside_the_window() -> None:
    late = due(NINE, utc(2026, 7, 1, 11))
    assert late is not None
    assert late.day == date(2026, 7, 1)
    assert due(NINE, utc(2026, 7, 1, 14)) is None


def test_skipped_date() -> None:
    skipping = replace(NINE, skips=frozenset({date(2026, 7, 1)}))
    assert due(skipping, utc(2026, 7, 1, 8)) is None
    assert next_check(skipping, utc(2026, 7, 1, 6)) == utc(2026, 7, 2, 7)


def test_a_schedule_that_never_runs_has_no_next() -> None:
    assert following(replace(NINE, weekdays=frozenset()), SETUP, 3) == []
    assert next_check(replace(NINE, weekdays=frozenset()), SETUP) is None


@given(
    zone=st.sampled_from(zones.names()),
    at=st.times().map(lambda value: value.replace(second=0, microsecond=0, tzinfo=None)),
    start=st.integers(0, 13 * 365 * 86_400).map(lambda seconds: utc(2024, 1, 1) + timedelta(seconds=seconds)),
    steps=st.lists(st.integers(1, 6 * 3600), min_size=30, max_size=60),
)
def test_ticks_at_any_time_find_each_date_exactly_once(zone: str, at: time, start: datetime, steps: list[int]) -> None:
    schedule = Schedule(at, zone, start, DAILY)
    found: list[date] = []
    now = start
    for step in steps:
        now += timedelta(seconds=step)
        run = due(schedule, now)
        if run and run.day not in found:
            found.append(run.day)
    owed = [run.day for run in following(schedule, start - timedelta(seconds=1), 60) if run.at <= now]
    assert found == owed


@given(st.sampled_from(zones.names()), st.dates(date(2024, 1, 1), date(2037, 12, 30)), st.times())
def test_later_dates_run_later(zone: str, day: date, at: time) -> None:
    assert run_on(day, at, zone).at < run_on(day + timedelta(days=1), at, zone).at


def test_sample_of_the_zone_sweep() -> None:
    result = subprocess.run(
        [sys.executable, "tools/sweep_zones.py", "--sample", "4", "--seed", "7"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 0, result.stdout + result.stderr
    assert result.stdout.rstrip().endswith("missed 0 doubled 0")
    assert int(result.stdout.split()[1]) > 100_000


@pytest.mark.parametrize(
    ("words", "expected"),
    [("9am", time(9)), ("9:00", time(9)), ("09:00", time(9)), ("0900", time(9)), ("21h", time(21)),
     ("9.30", time(9, 30)),
     ("12am", time(0)), ("12pm", time(12)), ("9 pm", time(21)), ("noon", time(12)), ("9h15", time(9, 15))],
)  # fmt: skip
def test_times(words: str, expected: time) -> None:
    assert parse_time(words) == expected


@pytest.mark.parametrize("words", ["9", "25:00", "9:60", "13pm", "0am", "soon", "", "99999", "9::00"])
def test_what_is_no_time(words: str) -> None:
    assert parse_time(words) is None


@pytest.mark.parametrize(
    ("words", "expected"),
    [("daily", DAILY), ("weekdays", {0, 1, 2, 3, 4}), ("mon,wed,fri", {0, 2, 4}), ("mon-thu", {0, 1, 2, 3}),
     ("sat-mon", {5, 6, 0}), ("Fridays", {4}), ("tuesday & thursday", {1, 3}),
     ("every weekday", {0, 1, 2, 3, 4}), ("mon thru fri", {0, 1, 2, 3, 4}), ("weekends and monday", {5, 6, 0}),
     ("monday till wed", {0, 1, 2}), ("every day", DAILY)],
)  # fmt: skip
def test_days(words: str, expected: set[int]) -> None:
    assert parse_days(words) == frozenset(expected)


@pytest.mark.parametrize("words", ["", "someday", "mon-", "mo", "1"])
def test_what_is_no_day(words: str) -> None:
    assert parse_days(words) is None


def test_days_read_well() -> None:
    assert days_in_words(frozenset({0, 2, 4})) == "Mon, Wed, Fri"
    assert days_in_words(DAILY) == "every day"


TODAY = date(2026, 7, 1)  # a Wednesday


@pytest.mark.parametrize(
    ("words", "expected"),
    [("2026-08-03", date(2026, 8, 3)), ("3 aug", date(2026, 8, 3)), ("Aug 3", date(2026, 8, 3)),
     ("tomorrow", date(2026, 7, 2)),
     ("monday", date(2026, 7, 6)), ("next monday", date(2026, 7, 6)),
     ("wednesday", date(2026, 7, 8)), ("1 june", date(2027, 6, 1)), ("today", TODAY),
     ("2 dec", date(2026, 12, 2)), ("2 december", date(2026, 12, 2)), ("sept 3", date(2026, 9, 3))],
)  # fmt: skip
def test_dates(words: str, expected: date) -> None:
    assert parse_date(words, TODAY) == expected


@pytest.mark.parametrize("words", ["", "2026-13-01", "31 feb", "soon", "3 xyz", "2 decades", "3 mayors"])
def test_what_is_no_date(words: str) -> None:
    assert parse_date(words, TODAY) is None


@pytest.mark.parametrize(
    ("words", "zone"),
    [("Europe/Berlin", BERLIN), ("berlin", BERLIN), ("new york", "America/New_York"), ("Zürich", "Europe/Zurich"),
     ("CET", BERLIN), ("san francisco", "America/Los_Angeles"), ("são paulo", "America/Sao_Paulo"), ("utc", "UTC"),
     ("etc/utc", "Etc/UTC"), ("europe/berlin", BERLIN), ("NSW", "Australia/Sydney"), ("ACT", "Australia/Sydney")],
)  # fmt: skip
def test_zones_by_name_and_city(words: str, zone: str) -> None:
    assert zones.find(words).zone == zone


def test_a_misspelt_zone_is_suggested_not_taken() -> None:
    answer = zones.find("berlni")
    assert answer.zone is None
    assert BERLIN in answer.suggestions
    assert zones.find("qqqq").zone is None


@pytest.mark.parametrize(
    ("country", "first"),
    [("australia", "Australia/Sydney"), ("canada", "America/Toronto"), ("brazil", "America/Sao_Paulo"),
     ("russia", "Europe/Moscow"), ("ukraine", "Europe/Kyiv"), ("usa", "America/New_York")],
)  # fmt: skip
def test_a_country_of_several_zones_offers_first_where_most_people_live(country: str, first: str) -> None:
    answer = zones.find(country)
    assert answer.zone is None
    assert answer.suggestions[0] == first
    assert len({tuple(zones._offsets(zone)) for zone in answer.suggestions}) == len(answer.suggestions)


def test_all_zones_of_the_united_states_are_offered() -> None:
    assert {"America/Chicago", "America/Denver", "America/Los_Angeles", "America/Anchorage", "Pacific/Honolulu"} <= {
        *zones.find("us").suggestions
    }


def test_every_zone_of_the_pinned_data_loads() -> None:
    assert len(zones.names()) > 500
    for name in zones.names():
        assert zones.load(name).key == name


@pytest.mark.parametrize("days", [30, 399, 401, 1_000])
def test_a_pause_of_any_length_ends(days: int) -> None:
    end = date(2026, 7, 1) + timedelta(days=days)
    paused = replace(NINE, weekdays=DAILY, paused_until=end)
    upcoming = next_check(paused, utc(2026, 7, 1))
    assert upcoming == run_on(end, NINE.at, BERLIN).at
    assert due(paused, upcoming) == run_on(end, NINE.at, BERLIN)


def test_however_many_dates_are_left_out_the_next_is_found() -> None:
    mondays = frozenset(date(2026, 7, 6) + timedelta(weeks=number) for number in range(70))
    upcoming = next_check(replace(NINE, weekdays=frozenset({0}), skips=mondays), utc(2026, 7, 1))
    assert upcoming == run_on(date(2026, 7, 6) + timedelta(weeks=70), NINE.at, BERLIN).at


def test_a_pause_to_the_end_of_all_dates_is_no_fault() -> None:
    assert next_check(replace(NINE, paused_until=date.max), utc(2026, 7, 1)) is None
