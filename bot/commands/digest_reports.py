"""What the channel was given and will be: status, preview, why and history of group `digest`, and `seen`."""

import asyncio
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from datetime import date, datetime, timedelta
from typing import TYPE_CHECKING

from bot.commands.base import Command, Context, Example, Invocation, Kind, Parameter, line, storage_of
from bot.commands.channel_digest import access_to, facts_of, local_time, own, upcoming
from bot.commands.fetch import fetch
from bot.connections import ChannelAccess, Offer
from bot.digest.selection import Pools, chooser
from bot.errors import UsageError
from bot.message import ChannelRef, Reply, Shown
from bot.richtext import Block, Bullets, Code, Fields, Heading, Inlines, Link, Paragraph, Text, said, text
from bot.schedule import zones
from bot.schedule.dates import date_in_words, days_in_words
from bot.schedule.values import MAIN, Posting, Subscription, delivery_of, following, owner_of, slot_of
from bot.search import parse
from bot.views import joined, title_of

if TYPE_CHECKING:
    from bot.store.picks import Given  # brings the database library, which the terminal does without

_PREVIEW_DAYS = 14
_LONGEST_PREVIEW = 60
_LISTED = 20

_POSTS = 2_000
"""Parts of deliveries that are looked through for links: years of a daily post."""


async def status(context: Context, invocation: Invocation) -> Reply:
    """What is set up here, and what comes next."""
    storage = storage_of(context)
    entry = await own(storage, invocation)
    posts = (await upcoming(storage, entry, 3)).lines(entry)
    blocks: list[Block] = [Heading(text("Paper of the day")), Fields(facts_of(entry, storage.clock()))]
    if posts:
        blocks.append(Bullets(tuple(map(text, posts))))
    return Reply("digest status", tuple(blocks), hints=(text(Code("digest why"), " tells about today."),))


async def preview(context: Context, invocation: Invocation) -> Reply:
    """The next dates, local times and picks, as things stand."""
    storage = storage_of(context)
    entry = await own(storage, invocation)
    words = invocation.text("days").removesuffix("d") or str(_PREVIEW_DAYS)
    if not words.isascii() or not words.isdigit() or not 1 <= int(words) <= _LONGEST_PREVIEW:
        raise UsageError(f"Say how many days, from 1 to {_LONGEST_PREVIEW}: `digest preview 14d`.")
    now = storage.clock()
    end = now + timedelta(days=int(words))
    if entry.held_for:
        return line("digest preview", f"Posts are held here: {entry.held_for}")
    ahead = await upcoming(storage, entry, int(words))
    runs = [run for run in ahead.runs if run.at <= end]
    if not runs and ahead.pending is None:
        return line("digest preview", f"Nothing is due in the next {words} days.")
    given, cycle = await fetch(storage.picks.given(owner_of(entry)))
    votes = await fetch(storage.votes.of(entry.channel))
    pools = Pools(context.library)
    items: list[Inlines] = [text(line_) for line_ in replace(ahead, runs=()).lines(entry)]
    for run in runs:
        slot = slot_of(run.day, MAIN)
        choice = chooser(entry, slot, context.library, votes, pools)(given, cycle)
        titles = [pick.paper.name for pick in choice.picks] if choice else []
        items.append(text(f"{local_time(run, entry)}: {', '.join(titles) or 'no paper matches'}"))
        if choice:
            given = frozenset() if choice.new_cycle else given
            given, cycle = given | {pick.paper.id for pick in choice.picks}, choice.cycle
    note = Paragraph(text("As things stand: votes and new papers may change the picks."), quiet=True)
    return Reply("digest preview", (Heading(text("What comes next here")), Bullets(tuple(items)), note))


async def why(context: Context, invocation: Invocation) -> Reply:
    """What became of today's post."""
    storage = storage_of(context)
    entry = await own(storage, invocation)
    zone = zones.load(entry.schedule.zone)
    today = storage.clock().astimezone(zone).date()
    rows = await fetch(storage.ledger.of_day(entry.id, today))
    if rows:
        lines = tuple(said(_told(row, entry) + _mended(row)) for row in rows)
        return Reply("digest why", (Heading(text(f"Today, {date_in_words(today)}")), Bullets(lines)))
    return line("digest why", _why_not(entry, today, storage.clock()))


def _told(row: Posting, entry: Subscription) -> str:
    zone = zones.load(entry.schedule.zone)
    part = ("extra, " if row.part.extra else "") + ("thread: " if row.part.threaded else "")
    match row.state:
        case "posted":
            at = row.posted.astimezone(zone) if row.posted else None
            return f"{part}posted at {at:%H:%M}" + (", later than planned" if row.late else "")
        case "unconfirmed":
            return f"{part}sent, but not confirmed: {row.note}"
        case "skipped":
            return f"{part}skipped: {row.note}"
        case "failed":
            return f"{part}not posted: {row.note}"
        case "planned" | "rendered" | "sending":
            waits = f", waiting: {row.note}" if row.note else ""
            return f"{part}pending since {row.due.astimezone(zone):%H:%M}{waits}"


def _mended(row: Posting) -> str:
    """What a person can do about a post that may or may not be there."""
    if row.state != "unconfirmed" or row.part.threaded:
        return ""
    again = "`digest now extra` posts another one" if row.part.extra else "`digest now` posts it again"
    return f". I do not send it twice by myself. If it does not stand here, {again}."


def _why_not(entry: Subscription, today: date, now: datetime) -> str:
    schedule = entry.schedule
    if entry.held_for:
        return f"Deliveries are held: {entry.held_for}"
    if schedule.paused_until and today < schedule.paused_until:
        return f"Paused until {date_in_words(schedule.paused_until)}."
    if today in schedule.skips:
        return "Today is left out, by `digest skip`."
    if today.weekday() not in schedule.weekdays:
        return f"Today is not one of its days ({days_in_words(schedule.weekdays)})."
    runs = following(schedule, now, 1)
    if runs and runs[0].day == today:
        return f"Pending: {local_time(runs[0], entry)}."
    return "Nothing is owed today: its time was over before the digest was set up or resumed."


async def history(context: Context, invocation: Invocation) -> Reply:
    """The latest posts here."""
    storage = storage_of(context)
    entry = await fetch(storage.subscriptions.here(invocation.channel))
    rows = await fetch(storage.ledger.history(entry.id, 30)) if entry else []
    main = [row for row in rows if not row.part.threaded]
    if not entry or not main:
        return line("digest history", "So far nothing was posted here.")
    corpus = context.library.corpus
    items: list[Inlines] = []
    for row in main[:15]:
        names = [paper.name if (paper := corpus.get(key)) else "a paper that left the corpus" for key in row.papers]
        items.append((Text(f"{date_in_words(row.day)}: {', '.join(names) or '—'} ({_told(row, entry)})"),))
    return Reply("digest history", (Heading(text("Posted here")), Bullets(tuple(items))))


async def seen(context: Context, invocation: Invocation) -> Reply:
    """Past papers of this channel that match, with their dates."""
    storage = storage_of(context)
    entry = await fetch(storage.subscriptions.here(invocation.channel))
    given = await fetch(storage.picks.all(owner_of(entry))) if entry else []
    corpus = context.library.corpus
    query = parse(invocation.text("query"))
    wanted: set[str] | None = None
    if query.words or query.phrases or query.filtered:
        wanted = {hit.paper.id for hit in context.library.index.find(query, 0, len(corpus) or 1).hits}
    if entry is not None:
        given = _shown_here(given, await fetch(storage.ledger.history(entry.id, _POSTS)))
    held = [(one, paper) for one in given if (paper := corpus.get(one.paper))]
    rows = [(one, paper) for one, paper in held if wanted is None or paper.id in wanted]
    if not rows:
        return line("seen", f"This channel was given nothing {'that matches' if given else 'yet'}.")
    posts = await _posts(context, entry, {(one.slot[:10], paper.id) for one, paper in rows[:_LISTED]}) if entry else {}
    items: list[Inlines] = []
    for one, paper in rows[:_LISTED]:
        day = date_in_words(date.fromisoformat(one.slot[:10]))
        address = posts.get((one.slot[:10], paper.id))
        posted = [(Link(address, (Text("the post"),)),)] if address else []
        items.append(joined([joined([(Text(day),), title_of(paper)], ": "), *posted], " · "))
    more = [Paragraph(text(f"and {len(rows) - _LISTED} more; words after `seen` narrow it."), quiet=True)]
    return Reply(
        "seen",
        (Heading(text("Given here")), Bullets(tuple(items)), *(more if len(rows) > _LISTED else ())),
        papers=tuple(Shown(paper) for _, paper in rows[:_LISTED]),
        total=len(rows),
    )


def _shown_here(given: "Sequence[Given]", rows: Sequence[Posting]) -> "list[Given]":
    """Without what was chosen and then refused for what it says: its delivery has other papers here."""
    papers = {slot_of(row.day, row.part): row.papers for row in rows if row.message and not row.part.threaded}
    return [one for one in given if one.paper in papers.get(delivery_of(one.slot), (one.paper,))]


async def _posts(
    context: Context, entry: Subscription, wanted: Collection[tuple[str, str]]
) -> Mapping[tuple[str, str], str]:
    """Addresses of a channel's posts, by date and paper; those that the platform gives."""
    storage = storage_of(context)
    access = access_to(context, entry.channel)
    messages = {
        (row.day.isoformat(), paper): row.message
        for row in await fetch(storage.ledger.history(entry.id, _POSTS))
        for paper in row.papers
        if row.message and not row.part.threaded
    }
    asked = {place: message for place, message in messages.items() if place in wanted}
    links = await fetch(_links(access, entry.channel, tuple(asked.values())))
    return {place: link for place, link in zip(asked, links, strict=True) if link}


async def _links(access: ChannelAccess, channel: ChannelRef, messages: Sequence[str]) -> Sequence[str | None]:
    """The addresses of messages, all asked for at once."""
    return await asyncio.gather(*(access.link_to(channel, message) for message in messages))


_SET_UP = "digest on 9:00 berlin"

COMMANDS = (
    Command(
        name="status",
        group="digest",
        summary="What is set up here, and what comes next.",
        handler=status,
        order=74,
        needs=Offer.STORAGE | Offer.DIGEST,
        examples=(Example("digest status", "time, days, topic", ("Europe/Berlin",), after=_SET_UP),),
    ),
    Command(
        name="preview",
        group="digest",
        summary="The next dates and picks.",
        handler=preview,
        order=75,
        needs=Offer.STORAGE | Offer.DIGEST,
        parameters=(Parameter("days", Kind.TEXT, "How many days, such as 14d"),),
        examples=(Example("digest preview 14d", "the next two weeks", ("What comes next here",), after=_SET_UP),),
    ),
    Command(
        name="why",
        group="digest",
        summary="What became of today's post.",
        handler=why,
        order=77,
        needs=Offer.STORAGE | Offer.DIGEST,
        examples=(Example("digest why", "posted, pending or why not", (), after=_SET_UP),),
    ),
    Command(
        name="history",
        group="digest",
        summary="The latest posts here.",
        handler=history,
        order=78,
        needs=Offer.STORAGE | Offer.DIGEST,
        examples=(Example("digest history", "dates and papers", ("nothing was posted here",), after=_SET_UP),),
    ),
    Command(
        name="seen",
        order=69,
        needs=Offer.STORAGE | Offer.DIGEST,
        summary="What this channel was given before.",
        handler=seen,
        parameters=(Parameter("query", Kind.TEXT, "As for search; nothing for all"),),
        examples=(Example("seen experts", "past papers about experts, with dates", ("nothing yet",)),),
    ),
)
