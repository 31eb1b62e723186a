"""The summary of an abstract: which of its sentences say what the paper does, why, and what came of it."""

import re
from dataclasses import dataclass
from typing import Literal

from bot.papers import Paper
from bot.summary.sentences import sentences

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


_CONTRIBUTION = re.compile(
    r"\b(?:we|this (?:paper|work)|our)\b.{0,60}\b(?:propos|introduc|present|develop|design|stud|show|investigat)",
    re.IGNORECASE,
)
_PROBLEM = re.compile(
    r"\b(?:however|yet|but|challeng\w*|limit\w*|suffer\w*|fail\w*|remains?|struggle\w*)\b", re.IGNORECASE
)
_RESULT = re.compile(
    r"\b(?:outperform|achiev|improv|experiments?|results|reduc|surpass|state-of-the-art)", re.IGNORECASE
)
_CODE = re.compile(
    r"https?://|\b(?:code|data(?:set)?s?|models?)\b.{0,60}\b(?:available|release)|\brelease\b", re.IGNORECASE
)


def summarise(paper: Paper) -> Summary:
    """The summary of a paper's abstract."""
    return summarise_text(paper.text)


def summarise_text(text: str) -> Summary:
    """The summary of an abstract in plain text. Empty text gives an empty summary about sentence 0."""
    found = sentences(text)
    if not found:
        return Summary("", 0, ())
    code = next((number for number, one in enumerate(found) if number and _CODE.search(one)), None)
    lead = next((number for number, one in enumerate(found) if _CONTRIBUTION.search(one)), 0)
    problem = next((number for number, one in enumerate(found[:lead]) if _PROBLEM.search(one)), None)
    result = next(
        (n for n, one in enumerate(found) if n > lead and n != code and _RESULT.search(one) and re.search(r"\d", one)),
        next((n for n, one in enumerate(found) if n > lead and n != code and _RESULT.search(one)), None),
    )
    picked: list[tuple[Role, int | None]] = [
        ("problem", problem),
        ("approach", lead),
        ("result", result),
        ("code", code),
    ]
    lines = tuple(Line(role, found[number], number + 1) for role, number in picked if number is not None)
    return Summary(found[lead], lead + 1, lines)
