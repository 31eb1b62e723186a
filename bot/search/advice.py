"""What to say when there is nothing to show: why, and what may help."""

from rapidfuzz.fuzz import token_set_ratio
from rapidfuzz.process import extract

from bot.search.ask import filters, matching
from bot.search.plan import Plan
from bot.search.query import MAX_CHARACTERS, Query
from bot.search.reader import Reader
from bot.search.results import Problem

_TOPICS = 5
_WORDS = 3
_ALIKE = 70.0
"""Percent of likeness from which a topic is offered for what was typed, before the most common ones."""


def nothing_asked(query: Query, reader: Reader) -> Problem:
    """The problem of a query with nothing in it to look for."""
    if query.marks:
        message = "There are no words in that to search for. Type a name, a few words or a question."
        return Problem("punctuation", message, topics=common_topics(reader))
    message = "Say what to look for: a paper's name, a few words or a question."
    return Problem("empty", message, topics=common_topics(reader))


def no_match(query: Query, plan: Plan, reader: Reader) -> Problem:
    """The problem of a query that no paper answers."""
    typed = " ".join((*query.words, *query.phrases))
    words = [
        other
        for concept in plan.telling
        if not concept.known
        for other in reader.knowledge.vocabulary.nearest(concept.typed)
        if other.lower() not in typed.lower().split()
    ]
    return Problem(
        "too_long" if query.cut else "no_match",
        _reason(query, reader),
        topics=near_topics(typed, reader),
        words=tuple(dict.fromkeys(words))[:_WORDS],
    )


def _reason(query: Query, reader: Reader) -> str:
    if query.cut:
        return f"Nothing matches the first {MAX_CHARACTERS:,} characters of that. A few words find more."
    known = reader.knowledge
    for name, wanted, values in (("topic", query.topics, known.topics), ("venue", query.venues, known.venues)):
        for value in wanted:
            if not matching(value, values):
                return f"No paper has the {name} “{value}”."
    if query.years and not any((query.years.first or 0) <= year <= (query.years.last or 9999) for year in known.years):
        return f"No paper is of the year {query.years}."
    if query.has_code and not reader.count("facet", "code"):
        return "No paper here says where its code is."
    if filters(query, reader):
        return "No paper matches that together with the filters."
    return "No paper here is about that."


def near_topics(typed: str, reader: Reader) -> tuple[str, ...]:
    """Topics that look like what was typed, then the most common ones."""
    near = extract(
        typed,
        reader.knowledge.topics,
        scorer=token_set_ratio,
        score_cutoff=_ALIKE,
        limit=_TOPICS,
        processor=str.casefold,
    )
    return tuple(dict.fromkeys([*(topic for topic, _, _ in near), *common_topics(reader)]))[:_TOPICS]


def common_topics(reader: Reader) -> tuple[str, ...]:
    """The topics of most papers."""
    topics = reader.knowledge.topics
    order = sorted(range(len(topics)), key=lambda place: (-reader.count("facet", f"topic{place}"), place))
    return tuple(topics[place] for place in order[:_TOPICS])
