"""A reply as a Slack message: blocks, and the plain text that stands in for them."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import assert_never

from bot.adapters.slack.elements import (
    Json,
    fitting,
    is_blank,
    length,
    option,
    plain_text,
    rich,
    runs,
    section,
    usable,
)
from bot.adapters.slack.text import fallback, size
from bot.message import Reply
from bot.papers import Paper
from bot.richtext import (
    Block,
    Bullets,
    Card,
    Divider,
    Fields,
    Heading,
    Image,
    Inline,
    Inlines,
    Link,
    Paragraph,
    Quote,
    Strong,
    Text,
    plain,
)

MOST_BLOCKS = 50
"""Blocks of a message (a view may have 100, which nobody reads)."""

MOST_CHARACTERS = 8_500
"""Characters of all blocks: Slack took 9,597 and refused 11,341 as `msg_blocks_too_long`; controls come on top."""

MOST_TEXT = 3_900
"""Characters of the plain text: Slack advises 4,000 and cuts at 40,000."""

FULL_CARDS = 8
"""Hits that get a row of buttons each; longer lists would not fit and get one menu for all."""

_SHORT_FIELDS = 300
_WORTH_CUTTING = 200

PAPER = "paper"
MORE = "more"
PRESS = "press"
FILTERS = "filters"
"""What the identifiers of elements begin with, which tell handlers apart."""


@dataclass(frozen=True, slots=True)
class Key:
    """A button ready to be drawn: its words, the text it carries, whether it stands out."""

    label: str
    value: str
    primary: bool = False


@dataclass(frozen=True, slots=True)
class Frame:
    """What stands around a reply: buttons under each card, a row at the end, menus, who shared it.

    `here` is the text of the press that leads here: menus carry it as their block's identifier, since what one chooses
    in them has room for little.
    """

    cards: tuple[tuple[Key, ...], ...] = ()
    row: tuple[Key, ...] = ()
    here: str = ""
    menu: tuple[tuple[str, str], ...] = ()
    """Labels and values of what is seldom needed, behind three dots."""
    filters: bool = False
    """Whether to offer the search with filters as a button."""
    finder: bool = False
    """Whether to offer the menu that finds any paper while one types."""
    sharer: str = ""


@dataclass(frozen=True, slots=True)
class Message:
    """What is sent: blocks, and a `text` that is complete without them."""

    text: str
    blocks: tuple[Json, ...]


def message(reply: Reply, frame: Frame) -> Message:
    """The reply within every limit of a message. Text that does not fit is cut, and the message says so."""
    said = fallback(reply.text.strip(), MOST_TEXT).strip() or "Nothing to show."
    if frame.sharer:
        said = f"Shared by <@{frame.sharer}>\n{said}"
    return Message(said, tuple(blocks(reply, frame)))


def blocks(reply: Reply, frame: Frame, part: str = "") -> list[Json]:
    """The blocks of a reply, within every limit; also for a view, where `part` tells several replies apart."""
    ids = f".{part}" if part else ""
    head = [_shared_by(frame.sharer)] if frame.sharer else []
    compact = sum(isinstance(block, Card) for block in reply.blocks) > FULL_CARDS
    tail = _controls(reply, frame, compact, ids)
    room = _Room(MOST_BLOCKS - len(head) - len(tail), MOST_CHARACTERS)
    whole = all(
        room.take(one)
        for place, block in enumerate(reply.blocks)
        for one in _parts(block, reply, frame, compact, f"{ids}.{place}")
    )
    if not whole:
        room.blocks.append(_quiet("Shortened to fit into one message."))
    # a message of no blocks is refused
    return [*head, *room.blocks, *tail] or [_quiet("Nothing to show.")]


class _Room:
    """Blocks so far, and what may still come; one block is held back for the note about what did not fit."""

    def __init__(self, blocks: int, characters: int) -> None:
        self.blocks: list[Json] = []
        self._left = blocks - 1
        self._characters = characters

    def take(self, part: "_Part") -> bool:
        """Add a part; False where it does not fit whole."""
        if len(part.blocks) > self._left:
            return False
        weight = sum(weigh(block) for block in part.blocks)
        if weight <= self._characters:
            self.blocks.extend(part.blocks)
            self._left -= len(part.blocks)
            self._characters -= weight
            return True
        if part.line and self._characters > _WORTH_CUTTING:
            kept = fitting(list(part.line), self._characters)
            if not is_blank(kept):
                self.blocks.append(rich(section(kept)))
        return False


@dataclass(frozen=True, slots=True)
class _Part:
    """Blocks that stand together; `line` are the runs of a paragraph, which may be cut."""

    blocks: tuple[Json, ...]
    line: tuple[Json, ...] = ()


def weigh(value: object) -> int:
    """The characters that Slack counts: of texts, labels and addresses, not of names and types."""
    if isinstance(value, list):
        return sum(weigh(entry) for entry in value)
    if isinstance(value, dict):
        return sum(
            size(entry) if isinstance(entry, str) and key in {"text", "url", "alt_text", "image_url"} else weigh(entry)
            for key, entry in value.items()
        )
    return 0


def _parts(block: Block, reply: Reply, frame: Frame, compact: bool, ids: str) -> Iterator[_Part]:
    match block:
        case Heading(children):
            yield from _heading(children)
        case Paragraph(children, quiet):
            yield from _quietly(children) if quiet else _line(children)
        case Quote(children):
            if not is_blank(quoted := runs(children)):
                yield _Part((rich({"type": "rich_text_quote", "elements": quoted}),), tuple(quoted))
        case Bullets(items):
            lines = [section(item) for entry in items if not is_blank(item := runs(entry))]
            if lines:
                yield _Part((rich({"type": "rich_text_list", "style": "bullet", "elements": lines}),))
        case Fields(items):
            yield from _fields(items)
        case Card(number):
            nth = number - reply.first_number
            keys = frame.cards[nth] if 0 <= nth < len(frame.cards) and not compact else ()
            yield _card(block, keys, ids)
        case Divider():
            yield _Part(({"type": "divider"},))
        case Image(url, alt):
            yield from _image(url, alt)
        case _:
            assert_never(block)


def _heading(children: Inlines) -> Iterator[_Part]:
    """A header shows large and plain; a title that is a link stays one, in bold."""
    words = runs(children)
    if is_blank(words):
        return
    if any(isinstance(node, Link) for node in children) or length(words) > 150:
        bold = runs((Strong(children),))
        yield _Part((rich(section(bold)),), tuple(bold))
    else:
        yield _Part(({"type": "header", "text": plain_text(plain(children), 150)},))


def _line(children: Inlines) -> Iterator[_Part]:
    words = runs(children)
    if not is_blank(words):
        yield _Part((rich(section(words)),), tuple(words))


def _quietly(children: Inlines) -> Iterator[_Part]:
    """Small and grey, which only plain text can be; a link is worth more than looking quiet."""
    if _has_link(children):
        yield from _line(children)
    elif plain(children).strip():
        yield _Part((_quiet(plain(children)),))


def _has_link(children: Iterable[Inline]) -> bool:
    return any(isinstance(node, Link) for node in children)


def _quiet(words: str) -> Json:
    return {"type": "context", "elements": [plain_text(words, 2_000)]}


def _fields(items: Sequence[tuple[str, Inlines]]) -> Iterator[_Part]:
    """Short facts stand close together, long ones apart."""
    if not items:
        return
    lines = [runs((Strong((Text(f"{label}:"),)), Text(" "), *value)) for label, value in items]
    if sum(length(line) for line in lines) <= _SHORT_FIELDS:
        yield _Part((rich(*(section(line) for line in lines)),))
    else:
        yield from (_Part((rich(section(line)),), tuple(line)) for line in lines)


def _card(card: Card, keys: Sequence[Key], ids: str) -> _Part:
    number, meta, body = card.number, card.meta, card.body
    named = runs((Strong(card.title),))
    head: list[Json] = [{"type": "text", "text": f"{number}. ", "style": {"bold": True}}]
    head += fitting(named, 1_000) if not is_blank(named) else runs((Text("(no title)"),))
    own: list[Json] = [rich(section(head))]
    if not keys:  # one block a card, so that a long list fits
        lines = [section(head), *(section(line) for part in (meta, body) if not is_blank(line := runs(part)))]
        return _Part((rich(*lines),))
    if plain(meta).strip():
        own.append(_quiet(plain(meta)))
    if not is_blank(words := runs(body)):
        own.append(rich(section(fitting(words, 1_000))))
    own.append(_actions([_button(key, f"{PRESS}.card{ids}.{place}") for place, key in enumerate(keys)]))
    return _Part(tuple(own))


def _image(url: str, alt: str) -> Iterator[_Part]:
    words = plain_text(alt, 1_900, "A picture")["text"]
    if usable(url):
        yield _Part(({"type": "image", "image_url": url, "alt_text": words},))
    else:
        yield _Part((_quiet(str(words)),))


def _shared_by(user: str) -> Json:
    """The one mention that a post makes; the identifier is Slack's own."""
    return {"type": "context", "elements": [{"type": "mrkdwn", "text": f"Shared by <@{user}>", "verbatim": True}]}


def _actions(elements: list[Json], block_id: str = "") -> Json:
    return {"type": "actions", "elements": elements, **({"block_id": block_id} if block_id else {})}


def _button(key: Key, action_id: str) -> Json:
    style = {"style": "primary"} if key.primary else {}
    return {
        "type": "button",
        "text": plain_text(key.label, 75),
        "action_id": action_id,
        "value": key.value,
        **style,
    }


def _controls(reply: Reply, frame: Frame, compact: bool, ids: str) -> list[Json]:
    """The row at the end: menus first, where a thumb expects them, then buttons, then what is seldom needed."""
    elements: list[Json] = []
    if compact and reply.papers and frame.here:
        # a menu takes 100 choices; a list has at most 25
        options = [paper_option(paper) for paper in _papers(reply)][:100]
        elements.append(_select("static_select", ids, {"options": options}))
    elif frame.finder and frame.here:
        elements.append(_select("external_select", ids, {"min_query_length": 0}))
    elements.extend(_button(key, f"{PRESS}{ids}.{place}") for place, key in enumerate(frame.row[:20]))
    if frame.filters:
        elements.append(_button(Key("Search with filters", FILTERS), f"{FILTERS}{ids}"))
    if frame.menu and frame.here:
        choices = [option(label, value) for label, value in frame.menu[:5]]
        elements.append({"type": "overflow", "action_id": f"{MORE}{ids}", "options": choices})
    return [_actions(elements, frame.here[:255])] if elements else []


def _papers(reply: Reply) -> Iterator[Paper]:
    seen: set[str] = set()
    for shown in reply.papers:
        if shown.paper.id not in seen:
            seen.add(shown.paper.id)
            yield shown.paper


def paper_option(paper: Paper) -> Json:
    """A paper as a choice, the handle first: `xkv · xKV: Cross-Layer KV-Cache…`. Titles are often longer."""
    return option(f"{paper.handle} · {paper.title_text}", paper.id)


def _select(kind: str, ids: str, more: Json) -> Json:
    return {"type": kind, "action_id": f"{PAPER}{ids}", "placeholder": plain_text("Open a paper…", 150), **more}
