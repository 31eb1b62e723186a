"""A reply as a Slack message: blocks, and the plain text that stands in for them."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from bot.adapters.actions import RenderedButton
from bot.adapters.slack.blocks import (
    PRESS,
    BlockBudget,
    Json,
    actions,
    button,
    option,
    parts,
    plain_text,
    quiet_line,
    weigh,
)
from bot.message import Reply
from bot.papers import Paper
from bot.richtext import Card
from bot.text import ELLIPSIS, clean, cut, size

_EMOJI = re.compile(r":(?=[\w+'-]{1,100}:)")
_TOKEN = re.compile(r"<([^<>|]{1,3000})(?:\|([^<>]{0,3000}))?>")


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


def typed(text: str) -> str:
    """What a person typed, from what Slack sends: names of links and channels instead of codes, entities undone.

    Entities are undone once, `&amp;` last, so that somebody's `&amp;lt;` stays `&lt;`. Mentions of people vanish.
    """
    plain = _TOKEN.sub(_token, text)
    return plain.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&").strip()


def _token(found: re.Match[str]) -> str:
    code, label = found[1], found[2]
    match code[0]:
        case "@":
            return ""
        case "#":
            return f"#{label}" if label else ""
        case "!":
            return (label or f"@{code[1:]}") if not code.startswith("!date^") else (label or "")
        case _:
            return label or code


_SMILEY = re.compile(r"(?<!\w):[a-z0-9_+'-]{1,100}:")
_WORD = re.compile(r"[^\W_]+(?:[-'’.+][^\W_]+)*\*?")


def first_words(text: str, most: int = 12) -> str:
    """The first words of a message as words to search for: nothing in them reads as a filter or an exclusion."""
    plain = _SMILEY.sub(" ", typed(text[:3000]))
    words = (found[0] for found in _WORD.finditer(plain))
    return " ".join(word for word, _ in zip(words, range(most), strict=False))[:200]


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
