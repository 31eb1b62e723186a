"""Keeps secrets out of the log, also where a library puts them there: tokens, tickets, addresses one can post to."""

import logging
import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

GONE = "(redacted)"

_SECRETS = re.compile(
    r"xox[a-z](?:\.xox[a-z])?-[\w.-]+"
    r"|xapp-[\w.-]+"
    r"|wss?://[^\s'\"<>)]+"
    r"|https?://hooks\.slack(?:-gov)?\.com/[^\s'\"<>)]+"
    r"|(?<=ticket=)[\w.%-]+"
    r"|(?<=code=)[\w.%-]+"
    r"|(?<=state=)[\w.%-]+"
    r"|(?<=response_url['\"]: ['\"])[^'\"]+"
)

_TALKATIVE = ("aiohttp", "aiosqlite", "slack_bolt", "slack_sdk", "sqlalchemy")
"""Libraries whose lines below a warning hold what people type, or what must not be read."""


class Redaction(logging.Filter):
    """Takes secrets out of a record, its traceback included. Lets every record pass."""

    def __init__(self, secrets: Iterable[str]) -> None:
        super().__init__()
        known = sorted({secret for secret in secrets if len(secret) >= 8}, key=len, reverse=True)
        self._known = re.compile("|".join(re.escape(secret) for secret in known)) if known else None

    def clean(self, text: str) -> str:
        """The text with every secret replaced."""
        if self._known is not None:
            text = self._known.sub(GONE, text)
        return _SECRETS.sub(GONE, text)

    def filter(self, record: logging.LogRecord) -> bool:
        """Redact in place."""
        try:
            said = record.getMessage()
        except Exception:  # noqa: BLE001 - a library's line whose arguments do not fit is none that we must keep
            said = str(record.msg)
        cleaned = self.clean(said)
        if cleaned != said:
            record.msg, record.args = cleaned, None
        if record.exc_info and not record.exc_text:
            record.exc_text = self.clean(logging.Formatter().formatException(record.exc_info))
            record.exc_info = None
        return True


def library_logger(name: str, redaction: Redaction, level: int = logging.ERROR) -> logging.Logger:
    """A logger to hand to a library. It asks the logger's own level, so below that nothing is even put together."""
    logger = logging.getLogger(f"bot.adapters.slack.library.{name}")
    logger.setLevel(level)
    logger.filters[:] = [redaction]
    return logger


@contextmanager
def quiet(redaction: Redaction) -> Iterator[None]:
    """For as long as the adapter runs: every handler redacts, and talkative libraries only warn."""
    handlers = list(logging.getLogger().handlers)
    levels = {name: logging.getLogger(name).level for name in _TALKATIVE}
    for handler in handlers:
        handler.addFilter(redaction)
    for name in _TALKATIVE:
        logging.getLogger(name).setLevel(logging.WARNING)
    try:
        yield
    finally:
        for handler in handlers:
            handler.removeFilter(redaction)
        for name, level in levels.items():
            logging.getLogger(name).setLevel(level)
