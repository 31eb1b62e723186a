"""The one place where tests ask for the time: a date that is fixed, and clocks that pass only when a test says so.

`PAPERBOY_TEST_DATE` (`make test DATE=2026-12-08`) starts every world on another date. tests/test_house.py holds that
nothing else under tests/ reads the wall clock.
"""

import os
from datetime import UTC, date, datetime, time, timedelta
from types import SimpleNamespace

import pytest
from slack_bolt.listener import asyncio_runner as slack_listener
from slack_sdk.oauth.installation_store.models import bot as slack_bot_model
from slack_sdk.oauth.installation_store.models import installation as slack_installation_model
from slack_sdk.oauth.token_rotation import async_rotator as slack_rotator

DATE = date.fromisoformat(os.environ.get("PAPERBOY_TEST_DATE") or "2026-07-01")
START = datetime.combine(DATE, time(10), UTC)
"""When a world begins: past nine in the zones where tests post at nine, and before midnight in all of them."""


class WorldClock:
    """A clock for doubles, workers and services that begins at `START`."""

    def __init__(self) -> None:
        self.moment = START

    def __call__(self) -> datetime:
        return self.moment

    @property
    def seconds(self) -> float:
        """The same as seconds since 1970."""
        return self.moment.timestamp()

    def advance(self, seconds: float) -> None:
        """Let time pass at once."""
        self.moment += timedelta(seconds=seconds)


class ProcessClock(WorldClock):
    """The clock of a bot that runs as a process of its own, whose signatures are judged by the machine's time."""

    @property
    def moment(self) -> datetime:
        return datetime.now(UTC)

    @moment.setter
    def moment(self, _: datetime) -> None:
        """It cannot be set."""


class _Stopped(datetime):
    """What reads the wall clock inside a test reads when the world began."""

    @classmethod
    def now(cls, tz: object = None) -> datetime:  # type: ignore[override]  # a datetime as any other
        return START if tz is not None else START.replace(tzinfo=None)


def _stopped_time() -> float:
    return START.timestamp()


def stop_wall_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    """Stop `system_clock`, which stands wherever no clock is given, and what Slack's libraries read by themselves.

    slack_bolt waits 3 s for an acknowledgement and then asks the next listener, which acknowledges instead. With its
    time stopped, a handler that does not acknowledge leaves a request without an answer, and a busy machine changes
    nothing.
    """
    monkeypatch.setattr("bot.schedule.clock.datetime", _Stopped)
    for module in (slack_rotator, slack_bot_model, slack_installation_model):
        monkeypatch.setattr(module, "time", _stopped_time)
    monkeypatch.setattr(slack_installation_model, "datetime", _Stopped)
    monkeypatch.setattr(slack_listener, "time", SimpleNamespace(time=_stopped_time))
