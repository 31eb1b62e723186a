"""The log: plain lines for people, or JSON Lines for programs, each with the channel that it is about."""

import logging
from datetime import UTC, datetime
from types import TracebackType
from typing import Literal

from pythonjsonlogger.json import JsonFormatter

from bot.message import concerned
from bot.text import clean, json_line, one_line

Form = Literal["text", "json"]

TALKATIVE = ("aiosqlite", "asyncpg", "sqlalchemy")
"""Libraries whose lines below a warning hold whole statements with their values: queries, names, encrypted tokens."""

_ExcInfo = tuple[type[BaseException], BaseException, TracebackType | None] | tuple[None, None, None]

_STARTING = logging.getLogger("bot.start")


class _Placed(logging.Filter):
    """Notes at the moment of logging which channel a line is about."""

    def filter(self, record: logging.LogRecord) -> bool:
        place = concerned()
        if place is not None:
            record.platform, record.workspace, record.channel = place.platform, place.workspace, place.channel
        return True


class _Json(JsonFormatter):
    """One object a line, its time in UTC with milliseconds."""

    def formatTime(self, record: logging.LogRecord, datefmt: str | None = None) -> str:  # noqa: ARG002, N802 - its base's
        """The time of a record, as RFC 3339 writes it."""
        return datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds")

    def format(self, record: logging.LogRecord) -> str:
        """The line."""
        return json_line(super().format(record))


class _Lines(logging.Formatter):
    """A line for a record, and below it, indented, its traceback: nothing that is logged can look like a line of ours.

    Names of files, venues and errors come from elsewhere: their line breaks and escapes act on nothing.
    """

    def formatMessage(self, record: logging.LogRecord) -> str:  # noqa: N802 - its base's
        """The line."""
        return one_line(super().formatMessage(record))

    def formatException(self, ei: _ExcInfo) -> str:  # noqa: N802 - its base's
        """The traceback."""
        return _indented(super().formatException(ei))

    def formatStack(self, stack_info: str) -> str:  # noqa: N802 - its base's
        """The stack, where one is asked for."""
        return _indented(super().formatStack(stack_info))


def _indented(text: str) -> str:
    return "\n".join(f"    {line}" for line in clean(text).split("\n"))


def formatter(form: Form) -> logging.Formatter:
    """What writes a record in this form.

    JSON lines have `time`, `level`, `logger`, `message`, and where known `platform`, `workspace`, `channel`, `command`,
    `reference` and `exc_info`.
    """
    match form:
        case "json":
            return _Json(
                "{asctime}{levelname}{name}{message}",
                style="{",
                rename_fields={"asctime": "time", "levelname": "level", "name": "logger"},
                json_ensure_ascii=False,
            )
        case "text":
            return _Lines("%(asctime)s %(levelname)s %(name)s: %(message)s")


def handler(form: Form, target: logging.Handler) -> logging.Handler:
    """The same handler, writing in this form and with the channel that a line is about."""
    target.setFormatter(formatter(form))
    target.addFilter(_Placed())
    return target


def announce(words: str, *values: object) -> None:
    """Log what a good start says: in a few lines, also where only warnings are logged."""
    _STARTING.info(words, *values)


def set_up(level: str, form: Form) -> None:
    """Log to standard error from now on; once in a process."""
    logging.basicConfig(level=level.upper(), handlers=[handler(form, logging.StreamHandler())])
    if level == "warning":
        _STARTING.setLevel(logging.INFO)
    for name in TALKATIVE:
        logging.getLogger(name).setLevel(logging.WARNING)
