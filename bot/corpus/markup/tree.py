"""The marked text to nodes: one pass that builds the tree, folds white space and merges neighbours."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING

from bot.corpus.markup import chars
from bot.corpus.markup.addresses import is_web
from bot.richtext import Code, Emphasis, Inline, Inlines, Link, Math, Strong, Text, plain

if TYPE_CHECKING:
    from markdown_it import MarkdownIt

# Markdown's emphasis and links, through markdown-it, in a text whose stars and underscores are all that is left.


@dataclass(frozen=True, slots=True)
class MarkupEvent:
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


def events(text: str) -> Iterator[MarkupEvent]:
    """The marked text with its emphasis and links found."""
    if not _MARKS.search(text):
        yield MarkupEvent("text", text)
        return
    text = _clear_stars(text) if "**" in text else text
    links = "](" in text and text.count("[") < _MAX_LINKS
    for token in _markdown(links).parseInline(text)[0].children or []:
        match token.type:
            case "strong_open" | "em_open":
                yield MarkupEvent("open", token.type.removesuffix("_open"))
            case "strong_close" | "em_close" | "link_close":
                yield MarkupEvent("close", token.type.removesuffix("_close"))
            case "link_open":
                yield MarkupEvent("link", str(token.attrs.get("href", "")))
            case _:
                yield MarkupEvent("text", token.content)


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


Slot = Math | Code | Link | str
"""What a slot stands for: a finished node, or the address of a link that opens there."""

_PIECES = re.compile(
    f"([{chars.STRONG_OPEN}-{chars.MONO_CLOSE}{chars.SLOTS}])",
)
_EVENTS = {
    chars.STRONG_OPEN: MarkupEvent("open", "strong"),
    chars.STRONG_CLOSE: MarkupEvent("close", "strong"),
    chars.EM_OPEN: MarkupEvent("open", "em"),
    chars.EM_CLOSE: MarkupEvent("close", "em"),
    chars.MONO_OPEN: MarkupEvent("open", "code"),
    chars.MONO_CLOSE: MarkupEvent("close", "code"),
    chars.LINK_CLOSE: MarkupEvent("close", "link"),
}


def build(text: str, slots: list[Slot]) -> Inlines:
    """The nodes of a marked text whose slots stand for the given formulas, code spans and links."""
    builder = _Builder()
    for event in _split(events(text)):
        match event.kind:
            case "text":
                builder.add_text(chars.unprotected(event.value))
            case "open":
                builder.open(event.value)
            case "close":
                builder.close(event.value)
            case "link":
                builder.open("link", _address(event.value, slots))
            case _:
                slot = slots[ord(event.value) - chars.FIRST_SLOT]
                if isinstance(slot, str):
                    builder.open("link", slot if is_web(slot) else "")
                else:
                    builder.add(slot)
    return builder.finish()


def _split(found: Iterator[MarkupEvent]) -> Iterator[MarkupEvent]:
    """Text events split at markers and slots."""
    for event in found:
        if event.kind != "text":
            yield event
            continue
        for piece in _PIECES.split(event.value):
            if marker := _EVENTS.get(piece):
                yield marker
            elif piece and ord(piece[0]) >= chars.FIRST_SLOT:
                yield MarkupEvent("slot", piece)
            elif piece:
                yield MarkupEvent("text", piece)


def _address(value: str, slots: list[Slot]) -> str:
    """The address of a Markdown link, which the scan has made a slot where it is a web address."""
    if value and ord(value[0]) >= chars.FIRST_SLOT:
        slot = slots[ord(value[0]) - chars.FIRST_SLOT]
        return slot.url if isinstance(slot, Link) else ""
    return value if is_web(value) else ""


@dataclass(slots=True)
class _Level:
    """An open element: its kind, its address, its nodes so far, and the characters not yet a node."""

    kind: str
    url: str = ""
    nodes: list[Inline] = field(default_factory=list)
    characters: list[str] = field(default_factory=list)

    @property
    def empty(self) -> bool:
        return not self.nodes and not self.characters

    def flush(self) -> None:
        if self.characters:
            self.nodes.append(Text("".join(self.characters)))
            self.characters.clear()


class _Builder:
    """Collects nodes under open elements; an element inside another of its kind adds nothing."""

    def __init__(self) -> None:
        self.levels = [_Level("")]
        self.depth: dict[str, int] = {}
        self.space = False
        self.started = False

    def add_text(self, text: str) -> None:
        """Append characters; white space waits until something follows it."""
        words = text.split()
        if not words:
            self.space = self.space or bool(text)
            return
        self.space = self.space or text[0].isspace()
        self._gap()
        self.levels[-1].characters.append(" ".join(words))
        self.space = text[-1].isspace()

    def add(self, node: Math | Code | Link) -> None:
        """Append a node; a link inside a link is its words."""
        if isinstance(node, Link) and self.depth.get("link"):
            self.add_text(plain(node.children))
            return
        self._gap()
        self.levels[-1].flush()
        self.levels[-1].nodes.append(node)

    def _gap(self) -> None:
        """Write the space that waits, before the elements that have nothing in them yet."""
        if self.space and self.started:
            at = len(self.levels) - 1
            while at and self.levels[at].empty:
                at -= 1
            self.levels[at].characters.append(" ")
        self.space, self.started = False, True

    def open(self, kind: str, url: str = "") -> None:
        """Open an element."""
        self.depth[kind] = self.depth.get(kind, 0) + 1
        if self.depth[kind] > 1:
            return
        self.levels.append(_Level(kind, url))

    def close(self, kind: str) -> None:
        """Close the element of that kind; what was opened inside it goes on behind it."""
        depth = self.depth.get(kind, 0)
        self.depth[kind] = max(0, depth - 1)
        if depth != 1:
            return
        at = next(index for index, level in enumerate(self.levels) if level.kind == kind)
        inner = [(level.kind, level.url) for level in self.levels[at + 1 :]]
        while len(self.levels) > at:
            self._fold()
        self.levels.extend(_Level(name, url) for name, url in inner)

    def _fold(self) -> None:
        level = self.levels.pop()
        level.flush()
        if not level.nodes:
            return
        children, parent = tuple(level.nodes), self.levels[-1]
        if level.kind in ("strong", "em", "code") or level.url:
            parent.flush()
        match level.kind:
            case "strong":
                parent.nodes.append(Strong(children))
            case "em":
                parent.nodes.append(Emphasis(children))
            case "code":
                parent.nodes.append(Code(plain(children)))
            case _ if level.url:
                parent.nodes.append(Link(level.url, children))
            case _:
                for child in children:
                    if isinstance(child, Text):
                        parent.characters.append(child.text)
                    else:
                        parent.flush()
                        parent.nodes.append(child)

    def finish(self) -> Inlines:
        """Everything, with open elements closed."""
        while len(self.levels) > 1:
            self._fold()
        self.levels[0].flush()
        return tuple(self.levels[0].nodes)
