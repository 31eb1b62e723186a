"""From a query to one question for the index: words that should occur, phrases that must, exclusions, filters."""

from collections.abc import Sequence
from typing import Literal, assert_never

import tantivy
from tantivy import Occur

from bot.search.documents import Reader, boosted
from bot.search.plan import Plan
from bot.search.query import Query
from bot.search.words import STOP_WORDS, stems, tokens

LONG = 8
"""In a query of more words than this, quotation marks quote: the phrase counts, but need not occur."""

Phrasing = Literal["exact", "any form"]
"""How a phrase is looked for: word for word, or with other endings and spellings."""


def question(plan: Plan, query: Query, reader: Reader, phrasing: Phrasing = "exact") -> tantivy.Query:
    """The whole question."""
    clauses: list[tuple[Occur, tantivy.Query]] = []
    needed = Occur.Should if len(query.words) > LONG else Occur.Must
    if query.words:
        wanted = tantivy.Query.boolean_query([(Occur.Should, clause) for clause in plan.clauses])
        clauses.append((Occur.Should if query.phrases else Occur.Must, wanted))
    clauses.extend((needed, _phrase(phrase, reader, phrasing)) for phrase in query.phrases)
    if not clauses:
        clauses.append((Occur.Must, tantivy.Query.all_query()))
    clauses.extend((Occur.MustNot, excluded(phrase, reader)) for phrase in query.without)
    clauses.extend((Occur.Must, boosted(condition, 0.0)) for condition in filters(query, reader))
    return tantivy.Query.boolean_query(clauses)


def _phrase(phrase: str, reader: Reader, phrasing: Phrasing) -> tantivy.Query:
    match phrasing:
        case "exact":
            return _run(reader, "exact", [word for one in tokens(phrase) for word in one.words])
        case "any form":
            return reader.together(tuple(stems(phrase)), 1.0) or tantivy.Query.empty_query()
        case _:
            assert_never(phrasing)


def excluded(phrase: str, reader: Reader) -> tantivy.Query:
    """Papers to leave out: those with any form of one word, or with this phrase."""
    content = [stemmed for stemmed in stems(phrase) if stemmed not in STOP_WORDS]
    if " " in phrase or not content:
        return _phrase(phrase, reader, "exact")
    return _run(reader, "body", content)


def _run(reader: Reader, field: str, words: list[str]) -> tantivy.Query:
    match words:
        case []:
            return tantivy.Query.empty_query()
        case [word]:
            return tantivy.Query.term_query(reader.schema, field, word)
        case _:
            return tantivy.Query.phrase_query(reader.schema, field, list(words))


def filters(query: Query, reader: Reader) -> list[tantivy.Query]:
    """The conditions of a query's filters, each of which must hold."""
    known = reader.knowledge
    wanted: list[list[str]] = []
    if query.has_code:
        wanted.append(["code"])
    if query.years:
        first, last = query.years.first or 0, query.years.last or 9999
        wanted.append([f"year{year}" for year in known.years if first <= year <= last])
    wanted.extend([f"topic{place}" for place in matching(topic, known.topics)] for topic in query.topics)
    wanted.extend([f"venue{place}" for place in matching(venue, known.venues)] for venue in query.venues)
    return [tantivy.Query.term_set_query(reader.schema, "facet", terms) for terms in wanted]


def matching(wanted: str, values: Sequence[str]) -> list[int]:
    """The places of the values that contain the wanted words together, or whose initials they are."""
    words = stems(wanted)
    if not words:
        return []
    found = []
    for place, value in enumerate(values):
        held = stems(value)
        runs = range(len(held) - len(words) + 1)
        telling = [stemmed for stemmed in held if stemmed not in STOP_WORDS]
        initials = {"".join(stemmed[0] for stemmed in some) for some in (held, telling) if len(some) > 1}  # MoE, RL
        if any(held[start : start + len(words)] == words for start in runs) or (
            len(words) == 1 and words[0] in initials
        ):
            found.append(place)
    return found
