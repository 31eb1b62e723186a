"""What a search answers with."""

from dataclasses import dataclass
from typing import Literal

from bot.papers import Paper
from bot.richtext import Inlines
from bot.search.query import Query


@dataclass(frozen=True, slots=True)
class Hit:
    """A paper that was found.

    `score` compares hits of one search only: a higher one is better, 0 means that only filters were asked.
    `snippet` is the piece of the abstract that shows why, at most 160 characters with the matches in `Mark`;
    only `SearchIndex.find` gives it.
    """

    paper: Paper
    score: float
    snippet: Inlines = ()


ProblemKind = Literal["empty", "punctuation", "too_long", "no_match"]


@dataclass(frozen=True, slots=True)
class Problem:
    """Why a search has nothing to show, in words for the person, and what may help.

    `topics` are topics that do exist, the nearest first; `words` are known words that look like typed ones.
    """

    kind: ProblemKind
    message: str
    topics: tuple[str, ...] = ()
    words: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Results:
    """One page of an answer.

    `total` counts the hits on all pages. `searched_for` is set when something else was looked for than was typed,
    and is what that was. `notes` are sentences for the person. `problem` is set when there is no hit at all.
    """

    query: Query
    total: int
    hits: tuple[Hit, ...] = ()
    searched_for: str | None = None
    notes: tuple[str, ...] = ()
    problem: Problem | None = None
