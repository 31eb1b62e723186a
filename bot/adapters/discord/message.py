"""A reply as a Discord message: embeds, rows of buttons, and a line of content where others are notified.

Why embeds and not components v2: a message of components may have no `content`, so that a public post would notify with
nothing; an embed holds 4,096 characters (6,000 a message) where components hold 4,000 together; and nothing inside an
embed notifies anyone or unfurls, whatever it says.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Coroutine, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, TypeVar, assert_never, cast

import aiohttp
import discord
from discord import ui

from bot.adapters.actions import RenderedButton
from bot.adapters.discord.markdown import StyledRun, fitting, plain_runs, runs
from bot.message import Reply
from bot.papers import Paper
from bot.richtext import (
    Block,
    Bullets,
    Card,
    Code,
    Divider,
    Fields,
    Heading,
    Image,
    Inlines,
    Link,
    Paragraph,
    Quote,
    Strong,
    Text,
    text,
)
from bot.text import label, size

Json = dict[str, object]

MOST_TITLE = 256
MOST_DESCRIPTION = 4_096
MOST_EMBED = 6_000
"""Characters of all embeds of a message together, titles counted."""

MOST_CONTENT = 2_000
MOST_OPTIONS = 25
MOST_ROWS = 5
ROW = 5
MOST_LABEL = 80
MOST_OPTION = 100

COLOUR = 0x6F7BD9
"""The stripe beside an embed: quiet on dark and light, and nothing depends on it."""

_SHORTENED = "-# Shortened to fit into one message."
_READ = (("TL;DR", "tldr"), ("Abstract", "show"), ("Similar", "similar"))
"""What one can open of each paper of a list; the commands of the buttons under a single paper."""


@dataclass(frozen=True, slots=True)
class DiscordChrome:
    """What stands around a reply: buttons, a menu of its papers, who shared it.

    `here` is what the menu carries: the press that leads here. `sharer` is the user id that Discord gave, for a post
    that everyone sees. `note` is a quiet line at the end.
    """

    row: tuple[RenderedButton, ...] = ()
    here: str = ""
    sharer: str = ""
    note: str = ""


@dataclass(frozen=True, slots=True)
class DiscordMessage:
    """What is sent, as Discord's JSON."""

    content: str
    embeds: tuple[Json, ...]
    rows: tuple[Json, ...]

    @property
    def payload(self) -> Json:
        """The body of a request that posts it."""
        return {
            "content": self.content or None,
            "embeds": list(self.embeds),
            "components": list(self.rows),
            "allowed_mentions": {"parse": []},
        }


def message(reply: Reply, frame: DiscordChrome) -> DiscordMessage:
    """The reply within every limit of a message. Text that does not fit is cut, and the message says so."""
    return DiscordMessage(
        _content(reply, frame.sharer) if frame.sharer else "", tuple(_embeds(reply, frame)), _rows(reply, frame)
    )


def _content(reply: Reply, sharer: str) -> str:
    """What a notification shows. The one mention is of the sharer, and pings nobody."""
    papers = list(_papers(reply))
    if len(papers) == 1:
        what, _ = fitting(runs(text(papers[0].title_text)), 300)
    else:
        handles, _ = fitting(runs(text(", ".join(paper.handle for paper in papers))), 300)
        what = f"{len(papers)} papers ({handles})" if papers else "an answer"
    return f"Shared by <@{sharer}>: {what}"


def _embeds(reply: Reply, frame: DiscordChrome) -> list[Json]:
    """One embed; a second one takes over where the first is full."""
    blocks = list(reply.blocks)
    embed: Json = {"color": COLOUR}
    used = 0
    if blocks and isinstance(blocks[0], Heading):
        title, url = _title(blocks[0])
        if title:
            blocks = blocks[1:]
            embed["title"] = title
            used = size(title)
            if url:
                embed["url"] = url
    if frame.note:
        blocks.append(Paragraph(text(frame.note), quiet=True))
    bodies = _bodies(blocks, MOST_EMBED - used)
    embed["description"] = bodies[0] if bodies and bodies[0] else "…"
    return [embed, *({"color": COLOUR, "description": body} for body in bodies[1:])]


def _title(heading: Heading) -> tuple[str, str | None]:
    """A title of an embed is Markdown without links, so a linked heading gives its address to the whole title."""
    parts = runs(heading.children)
    urls = {run.url for run in parts}
    words, _ = fitting([StyledRun(run.text.replace("\n", " "), code=run.code) for run in parts], MOST_TITLE)
    return words.strip(), next(iter(urls)) if len(urls) == 1 else None


def _bodies(blocks: Sequence[Block], room: int) -> list[str]:
    """Descriptions with all blocks, cards shorter or the end cut where it must be."""
    for short in (False, True):
        pieces = list(_close_to_headings(blocks, short))
        bodies, whole = _packed(pieces, room)
        if whole or not any(isinstance(block, Card) for block in blocks):
            return bodies
    return bodies


@dataclass(frozen=True, slots=True)
class _Piece:
    """Some Markdown that stays together; `prefix` begins each of its lines; `air` is whether a blank line precedes."""

    parts: tuple[StyledRun, ...]
    prefix: str = ""
    air: bool = True

    def within(self, limit: int) -> tuple[str, bool]:
        """Its Markdown of at most so many units, and whether that is all of it."""
        if not plain_runs(self.parts).strip():
            return self.prefix.strip(), True
        lines = plain_runs(self.parts).count("\n") + 1
        words, whole = fitting(self.parts, limit - lines * size(self.prefix))
        return "\n".join(f"{self.prefix}{line}" for line in words.strip("\n").split("\n")) if words else "", whole


def _packed(pieces: Sequence[_Piece], room: int) -> tuple[list[str], bool]:
    """Pieces into descriptions of at most 4,096, together at most `room`; False where some had to be left out."""
    bodies = [""]
    room -= size(_SHORTENED) + 2
    for piece in pieces:
        gap = ("\n\n" if piece.air else "\n") if bodies[-1] else ""
        full, _ = piece.within(1_000_000)
        used = sum(size(body) for body in bodies)
        if size(bodies[-1] + gap + full) <= MOST_DESCRIPTION - size(_SHORTENED) - 2 and used + size(gap + full) <= room:
            bodies[-1] += gap + full
        elif bodies[-1] and size(full) <= MOST_DESCRIPTION and used + size(full) <= room and len(bodies) < 3:
            bodies.append(full)
        else:
            left = min(room - used, MOST_DESCRIPTION - size(_SHORTENED) - 2 - size(bodies[-1])) - size(gap)
            words = piece.within(left)[0] if left > 200 else ""
            bodies[-1] = "\n\n".join(part for part in (bodies[-1] + gap * bool(words) + words, _SHORTENED) if part)
            return bodies, False
    return bodies, True


def _close_to_headings(blocks: Sequence[Block], short: bool) -> Iterator[_Piece]:
    """The pieces of blocks, with no air between a heading and the quiet line that belongs to it."""
    for before, block in pairwise((None, *blocks)):
        belongs = isinstance(before, Heading) and isinstance(block, Paragraph) and block.quiet
        for piece in _pieces(block, short) if block is not None else ():
            yield replace(piece, air=False) if belongs else piece


def _pieces(block: Block, short: bool) -> Iterator[_Piece]:
    match block:
        case Heading(children):
            yield _Piece(runs((Strong(children),)))
        case Paragraph(children, quiet):
            if plain_runs(runs(children)).strip():
                yield _Piece(runs(children), "-# " if quiet else "")
        case Bullets(items):
            for place, item in enumerate(items):
                yield _Piece(_one_line(runs(item)), "- ", air=place == 0)
        case Fields(items):
            yield from _fields(items)
        case Quote(children):
            yield _Piece(runs(children), "> ")
        case Card(number, title, meta, body):
            yield from _card(number, title, meta, () if short else body)
        case Divider():
            yield _Piece((StyledRun("─" * 12),))  # signs that every font has
        case Image(url, alt):
            yield _Piece(runs((Link(url, (Text(alt or "A picture"),)),)))
        case _:
            assert_never(block)


def _one_line(parts: tuple[StyledRun, ...]) -> tuple[StyledRun, ...]:
    return tuple(StyledRun(run.text.replace("\n", " "), run.bold, run.italic, run.code, run.url) for run in parts)


def _fields(items: Sequence[tuple[str, Inlines]]) -> Iterator[_Piece]:
    """Short facts stand close together, long ones apart."""
    lines = [runs((Strong((Text(f"{name}:"),)), Text(" "), *value)) for name, value in items]
    close = sum(size(plain_runs(line)) for line in lines) <= 300
    for place, line in enumerate(lines):
        yield _Piece(line, air=place == 0 or not close)


def _card(number: int, title: Inlines, meta: Inlines, body: Inlines) -> Iterator[_Piece]:
    named = _one_line(runs(title))
    shown = named if plain_runs(named).strip() else (StyledRun("(no title)"),)
    yield _Piece(runs((Strong((Text(f"{number}. "),)),)) + tuple(_bolder(shown)))
    if meta:
        yield _Piece(_one_line(runs(meta)), "-# ", air=False)
    if body:
        yield _Piece(runs(body), air=False)


def _bolder(parts: Iterable[StyledRun]) -> Iterator[StyledRun]:
    return (StyledRun(run.text, bold=True, italic=run.italic, code=run.code, url=run.url) for run in parts)


def _papers(reply: Reply) -> Iterator[Paper]:
    seen: set[str] = set()
    for shown in reply.papers:
        if shown.paper.id not in seen:
            seen.add(shown.paper.id)
            yield shown.paper


def _rows(reply: Reply, frame: DiscordChrome) -> tuple[Json, ...]:
    """The menu of papers first, where a thumb expects it, then buttons."""
    rows: list[Json] = []
    papers = list(_papers(reply))
    if reply.listed and papers and frame.here:
        rows.append(_row([_menu(papers[:MOST_OPTIONS], frame.here)]))
    buttons = [_button(key) for key in frame.row[: ROW * (MOST_ROWS - len(rows))]]
    rows.extend(_row(buttons[place : place + ROW]) for place in range(0, len(buttons), ROW))
    return tuple(rows)


def _row(elements: list[Json]) -> Json:
    return {"type": 1, "components": elements}


def _button(key: RenderedButton) -> Json:
    return {
        "type": 2,
        "style": 1 if key.primary else 2,
        "label": label(key.label, MOST_LABEL),
        "custom_id": key.value,
    }


def _menu(papers: Sequence[Paper], here: str) -> Json:
    """What can be opened of each paper, in one press; of many papers only the summary, which leads on."""
    ways = _READ if len(papers) * len(_READ) <= MOST_OPTIONS else _READ[:1]
    options = [
        {
            "label": label(f"{label(paper.handle, 80)} · {words}", MOST_OPTION),
            "value": f"{command}:{paper.id}",
            **({"description": label(paper.title_text, MOST_OPTION)} if command == ways[0][1] else {}),
        }
        for paper in papers
        for words, command in ways
    ]
    return {"type": 3, "custom_id": here, "placeholder": "Open a paper…", "options": options}


def code(words: str) -> Inlines:
    """A word as code, for messages of the adapter's own."""
    return (Code(words),)


logger = logging.getLogger(__name__)

NOBODY = discord.AllowedMentions.none()
PAUSES = (0.25, 1.0)
"""Seconds before the second and the third try."""

_LOST = (aiohttp.ClientError, OSError, TimeoutError)

Result = TypeVar("Result")


class Rows(ui.View):
    """Buttons as they were rendered. Presses are handled by their `custom_id`, so discord.py need not keep this."""

    def __init__(self, rows: tuple[Json, ...]) -> None:
        super().__init__(timeout=None)
        for number, row in enumerate(rows):
            for element in cast("list[Json]", row["components"]):
                self.add_item(_as_select(element, number) if element["type"] == 3 else _as_button(element, number))

    def is_dispatchable(self) -> bool:
        """Never: a view that discord.py keeps would stay in memory for every answer ever given."""
        return False


def _as_button(element: Json, row: int) -> "ui.Button[Rows]":
    return ui.Button(
        style=discord.ButtonStyle(element["style"]),
        label=str(element["label"]),
        custom_id=str(element["custom_id"]),
        row=row,
    )


def _as_select(element: Json, row: int) -> "ui.Select[Rows]":
    options = [
        discord.SelectOption(
            label=str(option["label"]),
            value=str(option["value"]),
            description=str(option["description"]) if "description" in option else None,
        )
        for option in cast("list[Json]", element["options"])
    ]
    return ui.Select(
        custom_id=str(element["custom_id"]), placeholder=str(element["placeholder"]), options=options, row=row
    )


def embeds(message: DiscordMessage) -> list[discord.Embed]:
    """The embeds of a message as discord.py's."""
    return [discord.Embed.from_dict(embed) for embed in message.embeds]


async def within(seconds: float, request: Coroutine[Any, Any, Result]) -> Result:
    """What a request gives. Raises TimeoutError where it gives nothing in time, and lets it go on.

    It is never cancelled: discord.py waits for rate limits inside of requests, and a wait that all requests share, cut
    short, would be waited for ever after.
    """
    task = asyncio.create_task(request)
    _LATE.add(task)
    task.add_done_callback(_heard)
    await asyncio.wait({task}, timeout=seconds)
    if not task.done():
        raise TimeoutError
    return task.result()


_LATE: set["asyncio.Task[Any]"] = set()
"""Requests under way, which the event loop itself holds only weakly."""


def _heard(task: "asyncio.Task[Any]") -> None:
    _LATE.discard(task)
    if not task.cancelled():
        task.exception()  # looked at here too, since nobody waits for a late one


async def again(request: Callable[[], Awaitable[Result]]) -> Result:
    """Send a request that may be sent twice, up to three times where the connection or the server fails.

    discord.py itself tries five times after most server errors, but not after a 503 or a lost connection: only these
    are tried again here, or one request would become fifteen.
    """
    for pause in PAUSES:
        try:
            return await request()
        except (*_LOST, discord.DiscordServerError) as error:
            if isinstance(error, discord.DiscordServerError) and error.status != 503:
                raise
            logger.info("a request to Discord failed (%s), tried again in %.2f s", type(error).__name__, pause)
            await asyncio.sleep(pause)
    return await request()
