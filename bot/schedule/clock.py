"""What time it is, and how long something lasts, as values that are handed on: tests and doubles have their own."""

from collections.abc import Callable
from datetime import UTC, datetime

Clock = Callable[[], datetime]
"""Says what date and hour it is. Somebody may set it back or forward at any moment: no duration is measured by it."""

Steady = Callable[[], float]
"""Seconds that only pass, from any beginning: what durations are measured by."""


def system_clock() -> datetime:
    """Now, in UTC."""
    return datetime.now(UTC)
