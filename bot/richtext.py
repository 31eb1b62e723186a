"""Platform-neutral rich text: what a reply says, before any platform decides how it looks.

Two closed unions. `Inline` runs inside a line, `Block` stacks down a message. A renderer is a `match`
over every node that ends in `assert_never`, so a node that a renderer forgets fails the type check. Nodes hold
plain, unescaped text: escaping is the renderer's job and nobody else's.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import assert_never


@dataclass(frozen=True, slots=True)
class Text:
    """Characters to show as they are."""

    text: str


@dataclass(frozen=True, slots=True)
class Strong:
    """Bold."""

    children: "tuple[Inline, ...]"


@dataclass(frozen=True, slots=True)
class Emphasis:
    """Italic."""

    children: "tuple[Inline, ...]"


@dataclass(frozen=True, slots=True)
class Mark:
    """Words that answer the query, in a snippet; renderers show it at least as bold."""

    children: "tuple[Inline, ...]"


@dataclass(frozen=True, slots=True)
class Code:
    """Monospaced, verbatim."""

    text: str


@dataclass(frozen=True, slots=True)
class Link:
    """A link of ours (never one that a corpus or user could make live by itself). `url` is http or https."""

    url: str
    children: "tuple[Inline, ...]"


@dataclass(frozen=True, slots=True)
class Math:
    """A formula: `text` as a person would type it (`τ`, `≤ 4`), `source` as the author wrote it."""

    text: str
    source: str


@dataclass(frozen=True, slots=True)
class LineBreak:
    """A new line inside a paragraph."""


Inline = Text | Strong | Emphasis | Mark | Code | Link | Math | LineBreak
Inlines = tuple[Inline, ...]


@dataclass(frozen=True, slots=True)
class Heading:
    """The title of a message or of one of its parts."""

    children: Inlines


@dataclass(frozen=True, slots=True)
class Paragraph:
    """Running text. `quiet` marks what stands beside the answer (hints, counts): small or grey."""

    children: Inlines
    quiet: bool = False


@dataclass(frozen=True, slots=True)
class Bullets:
    """A list without order."""

    items: tuple[Inlines, ...]


@dataclass(frozen=True, slots=True)
class Fields:
    """Label and value pairs (`Problem`, `Approach`, …)."""

    items: tuple[tuple[str, Inlines], ...]


@dataclass(frozen=True, slots=True)
class Quote:
    """Somebody else's words."""

    children: Inlines


@dataclass(frozen=True, slots=True)
class Card:
    """One hit of a list: its number there, its title (linked to its page), a quiet line, a body."""

    number: int
    title: Inlines
    meta: Inlines
    body: Inlines = ()


@dataclass(frozen=True, slots=True)
class Divider:
    """A line across."""


@dataclass(frozen=True, slots=True)
class Image:
    """A picture at an address, with words for those who cannot see it."""

    url: str
    alt: str


Block = Heading | Paragraph | Bullets | Fields | Quote | Card | Divider | Image
Blocks = tuple[Block, ...]


def text(*parts: str | Inline) -> Inlines:
    """Inlines from strings and nodes: `text("Try ", Code("help"))`."""
    return tuple(Text(part) if isinstance(part, str) else part for part in parts if part != "")


def said(message: str) -> Inlines:
    """A message of ours as inlines: what stands between backticks is code."""
    return tuple(Code(part) if number % 2 else Text(part) for number, part in enumerate(message.split("`")) if part)


def plain(nodes: Iterable[Inline]) -> str:
    """The characters of inline nodes without styling; a link gives its label, a formula its typed form."""
    return "".join(_plain_one(node) for node in nodes)


def _plain_one(node: Inline) -> str:
    match node:
        case Text(value) | Code(value):
            return value
        case Strong(children) | Emphasis(children) | Mark(children) | Link(_, children):
            return plain(children)
        case Math(value, _):
            return value
        case LineBreak():
            return "\n"
        case _:
            assert_never(node)


def walk(nodes: Iterable[Inline], at: int = 0) -> Iterator[tuple[int, int, Inline]]:
    """Every node with the part of `plain` that it covers (start and end), what is inside a node before it."""
    for node in nodes:
        start = at
        match node:
            case Strong(children) | Emphasis(children) | Mark(children) | Link(_, children):
                for inner in walk(children, start):
                    yield inner
                    at = inner[1]
            case _:
                at += len(_plain_one(node))
        yield start, at, node


def map_text(nodes: Inlines, change: Callable[[str], str]) -> Inlines:
    """The nodes with each `Text` changed, formulas and code as they are; the same object where nothing changed."""
    changed = tuple(_mapped(node, change) for node in nodes)
    return nodes if all(new is old for new, old in zip(changed, nodes, strict=True)) else changed


def _mapped(node: Inline, change: Callable[[str], str]) -> Inline:
    match node:
        case Text(value):
            new = change(value)
            return node if new == value else Text(new)
        case Strong() | Emphasis() | Mark() | Link():
            inner = map_text(node.children, change)
            return node if inner is node.children else replace(node, children=inner)
        case Code() | Math() | LineBreak():
            return node
        case _:
            assert_never(node)


def _with_address(nodes: Iterable[Inline]) -> str:
    """Like `plain`, but a link keeps its address, since plain text has no other place for it."""
    parts: list[str] = []
    for node in nodes:
        match node:
            case Link(url, children):
                label = _with_address(children)
                parts.append(label if label == url else f"{label} ({url})")
            case Strong(children) | Emphasis(children):
                parts.append(_with_address(children))
            case Mark(children):
                parts.append(f"*{_with_address(children)}*")
            case Text() | Code() | Math() | LineBreak():
                parts.append(_plain_one(node))
            case _:
                assert_never(node)
    return "".join(parts)


def plain_blocks(blocks: Iterable[Block]) -> str:
    """A whole message as plain text, blocks separated by blank lines: the fallback every platform needs."""
    return "\n\n".join(part for block in blocks if (part := _plain_block(block)))


def _plain_block(block: Block) -> str:
    match block:
        case Heading(children) | Paragraph(children, _):
            return _with_address(children)
        case Quote(children):
            return "\n".join(f"> {line}" for line in _with_address(children).split("\n"))
        case Bullets(items):
            return "\n".join(f"- {_with_address(item)}" for item in items)
        case Fields(items):
            return "\n".join(f"{label}: {_with_address(value)}" for label, value in items)
        case Card(number, title, meta, body):
            below = [f"   {_with_address(part)}" for part in (meta, body) if part]
            return "\n".join([f"{number}. {_with_address(title)}", *below])
        case Divider():
            return "---"
        case Image(url, alt):
            return f"{alt} ({url})"
        case _:
            assert_never(block)
