"""What is coming and what has been: watched queries, and what a channel was given."""

import asyncio
from collections.abc import Collection, Mapping, Sequence
from datetime import date

from bot.commands.base import Command, Context, Example, Invocation, Kind, Parameter
from bot.commands.desk import access_to, line, team_of
from bot.commands.fetch import fetch
from bot.connections import ChannelAccess, Offer
from bot.errors import NotFoundError, UsageError, UserError
from bot.message import ChannelRef, Reply, Shown
from bot.richtext import Bullets, Code, Heading, Inlines, Link, Paragraph, Text, text
from bot.schedule.dates import date_in_words
from bot.schedule.values import Subscription, owner_of
from bot.search import parse
from bot.views import joined, title_of

_LISTED = 20

_POSTS = 2_000
"""Parts of deliveries that are looked through for links: years of a daily post."""


async def watch(context: Context, invocation: Invocation) -> Reply:
    """Hear about new papers that match a query."""
    team = team_of(context)
    query = str(parse(invocation.text("query")))
    if not query:
        raise UsageError("Say what to watch: for example `watch kv cache`.")
    public = invocation.flag("channel")
    if not await fetch(team.watches.put(invocation.user, invocation.channel, query, public=public)):
        raise UserError("You watch as many queries as one may. `unwatch` one first; `watches` lists them.")
    where = "this channel" if public else "you in private"
    return line("watch", f"I will tell {where}, when new papers match `{query}`.")


async def watches(context: Context, invocation: Invocation) -> Reply:
    """The queries that the person watches."""
    found = await fetch(team_of(context).watches.of(invocation.user, invocation.channel))
    if not found:
        raise NotFoundError("You watch nothing yet. `watch kv cache` begins.")
    items: tuple[Inlines, ...] = tuple(
        text(Code(entry.query), " (told to the channel)" if entry.public else "") for entry in found
    )
    numbered = tuple(text(f"{number}. ", *item) for number, item in enumerate(items, 1))
    return Reply(
        "watches",
        (Heading(text("You watch")), Bullets(numbered)),
        hints=(text(Code(f"unwatch {found[0].query}"), " or ", Code("unwatch 1"), " ends one."),),
    )


async def unwatch(context: Context, invocation: Invocation) -> Reply:
    """Hear no more about a query."""
    team = team_of(context)
    query = str(parse(invocation.text("query")))
    if query.isascii() and query.isdigit():
        found = await fetch(team.watches.of(invocation.user, invocation.channel))
        if query not in {entry.query for entry in found} and 1 <= int(query) <= len(found):
            query = found[int(query) - 1].query
    if not await fetch(team.watches.drop(invocation.user, invocation.channel, query)):
        raise NotFoundError(f"You do not watch “{query}”. `watches` lists what you do.")
    return line("unwatch", f"No more about `{query}`.")


async def seen(context: Context, invocation: Invocation) -> Reply:
    """Past papers of this channel that match, with their dates."""
    team = team_of(context)
    entry = await fetch(team.subscriptions.here(invocation.channel))
    given = await fetch(team.picks.all(owner_of(entry))) if entry else []
    corpus = context.library.corpus
    query = parse(invocation.text("query"))
    wanted: set[str] | None = None
    if query.words or query.phrases or query.filtered:
        wanted = {hit.paper.id for hit in context.library.index.find(query, 0, len(corpus) or 1).hits}
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


async def _posts(
    context: Context, entry: Subscription, wanted: Collection[tuple[str, str]]
) -> Mapping[tuple[str, str], str]:
    """Addresses of a channel's posts, by date and paper; those that the platform gives."""
    team = team_of(context)
    access = access_to(context, entry.channel)
    messages = {
        (row.day.isoformat(), paper): row.message
        for row in await fetch(team.ledger.history(entry.id, _POSTS))
        for paper in row.papers
        if row.message and not row.part.threaded
    }
    asked = {place: message for place, message in messages.items() if place in wanted}
    links = await fetch(_links(access, entry.channel, tuple(asked.values())))
    return {place: link for place, link in zip(asked, links, strict=True) if link}


async def _links(access: ChannelAccess, channel: ChannelRef, messages: Sequence[str]) -> Sequence[str | None]:
    """The addresses of messages, all asked for at once."""
    return await asyncio.gather(*(access.link_to(channel, message) for message in messages))


_QUERY = Parameter("query", Kind.TEXT, "As for search", required=True)

COMMANDS = (
    Command(
        name="watch",
        order=66,
        needs=Offer.STORAGE | Offer.NEWS,
        summary="Hear about new papers that match.",
        handler=watch,
        parameters=(_QUERY, Parameter("channel", Kind.FLAG, "Tell the channel instead of you", keyword=True)),
        examples=(Example("watch kv cache", "told to you in private", ("kv cache",)),),
    ),
    Command(
        name="watches",
        order=67,
        needs=Offer.STORAGE | Offer.NEWS,
        summary="What you watch.",
        handler=watches,
        examples=(Example("watches", "your queries", ("kv cache",), after="watch kv cache"),),
    ),
    Command(
        name="unwatch",
        order=68,
        needs=Offer.STORAGE | Offer.NEWS,
        summary="Hear no more about a query.",
        handler=unwatch,
        parameters=(_QUERY,),
        examples=(Example("unwatch kv cache", "as it was typed", ("No more about",), after="watch kv cache"),),
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
