"""What people keep: saved papers, votes, and their own data."""

import json
from dataclasses import replace

from bot.commands.base import Command, Context, Example, Invocation, Kind, Parameter
from bot.commands.desk import line, team_of
from bot.commands.fetch import fetch
from bot.connections import Offer
from bot.errors import NotFoundError, UsageError
from bot.exports import EXPORTS, export_papers
from bot.message import Attachment, Button, Call, Reply, Shown
from bot.papers import Paper, first_of
from bot.richtext import Block, Code, Paragraph, text
from bot.views import cards, list_hints, paper_buttons

_LISTED = 20

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
    new = await fetch(team.saves.put(invocation.user, invocation.channel, paper.id))
    words = f"Saved `{paper.handle}`." if new else f"`{paper.handle}` is in your list already."
    reply = line("save", f"{words} Only you see your list.")
    unsave_button = Button("Undo", Call("unsave", {"paper": paper.id}))
    return replace(reply, papers=(Shown(paper),), buttons=(Button("My list", Call("saved")), unsave_button))


async def unsave(context: Context, invocation: Invocation) -> Reply:
    """Take a paper off the person's list."""
    team = team_of(context)
    paper = invocation.papers["paper"]
    if not await fetch(team.saves.drop(invocation.user, invocation.channel, paper.id)):
        raise NotFoundError(f"`{paper.handle}` is not in your list.")
    return line("unsave", f"`{paper.handle}` is off your list.")


async def _saved_papers(context: Context, invocation: Invocation) -> list[Paper]:
    keys = await fetch(team_of(context).saves.of(invocation.user, invocation.channel))
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
    total = await fetch(team.votes.put(invocation.user, invocation.channel, paper.id, 1 if up else -1))
    words = "More like it" if up else "Less like it"
    return replace(
        line("vote", f"{words}: noted for `{paper.handle}`. This channel says 👍 {total.up}, 👎 {total.down}."),
        papers=(Shown(paper),),
        buttons=paper_buttons(paper),
    )


async def data_export(context: Context, invocation: Invocation) -> Reply:
    """All that is kept of the person in this workspace, as JSON."""
    value = await fetch(team_of(context).kept_of(invocation.user, invocation.channel))
    content = json.dumps(value, ensure_ascii=False, indent=2)
    return Reply(
        "data export",
        (Paragraph(text("All that is kept of you here:")), *_preview(content)),
        attachments=(Attachment("paperboy-data.json", content.encode(), "application/json"),),
    )


async def data_delete(context: Context, invocation: Invocation) -> Reply:
    """Delete all that is kept of the person in this workspace."""
    gone = await fetch(team_of(context).forget_person(invocation.user, invocation.channel))
    entries = "1 entry" if gone.entries == 1 else f"{gone.entries} entries"
    told = " The digests that you set up go on, but tell you no more when they are held." if gone.digests else ""
    return line("data delete", f"Deleted: {entries} of yours, and your last lists.{told}")


_PAPER = Parameter("paper", Kind.PAPER, "A handle, part of a title, or a number of your last list", required=True)


def _entry(name: str, order: int, *, needs: Offer = Offer.STORAGE, **values: object) -> Command:
    return Command(name=name, order=order, needs=needs, **values)  # type: ignore[arg-type]


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
        needs=Offer.STORAGE | Offer.DIGEST,
        summary="Steer what this channel gets.",
        handler=vote,
        parameters=(_PAPER, Parameter("up", Kind.FLAG, "yes for more like it, no for less", keyword=True)),
        examples=(
            Example("vote xkv", "more like it", ("More like it",)),
            Example("vote xkv up:no", "less like it", ("Less like it",)),
        ),
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
