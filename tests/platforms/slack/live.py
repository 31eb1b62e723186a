"""What in a message would act: a mention, a link, an emoji or styling that its text brought along."""

import re
from collections.abc import Iterator
from typing import Any

_CODE = re.compile(r":[a-z0-9_+'-]+:")
_STYLES = (
    re.compile(r"(?<![\w*])\*(?=\S)[^*\n]*\S\*(?![\w*])"),
    re.compile(r"(?<![\w_])_(?=\S)[^_\n]*\S_(?![\w_])"),
    re.compile(r"(?<![\w~])~(?=\S)[^~\n]*\S~(?![\w~])"),
    re.compile(r"`[^`\n]+`"),
    re.compile(r"^(?:>|&gt;)", re.MULTILINE),
)
_ADDRESS = re.compile(r"\b(?:https?|mailto|tel|slack):", re.IGNORECASE)
_ENTITY = re.compile(r"&(?!amp;|lt;|gt;)")
_SHARED = re.compile(r"\AShared by <@[UW][A-Z0-9]+>(?:\n|\Z)")
"""The one mention that we make ourselves."""

_TURNING = re.compile("[\u202a-\u202e\u2066-\u2069\u200e\u200f\u061c\u200b\u2060\ufeff]")
"""Changes of direction and hidden characters: they would act on what stands beside them."""

Json = dict[str, Any]


def live(message: Json) -> list[str]:
    """What would act in a message or view as it is sent; `text` is judged with the switches that go with it."""
    found = list(_blocks(message.get("blocks", [])))
    text = message.get("text")
    if isinstance(text, str):
        found.extend(_fallback(text, message))
    return found


def _blocks(value: object) -> Iterator[str]:
    if isinstance(value, list):
        for entry in value:
            yield from _blocks(entry)
        return
    if not isinstance(value, dict):
        return
    match value.get("type"):
        case "mrkdwn":
            yield from _mrkdwn(str(value.get("text", "")), bool(value.get("verbatim")))
        case "markdown":
            yield "a markdown block parses its text"
        case "plain_text":
            if value.get("emoji", True) and _CODE.search(str(value.get("text", ""))):
                yield f"emoji in {value['text'][:60]!r}"
        case "user" | "channel" | "usergroup" | "broadcast" | "emoji" | "date" | "team" | "color" as kind:
            yield f"a run of type {kind}"
        case "link":
            if not re.match(r"https?://", str(value.get("url", ""))):
                yield f"a link to {str(value.get('url'))[:40]!r}"
        case _:
            pass  # holds others, which are looked at below
    for name, entry in value.items():
        if isinstance(entry, str):
            if name in {"text", "alt_text"} and _TURNING.search(entry):
                yield f"hidden or turning characters in {entry[:60]!r}"
        else:
            yield from _blocks(entry)


def _mrkdwn(text: str, verbatim: bool) -> Iterator[str]:
    rest = _SHARED.sub("", text)
    if re.search(r"<[^>]*>?", rest) or ">" in rest:
        yield f"a code in {rest[:60]!r}"
    if _ENTITY.search(rest):
        yield f"a bare & in {rest[:60]!r}"
    if _CODE.search(rest):
        yield f"emoji in {rest[:60]!r}"
    if not verbatim and _ADDRESS.search(rest):
        yield f"an address in {rest[:60]!r}"
    yield from (f"styling in {rest[:60]!r}" for style in _STYLES if style.search(rest))


def _fallback(text: str, message: Json) -> Iterator[str]:
    rest = _SHARED.sub("", text)
    if "<" in rest or ">" in rest:
        yield f"a code in text {rest[:60]!r}"
    if _ENTITY.search(rest):
        yield f"a bare & in text {rest[:60]!r}"
    if _CODE.search(rest):
        yield f"emoji in text {rest[:60]!r}"
    if message.get("mrkdwn", True) and any(style.search(rest) for style in _STYLES):
        yield f"styling in text {rest[:60]!r}"
    if message.get("parse") != "none" and _ADDRESS.search(rest):
        yield f"an address in text {rest[:60]!r}"
    if message.get("link_names"):
        yield "names become mentions"
    if message.get("unfurl_links", True) or message.get("unfurl_media", True):
        yield "links unfurl"
