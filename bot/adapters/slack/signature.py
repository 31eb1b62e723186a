"""Whether a request comes from Slack, and whether it is one: asked before anything else reads it."""

import hashlib
import hmac
import json
from urllib.parse import parse_qs

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
    return isinstance(json.loads(text), dict)


def _is_form(text: str) -> bool:
    form = parse_qs(text, keep_blank_values=True, max_num_fields=200)
    return _is_json(form["payload"][0]) if "payload" in form else "command" in form
