"""Inline nodes as the runs of a `rich_text` block, and the small objects that blocks are made of.

Why `rich_text`: a run holds its characters as they are. Nothing in it is parsed, so no mention, link, emoji code or
star of a corpus or a user can act, and styles may begin and end inside a word, which mrkdwn cannot do. Escaped mrkdwn
would still leave `*`, `_`, `~`, backticks, `:codes:` and bare addresses alive.
"""

import re
from collections.abc import Iterable
from typing import assert_never

from bot.richtext import Code, Emphasis, Inline, LineBreak, Link, Mark, Math, Strong, Text, plain
from bot.text import clean, cut, label, size

Json = dict[str, object]

_URL = re.compile(r"https?://[^\s<>|\"\x00-\x1f\x7f]{1,2900}", re.ASCII)


def plain_text(text: str, limit: int, otherwise: str = "…") -> Json:
    """A text object in which nothing is parsed, of one line and at least one character."""
    return {"type": "plain_text", "text": label(text, limit, otherwise), "emoji": False}


def option(words: str, value: str) -> Json:
    """One choice of a menu; a value has at most 75 characters by the strictest of Slack's descriptions."""
    return {"text": plain_text(words, 75), "value": value}


def usable(url: str) -> bool:
    """Whether an address may be a link: http or https, without what no address has, short enough."""
    return _URL.fullmatch(url) is not None


def runs(nodes: Iterable[Inline]) -> list[Json]:
    """Inline nodes as runs; neighbours of one style are one run, empty ones are left out."""
    result: list[Json] = []
    for run in _runs(nodes, frozenset()):
        last = result[-1] if result else None
        if last and run["type"] == last["type"] == "text" and run.get("style") == last.get("style"):
            last["text"] = f"{last['text']}{run['text']}"
        else:
            result.append(run)
    return result


def _runs(nodes: Iterable[Inline], style: frozenset[str]) -> list[Json]:
    result: list[Json] = []
    for node in nodes:
        match node:
            case Text(value) | Math(value, _):
                result.extend(_text(value, style))
            case Code(value):
                result.extend(_text(value, style | {"code"}))
            case Strong(children) | Mark(children):
                result.extend(_runs(children, style | {"bold"}))
            case Emphasis(children):
                result.extend(_runs(children, style | {"italic"}))
            case Link(url, children):
                shown = " ".join(clean(plain(children)).split())
                if usable(url):
                    result.append(_styled({"type": "link", "url": url, "text": shown or url}, style))
                else:
                    result.extend(_text(shown or url, style))
            case LineBreak():
                result.extend(_text("\n", style))
            case _:
                assert_never(node)
    return result


def _text(value: str, style: frozenset[str]) -> list[Json]:
    kept = clean(value)
    return [_styled({"type": "text", "text": kept}, style)] if kept else []


def _styled(run: Json, style: frozenset[str]) -> Json:
    return {**run, "style": dict.fromkeys(sorted(style), True)} if style else run


def length(run_list: Iterable[Json]) -> int:
    """What the runs weigh: their characters, and those of addresses."""
    return sum(size(str(run.get("text", ""))) + size(str(run.get("url", ""))) for run in run_list)


def fitting(run_list: list[Json], limit: int) -> list[Json]:
    """The runs up to so many characters, the last one cut; nothing where not even a few fit."""
    result: list[Json] = []
    for run in run_list:
        weight = length([run])
        if weight <= limit:
            result.append(run)
            limit -= weight
            continue
        if run["type"] == "text" and limit > 1:
            result.append({**run, "text": cut(str(run["text"]), limit)})
        break
    return result


def is_blank(run_list: Iterable[Json]) -> bool:
    """Whether nothing of it can be seen."""
    return not any(str(run.get("text", "")).strip() for run in run_list)


def section(run_list: list[Json]) -> Json:
    """Runs as a line of a `rich_text` block."""
    return {"type": "rich_text_section", "elements": run_list}


def rich(*parts: Json) -> Json:
    """A `rich_text` block of lines, lists and quotes."""
    return {"type": "rich_text", "elements": list(parts)}
