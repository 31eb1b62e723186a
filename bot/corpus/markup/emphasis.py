"""Markdown's emphasis and links, through markdown-it, in a text whose stars and underscores are all that is left."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from bot.corpus.markup import chars

if TYPE_CHECKING:
    from markdown_it import MarkdownIt


@dataclass(frozen=True, slots=True)
class Event:
    """One step through a marked text.

    `kind` is "text" (the value is characters), "open" and "close" (what: "strong", "em", "code", "link"), "link" (the
    address of a link that opens) or "slot" (its character).
    """

    kind: str
    value: str


_MARKS = re.compile(r"[*_]|\]\(")
_STARS = re.compile(r"\*\*+")
_ENDS = frozenset(")]}.,;:!?%\"'”’*")
"""Behind these `**` closes rather than opens."""
_LONE_CLOSER = re.compile(r"([^*]{1,150}[^\s*])\*(?![\w*])")
_DESTINATION = re.compile(r"[a-zA-Z][a-zA-Z0-9+.-]*:|[./#]|www\.")
_WORD = re.compile(rf"[^\W_]|[{chars.ALL}{chars.SLOTS}]")
"""A character of a word, as Markdown sees it."""
_MAX_LINKS = 2_000
"""Brackets beyond which a text is no abstract and links are not looked for; each costs a scan of its label."""


def events(text: str) -> Iterator[Event]:
    """The marked text with its emphasis and links found."""
    if not _MARKS.search(text):
        yield Event("text", text)
        return
    text = _clear_stars(text) if "**" in text else text
    links = "](" in text and text.count("[") < _MAX_LINKS
    for token in _markdown(links).parseInline(text)[0].children or []:
        match token.type:
            case "strong_open" | "em_open":
                yield Event("open", token.type.removesuffix("_open"))
            case "strong_close" | "em_close" | "link_close":
                yield Event("close", token.type.removesuffix("_close"))
            case "link_open":
                yield Event("link", str(token.attrs.get("href", "")))
            case _:
                yield Event("text", token.content)


@cache
def _markdown(links: bool) -> "MarkdownIt":
    from markdown_it import MarkdownIt  # noqa: PLC0415 - needed only by texts with stars or underscores

    parser = MarkdownIt("zero").enable(["emphasis", "link"] if links else ["emphasis"])
    parser.validateLink = _is_destination  # type: ignore[method-assign]
    parser.normalizeLink = str  # type: ignore[method-assign, assignment]
    return parser


def _is_destination(url: str) -> bool:
    """Whether what stands in Markdown's round brackets is an address at all (`f[x](y)` is no link)."""
    return bool(url) and (ord(url[0]) >= chars.FIRST_SLOT or _DESTINATION.match(url) is not None)


def _clear_stars(text: str) -> str:
    """The text with its `**` made clear to Markdown.

    A joiner lets `**` beside punctuation open or close (`**Foo:**bar`, `**한국(KO)**은`); one that opens and is never
    closed is left out, or closed by the single star that the author typed for two.
    """
    parts: list[str] = []
    last = 0
    opened: int | None = None  # the index in `parts` of the pair that waits for its end
    for run in _STARS.finditer(text):
        start, end = run.span()
        before, after = text[start - 1 : start], text[end : end + 1]
        if len(run[0]) > 3:
            continue
        into = bool(after) and not after.isspace()
        wordy, word_follows = _WORD.match(before) is not None, _WORD.match(after) is not None
        opens = into and (not before or not (wordy or before in _ENDS))
        if opened is not None and not opens and before and not before.isspace():
            joiner = chars.JOINER if word_follows and not wordy else ""
            parts += [text[last:start] + joiner, run[0]]
            opened = None
        elif opens or (opened is None and into and wordy):
            if opened is not None:
                _mend(parts, opened)
            joiner = chars.JOINER if wordy and not word_follows else ""
            parts += [text[last:start], run[0] + joiner]
            opened = len(parts) - 1
        else:
            parts += [text[last:start], run[0]]
        last = end
    parts.append(text[last:])
    if opened is not None:
        _mend(parts, opened)
    return "".join(parts)


def _mend(parts: list[str], opened: int) -> None:
    """Take away a `**` that nothing closes; a star behind it that closes nothing else is its end."""
    following = parts[opened + 1] if opened + 1 < len(parts) else ""
    closing = _LONE_CLOSER.match(following)
    if closing is None:
        parts[opened] = ""
    else:
        parts[opened] = chars.STRONG_OPEN
        parts[opened + 1] = closing[1] + chars.STRONG_CLOSE + following[closing.end() :]
