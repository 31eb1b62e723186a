"""What a person typed into a search, as a value, and back to text; at the end, what a search answers with.

    "exact words"          this phrase must occur
    -word  -"exact words"  must not occur
    topic:rl  topic:"reinforcement learning"
    venue:icml  has:code
    year:2026  year:2024-2026  year:>2024  year:<=2024
    limit:3                how many hits

Everything else is plain words, also a `word:value` that is none of these, a filter with a value that it
cannot take, and a quotation mark without a partner. No input is an error.
"""

import re
import shlex
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from importlib.resources import files
from typing import Literal

from bot.papers import Paper
from bot.richtext import Inlines
from bot.text import straighten

MAX_CHARACTERS = 2_000
"""A query is cut to this many characters, at a word boundary, before any work is done on it."""

MAX_LIMIT = 50
"""The most that `limit:` can ask for."""

_EDGE = "\ue000"
"""Stands beside every quotation mark while `shlex` splits, since it drops the marks themselves. Nobody's text has it by
then: `straighten` makes a space of it."""

_TAG = re.compile(
    r"</?(?:b|i|u|s|p|em|strong|sub|sup|code|span|tt|br)(?:\s[^<>=]{1,30}=[^<>]{0,80})?\s?/?>", re.IGNORECASE
)
"""What comes along when a name is copied from a page's source; `<b and c>` is none."""

_FILTER = re.compile(r"(topic|venue|has|year|limit):(.+)", re.IGNORECASE | re.DOTALL)
_YEAR = re.compile(r"(?P<op>[<>]=?)?(?P<first>\d{4})(?:-(?P<last>\d{4}))?")


@dataclass(frozen=True, slots=True)
class Years:
    """A span of years, both ends included; None leaves that end open."""

    first: int | None
    last: int | None

    def __str__(self) -> str:
        if self.first == self.last:
            return str(self.first)
        if self.first is None:
            return f"<={self.last}"
        if self.last is None:
            return f">={self.first}"
        return f"{self.first}-{self.last}"


@dataclass(frozen=True, slots=True)
class Query:
    """A search, taken apart. `str()` renders it in a form that `parse` reads back to the same value."""

    words: tuple[str, ...] = ()
    phrases: tuple[str, ...] = ()
    without: tuple[str, ...] = ()
    """What must not occur: a word, or several that stand together."""
    topics: tuple[str, ...] = ()
    venues: tuple[str, ...] = ()
    years: Years | None = None
    has_code: bool = False
    limit: int | None = None
    cut: bool = field(default=False, compare=False)
    """True when the text was longer than `MAX_CHARACTERS`."""
    marks: bool = field(default=False, compare=False)
    """True when there was text, but nothing in it to look for."""

    @property
    def text(self) -> str:
        """The plain words alone."""
        return " ".join(self.words)

    @property
    def filtered(self) -> bool:
        """True when a filter restricts the papers (a phrase or an exclusion is none)."""
        return bool(self.topics or self.venues or self.years or self.has_code)

    def __str__(self) -> str:
        return " ".join(
            [
                *self.words,
                *(f'"{phrase}"' for phrase in self.phrases),
                *(f"-{_quoted(word)}" for word in self.without),
                *(f"topic:{_quoted(topic)}" for topic in self.topics),
                *(f"venue:{_quoted(venue)}" for venue in self.venues),
                *([f"year:{self.years}"] if self.years else []),
                *(["has:code"] if self.has_code else []),
                *([f"limit:{self.limit}"] if self.limit is not None else []),
            ]
        )


def _quoted(value: str) -> str:
    return value if " " not in value and value[0].isalpha() else f'"{value}"'


def parse(text: str) -> Query:
    """The query that `text` states. Never raises; see the module for the language."""
    cut = len(text) > MAX_CHARACTERS
    if cut:
        text = text[:MAX_CHARACTERS]
        text = text[: text.rfind(" ")] if " " in text else text
    text = _TAG.sub(" ", text)
    reading = _QueryParser()
    for token in _tokens(straighten(text)):
        reading.take(token)
    query = reading.query(cut=cut)
    return replace(query, marks=bool(text.strip()) and query == Query())


def _tokens(text: str) -> list[str]:
    """Tokens split at space outside quotation marks; `_EDGE` shows where a mark was."""
    if text.count('"') % 2:
        head, _, tail = text.rpartition('"')
        text = f"{head} {tail}"
    if '"' not in text:
        return text.split()
    lexer = shlex.shlex(text.replace('"', f'"{_EDGE}'), posix=True)
    lexer.whitespace = " "
    lexer.whitespace_split = True
    lexer.commenters = lexer.escape = ""
    lexer.quotes = '"'
    return list(lexer)


class _QueryParser:
    """Collects the parts of one query."""

    def __init__(self) -> None:
        self.words: list[str] = []
        self.phrases: list[str] = []
        self.without: list[str] = []
        self.topics: list[str] = []
        self.venues: list[str] = []
        self.years: Years | None = None
        self.has_code = False
        self.limit: int | None = None

    def query(self, *, cut: bool) -> Query:
        """What was read."""
        return Query(
            words=tuple(self.words),
            phrases=_distinct(self.phrases),
            without=_distinct(self.without),
            topics=_distinct(self.topics),
            venues=_distinct(self.venues),
            years=self.years,
            has_code=self.has_code,
            limit=self.limit,
            cut=cut,
        )

    def take(self, token: str) -> None:
        """Adds what one token says."""
        if token.startswith("-") and len(token) > 1 and (token[1] == _EDGE or token[1].isalpha()):
            inside, rest = _opening(token[1:])
            if any(map(str.isalnum, value := _clean(inside))):
                self.without.append(value)
                self._plain(f"{_EDGE}{_EDGE}{rest}")  # it stands beside a mark
                return
        token = token.lstrip("-")
        filtered = _FILTER.fullmatch(token)
        if filtered and self._filter(filtered[1].lower(), _clean(filtered[2])):
            return
        self._plain(token)

    def _plain(self, token: str) -> None:
        for position, piece in enumerate(token.split(_EDGE)):
            value = _clean(piece)
            if not any(map(str.isalnum, value)):
                continue
            if position % 2:
                self.phrases.append(value)
            elif _EDGE in token:  # what stands beside a phrase may be a filter or an exclusion
                for word in value.split():
                    self.take(word)
            else:
                self.words.extend(value.split())

    def _filter(self, name: str, value: str) -> bool:
        """Takes a filter; False when the value is none that it can take."""
        match name:
            case "topic" if any(map(str.isalnum, value)):
                self.topics.append(value)
            case "venue" if any(map(str.isalnum, value)):
                self.venues.append(value)
            case "has" if value.lower() == "code":
                self.has_code = True
            case "year" if found := _YEAR.fullmatch(value):
                self.years = _years(found)
            case "limit" if value.isascii() and value.isdigit() and len(value) <= 6:
                self.limit = min(max(int(value), 1), MAX_LIMIT)
            case _:
                return False
        return True


def _opening(token: str) -> tuple[str, str]:
    """What an exclusion names, and what stands behind its closing mark."""
    if not token.startswith(_EDGE):
        inside, edge, rest = token.partition(_EDGE)
        return inside, edge + rest
    _, inside, rest = token.split(_EDGE, 2)
    return inside, rest


def _clean(value: str) -> str:
    """One line, single spaces, no marks of ours."""
    return " ".join(value.replace(_EDGE, " ").split())


def _years(found: re.Match[str]) -> Years:
    first = int(found["first"])
    last = int(found["last"]) if found["last"] else first
    match found["op"]:
        case ">":
            return Years(first + 1, None)
        case ">=":
            return Years(first, None)
        case "<":
            return Years(None, first - 1)
        case "<=":
            return Years(None, first)
        case _:
            return Years(min(first, last), max(first, last))


def _distinct(values: list[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(values))


# What a line asks that is no word to look for: what to leave out, said plainly, and what no corpus tells.

_WITHOUT = re.compile(
    r"(?P<kept>.+?)[,;]? (?:(?P<sure>but not|and not|but no|but without|not about|not on|except for|except|excluding"
    r"|other than|apart from)|(?P<bare>not|without)) (?P<left>.+)",
    re.IGNORECASE,
)
_ASKS = re.compile(
    r"\b(?:do|does|did|is|are|was|were|can|could|should|would|will|may|might|have|has|need|why|whether|if|when)\b",
    re.IGNORECASE,
)
"""A `not` behind such a word denies it (`why transformers do not generalise`) rather than leave something out."""

_LONGEST_LEFT_OUT = 3
_IDLE_LEFT_OUT = re.compile(r"^(?:(?:about|on|for|the|any|a|an|those|papers|using|with) )+|[?.!]+$", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Exclusion:
    """A query read as leaving out what it names: `sure` where the words allow no other reading."""

    query: Query
    left: str
    sure: bool


def exclusion(query: Query) -> Exclusion | None:
    """What a query leaves out in plain words (`kv cache not quantization`), or None."""
    found = _WITHOUT.fullmatch(query.text)
    if found is None:
        return None
    left = _IDLE_LEFT_OUT.sub("", found["left"]).strip()
    if not any(map(str.isalnum, left)) or len(left.split()) > _LONGEST_LEFT_OUT:
        return None
    if (found["bare"] or "").lower() == "not" and _ASKS.search(found["kept"]):
        return None
    parts = [part for part in re.split(r"\s*(?:,|\band\b|\bor\b)\s*", left, flags=re.IGNORECASE) if part]
    kept = tuple(found["kept"].rstrip(" ,;").split())
    read = replace(query, words=kept, without=_distinct([*query.without, *parts]))
    return Exclusion(read, left, sure=(found["bare"] or "").lower() != "without")


_FIELDS = ("topic", "venue", "year", "has", "limit", "page")
_FIELDS_ELSEWHERE = """
    sort order title author authors by cited citations awards award affiliation org institution lang language date
    before after type abstract session day keyword keywords conference journal area score since until category subject
"""
_OTHER_FIELDS = frozenset(_FIELDS_ELSEWHERE.split())
_FIELD = re.compile(r'(?<!\S)([a-z]{2,12}):("[^"]*"|\S+)', re.IGNORECASE)

_PLACES = (
    "google deepmind|google|deepmind|openai|meta ai|meta|microsoft|anthropic|nvidia|apple|amazon|mit|stanford|berkeley|"
    "cmu|eth zurich|eth|oxford|cambridge|harvard|princeton|tsinghua|huawei|alibaba|tencent|bytedance|ibm|facebook|mila|"
    "inria|(?:the )?university of [a-z]+|[a-z]+ university"
)
_DAYS = "monday|tuesday|wednesday|thursday|friday|saturday|sunday"
_AWARDS = (
    r"(?:best|outstanding)[ -]papers?(?: awards?)?(?! (?:on|about|for|in|regarding)\b)"
    r"|award[ -]winning|papers? awards?|test of time awards?"
)
_CANNOT_KNOW = {
    "citations": r"(?:most|highly|best|top)[ -]cited|most citations|by (?:number of )?citations?|most influential",
    "awards": _AWARDS,
    "where authors work": rf"(?:papers?|work|talks?|posters?) (?:from|at|by) (?:{_PLACES})",
    "on which day papers are presented": rf"(?:papers?|talks?|posters?|sessions?) (?:on|for|this|next) (?:{_DAYS})"
    r"(?: (?:morning|afternoon|evening))?",
}
_UNKNOWABLE = tuple((re.compile(rf"\b(?:{pattern})\b", re.IGNORECASE), what) for what, pattern in _CANNOT_KNOW.items())


@dataclass(frozen=True, slots=True)
class Asked:
    """What is left to search of a typed line, and a sentence for each thing in it that cannot be known here."""

    text: str
    notes: tuple[str, ...] = ()


def knowable(typed: str) -> Asked:
    """The line without what no corpus tells (citations, awards, filters that there are not), each named in a note."""
    notes: list[str] = []
    text = typed[:MAX_CHARACTERS]
    for found in _FIELD.finditer(text):
        if found[1].lower() in _OTHER_FIELDS:
            notes.append(f"There is no filter `{found[1].lower()}:`. There are {_listed(_FIELDS)}.")
            text = text.replace(found[0], " ", 1)
    for pattern, what in _UNKNOWABLE:
        if pattern.search(text):
            notes.append(f"It is not known here: {what}. The rest was searched.")
            text = pattern.sub(" ", text)
    return Asked(" ".join(text.split()) if notes else typed, tuple(notes))


def _listed(fields: tuple[str, ...]) -> str:
    return f"{', '.join(f'`{field}:`' for field in fields[:-1])} and `{fields[-1]}:`"


_FUNCTION_WORDS_ELSEWHERE = """
    der die das und für mit von über eine einen nicht wie zum zur les des une pour avec sur dans est aux los las el para
    con una sobre por del como gli della delle nella per os uma não em com och för het een van
"""
_FOREIGN_WORDS = frozenset(_FUNCTION_WORDS_ELSEWHERE.split())
_FOREIGN_LETTERS = re.compile(
    "[\u00df-\u024f\u0400-\u04ff\u0590-\u06ff\u0900-\u0dff\u0e00-\u0e7f\u3041-\u30ff\u3400-\u9fff\uac00-\ud7a3]"
)
_GERMAN = re.compile(r"\w{4,}(?:lernen|ungen|keiten|heiten|netze|netzwerke|modelle|verfahren)\b")


@cache
def _languages() -> Mapping[str, str]:
    lines = (files("bot.search") / "data" / "languages.txt").read_text("utf-8").splitlines()
    rows = [[part.strip() for part in line.split("|")] for line in lines if not line.startswith("#")]
    return {other: row[0] for row in rows for other in row[1:]}


def in_english(typed: str) -> str | None:
    """A sentence for who asks in another language than the abstracts', with the English if it is known; or None."""
    small = " ".join(typed.lower().split())
    meant = [english for other, english in _languages().items() if other in small and other != english]
    if meant:
        return f"Abstracts here are in English: try “{max(meant, key=len)}”."
    words = set(re.findall(r"\w+", small))
    if _FOREIGN_LETTERS.search(small) or _GERMAN.search(small) or len(words & _FOREIGN_WORDS) > 1:
        return "Abstracts here are in English: try the English words."
    return None


# What a search answers with.


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

    `topics` are topics that do exist, the nearest first; `words` are known words that look like typed ones; `alone`
    are typed words that find papers each by itself, though no paper is about all.
    """

    kind: ProblemKind
    message: str
    topics: tuple[str, ...] = ()
    words: tuple[str, ...] = ()
    alone: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Results:
    """One page of an answer.

    `total` counts what was found, also where the pages end before. `searched_for` is set when something else was
    looked for than was typed, and is what that was. `notes` are sentences for the person. `problem` is set when there
    is no hit at all.
    """

    query: Query
    total: int
    hits: tuple[Hit, ...] = ()
    searched_for: str | None = None
    notes: tuple[str, ...] = ()
    problem: Problem | None = None
