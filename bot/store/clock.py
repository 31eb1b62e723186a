"""Times as the store keeps them."""

from datetime import UTC, datetime


def to_ms(moment: datetime) -> int:
    """Milliseconds since 1970 UTC of an aware datetime."""
    return int(moment.timestamp() * 1000)


def from_ms(value: int) -> datetime:
    """The aware datetime, in UTC, of milliseconds since 1970."""
    return datetime.fromtimestamp(value / 1000, UTC)
