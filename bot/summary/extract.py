"""The summary of an abstract: its own sentences, chosen by what they are for and shortened by deleting words."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Literal, assert_never

from bot.papers import Paper
from bot.richtext import Code, Emphasis, Inlines, LineBreak, Link, Mark, Math, Strong, Text, plain
from bot.summary.pick import pick
from bot.summary.sentences import spans
from bot.summary.shorten import shorten

TLDR, LINE = 160, 220
"""Characters that the one line and the others are shortened to, where deleting words can do that."""
_TOO_LONG = LINE + 40
"""An approach longer than this gives way to the contribution, which says it in fewer words."""

Role = Literal["problem", "approach", "result", "code"]

_PRIZED: Mapping[Role, re.Pattern[str]] = {
    "problem": re.compile(
        r"\b(?:but|yet|however|fails?|failing|suffers?|limit\w*|lack\w*|challeng\w*|remains?|costly|degrad\w*|struggl\w*"
        r"|bottleneck\w*|difficult\w*|overlook\w*|unclear|inefficien\w*|expensive)\b",
        re.IGNORECASE,
    ),
    "approach": re.compile(
        r"\bwe\b|\b(?:propos|introduc|present|develop|design|deriv|prov|show|stud|investigat|framework|method|approach|algorithm"
        r"|benchmark|dataset)\w*",
        re.IGNORECASE,
    ),
    "result": re.compile(r"\d[\d.,]*\s?(?:%|×|x\b|percent\b|points?\b|-fold\b)"),
    "code": re.compile(r"https?://\S+|www\.\S+"),
}
"""What makes a sentence worth its role, given up last."""


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
    """The summary of a paper's abstract, in the abstract's own words.

    Each text is a sentence of the abstract with words left out (and a capital or full stop where the first or last
    word went). The one line of availability also gives the address behind a link, which plain text does not show.
    """
    return _summary(paper.text, list(_addresses(paper.abstract)))


def summarise_text(text: str) -> Summary:
    """The summary of an abstract in plain text. Text without a sentence gives an empty summary about sentence 0."""
    return _summary(text, [])


def _summary(text: str, addresses: list[tuple[int, str]]) -> Summary:
    places = spans(text)
    if not places:
        return Summary("", 0, ())
    found = [text[start:end] for start, end in places]
    picks = pick(found)
    tldr = shorten(found[picks.tldr], TLDR, _PRIZED["approach"])
    lines: list[Line] = []
    if picks.problem is not None:
        lines.append(_line("problem", found, picks.problem))
    approach = _line("approach", found, picks.approach)
    lines.append(approach if len(approach.text) <= _TOO_LONG else _line("approach", found, picks.tldr))
    if picks.result is not None:
        lines.append(_line("result", found, picks.result))
    if picks.code is not None:
        found[picks.code] = _with_addresses(text, *places[picks.code], addresses)
        lines.append(_line("code", found, picks.code))
    return Summary(tldr, picks.tldr + 1, tuple(lines))


def _line(role: Role, found: list[str], place: int) -> Line:
    return Line(role, shorten(found[place], LINE, _PRIZED[role], claim=role == "result"), place + 1)


def _addresses(nodes: Inlines, at: int = 0) -> Iterator[tuple[int, str]]:
    """Where links end whose words are not their address, with the address."""
    for node in nodes:
        width = len(plain((node,)))
        match node:
            case Link(url, label):
                if plain(label).strip() not in url:
                    yield at + width, url
            case Strong(inner) | Emphasis(inner) | Mark(inner):
                yield from _addresses(inner, at)
            case Text() | Code() | Math() | LineBreak():
                pass
            case _:
                assert_never(node)
        at += width


def _with_addresses(text: str, start: int, end: int, addresses: list[tuple[int, str]]) -> str:
    pieces: list[str] = []
    for place, url in addresses:
        if start < place <= end:
            pieces.extend((text[start:place], f" ({url})"))
            start = place
    return "".join((*pieces, text[start:end]))
