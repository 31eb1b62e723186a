"""A reply as a message of Slack: its blocks, part by part as long as there is room, and the text that stands in."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import assert_never

from bot.adapters.actions import RenderedButton
from bot.message import Reply
from bot.papers import Paper
from bot.richtext import (
    Block,
    Bullets,
    Card,
    Code,
    Divider,
    Emphasis,
    Fields,
    Heading,
    Image,
    Inline,
    Inlines,
    LineBreak,
    Link,
    Mark,
    Math,
    Paragraph,
    Quote,
    Strong,
    Text,
    plain,
)
from bot.text import ELLIPSIS, clean, cut, label, size

Json = dict[str, object]

_URL = re.compile(r"https?://[^\s<>|\"\x00-\x1f\x7f]{1,2900}", re.ASCII)


def plain_text(text: str, limit: int, otherwise: str = "…") -> Json:
    """A text object in which nothing is parsed, of one line and at least one character."""
    return {"type": "plain_text", "text": label(text, limit, otherwise), "emoji": False}


LONGEST_CHOICE = 75
"""Characters of a choice, of its words and of its value, by the strictest of Slack's descriptions."""


def option(words: str, value: str) -> Json:
    """One choice of a menu, whose value is short enough."""
    return {"text": plain_text(words, LONGEST_CHOICE), "value": value}


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


_SHORT_FIELDS = 300
_WORTH_CUTTING = 200
_SHORT_BODY = 100
"""Characters of a snippet in a long list: with more, 25 hits would not fit."""

PRESS = "press"
"""What the identifiers of buttons begin with."""


@dataclass(frozen=True, slots=True)
class Passage:
    """What stands together: `blocks`, or the runs of running `text`.

    Running text goes on in the block before it, after an empty line: blocks of text have no space between them, and a
    paragraph that may be cut stands for itself.
    """

    blocks: tuple[Json, ...] = ()
    text: tuple[Json, ...] = ()


_NEW_LINE: Json = {"type": "text", "text": "\n"}
_EMPTY_LINE: Json = {"type": "text", "text": "\n\n"}


class BlockBudget:
    """Blocks so far, and what may still come; one block is held back for the note about what did not fit."""

    def __init__(self, blocks: int, characters: int) -> None:
        """BlockBudget for so many blocks of so many characters in all."""
        self.blocks: list[Json] = []
        self._left = blocks - 1
        self._characters = characters
        self._open: list[Json] | None = None
        """The runs of the last block, where that is running text."""

    def take(self, part: Passage) -> bool:
        """Add a part; False where it does not fit whole, of running text what fits is added."""
        return self._write(list(part.text)) if part.text else self._put(part.blocks)

    def _put(self, blocks: Sequence[Json]) -> bool:
        weight = sum(weigh(block) for block in blocks)
        if len(blocks) > self._left or weight > self._characters:
            return False
        self.blocks.extend(blocks)
        self._left -= len(blocks)
        self._characters -= weight
        self._open = None
        return True

    def _write(self, text: list[Json]) -> bool:
        if self._open is None and not self._left:
            return False
        weight = length(text) + 2
        whole = weight <= self._characters
        if not whole and self._characters < _WORTH_CUTTING:
            return False
        kept = text if whole else fitting(text, self._characters - 2)
        if is_blank(kept):
            return False
        if self._open is None:
            self._open = []
            self.blocks.append(rich(section(self._open)))
            self._left -= 1
        else:
            self._open.append(_EMPTY_LINE)
        self._open.extend(kept)
        self._characters -= weight
        return whole


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


def parts(blocks: Sequence[Block], keys: Sequence[Sequence[RenderedButton]], ids: str) -> Iterator[Passage]:
    """The parts of a reply; `keys` are the buttons under each card, `ids` goes into their identifiers."""
    cards = iter(keys)
    before: Block | None = None
    for place, block in enumerate(blocks):
        match block:
            case Heading(children):
                yield from _heading(children)
            case Paragraph(children, quiet):
                yield from _quietly(children) if quiet else _line(runs(children))
            case Quote(children):
                if not is_blank(quoted := runs(children)):
                    yield Passage((rich({"type": "rich_text_quote", "elements": quoted}),))
            case Bullets(items):
                lines = [section(item) for entry in items if not is_blank(item := runs(entry))]
                if lines:
                    yield Passage((rich({"type": "rich_text_list", "style": "bullet", "elements": lines}),))
            case Fields(items):
                yield from _fields(items)
            case Card():
                own = next(cards, ())
                if own and isinstance(before, Card):
                    yield Passage(({"type": "divider"},))
                yield _full_card(block, own, f"{ids}.{place}") if own else _short_card(block)
            case Divider():
                yield Passage(({"type": "divider"},))
            case Image(url, alt):
                yield from _image(url, alt)
            case _:
                assert_never(block)
        before = block


def _heading(children: Inlines) -> Iterator[Passage]:
    """A header shows large and plain; a title that is a link stays one, in bold."""
    words = runs(children)
    if is_blank(words):
        return
    if _has_link(children):
        yield Passage((rich(section(fitting(runs((Strong(children),)), 1_000))),))
    elif length(words) > 150:
        yield from _line(runs((Strong(children),)))
    else:
        yield Passage(({"type": "header", "text": plain_text(plain(children), 150)},))


def _line(words: list[Json]) -> Iterator[Passage]:
    if not is_blank(words):
        yield Passage(text=tuple(words))


def _quietly(children: Inlines) -> Iterator[Passage]:
    """Small and grey, which only plain text can be; a link is worth more than looking quiet."""
    if _has_link(children):
        yield from _line(runs(children))
    elif plain(children).strip():
        yield Passage((quiet_line(plain(children)),))


def _has_link(children: Iterable[Inline]) -> bool:
    return any(isinstance(node, Link) for node in children)


def quiet_line(words: str) -> Json:
    """A line beside the answer: small and grey."""
    return {"type": "context", "elements": [plain_text(words, 2_000)]}


def _fields(items: Sequence[tuple[str, Inlines]]) -> Iterator[Passage]:
    """Short facts stand close together, long ones apart."""
    lines = [runs((Strong((Text(f"{label}:"),)), Text(" "), *value)) for label, value in items]
    if sum(length(line) for line in lines) <= _SHORT_FIELDS:
        close = [run for line in lines for run in (*line, _NEW_LINE)]
        yield from _line(close[:-1])
    else:
        for line in lines:
            yield from _line(line)


def _title(card: Card) -> list[Json]:
    named = runs((Strong(card.title),))
    number: Json = {"type": "text", "text": f"{card.number}. ", "style": {"bold": True}}
    return [number, *(fitting(named, 1_000) if not is_blank(named) else runs((Text("(no title)"),)))]


def _full_card(card: Card, keys: Sequence[RenderedButton], ids: str) -> Passage:
    own: list[Json] = [rich(section(_title(card)))]
    if plain(card.meta).strip():
        own.append(quiet_line(plain(card.meta)))
    if not is_blank(words := runs(card.body)):
        own.append(rich(section(fitting(words, 1_000))))
    own.append(actions([button(key, f"{PRESS}.card{ids}.{place}") for place, key in enumerate(keys)]))
    return Passage(tuple(own))


def _short_card(card: Card) -> Passage:
    """Three lines of running text, so that a long list fits."""
    text = _title(card)
    for line, most in ((runs((Text(plain(card.meta)),)), 200), (runs(card.body), _SHORT_BODY)):
        if not is_blank(line):
            text += [_NEW_LINE, *fitting(line, most)]
    return Passage(text=tuple(text))


def _image(url: str, alt: str) -> Iterator[Passage]:
    words = plain_text(alt, 1_900, "A picture")["text"]
    if usable(url):
        yield Passage(({"type": "image", "image_url": url, "alt_text": words},))
    else:
        yield Passage((quiet_line(str(words)),))


def actions(elements: list[Json], block_id: str = "") -> Json:
    """A row of buttons and menus."""
    return {"type": "actions", "elements": elements, **({"block_id": block_id} if block_id else {})}


def button(key: RenderedButton, action_id: str) -> Json:
    """A button."""
    style = {"style": "primary"} if key.primary else {}
    return {
        "type": "button",
        "text": plain_text(key.label, 75),
        "action_id": action_id,
        "value": key.value,
        **style,
    }


_EMOJI = re.compile(r":(?=[\w+'-]{1,100}:)")


def escaped(text: str) -> str:
    """The three characters that Slack gives a meaning, as entities; `&` first."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def fallback(text: str, limit: int) -> str:
    """A `text` field that says the words and does nothing: no mention, link or emoji.

    An emoji code is broken by a space of no width, the one thing that entities cannot do.
    """
    kept = clean(text)
    for units in range(limit, 0, -max(1, limit // 20)):
        done = _EMOJI.sub(":\u200b", escaped(cut(kept, units)))
        if size(done) <= limit:
            return done
    return ELLIPSIS


MOST_BLOCKS = 50
"""Blocks of a message (a view may have 100, which nobody reads)."""

MOST_CHARACTERS = 9_000
"""Characters of all blocks, buttons and menus included: Slack took 9,597 and refused 11,341 as
`msg_blocks_too_long`."""

MOST_TEXT = 3_900
"""Characters of the plain text: Slack advises 4,000 and cuts at 40,000."""

FULL_CARDS = 8
"""Hits that get a row of buttons each; longer lists would not fit and get one menu for all."""

_SHORTENED = quiet_line("Shortened to fit into one message.")

PAPER = "paper"
MORE = "more"
FILTERS = "filters"
"""What the identifiers of elements begin with, which tell handlers apart."""


@dataclass(frozen=True, slots=True)
class SlackChrome:
    """What stands around a reply: buttons under each card, a row at the end, menus, who shared it.

    `here` is the text of the press that leads here: menus carry it as their block's identifier, since what one chooses
    in them has room for little.
    """

    cards: tuple[tuple[RenderedButton, ...], ...] = ()
    row: tuple[RenderedButton, ...] = ()
    per_row: int = 0
    """How many buttons of `row` stand side by side, where they belong to several papers; 0 for as many as fit."""
    here: str = ""
    menu: tuple[tuple[str, str], ...] = ()
    """Labels and values of what is seldom needed, behind three dots."""
    filters: bool = False
    """Whether to offer the search with filters as a button."""
    finder: bool = False
    """Whether to offer the menu that finds any paper while one types."""
    sharer: str = ""


@dataclass(frozen=True, slots=True)
class SlackMessage:
    """What is sent: blocks, and a `text` that is complete without them."""

    text: str
    blocks: tuple[Json, ...]


def message(reply: Reply, frame: SlackChrome) -> SlackMessage:
    """The reply within every limit of a message. Text that does not fit is cut, and the message says so."""
    said = fallback(reply.text.strip(), MOST_TEXT).strip() or "Nothing to show."
    if frame.sharer:
        said = f"Shared by <@{frame.sharer}>\n{said}"
    return SlackMessage(said, tuple(blocks(reply, frame)))


def blocks(reply: Reply, frame: SlackChrome, part: str = "") -> list[Json]:
    """The blocks of a reply, within every limit; also for a view, where `part` tells several replies apart."""
    ids = f".{part}" if part else ""
    head = [_shared_by(frame.sharer)] if frame.sharer else []
    compact = sum(isinstance(block, Card) for block in reply.blocks) > FULL_CARDS
    tail = _controls(reply, frame, compact, ids)
    around = weigh([*head, *tail, _SHORTENED])
    room = BlockBudget(MOST_BLOCKS - len(head) - len(tail) - 1, MOST_CHARACTERS - around)
    if not all(room.take(one) for one in parts(reply.blocks, () if compact else frame.cards, ids)):
        room.blocks.append(_SHORTENED)
    if tail and room.blocks and room.blocks[-1]["type"] == "actions":
        tail.insert(0, {"type": "divider"})  # or the row of all would look like one more of the last card's
    # a message of no blocks is refused
    return [*head, *room.blocks, *tail] or [quiet_line("Nothing to show.")]


def _shared_by(user: str) -> Json:
    """The one mention that a post makes; the identifier is Slack's own."""
    return {"type": "context", "elements": [{"type": "mrkdwn", "text": f"Shared by <@{user}>"}]}


def _controls(reply: Reply, frame: SlackChrome, compact: bool, ids: str) -> list[Json]:
    """The row at the end: menus first, where a thumb expects them, then buttons, then what is seldom needed."""
    elements: list[Json] = []
    if compact and reply.papers and frame.here:
        # a menu takes 100 choices; a list has at most 25
        options = [paper_option(paper) for paper in _papers(reply)][:100]
        elements.append(_select("static_select", ids, {"options": options}))
    elif frame.finder and frame.here:
        elements.append(_select("external_select", ids, {"min_query_length": 0}))
    elements.extend(button(key, f"{PRESS}{ids}.{place}") for place, key in enumerate(frame.row[:20]))
    if frame.filters:
        elements.append(button(RenderedButton("Search with filters", FILTERS), f"{FILTERS}{ids}"))
    if frame.menu and frame.here:
        choices = [option(label, value) for label, value in frame.menu[:5]]
        elements.append({"type": "overflow", "action_id": f"{MORE}{ids}", "options": choices})
    if not frame.per_row:
        return [actions(elements, frame.here[:255])] if elements else []
    return [actions(elements[at : at + frame.per_row]) for at in range(0, len(elements), frame.per_row)]


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


__all__ = [
    "FILTERS",
    "FULL_CARDS",
    "MORE",
    "PAPER",
    "PRESS",
    "RenderedButton",
    "SlackChrome",
    "SlackMessage",
    "blocks",
    "message",
    "paper_option",
]
