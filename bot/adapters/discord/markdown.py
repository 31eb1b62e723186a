"""Inline nodes as runs of one style each, and runs as Discord's Markdown, in full or cut to a length."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import assert_never
from urllib.parse import quote, urlsplit

from bot.richtext import Code, Emphasis, Inline, LineBreak, Link, Mark, Math, Strong, Text
from bot.text import ELLIPSIS, one_line, place_to_cut, size

MOST = 20_000
"""Characters that are looked at: several messages' worth, and a bound on the time that any expression takes."""

MOST_URL = 1_000
"""Longer addresses would use up a message; Discord takes 2,048 in an embed."""

_ALWAYS = re.compile(r"[\\*_~`|<>\[\]@]|:(?!\s)")
_LINE_START = re.compile(r"([ ]{0,20})(?:([#+-])(?=[ #]|$)|(\d{1,20})([.)])(?= |$))")
_INVITE = re.compile(r"\b(discord(?:app)?)\.(?=(?:gg|com|new|gift|me)\b)", re.IGNORECASE)
_HOST = re.compile(r"[a-z0-9](?:[a-z0-9.-]{0,250}[a-z0-9])?(?::\d{1,5})?", re.IGNORECASE | re.ASCII)
_SAFE_IN_URL = "%/:?#@!$&+,;=-._~"
"""What RFC 3986 lets stand, without the brackets, stars and quotes that would end a link or begin a style."""


def escaped(text: str) -> str:
    """The text as Markdown that shows exactly its characters (those of `one_line`), wherever in a line it stands."""
    kept = one_line(text[:MOST])
    kept = _INVITE.sub(r"\1" + "\0.", _ALWAYS.sub(lambda found: "\\" + found[0], kept)).replace("\0", "\\")
    start = _LINE_START.match(kept)
    if start is None:
        return kept
    place = start.start(2) if start[2] else start.start(4)
    return f"{kept[:place]}\\{kept[place:]}"


def as_code(text: str) -> str:
    """Monospaced, if a code span can hold it: no escape works inside one, so what has a backtick is plain text."""
    kept = one_line(text[:MOST])
    if not kept.strip():
        return kept
    return escaped(kept) if "`" in kept else f"`{kept}`"


def label_brackets(text: str) -> str:
    """A link's label with brackets that cannot end it: pairs stay, others become their wide look-alikes.

    Discord finds the end of a label by counting brackets, whether a backslash stands before them or not.
    """
    depth = 0
    for char in text:
        depth += (char == "[") - (char == "]")
        if depth not in {0, 1}:
            break
    return text.replace("[", "［").replace("]", "］") if depth else text


def usable(url: str) -> str | None:
    """The address as it may stand in a link, or None where it is none of http or https, or too long.

    Characters that could end the link or begin a style are written as percent codes.
    """
    if len(url) > MOST_URL:
        return None
    try:
        parts = urlsplit(url.strip())
        host = parts.netloc.encode("idna").decode("ascii") if not parts.netloc.isascii() else parts.netloc
    except ValueError:  # a bracket in the host, or a host that no domain can be (UnicodeError is one too)
        return None
    if parts.scheme not in {"http", "https"} or not _HOST.fullmatch(host):
        return None
    rest = url.strip()[len(parts.scheme) + 3 + len(parts.netloc) :]
    made = f"{parts.scheme}://{host}{quote(one_line(rest), safe=_SAFE_IN_URL)}"
    return made if len(made) <= MOST_URL else None


_APART = "\u2060"
"""Between a style that ends and one that begins: `**a***b*` would be read otherwise than it was meant."""


@dataclass(frozen=True, slots=True)
class StyledRun:
    """Characters of one style; `url` where they are (part of) a link."""

    text: str
    bold: bool = False
    italic: bool = False
    code: bool = False
    url: str | None = None


def runs(nodes: Iterable[Inline]) -> tuple[StyledRun, ...]:
    """Inline nodes as runs; neighbours of one style are one run, empty ones are left out."""
    merged: list[StyledRun] = []
    for run in _runs(nodes, StyledRun("")):
        if merged and replace(merged[-1], text="") == replace(run, text=""):
            merged[-1] = replace(run, text=merged[-1].text + run.text)
        elif run.text:
            merged.append(run)
    return tuple(merged)


def _runs(nodes: Iterable[Inline], style: StyledRun) -> Iterable[StyledRun]:
    for node in nodes:
        match node:
            case Text(value) | Math(value, _):
                yield replace(style, text=one_line(value))
            case Code(value):
                yield replace(style, text=one_line(value), code=True)
            case Strong(children) | Mark(children):
                yield from _runs(children, replace(style, bold=True))
            case Emphasis(children):
                yield from _runs(children, replace(style, italic=True))
            case Link(url, children):
                yield from _runs(children, replace(style, url=usable(url)))
            case LineBreak():
                yield replace(style, text="\n", code=False)
            case _:
                assert_never(node)


def plain_runs(parts: Iterable[StyledRun]) -> str:
    """The characters of runs, without styles."""
    return "".join(run.text for run in parts)


def markdown(parts: Sequence[StyledRun]) -> str:
    """The runs as Markdown: bold around italic around links around code."""
    return _joined(_bold(flag, list(group)) for flag, group in groupby(parts, key=lambda run: run.bold))


def _joined(pieces: Iterable[str]) -> str:
    result = ""
    for piece in pieces:
        if result[-1:] in {"*", "`"} and piece[:1] == result[-1:]:
            result += _APART
        result += piece
    return result


def _bold(flag: bool, parts: list[StyledRun]) -> str:
    inner = _joined(_italic(flag, list(group)) for flag, group in groupby(parts, key=lambda run: run.italic))
    return _marked(inner, "**") if flag else inner


def _italic(flag: bool, parts: list[StyledRun]) -> str:
    inner = _joined(_linked(url, list(group)) for url, group in groupby(parts, key=lambda run: run.url))
    return _marked(inner, "*") if flag else inner


def _marked(inner: str, mark: str) -> str:
    """A style begins and ends at something visible, or Discord shows its marks."""
    core = inner.strip()
    if not core:
        return inner
    start = inner.index(core[0])
    return f"{inner[:start]}{mark}{core}{mark}{inner[start + len(core) :]}"


def _linked(url: str | None, parts: list[StyledRun]) -> str:
    if url is None:
        return _joined(_one(run) for run in parts)
    words = plain_runs(parts)
    if not words.strip() or usable(words) == url:
        return f"<{url}>"
    if "://" in words:  # Discord draws no link whose label looks like an address
        return _joined([*(_one(run) for run in parts), f" (<{url}>)"])
    # a label is one line, and its brackets must not end it
    inside = [replace(run, text=text) for run, text in zip(parts, _labels(parts), strict=True)]
    return f"[{_joined(_one(run) for run in inside).strip()}]({url})"


def _labels(parts: Sequence[StyledRun]) -> list[str]:
    whole = label_brackets(plain_runs(parts).replace("\n", " "))
    result, place = [], 0
    for run in parts:
        result.append(whole[place : place + len(run.text)])
        place += len(run.text)
    return result


def _one(run: StyledRun) -> str:
    """One run's characters; each line of it is safe at the start of a line.

    Discord finds the end of a style before it looks for code, so a star in code would end the style around it.
    """
    ends_style = (run.bold or run.italic) and any(char in run.text for char in "*\\")
    write = as_code if run.code and not ends_style else escaped
    return "\n".join(write(line) for line in run.text.split("\n"))


def fitting(parts: Sequence[StyledRun], limit: int) -> tuple[str, bool]:
    """Markdown of at most `limit` UTF-16 units, and whether it is all: cut as a reader would, styles closed."""
    whole = markdown(parts)
    if size(whole) <= limit:
        return whole, True
    low, high = 0, len(plain_runs(parts))
    while low < high:  # the most characters whose Markdown fits
        middle = (low + high + 1) // 2
        if size(markdown(_first(parts, middle))) + size(ELLIPSIS) <= limit:
            low = middle
        else:
            high = middle - 1
    end = place_to_cut(plain_runs(parts), low)
    short = markdown(_first(parts, end)).rstrip()
    return (f"{short}{ELLIPSIS}" if size(short) + size(ELLIPSIS) <= limit else ""), False


def _first(parts: Iterable[StyledRun], characters: int) -> list[StyledRun]:
    result: list[StyledRun] = []
    for run in parts:
        if characters <= 0:
            break
        result.append(replace(run, text=run.text[:characters]))
        characters -= len(run.text)
    return result
