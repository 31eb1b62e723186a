"""The marked text to nodes: one pass that builds the tree, folds white space and merges neighbours."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from bot.corpus.markup import chars
from bot.corpus.markup.addresses import is_web
from bot.corpus.markup.emphasis import Event, events
from bot.richtext import Code, Emphasis, Inline, Inlines, Link, Math, Strong, Text, plain

Slot = Math | Code | Link | str
"""What a slot stands for: a finished node, or the address of a link that opens there."""

_PIECES = re.compile(
    f"([{chars.STRONG_OPEN}-{chars.MONO_CLOSE}{chars.SLOTS}])",
)
_EVENTS = {
    chars.STRONG_OPEN: Event("open", "strong"),
    chars.STRONG_CLOSE: Event("close", "strong"),
    chars.EM_OPEN: Event("open", "em"),
    chars.EM_CLOSE: Event("close", "em"),
    chars.MONO_OPEN: Event("open", "code"),
    chars.MONO_CLOSE: Event("close", "code"),
    chars.LINK_CLOSE: Event("close", "link"),
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


def _split(found: Iterator[Event]) -> Iterator[Event]:
    """Text events split at markers and slots."""
    for event in found:
        if event.kind != "text":
            yield event
            continue
        for piece in _PIECES.split(event.value):
            if marker := _EVENTS.get(piece):
                yield marker
            elif piece and ord(piece[0]) >= chars.FIRST_SLOT:
                yield Event("slot", piece)
            elif piece:
                yield Event("text", piece)


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
