"""Composing deliveries: their papers chosen, drawn as messages, and kept before anything is sent, many at once."""

import asyncio
import logging
import re
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import TypeVar

from bot.connections import Connections, Offer, Poster
from bot.digest.notify import announcement_reply
from bot.digest.selection import Pools, chooser
from bot.library import Library
from bot.message import Button, Call, Reply, Shown
from bot.papers import Paper
from bot.richtext import Block, Divider, Emphasis, Fields, Heading, Inlines, Link, Paragraph, Text, plain, text
from bot.schedule.values import Announcement, Posting, Style, Subscription, Vote, owner_of, slot_of
from bot.store.picks import Delivery, Wish
from bot.store.storage import Storage
from bot.summary import summarise
from bot.summary.sentences import paragraphs
from bot.views import joined, meta_of, title_of

logger = logging.getLogger(__name__)

UP, DOWN = "👍 Good pick", "👎 Not for us"
_VOTE_LABEL = re.compile(rf"(?:(?P<number>\d+) · )?(?P<name>{UP}|{DOWN})(?: · \d+)?")

MOST_BUTTONS = 20
"""Under one message: Slack takes 25 in a row, Discord 25 in all; some room is left for platforms' own."""


@dataclass(frozen=True, slots=True)
class Item:
    """One paper of a digest and why it is in it."""

    paper: Paper
    reason: str


def digest_reply(
    items: Sequence[Item],
    day: date,
    *,
    style: Style,
    late: bool = False,
    new_cycle: bool = False,
    votes: Mapping[str, Vote] | None = None,
) -> Reply:
    """The message of a delivery. `late` says that it is caught up on; `new_cycle` that the pool starts anew."""
    name = "Paper of the day" if len(items) == 1 else "Papers of the day"
    blocks: list[Block] = [Paragraph(text(f"{name} · {day:%A}, {day.day} {day:%B}"), quiet=True)]
    if new_cycle:
        blocks.append(Paragraph(text("Every paper of this channel has been shown: a new round begins."), quiet=True))
    several = len(items) > 1
    for number, item in enumerate(items, 1):
        if number > 1:
            blocks.append(Divider())
        blocks.extend(_paper_blocks(item, style, number if several else None))
    if late:
        blocks.append(Paragraph(text("Later than planned: the bot was not running at its time."), quiet=True))
    buttons = tuple(
        button
        for number, item in enumerate(items, 1)
        for button in _numbered(vote_buttons(item.paper, (votes or {}).get(item.paper.id)), number, len(items))
    )
    return Reply(
        "digest",
        tuple(blocks),
        papers=tuple(Shown(item.paper) for item in items),
        buttons=buttons,
        private=False,
    )


def _numbered(buttons: tuple[Button, ...], number: int, of: int) -> tuple[Button, ...]:
    """Buttons of one paper among several say which; of five papers there is no room for every button."""
    if of == 1:
        return buttons
    kept = [button for button in buttons if len(buttons) * of <= MOST_BUTTONS or button.call.command != "similar"]
    return tuple(replace(button, label=f"{number} · {button.label}") for button in kept)


def _paper_blocks(item: Item, style: Style, number: int | None) -> list[Block]:
    paper = item.paper
    summary = summarise(paper)
    numbered: Inlines = (Text(f"{number}. "),) if number is not None else ()
    lines = [line for line in summary.lines if line.role != "code"] if style == "full" else []
    # a name from the rest of the abstract would else stand nowhere: what people call the paper is in its post
    told = (plain(paper.title), summary.tldr, *(line.text for line in lines))
    named: list[Inlines] = [] if any(paper.name in part for part in told) else [(Text(paper.name),)]
    blocks: list[Block] = [
        Heading((*numbered, *title_of(paper))),
        Paragraph(joined([*named, meta_of(paper)], " · "), quiet=True),
        Paragraph(text(summary.tldr)),
    ]
    if lines:
        blocks.append(Fields(tuple((line.role.capitalize(), text(line.text)) for line in lines)))
    links: list[Inlines] = [(Link(link, (Text(_short(link)),)),) for link in paper.code[:2]]
    why: Inlines = (Emphasis((Text(f"Why this one: {item.reason}."),)),)
    blocks.append(Paragraph(joined([why, *links], " · "), quiet=True))
    return blocks


def _short(link: str) -> str:
    return link.partition("://")[2].rstrip("/")[:60]


def vote_buttons(paper: Paper, vote: Vote | None) -> tuple[Button, ...]:
    """What one can do with a paper of a digest: read it, find more, keep it, say what one thinks."""
    about = {"paper": paper.id}
    counted = vote or Vote()
    return (
        Button("Abstract", Call("show", about)),
        Button("Similar", Call("similar", about)),
        Button("Save", Call("save", about)),
        Button(_counted(UP, counted.up), Call("vote", {**about, "up": True})),
        Button(_counted(DOWN, counted.down), Call("vote", {**about, "up": False})),
    )


def _counted(label: str, votes: int) -> str:
    return f"{label} · {votes}" if votes else label


def relabelled(label: str, papers: Sequence[str], votes: Mapping[str, Vote]) -> str:
    """The label of a posted button with the totals of now; one that is no vote's stays. `papers` are the post's."""
    found = _VOTE_LABEL.fullmatch(label)
    place = int(found["number"] or 1) - 1 if found else len(papers)
    if found is None or place >= len(papers):
        return label
    vote = votes.get(papers[place], Vote())
    numbered = f"{found['number']} · " if found["number"] else ""
    return numbered + _counted(found["name"], vote.up if found["name"] == UP else vote.down)


def thread_reply(items: Sequence[Item]) -> Reply:
    """The first reply in a discussion thread: the abstract."""
    blocks: list[Block] = []
    buttons: list[Button] = []
    several = len(items) > 1
    for number, item in enumerate(items, 1):
        if several:
            blocks.append(Heading((Text(f"{number}. "), *item.paper.title)))
        blocks.extend(Paragraph(part) for part in paragraphs(item.paper.abstract, 600))
        label = f"{number} · Save" if several else "Save"
        buttons.append(Button(label, Call("save", {"paper": item.paper.id})))
    papers = tuple(Shown(item.paper) for item in items)
    return Reply("digest", tuple(blocks), papers=papers, buttons=tuple(buttons), private=False)


SLICE = 4
"""Deliveries chosen or drawn without a pause: some ten milliseconds."""

Entry = TypeVar("Entry")
Result = TypeVar("Result")


class Composer:
    """Composes what the ledger owes."""

    def __init__(
        self, storage: Storage, connections: Connections, library: Callable[[], Library], *, rest: float = 1.0
    ) -> None:
        """`rest` is how long the processor is left to others after each slice, in parts of what the slice took."""
        self._storage = storage
        self._connections = connections
        self._library = library
        self._rest = rest

    async def ready(self, claimed: Sequence[Posting], entries: Mapping[int, Subscription]) -> list[Posting]:
        """The claimed postings, the bare ones composed all at once; without those that come to nothing."""
        bare = [
            (entry, posting)
            for posting in claimed
            if posting.payload is None
            and not posting.part.threaded
            and (entry := entries.get(posting.subscription)) is not None
            and entry.ended is None
            and self._connections.poster(entry.channel.platform, Offer.DIGEST) is not None
            and self._storage.ledger.in_time(entry, posting)
        ]
        if not bare:
            return list(claimed)
        try:
            rendered = {posting.key: posting for posting in await self.compose(bare)}
        except Exception:
            logger.exception("digest: composing several at once failed; each is tried by itself")
            return list(claimed)
        asked = {posting.key for _, posting in bare}
        return [
            rendered.get(posting.key, posting)
            for posting in claimed
            if posting.key in rendered or posting.key not in asked
        ]

    async def compose(self, bare: Sequence[tuple[Subscription, Posting]]) -> list[Posting]:
        """Choose papers, draw the messages and keep them; gives those that may be sent."""
        library = self._library()
        votes = await self._storage.votes.of_some({entry.channel for entry, _ in bare})
        pools = Pools(library)
        wishes = await self._in_slices(
            bare, lambda pair: _wish(pair[0], pair[1], library, votes[pair[0].channel], pools)
        )
        deliveries = await self._storage.picks.resolve(wishes)
        composed = await self._in_slices(
            list(zip(bare, deliveries, strict=True)),
            lambda given: _compose(given[0][0], given[0][1], given[1], library, votes[given[0][0].channel]),
        )
        drawn: list[tuple[Posting, tuple[str, ...], str]] = []
        for (entry, posting), reply in zip(bare, composed, strict=True):
            if isinstance(reply, str):
                await self._storage.ledger.skipped(posting, reply)
                continue
            poster = self._connections.poster(entry.channel.platform, Offer.DIGEST)
            if poster is None:  # it left meanwhile: drawn once it is back
                continue
            payload = await poster.render(reply, posting.key, threaded=posting.part.threaded)
            drawn.append((posting, tuple(shown.paper.id for shown in reply.papers), payload))
        kept = await self._storage.ledger.rendered_all(drawn)
        return [
            replace(posting, state="rendered", papers=papers, payload=payload)
            for posting, papers, payload in drawn
            if posting.key in kept
        ]

    def named(self, papers: Sequence[str]) -> str:
        """Papers by their handles, for the log."""
        corpus = self._library().corpus
        return ", ".join(found.handle if (found := corpus.get(paper)) else paper for paper in papers)

    async def announcement(self, announcement: Announcement, posting: Posting, poster: Poster) -> Posting | None:
        """Draw the message of an announcement and keep it; None where there is nothing left to say, or it was lost."""
        reply = announcement_reply(announcement, self._library().corpus)
        if reply is None:
            await self._storage.ledger.skipped(posting, "its papers have left the corpus")
            return None
        about = announcement.channel if announcement.person else None
        payload = await poster.render(reply, posting.key, about=about)
        papers = tuple(shown.paper.id for shown in reply.papers)
        if not await self._storage.ledger.rendered_all([(posting, papers, payload)]):
            return None
        return replace(posting, state="rendered", papers=papers, payload=payload)

    async def _in_slices(self, items: Sequence[Entry], work: Callable[[Entry], Result]) -> list[Result]:
        """The same work on each item, on a thread, a few at a time: people's commands go on beside a large delivery."""
        results: list[Result] = []
        for start in range(0, len(items), SLICE):
            began = time.perf_counter()
            results += await asyncio.to_thread(lambda few: [work(one) for one in few], items[start : start + SLICE])
            await asyncio.sleep((time.perf_counter() - began) * self._rest)
        return results


def _wish(entry: Subscription, posting: Posting, library: Library, votes: Mapping[str, Vote], pools: Pools) -> Wish:
    slot = slot_of(posting.day, posting.part, posting.replaced)
    return Wish(owner_of(entry), slot, chooser(entry, slot, library, votes, pools))


def _compose(
    entry: Subscription, posting: Posting, delivery: Delivery | None, library: Library, votes: Mapping[str, Vote]
) -> Reply | str:
    """The message, or why there is none."""
    if delivery is None:
        return f"no paper matches “{entry.topic}”" if entry.topic else "no papers"
    kept = [given for given in delivery.papers if not posting.papers or given.paper in posting.papers]
    papers = [(library.corpus.get(given.paper), given.reason) for given in kept]
    items = [Item(paper, reason) for paper, reason in papers if paper is not None]
    if not items:
        return "its papers have left the corpus"
    if posting.part.threaded:
        return thread_reply(items)
    return digest_reply(
        items, posting.day, style=entry.style, late=posting.late, new_cycle=delivery.new_cycle, votes=votes
    )
