"""What people keep: saved papers, votes, watched queries, what a channel has seen, and their own data."""

import asyncio
import json
from collections.abc import Collection, Mapping
from dataclasses import replace
from datetime import date
from typing import TYPE_CHECKING

from bot.commands.base import Command, Context, Example, Invocation, Kind, Parameter
from bot.commands.desk import line, team_of
from bot.digest.draw import owner_of
from bot.digest.times import date_in_words
from bot.digest.values import EXTRA, Subscription
from bot.errors import NotFoundError, UsageError, UserError
from bot.exports import EXPORTS, export_papers
from bot.message import Attachment, Button, Call, Reply, Shown
from bot.papers import Paper, first_of
from bot.richtext import Block, Bullets, Code, Heading, Inlines, Link, Paragraph, Text, text
from bot.search import parse
from bot.views import cards, joined, list_hints, paper_buttons, title_of

if TYPE_CHECKING:
    from bot.digest.team import Team  # brings the database library, which the terminal does without

_LISTED = 20

_POSTS = 2_000
"""Parts of deliveries that are looked through for links: years of a daily post."""

_PREVIEW = 2_500
"""Characters of a file that stand in the reply itself."""


def _preview(content: str) -> tuple[Block, ...]:
    """What stands in the reply itself: the whole of a short file; of a long one the beginning, and that it is that."""
    if len(content) <= _PREVIEW:
        return (Paragraph((Code(content),)),)
    cut = content.rfind("\n", 0, _PREVIEW) + 1 or _PREVIEW
    rest = content.count("\n", cut)
    return (Paragraph((Code(content[:cut]),)), Paragraph(text(f"… and {rest} more lines in the file."), quiet=True))


async def save(context: Context, invocation: Invocation) -> Reply:
    """Keep a paper in the person's own list."""
    team = team_of(context)
    paper = invocation.papers["paper"]
    new = await team.saves.put(invocation.user, invocation.channel, paper.id)
    words = f"Saved `{paper.handle}`." if new else f"`{paper.handle}` is in your list already."
    reply = line("save", f"{words} Only you see your list.")
    unsave_button = Button("Undo", Call("unsave", {"paper": paper.id}))
    return replace(reply, papers=(Shown(paper),), buttons=(Button("My list", Call("saved")), unsave_button))


async def unsave(context: Context, invocation: Invocation) -> Reply:
    """Take a paper off the person's list."""
    team = team_of(context)
    paper = invocation.papers["paper"]
    if not await team.saves.drop(invocation.user, invocation.channel, paper.id):
        raise NotFoundError(f"`{paper.handle}` is not in your list.")
    return line("unsave", f"`{paper.handle}` is off your list.")


async def _saved_papers(context: Context, invocation: Invocation) -> list[Paper]:
    keys = await team_of(context).saves.of(invocation.user, invocation.channel)
    papers = first_of(keys, context.library.corpus)
    if not papers:
        raise NotFoundError("Your list is empty. `save xkv` keeps a paper in it.")
    return papers


async def saved(context: Context, invocation: Invocation) -> Reply:
    """The person's own list."""
    papers = await _saved_papers(context, invocation)
    shown = papers[:_LISTED]
    return Reply(
        "saved",
        (Paragraph(text(f"{len(papers)} saved, the latest first:")), *cards(shown)),
        papers=tuple(Shown(paper) for paper in shown),
        listed=True,
        total=len(papers),
        buttons=(Button("Export", Call("export")),),
        hints=(*list_hints("saved", 1), text(Code("export bibtex"), " gives them as a file.")),
    )


async def export(context: Context, invocation: Invocation) -> Reply:
    """The person's list as a file."""
    name = (invocation.text("format") or "bibtex").lower()
    form = EXPORTS.get(name)
    if form is None:
        raise UsageError(f"`export` gives {', '.join(f'`{known}`' for known in EXPORTS)}.")
    papers = await _saved_papers(context, invocation)
    content = export_papers(papers, name)
    return Reply(
        "export",
        (
            Paragraph(text(f"{len(papers)} {'paper' if len(papers) == 1 else 'papers'} as {form.title}:")),
            *_preview(content),
        ),
        papers=tuple(Shown(paper) for paper in papers),
        attachments=(Attachment(f"papers{form.suffix}", content.encode(), form.media_type),),
    )


async def vote(context: Context, invocation: Invocation) -> Reply:
    """Say what one thinks of a paper; steers what this channel gets."""
    team = team_of(context)
    paper = invocation.papers["paper"]
    up = invocation.arguments.get("up", True) is True
    total = await team.votes.put(invocation.user, invocation.channel, paper.id, 1 if up else -1)
    words = "More like it" if up else "Less like it"
    return replace(
        line("vote", f"{words}: noted for `{paper.handle}`. This channel says 👍 {total.up}, 👎 {total.down}."),
        papers=(Shown(paper),),
        buttons=paper_buttons(paper),
    )


async def watch(context: Context, invocation: Invocation) -> Reply:
    """Hear about new papers that match a query."""
    team = team_of(context)
    query = str(parse(invocation.text("query")))
    if not query:
        raise UsageError("Say what to watch: for example `watch kv cache`.")
    public = invocation.flag("channel")
    if not await team.watches.put(invocation.user, invocation.channel, query, public=public):
        raise UserError("You watch as many queries as one may. `unwatch` one first; `watches` lists them.")
    where = "this channel" if public else "you in private"
    return line("watch", f"I will tell {where}, when new papers match `{query}`.")


async def watches(context: Context, invocation: Invocation) -> Reply:
    """The queries that the person watches."""
    found = await team_of(context).watches.of(invocation.user, invocation.channel)
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
        found = await team.watches.of(invocation.user, invocation.channel)
        if query not in {entry.query for entry in found} and 1 <= int(query) <= len(found):
            query = found[int(query) - 1].query
    if not await team.watches.drop(invocation.user, invocation.channel, query):
        raise NotFoundError(f"You do not watch “{query}”. `watches` lists what you do.")
    return line("unwatch", f"No more about `{query}`.")


async def seen(context: Context, invocation: Invocation) -> Reply:
    """Past papers of this channel that match, with their dates."""
    team = team_of(context)
    entry = await team.subscriptions.here(invocation.channel)
    given = await team.picks.all(owner_of(entry)) if entry else []
    corpus = context.library.corpus
    query = parse(invocation.text("query"))
    wanted: set[str] | None = None
    if query.words or query.phrases or query.filtered:
        wanted = {hit.paper.id for hit in context.library.index.find(query, 0, len(corpus) or 1).hits}
    held = [(one, paper) for one in given if (paper := corpus.get(one.paper))]
    rows = [(one, paper) for one, paper in held if wanted is None or paper.id in wanted]
    if not rows:
        return line("seen", f"This channel was given nothing {'that matches' if given else 'yet'}.")
    posts = await _posts(team, entry, {(one.slot[:10], paper.id) for one, paper in rows[:_LISTED]}) if entry else {}
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
    team: "Team", entry: Subscription, wanted: Collection[tuple[str, str]]
) -> Mapping[tuple[str, str], str]:
    """Addresses of a channel's posts, by date and paper; those that the platform gives."""
    gate = team.gate(entry.channel)
    if gate is None:
        return {}
    messages = {
        (row.day.isoformat(), paper): row.message
        for row in await team.ledger.history(entry.id, _POSTS)
        for paper in row.papers
        if row.message and not row.part % EXTRA
    }
    asked = {place: message for place, message in messages.items() if place in wanted}
    links = await asyncio.gather(*(gate.link_to(entry.channel, message) for message in asked.values()))
    return {place: link for place, link in zip(asked, links, strict=True) if link}


async def data_export(context: Context, invocation: Invocation) -> Reply:
    """All that is kept of the person in this workspace, as JSON."""
    team = team_of(context)
    keys = await team.saves.of(invocation.user, invocation.channel)
    kept = await team.watches.of(invocation.user, invocation.channel)
    value = {
        "saved": keys,
        "watches": [{"query": entry.query, "channel": entry.channel.channel, "public": entry.public} for entry in kept],
        "votes": await team.votes.by(invocation.user, invocation.channel),
    }
    content = json.dumps(value, ensure_ascii=False, indent=2)
    return Reply(
        "data export",
        (Paragraph(text("All that is kept of you here:")), *_preview(content)),
        attachments=(Attachment("paperboy-data.json", content.encode(), "application/json"),),
    )


async def data_delete(context: Context, invocation: Invocation) -> Reply:
    """Delete all that is kept of the person in this workspace."""
    gone = await team_of(context).forget_person(invocation.user, invocation.channel)
    entries = "1 entry" if gone == 1 else f"{gone} entries"
    return line("data delete", f"Deleted: {entries} of yours. Your last lists expire by themselves within a week.")


_PAPER = Parameter("paper", Kind.PAPER, "A handle, part of a title, or a number of your last list", required=True)
_QUERY = Parameter("query", Kind.TEXT, "As for search", required=True)


def _entry(name: str, order: int, **values: object) -> Command:
    return Command(name=name, order=order, needs_team=True, **values)  # type: ignore[arg-type]


COMMANDS = (
    _entry(
        "save",
        61,
        summary="Keep a paper in your own list.",
        handler=save,
        parameters=(_PAPER,),
        examples=(Example("save xkv", "only you see your list", ("Saved xkv",)),),
    ),
    _entry(
        "saved",
        62,
        summary="Your own list.",
        handler=saved,
        examples=(Example("saved", "the latest first", ("1 saved", "xkv"), after="save xkv"),),
    ),
    _entry(
        "unsave",
        63,
        summary="Take a paper off your list.",
        handler=unsave,
        parameters=(_PAPER,),
        examples=(Example("unsave xkv", "no longer kept", ("off your list",), after="save xkv"),),
    ),
    _entry(
        "export",
        64,
        summary="Your list as BibTeX, CSV or Markdown.",
        handler=export,
        parameters=(Parameter("format", Kind.TEXT, "bibtex, csv or markdown"),),
        examples=(Example("export bibtex", "for a reference manager", ("@misc{xkv",), after="save xkv"),),
    ),
    _entry(
        "vote",
        65,
        summary="Steer what this channel gets.",
        handler=vote,
        parameters=(_PAPER, Parameter("up", Kind.FLAG, "yes for more like it, no for less", keyword=True)),
        examples=(
            Example("vote xkv", "more like it", ("More like it",)),
            Example("vote xkv up:no", "less like it", ("Less like it",)),
        ),
    ),
    _entry(
        "watch",
        66,
        summary="Hear about new papers that match.",
        handler=watch,
        parameters=(_QUERY, Parameter("channel", Kind.FLAG, "Tell the channel instead of you", keyword=True)),
        examples=(Example("watch kv cache", "told to you in private", ("kv cache",)),),
    ),
    _entry(
        "watches",
        67,
        summary="What you watch.",
        handler=watches,
        examples=(Example("watches", "your queries", ("kv cache",), after="watch kv cache"),),
    ),
    _entry(
        "unwatch",
        68,
        summary="Hear no more about a query.",
        handler=unwatch,
        parameters=(_QUERY,),
        examples=(Example("unwatch kv cache", "as it was typed", ("No more about",), after="watch kv cache"),),
    ),
    _entry(
        "seen",
        69,
        summary="What this channel was given before.",
        handler=seen,
        parameters=(Parameter("query", Kind.TEXT, "As for search; nothing for all"),),
        examples=(Example("seen experts", "past papers about experts, with dates", ("nothing yet",)),),
    ),
    _entry(
        "export",
        97,
        group="data",
        summary="All that is kept of you, as a file.",
        handler=data_export,
        examples=(Example("data export", "saved papers, watches, votes", ("watches",)),),
    ),
    _entry(
        "delete",
        98,
        group="data",
        summary="Delete all that is kept of you.",
        handler=data_delete,
        examples=(Example("data delete", "saved papers, watches, votes", ("Deleted",)),),
    ),
)
