"""The summary of an abstract: its own sentences, chosen by what they are for and shortened by deleting words."""

from dataclasses import dataclass
from typing import Literal

from bot.papers import Paper
from bot.summary.pick import pick
from bot.summary.shorten import shorten
from bot.summary.sentences import sentences

TLDR, LINE = 160, 220
"""Characters that the one line and the others are shortened to, where deleting words can do that."""

Role = Literal["problem", "approach", "result", "code"]


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a summary: words of the abstract's sentence number `sentence`, counted from 1."""

    role: Role
    text: str
    sentence: int


@dataclass(frozen=True, slots=True)
class Summary:
    """One line that says what the paper does, and at most one line for each role, in the order of `Role`."""

    tldr: str
    tldr_sentence: int
    lines: tuple[Line, ...]


def summarise(paper: Paper) -> Summary:
    """The summary of a paper's abstract."""
    return summarise_text(paper.text)


def summarise_text(text: str) -> Summary:
    """The summary of an abstract in plain text. Text without a sentence gives an empty summary about sentence 0."""
    found = sentences(text)
    if not found:
        return Summary("", 0, ())
    picks = pick(found)
    chosen: tuple[tuple[Role, int | None], ...] = (
        ("problem", picks.problem),
        ("approach", picks.approach),
        ("result", picks.result),
        ("code", picks.code),
    )
    lines = tuple(
        Line(role, shorten(found[place], LINE, claim=role == "result"), place + 1)
        for role, place in chosen
        if place is not None
    )
    return Summary(shorten(found[picks.tldr], TLDR), picks.tldr + 1, lines)
