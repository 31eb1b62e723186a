"""Whether a request comes from Slack, and whether it is one: asked before anything else reads it."""

import hashlib
import hmac
import json
from dataclasses import dataclass
from urllib.parse import parse_qs

from pydantic import TypeAdapter

LONGEST_AGE = 300
"""Seconds after which a signature is too old: Slack's own advice against a recorded request sent again."""


def is_signed(secret: str, timestamp: str, signature: str, body: bytes, now: float) -> bool:
    """Whether Slack signed these bytes within the last minutes (scheme v0). False for anything that is no signature."""
    if not (timestamp.isascii() and timestamp.isdigit() and len(timestamp) <= 12):
        return False
    if abs(now - int(timestamp)) > LONGEST_AGE:
        return False
    digest = hmac.new(secret.encode(), b"v0:" + timestamp.encode() + b":" + body, hashlib.sha256).hexdigest()
    # compared as bytes: as text, what is no ASCII would raise
    return hmac.compare_digest(f"v0={digest}".encode(), signature.encode("utf-8", "surrogateescape"))


@dataclass(frozen=True, slots=True)
class _Typed:
    type: str
    action_id: str = ""
    block_id: str | None = None


@dataclass(frozen=True, slots=True)
class _Shape:
    """The types of what the library reads before any handler does: without them it would end in a 500."""

    type: str = ""
    team_id: str | None = None
    enterprise_id: str | None = None
    callback_id: str | None = None
    action_id: str | None = None
    event: _Typed | None = None
    actions: tuple[_Typed, ...] | None = None
    authorizations: tuple[dict[str, object], ...] | None = None
    team: dict[str, object] | None = None
    enterprise: dict[str, object] | None = None
    user: dict[str, object] | None = None
    channel: dict[str, object] | None = None
    container: dict[str, object] | None = None
    message: dict[str, object] | None = None
    view: dict[str, object] | None = None
    response_urls: tuple[dict[str, object], ...] | None = None


_SHAPE = TypeAdapter(_Shape)


def text_of(body: bytes, content_type: str) -> str | None:
    """The body as text where it is a request that Slack makes: a JSON object, or a form with a command or payload.

    None for everything else.
    """
    try:
        text = body.decode("utf-8")
        known = _is_json(text) if content_type == "application/json" or text.startswith("{") else _is_form(text)
    except (ValueError, RecursionError):
        return None
    return text if known else None


def _is_json(text: str) -> bool:
    value = json.loads(text)
    _SHAPE.validate_python(value, strict=False)  # its error is a ValueError
    return isinstance(value, dict)


def _is_form(text: str) -> bool:
    form = parse_qs(text, keep_blank_values=True, max_num_fields=200)
    return _is_json(form["payload"][0]) if "payload" in form else "command" in form
