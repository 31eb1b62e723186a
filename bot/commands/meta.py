"""About the bot itself: help and about."""

import difflib
from collections import Counter

from bot import __version__
from bot.commands.base import Command, Context, Example, Invocation, Kind, Parameter, works_in
from bot.connections import Offer
from bot.errors import NotFoundError, UserError
from bot.message import Button, Call, Reply
from bot.richtext import Block, Bullets, Code, Fields, Heading, Inlines, Paragraph, said, text
from bot.views import venue_of

_FIRST_STEPS = ("kv cache", "tldr trifuse", "random")


def help_(context: Context, invocation: Invocation) -> Reply:
    """All commands in a line each, or one command with its parameters and examples."""
    wanted = invocation.text("command")
    return _overview(context) if not wanted else _one(context, wanted)


def _overview(context: Context) -> Reply:
    lines: tuple[Inlines, ...] = tuple(
        text(Code(command.usage), f": {command.summary}") for command in context.commands.here
    )
    return Reply(
        "help",
        (
            Heading(text("What you can type")),
            Bullets(lines),
            Paragraph(
                text("Anything else is a search: ", Code(_FIRST_STEPS[0]), ". More on one: ", Code("help search"))
            ),
        ),
        buttons=tuple(Button(step, Call(step)) for step in ("random", "topics", "about")),
    )


def _one(context: Context, wanted: str) -> Reply:
    command = context.commands.get(wanted)
    if command is None:
        members = [entry for entry in context.commands.all if entry.group == wanted.lower()]
        if members and not (here := [entry for entry in members if entry in context.commands.here]):
            raise UserError(_elsewhere(context, wanted.lower(), members[0].needs))
        if not members:
            near = difflib.get_close_matches(wanted, [entry.path for entry in context.commands.here], n=1)
            hint = f"Did you mean `help {near[0]}`?" if near else "`help` lists them."
            raise NotFoundError(f"There is no command `{wanted}`. {hint}")
        lines = tuple(text(Code(entry.usage), f": {entry.summary}") for entry in here)
        return Reply("help", (Heading(text(wanted.lower())), Bullets(lines)))
    blocks: list[Block] = [Heading(text(Code(command.usage))), Paragraph(text(command.summary))]
    if command.details:
        blocks.append(Paragraph(said(command.details)))
    if command.parameters:
        shown = [parameter for parameter in command.parameters if not parameter.options_only]
        blocks.append(Fields(tuple((parameter.name, text(parameter.summary)) for parameter in shown)))
    blocks.append(Bullets(tuple(text(Code(example.say), f": {example.meaning}") for example in command.examples)))
    if others := [*command.said[:3], *(utterance.words for utterance in command.utterances[:6])]:
        also = text("Also: ", *[node for other in others if other for node in (Code(other), " · ")][:-1])
        blocks.append(Paragraph(also, quiet=True))
    if command not in context.commands.here:
        blocks.append(Paragraph(said(_elsewhere(context, command.path, command.needs))))
    return Reply("help", tuple(blocks))


def _elsewhere(context: Context, typed: str, needs: Offer) -> str:
    return works_in(typed, needs, context.commands.offers, context.connections.expected)


def about(context: Context, _invocation: Invocation) -> Reply:
    """What the bot holds, where that comes from, and what it does with what you type."""
    corpus = context.library.corpus
    venues = Counter(venue for paper in corpus if (venue := venue_of(paper)))
    derived = sum(paper.title_source == "derived" for paper in corpus)
    files = {source.file for paper in corpus for source in paper.sources}
    facts: list[tuple[str, Inlines]] = [
        ("Papers", text(f"{len(corpus)} from {len(files)} file(s)")),
    ]
    if venues:
        facts.append(("Venues", text(", ".join(f"{venue} ({count})" for venue, count in venues.most_common(5)))))
    if derived:
        facts.append(("Titles", text(f"{derived} derived from the abstract, and marked so; the others are real")))
    facts.append(("Version", text(__version__)))
    return Reply(
        "about",
        (
            Heading(text("Paperboy")),
            Paragraph(text("Finds, summarises and delivers the papers of a conference.")),
            Fields(tuple(facts)),
            Paragraph(
                text("Summaries are sentences of the abstract, shortened; nothing in them is made up."), quiet=True
            ),
            *context.about,
        ),
        hints=(text(Code("help"), " lists what you can type."),),
    )


COMMANDS = (
    Command(
        name="help",
        summary="What you can type, or more about one command.",
        handler=help_,
        order=90,
        said=(
            "",
            "hello",
            "hi",
            "hey",
            "hello there",
            "help",
            "help me",
            "commands",
            "what can you do",
            "how does this work",
        ),
        parameters=(Parameter("command", Kind.COMMAND, "The command to explain"),),
        examples=(
            Example("help", "all commands", ("search", "tldr <paper>", "topics")),
            Example("help search", "one command with examples", ("search kv cache", "has:code")),
        ),
    ),
    Command(
        name="about",
        summary="What this bot holds and where it comes from.",
        handler=about,
        order=95,
        said=(
            "who are you",
            "what are you",
            "what is this",
            "what is paperboy",
            "how many papers",
            "how many papers are there",
            "how many papers do you have",
        ),
        examples=(Example("about", "number of papers, venues, version", ("Papers", "ICML 2026")),),
    ),
)
