"""Markers and slots to nodes: Markdown's emphasis through markdown-it, then one pass that builds the tree."""

import re
from collections.abc import Iterator
from functools import cache
from typing import TYPE_CHECKING

from bot.corpus.markup import chars
from bot.richtext import Code, Emphasis, Inline, Inlines, Link, Math, Strong, Text

if TYPE_CHECKING:
    from markdown_it import MarkdownIt

Slot = Math | Code | Link | str
"""What a slot stands for: a finished node, or the address of a link that opens there."""

_MARKDOWN = re.compile(r"[*_]|\]\(")
_STARS = re.compile(r"\*\*+")
_PIECES = re.compile(
    f"([{chars.STRONG_OPEN}-{chars.LINK_CLOSE}{chr(chars.FIRST_SLOT)}-{chr(chars.LAST_SLOT)}])",
)
_ENDS = frozenset(")]}.,;:!?%\"'”’*")
"""Behind these `**` closes rather than opens."""
_LONE_CLOSER = re.compile(r"([^*]{1,150}[^\s*])\*(?![\w*])")
_OPENERS = {chars.STRONG_OPEN: "strong", chars.EM_OPEN: "em"}
_CLOSERS = {chars.STRONG_CLOSE: "strong", chars.EM_CLOSE: "em", chars.LINK_CLOSE: "link"}


@cache
def _markdown() -> "MarkdownIt":
    from markdown_it import MarkdownIt  # noqa: PLC0415 - needed only by texts with stars or underscores

    parser = MarkdownIt("zero").enable(["emphasis", "link"])
    parser.validateLink = _is_address  # type: ignore[method-assign]
    parser.normalizeLink = str  # type: ignore[method-assign, assignment]
    return parser


def _is_address(url: str) -> bool:
    return bool(url) and (
        ord(url[0]) >= chars.FIRST_SLOT or bool(re.match(r"[a-zA-Z][a-zA-Z0-9+.-]*:|[./#]|www\.", url))
    )


def _help_stars(text: str) -> str:
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
        opens = bool(after) and not after.isspace() and (not before or not (before.isalnum() or before in _ENDS))
        if opened is not None and not opens and before and not before.isspace():
            joiner = chars.JOINER if after.isalnum() and not before.isalnum() else ""
            parts += [text[last:start] + joiner, run[0]]
            opened = None
        elif opens or (opened is None and before.isalnum() and after and not after.isspace()):
            if opened is not None:
                _mend(parts, opened)
            joiner = chars.JOINER if before.isalnum() and not after.isalnum() else ""
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


def _events(text: str) -> Iterator[tuple[str, str]]:
    """Pieces of the marked text in order: ("text", characters), ("open", what), ("close", what), ("slot", character)."""
    if not _MARKDOWN.search(text):
        yield from _split(text)
        return
    for token in _markdown().parseInline(_help_stars(text))[0].children or []:
        match token.type:
            case "strong_open" | "em_open":
                yield "open", token.type.removesuffix("_open")
            case "strong_close" | "em_close" | "link_close":
                yield "close", token.type.removesuffix("_close")
            case "link_open":
                yield "link", str(token.attrs.get("href", ""))
            case _:
                yield from _split(token.content)


def _split(text: str) -> Iterator[tuple[str, str]]:
    for piece in _PIECES.split(text):
        if not piece:
            continue
        if piece in _OPENERS:
            yield "open", _OPENERS[piece]
        elif piece in _CLOSERS:
            yield "close", _CLOSERS[piece]
        elif ord(piece[0]) >= chars.FIRST_SLOT:
            yield "slot", piece
        else:
            yield "text", piece


class _Builder:
    """Collects nodes under open elements; folds white space and moves it out of the ends of elements."""

    def __init__(self) -> None:
        self.levels: list[tuple[str, str, list[Inline]]] = [("", "", [])]
        self.space = False
        self.started = False

    def add_text(self, text: str) -> None:
        folded = " ".join(text.split())
        if not folded:
            self.space = self.space or bool(text)
            return
        if text[0].isspace():
            self.space = True
        self._gap()
        self._append(folded)
        self.space = text[-1].isspace()

    def add(self, node: Inline) -> None:
        self._gap()
        self.levels[-1][2].append(node)

    def _gap(self) -> None:
        if self.space and self.started:
            self._append(" ")
        self.space, self.started = False, True

    def _append(self, text: str) -> None:
        nodes = self.levels[-1][2]
        if nodes and isinstance(last := nodes[-1], Text):
            nodes[-1] = Text(last.text + text)
        else:
            nodes.append(Text(text))

    def open(self, kind: str, url: str = "") -> None:
        """Open an element; one inside another of its kind adds nothing, but its end must be told from the outer's."""
        if self.space and self.started:
            self._append(" ")
            self.space = False
        self.levels.append((kind, url, []))

    def close(self, kind: str) -> None:
        """Close the innermost open element of that kind, reopening what was opened inside it."""
        at = next((i for i in range(len(self.levels) - 1, 0, -1) if self.levels[i][0] == kind), 0)
        if not at:
            return
        inner = [(level[0], level[1]) for level in self.levels[at + 1 :]]
        while len(self.levels) > at:
            self._fold()
        for name, url in inner:
            self.levels.append((name, url, []))

    def _fold(self) -> None:
        kind, url, nodes = self.levels.pop()
        if not nodes:
            return
        children = tuple(nodes)
        match kind:
            case "strong":
                self.levels[-1][2].append(Strong(children))
            case "em":
                self.levels[-1][2].append(Emphasis(children))
            case _ if url:
                self.levels[-1][2].append(Link(url, children))
            case _:
                for child in children:
                    if isinstance(child, Text):
                        self._append(child.text)
                    else:
                        self.levels[-1][2].append(child)

    def finish(self) -> Inlines:
        while len(self.levels) > 1:
            self._fold()
        return tuple(self.levels[0][2])


def build(text: str, slots: list[Slot]) -> Inlines:
    """The nodes of a marked text whose slots stand for the given formulas, code spans and links."""
    builder = _Builder()
    depth: dict[str, int] = {}
    for kind, value in _events(text):
        match kind:
            case "text":
                builder.add_text(value.translate(chars.LITERALS))
            case "open":
                depth[value] = depth.get(value, 0) + 1
                if depth[value] == 1:
                    builder.open(value)
            case "close":
                if depth.get(value, 0) == 1:
                    builder.close(value)
                depth[value] = max(0, depth.get(value, 0) - 1)
            case "link":
                depth["link"] = depth.get("link", 0) + 1
                if depth["link"] == 1:
                    builder.open("link", _address(value, slots))
            case _:
                _fill(builder, slots[ord(value) - chars.FIRST_SLOT], depth)
    return builder.finish()


def _fill(builder: _Builder, slot: Slot, depth: dict[str, int]) -> None:
    if isinstance(slot, str):
        depth["link"] = depth.get("link", 0) + 1
        if depth["link"] == 1:
            builder.open("link", safe_url(slot))
    elif isinstance(slot, Link) and depth.get("link", 0):
        builder.add_text("".join(child.text for child in slot.children if isinstance(child, Text)))
    else:
        builder.add(slot)


def _address(value: str, slots: list[Slot]) -> str:
    if value and ord(value[0]) >= chars.FIRST_SLOT:
        slot = slots[ord(value[0]) - chars.FIRST_SLOT]
        return slot.url if isinstance(slot, Link) else ""
    return safe_url(value)


def safe_url(url: str) -> str:
    """The address where it is http or https, nothing otherwise."""
    return url if re.match(r"https?://[^\s/?#]", url, re.IGNORECASE) else ""
