"""The summary of an abstract: its own sentences, chosen by what they are for and shortened by deleting words."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from bot.papers import Paper
from bot.summary.pick import pick
from bot.summary.shorten import shorten
from bot.summary.sentences import sentences

TLDR, LINE = 160, 220
"""Characters that the one line and the others are shortened to, where deleting words can do that."""

Role = Literal["problem", "approach", "result", "code"]

_PRIZED: Mapping[Role, re.Pattern[str]] = {
    "problem": re.compile(
        r"\b(?:but|yet|however|fails?|failing|suffers?|limit\w*|lack\w*|challeng\w*|remains?|costly|degrad\w*|struggl\w*"
        r"|bottleneck\w*|difficult\w*|overlook\w*|unclear|inefficien\w*|expensive)\b",
        re.IGNORECASE,
    ),
    "approach": re.compile(
        r"\b(?:propos|introduc|present|develop|design|deriv|prov|show|stud|investigat|framework|method|approach|algorithm"
        r"|benchmark|dataset)\w*",
        re.IGNORECASE,
    ),
    "result": re.compile(r"\d[\d.,]*\s?(?:%|×|x\b|percent\b|points?\b|-fold\b)"),
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
    """The summary of a paper's abstract."""
    return summarise_text(paper.text)


def summarise_text(text: str) -> Summary:
    """The summary of an abstract in plain text. Text without a sentence gives an empty summary about sentence 0."""
    found = sentences(text)
    if not found:
        return Summary("", 0, ())
    picks = pick(found)
    tldr = shorten(found[picks.tldr], TLDR, _PRIZED["approach"])
    lines: list[Line] = []
    if picks.problem is not None:
        lines.append(_line("problem", found, picks.problem))
    approach = _line("approach", found, picks.approach)
    if len(approach.text) > LINE + 40 and picks.approach != picks.tldr:
        # a long list says less than the contribution itself
        approach = _line("approach", found, picks.tldr)
    lines.append(approach)
    if picks.result is not None:
        lines.append(_line("result", found, picks.result))
    if picks.code is not None:
        lines.append(_line("code", found, picks.code))
    return Summary(tldr, picks.tldr + 1, tuple(lines))


def _line(role: Role, found: list[str], place: int) -> Line:
    text = shorten(found[place], LINE, _PRIZED.get(role), claim=role == "result")
    return Line(role, text, place + 1)
