"""How the blocks of a reply become blocks of Slack, part by part, as long as there is room."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import assert_never

from bot.adapters.actions import RenderedButton
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
from bot.text import clean, cut, label, size

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
