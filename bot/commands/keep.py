"""What people keep: saved papers, votes, watched queries, and all of it as their own data."""

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from bot.commands.base import Command, Context, Example, Invocation, Kind, Parameter, line, storage_of
from bot.commands.channel_digest import access_to, may_manage
from bot.commands.exports import EXPORTS, export_papers, preview
from bot.commands.fetch import fetch
from bot.connections import Offer
from bot.errors import NotFoundError, UsageError, UserError
from bot.message import Attachment, Button, Call, Reply, Shown
from bot.papers import Paper, first_of
from bot.richtext import Block, Bullets, Code, Heading, Inlines, Paragraph, text
from bot.search import parse
from bot.views import cards, list_hints, paper_buttons

if TYPE_CHECKING:
    from bot.store.kept import Watch  # brings the database library, which the terminal does without

_LISTED = 20


async def save(context: Context, invocation: Invocation) -> Reply:
    """Keep papers in the person's own list."""
    storage = storage_of(context)
    papers = invocation.several["paper"]
    new = [p for p in papers if await fetch(storage.saves.put(invocation.user, invocation.channel, p.id))]
    old = [paper for paper in papers if paper not in new]
    words = [f"Saved {_handles(new)}."] if new else []
    words += [f"{_handles(old)} {'is' if len(old) == 1 else 'are'} in your list already."] if old else []
    reply = line("save", f"{' '.join(words)} Only you see your list.")
    undo = (Button("Undo", Call("unsave", {"paper": papers[0].id})),) if len(papers) == 1 else ()
    shown = tuple(Shown(paper) for paper in papers)
    return replace(reply, papers=shown, buttons=(Button("My list", Call("saved")), *undo))


async def unsave(context: Context, invocation: Invocation) -> Reply:
    """Take papers off the person's list."""
    storage = storage_of(context)
    papers = invocation.several["paper"]
    gone = [p for p in papers if await fetch(storage.saves.drop(invocation.user, invocation.channel, p.id))]
    if not gone:
        raise NotFoundError(f"{_handles(papers)} {'is' if len(papers) == 1 else 'are'} not in your list.")
    return line("unsave", f"{_handles(gone)} {'is' if len(gone) == 1 else 'are'} off your list.")


def _handles(papers: Sequence[Paper]) -> str:
    """The handles as a sentence lists them: `xkv`, `sinq` and `trifuse`, each as code."""
    *most, last = [f"`{paper.handle}`" for paper in papers]
    return f"{', '.join(most)} and {last}" if most else last


async def _saved_papers(context: Context, invocation: Invocation) -> list[Paper]:
    keys = await fetch(storage_of(context).saves.of(invocation.user, invocation.channel))
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
            *preview(content),
        ),
        papers=tuple(Shown(paper) for paper in papers),
        attachments=(Attachment(f"papers{form.suffix}", content.encode(), form.media_type),),
    )


async def vote(context: Context, invocation: Invocation) -> Reply:
    """Say what one thinks of a paper; steers what this channel gets."""
    storage = storage_of(context)
    paper = invocation.papers["paper"]
    up = invocation.arguments.get("up", True) is True
    total = await fetch(storage.votes.put(invocation.user, invocation.channel, paper.id, 1 if up else -1))
    words = "More like it" if up else "Less like it"
    return replace(
        line("vote", f"{words}: noted for `{paper.handle}`. This channel says 👍 {total.up}, 👎 {total.down}."),
        papers=(Shown(paper),),
        buttons=paper_buttons(paper),
    )


async def watch(context: Context, invocation: Invocation) -> Reply:
    """Hear about new papers that match a query."""
    storage = storage_of(context)
    query = str(parse(invocation.text("query")))
    if not query:
        raise UsageError("Say what to watch: for example `watch kv cache`.")
    public = invocation.flag("channel")
    if public:
        await may_manage(context, invocation)
        if reason := await fetch(access_to(context, invocation.channel).may_post(invocation.channel)):
            raise UserError(reason)
    if not await fetch(storage.watches.put(invocation.user, invocation.channel, query, public=public)):
        raise UserError("You watch as many queries as one may. `unwatch` one first; `watches` lists them.")
    where = "this channel" if public else "you in private"
    return line("watch", f"I will tell {where}, when new papers match `{query}`.")


async def _watched(context: Context, invocation: Invocation) -> "tuple[list[Watch], list[Watch]]":
    """What the person watches in this workspace, and what others have told to this channel; numbered in this order."""
    storage = storage_of(context)
    own = await fetch(storage.watches.of(invocation.user, invocation.channel))
    told = await fetch(storage.watches.told_to(invocation.channel))
    return own, [entry for entry in told if entry.user != invocation.user.id]


async def watches(context: Context, invocation: Invocation) -> Reply:
    """The queries that the person watches, and those that others have told to the channel."""
    own, others = await _watched(context, invocation)
    if not own and not others:
        raise NotFoundError("You watch nothing yet. `watch kv cache` begins.")
    blocks: list[Block] = []
    first = 1
    for heading, found in (("You watch", own), ("Others have told to this channel", others)):
        if not found:
            continue
        items: list[Inlines] = []
        for number, entry in enumerate(found, first):
            where = " (told to the channel)" if entry.public and found is own else ""
            items.append(text(f"{number}. ", Code(entry.query), where))
        blocks += [Heading(text(heading)), Bullets(tuple(items))]
        first += len(found)
    example = (own or others)[0].query
    hint = text(Code(f"unwatch {example}"), " or ", Code("unwatch 1"), " ends one.")
    more = text("Whoever may change the channel's digest may end those of others.")
    return Reply("watches", tuple(blocks), hints=(hint, more) if others else (hint,))


async def unwatch(context: Context, invocation: Invocation) -> Reply:
    """Hear no more about a query; who manages the channel ends what others have told to it."""
    storage = storage_of(context)
    query = str(parse(invocation.text("query")))
    own, others = await _watched(context, invocation)
    every = [*own, *others]
    if query.isascii() and query.isdigit() and query not in {entry.query for entry in every}:
        number = int(query)
        if 1 <= number <= len(own):
            query = own[number - 1].query
        elif len(own) < number <= len(every):
            return await _end_for_channel(context, invocation, others[number - len(own) - 1].query)
    if await fetch(storage.watches.drop(invocation.user, invocation.channel, query)):
        return line("unwatch", f"No more about `{query}`.")
    if query in {entry.query for entry in others}:
        return await _end_for_channel(context, invocation, query)
    raise NotFoundError(f"You do not watch “{query}”. `watches` lists what you do.")


async def _end_for_channel(context: Context, invocation: Invocation, query: str) -> Reply:
    await may_manage(context, invocation)
    await fetch(storage_of(context).watches.drop_told_to(invocation.channel, query))
    return line("unwatch", f"This channel is told no more about `{query}`.")


async def data_export(context: Context, invocation: Invocation) -> Reply:
    """All that is kept of the person in this workspace, as JSON."""
    value = await fetch(storage_of(context).kept_of(invocation.user, invocation.channel))
    content = json.dumps(value, ensure_ascii=False, indent=2)
    return Reply(
        "data export",
        (Paragraph(text("All that is kept of you here:")), *preview(content)),
        attachments=(Attachment("paperboy-data.json", content.encode(), "application/json"),),
    )


async def data_delete(context: Context, invocation: Invocation) -> Reply:
    """Delete all that is kept of the person in this workspace."""
    gone = await fetch(storage_of(context).forget_person(invocation.user, invocation.channel))
    entries = "1 entry" if gone.entries == 1 else f"{gone.entries} entries"
    told = " The digests that you set up go on, but tell you no more when they are held." if gone.digests else ""
    return line("data delete", f"Deleted: {entries} of yours, and your last lists.{told}")


_PAPER = Parameter("paper", Kind.PAPER, "A handle, part of a title, or a number of your last list", required=True)
_PAPERS = replace(_PAPER, summary=f"{_PAPER.summary}; up to 25 at once", many=25)
_QUERY = Parameter("query", Kind.TEXT, "As for search", required=True)


COMMANDS = (
    Command(
        name="save",
        order=61,
        needs=Offer.STORAGE,
        summary="Keep a paper in your own list.",
        handler=save,
        parameters=(_PAPERS,),
        examples=(Example("save xkv", "only you see your list", ("Saved xkv",)),),
    ),
    Command(
        name="saved",
        order=62,
        needs=Offer.STORAGE,
        summary="Your own list.",
        handler=saved,
        said=("my list", "my papers", "my saved papers"),
        examples=(Example("saved", "the latest first", ("1 saved", "xkv"), after="save xkv"),),
    ),
    Command(
        name="unsave",
        order=63,
        needs=Offer.STORAGE,
        summary="Take a paper off your list.",
        handler=unsave,
        parameters=(_PAPERS,),
        examples=(Example("unsave xkv", "no longer kept", ("off your list",), after="save xkv"),),
    ),
    Command(
        name="export",
        order=64,
        needs=Offer.STORAGE,
        summary="Your list as BibTeX, CSV or Markdown.",
        handler=export,
        parameters=(Parameter("format", Kind.TEXT, f"{', '.join(EXPORTS)}; BibTeX if it is left out"),),
        examples=(Example("export bibtex", "for a reference manager", ("@misc{xkv",), after="save xkv"),),
    ),
    Command(
        name="vote",
        order=65,
        needs=Offer.STORAGE | Offer.DIGEST,
        summary="Steer what this channel gets.",
        handler=vote,
        parameters=(_PAPER, Parameter("up", Kind.FLAG, "yes for more like it, no for less", keyword=True)),
        examples=(
            Example("vote xkv", "more like it", ("More like it",)),
            Example("vote xkv up:no", "less like it", ("Less like it",)),
        ),
    ),
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
        name="export",
        order=97,
        needs=Offer.STORAGE,
        group="data",
        summary="All that is kept of you, as a file.",
        handler=data_export,
        examples=(Example("data export", "saved papers, watches, votes", ("watches",)),),
    ),
    Command(
        name="delete",
        order=98,
        needs=Offer.STORAGE,
        group="data",
        summary="Delete all that is kept of you.",
        handler=data_delete,
        examples=(Example("data delete", "saved papers, watches, votes", ("Deleted",)),),
    ),
)
