"""Whether the best papers are about the query at all, or merely share a word with it.

The measure is coverage: of everything that the words of the query weigh (by their rarity), the part that one
paper has. Short queries must be covered well; in long ones a few telling words are enough. The thresholds were
found with the off-topic and the real queries of `bench/search.py`: they let every query of the judged sets pass
for which the search finds a relevant paper.
"""

from collections.abc import Iterable, Sequence

from rapidfuzz import fuzz
from rapidfuzz.fuzz import token_set_ratio
from rapidfuzz.process import extract

from bot.papers import Paper
from bot.search.documents import Reader, names_of
from bot.search.plan import Plan, filters, matching, thesaurus
from bot.search.query import MAX_CHARACTERS, Problem, Query
from bot.search.snippet import Matcher
from bot.search.words import is_everyday

TOP = 3
"""So many of the best hits are looked at."""

_LONG = 8
"""Queries of more telling words than this are not judged: by chance some paper has enough of them."""

_STAND_IN = 0.7
_REPAIRED = 0.6
_UNKNOWN_TALK = 0.5
"""A word that no paper has, but that people use when they speak of research, weighs less against a paper."""

_SHORTEST_NAME = 3
_NEARLY = 87.0
"""rapidfuzz ratio (0 to 100) from which a query is a name with a slip or another ending."""

_VOWELS = frozenset("aeiouy")

_NEEDED = {
    (2, 1): 0.62, (3, 1): 0.62, (4, 1): 0.385,
    (3, 2): 0.5, (4, 2): 0.485, (5, 2): 0.36,
    (4, 3): 0.5,
}  # fmt: skip
"""Coverage that a paper needs, by the number of words in the query and how many of them it has."""

_NEEDED_OTHERWISE = {1: 0.33, 2: 0.15}
"""The same by the number of words it has, for longer queries."""


def about(plan: Plan, papers: Iterable[Paper], matcher: Matcher) -> bool:
    """True when one of these papers answers the plan; `matcher` finds the plan's `wanted` stems."""
    if len(plan.telling) > _LONG:
        return True
    return any(_covered(plan, paper, matcher) for paper in papers)


def calls(paper: Paper, typed: Sequence[str]) -> bool:
    """True when one of these words is a coined name of the paper: then the others need not be in it.

    So is a query that is nearly its name of several words (`reinforced mode regularization`).

    A coined name is one that is no word of English as far as its spelling tells: `PuzzleMoE`, `xKV`, `Trifuse`. One
    in capitals may be a word (`CAMEL`, `SALE`): it counts where it is typed in capitals, or has no vowel.
    """
    words = {word.strip(".,;:!?()<>\"'") for word in typed}
    folded = {word.lower() for word in words}
    asked = " ".join(typed).lower()
    for name in (paper.name, *paper.aliases):
        if " " in name and fuzz.ratio(asked, name.lower(), score_cutoff=_NEARLY):
            return True
        if " " in name or len(name) < _SHORTEST_NAME or name.islower():
            continue
        if name.isupper():
            if name in words or (name.lower() in folded and not _VOWELS.intersection(name.lower())):
                return True
        elif name.lower() in folded:
            return True
    return False


def _covered(plan: Plan, paper: Paper, matcher: Matcher) -> bool:
    called = " ".join((paper.title_text, *names_of(paper)))
    has = {stem for text in (paper.text, called) for _, _, stems in matcher.matches(text) for stem in stems}
    stood_for = {plan.concepts[place].stem for run, places in plan.stand_ins if has.issuperset(run) for place in places}
    weights: dict[str, float] = {}
    found: dict[str, float] = {}
    for concept in plan.telling:
        talk = not concept.known and (concept.stem in thesaurus() or is_everyday(concept.word))
        weights[concept.stem] = weight = concept.weight * (_UNKNOWN_TALK if talk else 1.0)
        if concept.stem in has or concept.stem in stood_for:
            weight *= 1.0 if concept.stem in has else _STAND_IN
            found[concept.stem] = weight * (_REPAIRED if concept.repaired else 1.0)
    if not found:
        return False
    if len(weights) == len(found) <= 2:
        return True
    needed = _NEEDED.get((len(weights), len(found)))
    if needed is None:
        needed = _NEEDED_OTHERWISE.get(len(found), 0.0) if len(weights) > 4 else 0.0
    return sum(found.values()) >= needed * sum(weights.values())


# What to say when there is nothing to show: why, and what may help.

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
