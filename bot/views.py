"""How papers look in replies: shared by all commands, so that a paper looks the same wherever it appears."""

from collections.abc import Iterable, Sequence

from bot.message import Button, Call
from bot.papers import Paper
from bot.richtext import Card, Code, Inlines, Link, Text, text

PAGE_SIZE = 5
"""Hits a page: what fits a phone without scrolling past the answer."""


def paper_call(command: str, paper: Paper) -> Call:
    """A call of a command about a paper, by its id."""
    return Call(command, {"paper": paper.id})


def title_of(paper: Paper) -> Inlines:
    """The title, linked to the paper's page where it has one."""
    return (Link(paper.url, paper.title),) if paper.url else paper.title


def venue_of(paper: Paper) -> str:
    """`ICML 2026`, or as much of it as is known."""
    return " ".join(str(part) for part in (paper.venue, paper.year) if part)


def meta_of(paper: Paper) -> Inlines:
    """The quiet line under a title: handle, venue, and whether the title is ours."""
    parts: list[Inlines] = [(Code(paper.handle),)]
    if venue := venue_of(paper):
        parts.append((Text(venue),))
    if paper.title_source == "derived":
        parts.append((Text("title derived from the abstract"),))
    return joined(parts, " · ")


def joined(parts: Iterable[Inlines], separator: str) -> Inlines:
    """Inlines with a separator between them."""
    result: list[Inlines] = []
    for part in parts:
        if result:
            result.append((Text(separator),))
        result.append(part)
    return tuple(node for part in result for node in part)


def cards(papers: Sequence[Paper], bodies: Sequence[Inlines] | None = None, first: int = 1) -> tuple[Card, ...]:
    """Papers as numbered cards; `bodies` are what stands under each (a snippet)."""
    return tuple(
        Card(number, title_of(paper), meta_of(paper), bodies[number - first] if bodies else ())
        for number, paper in enumerate(papers, first)
    )


def paper_buttons(paper: Paper, *, without: str = "") -> tuple[Button, ...]:
    """What one can do with a paper; `without` is the command that is being answered."""
    labels = (("TL;DR", "tldr"), ("Abstract", "show"), ("Similar", "similar"))
    return tuple(Button(label, paper_call(command, paper)) for label, command in labels if command != without)


def page_buttons(command: str, arguments: dict[str, str | int | bool], page: int, more: bool) -> tuple[Button, ...]:
    """Previous and next page of a list."""
    buttons: list[Button] = []
    if page > 1:
        buttons.append(Button("Previous", Call(command, {**arguments, "page": page - 1})))
    if more:
        buttons.append(Button("Next", Call(command, {**arguments, "page": page + 1})))
    return tuple(buttons)


def list_hints(command: str, first: int) -> tuple[Inlines, ...]:
    """What to type after a list, by the number of its first paper."""
    others = [Code(f"{name} {first}") for name in ("tldr", "show", "similar") if name != command]
    return (text(*[node for other in others for node in (other, " · ")][:-1]),)
