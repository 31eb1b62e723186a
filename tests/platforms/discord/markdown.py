"""What a person sees of Discord's Markdown, and what in it would act: read by the client's rules, one by one.

Written from the observed grammar of the client, and on purpose not from the escaper: text goes in, `Seen` comes out.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any


@dataclass(slots=True)
class Seen:
    """The visible characters, the targets of links, and everything else that is live."""

    text: str = ""
    links: list[str] = field(default_factory=list)
    live: list[str] = field(default_factory=list)
    styles: list[str] = field(default_factory=list)


_LINK = re.compile(
    r"\[((?:\[[^\]]*\]|[^\[\]]|\](?=[^\[]*\]))*)\]\(\s*<?((?:\([^)]*\)|[^\s\\]|\\.)*?)>?(?:\s+['\"]([\s\S]*?)['\"])?\s*\)"
)
_RULES: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("escape", re.compile(r"\\([^0-9A-Za-z\s])")),
    ("autolink", re.compile(r"<(https?://[^\s>]+)>")),
    ("mail", re.compile(r"<(?:mailto:|tel:|sms:)?(?:[^\s<>@]+@[^\s<>@]+\.[^\s<>@]+|\+?\d{5,})>")),
    ("url", re.compile(r"https?://[^\s<]+[^<.,:;\"')\]\s]")),
    ("invite", re.compile(r"(?:discord\.gg|discord(?:app)?\.com/(?:invite|channels|template))/[\w-]+", re.IGNORECASE)),
    ("link", _LINK),
    ("everyone", re.compile(r"@(?:everyone|here)")),
    ("mention", re.compile(r"<(?:@[!&]?|#)\d+>")),
    ("guide", re.compile(r"<id:(?:customize|browse|guide|linked-roles(?::\d+)?|home)>")),
    ("command", re.compile(r"</[^>:]+:\d+>")),
    ("time", re.compile(r"<t:-?\d{1,17}(?::[tTdDfFRsS])?>")),
    ("custom emoji", re.compile(r"<a?:\w+:\d+>")),
    ("emoji", re.compile(r":([^\s:]+?(?:::skin-tone-\d)?):")),
    ("block", re.compile(r"```(?:[a-z0-9_+\-.#]+?\n)?\n*([^\n][\s\S]*?)\n*```", re.IGNORECASE)),
    ("code", re.compile(r"(`+)([\s\S]*?[^`])\1(?!`)")),
    ("bold", re.compile(r"\*\*((?:\\[\s\S]|[^\\])+?)\*\*(?!\*)")),
    ("underline", re.compile(r"__((?:\\[\s\S]|[^\\])+?)__(?!_)")),
    (
        "italic",
        re.compile(
            r"\b_((?:__|\\[\s\S]|[^\\_])+?)_\b|\*(?=\S)((?:\*\*|\\[\s\S]|\s+(?:\\[\s\S]|[^\s*\\]|\*\*)|[^\s*\\])+?)\*(?!\*)"
        ),
    ),
    ("strike", re.compile(r"~~([\s\S]+?)~~(?!_)")),
    ("spoiler", re.compile(r"\|\|([\s\S]+?)\|\|")),
)
_STARTS: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("quote", re.compile(r"[ ]*>>>\s|[ ]*>\s")),
    ("small", re.compile(r"[ ]*-#\s+(?=\S)")),
    ("heading", re.compile(r"[ ]*#{1,3}\s+(?=\S)")),
    ("list", re.compile(r"[ ]*(?:[-*+]|\d{1,9}\.)\s+(?=\S)")),
)
_STYLED = {"bold", "underline", "italic", "strike", "spoiler"}
_LIVE = {
    "mail", "url", "invite", "everyone", "mention", "guide", "command", "time", "custom emoji", "emoji",
}  # fmt: skip


def read(source: str, *, lines: bool = True) -> Seen:
    """Read Markdown as the client does; `lines` is whether starts of lines count (not in titles)."""
    seen = Seen()
    _read(source, seen, lines=lines)
    return seen


def _read(source: str, seen: Seen, *, lines: bool) -> None:
    place, fresh = 0, True
    while place < len(source):
        if fresh and lines:
            for name, pattern in _STARTS:
                if found := pattern.match(source, place):
                    seen.styles.append(name)
                    seen.text += {"list": found[0].lstrip()}.get(name, "")
                    place = found.end()
                    break
        fresh = False
        step = _inline(source, place, seen) if place < len(source) else None
        if step is None:
            if place < len(source):
                seen.text += source[place]
                fresh = source[place] == "\n"
                place += 1
        else:
            place = step


_BEGINNINGS = frozenset("\\<[@:`*_~|hHdD")
"""What any rule begins with: other characters are only characters."""


def _inline(source: str, place: int, seen: Seen) -> int | None:
    if source[place] not in _BEGINNINGS:
        return None
    for name, pattern in _RULES:
        if (
            name == "italic"
            and source[place] == "_"
            and place
            and (source[place - 1].isalnum() or source[place - 1] == "_")
        ):
            continue
        found = pattern.match(source, place)
        if not found:
            continue
        if name == "escape":
            seen.text += found[1]
        elif name in {"code", "block"}:
            seen.styles.append("code")
            seen.text += found[2] if name == "code" else found[1]
        elif name == "autolink":
            seen.links.append(found[1])
            seen.text += found[1]
        elif name == "link":
            inner = read(found[1])
            if re.search(r"https?://", inner.text) or not re.match(r"https?://", found[2]):
                continue  # not drawn as a link
            seen.links.append(found[2])
            _merge(seen, inner)
        elif name in _STYLED:
            seen.styles.append(name)
            _merge(seen, read(next(part for part in found.groups() if part is not None)))
        else:
            assert name in _LIVE
            seen.live.append(f"{name}: {found[0]}")
            seen.text += found[0]
        return found.end()
    return None


def _merge(seen: Seen, inner: Seen) -> None:
    seen.text += inner.text
    seen.links += inner.links
    seen.live += inner.live
    seen.styles += inner.styles


def read_message(message: Mapping[str, Any]) -> Seen:
    """A whole message: content, then each embed's title, description and fields, in the order they are drawn."""
    seen = Seen()
    parts: list[Seen] = []
    if message.get("content"):
        parts.append(read(message["content"]))
    for embed in message.get("embeds") or []:
        if embed.get("title"):
            parts.append(read(embed["title"], lines=False))
        if embed.get("url"):
            parts.append(Seen(links=[embed["url"]]))
        if embed.get("description"):
            parts.append(read(embed["description"]))
        for entry in embed.get("fields") or []:
            parts += [read(entry["name"], lines=False), read(entry["value"])]
        if embed.get("footer"):
            parts.append(Seen(text=embed["footer"]["text"]))
    for part in parts:
        if seen.text and part.text:
            seen.text += "\n"
        _merge(seen, part)
    return seen


def labels(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """The labels of buttons."""
    return [element["label"] for row in rows for element in row["components"] if element["type"] == 2]
