"""From a query to the question that is put to the index."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import tantivy
from tantivy import Occur

from bot.search.documents import Knowledge
from bot.search.fold import key
from bot.search.query import Query
from bot.search.words import STOP_WORDS, Token, stem, token, tokens

MAX_CONCEPTS = 120
"""A query of more words is searched by the rarest ones."""


@dataclass(frozen=True, slots=True)
class Weights:
    """How much a match counts, by where and how it matches; a word of the body counts 1."""

    title: float = 0.3
    name: float = 0.6
    inner: float = 0.4
    compound: float = 0.7
    acronym: float = 0.4
    pair: float = 0.0
    key: float = 1.0
    whole_key: float = 50.0


@dataclass(frozen=True, slots=True)
class Concept:
    """One word of a query: its stem, how rare it is, and what was searched for instead where it is unknown."""

    typed: str
    stem: str
    weight: float
    known: bool
    repaired: str | None = None
    stop: bool = False


@dataclass(slots=True)
class Plan:
    """What is asked of the index for a query."""

    concepts: list[Concept] = field(default_factory=list)
    clauses: list[tantivy.Query] = field(default_factory=list)
    marked: set[str] = field(default_factory=set)
    """Stems that a snippet marks."""
    covering: dict[str, tuple[int, ...]] = field(default_factory=dict)
    """Stems that stand for several concepts at once, by the places of those."""


class Planner:
    """Plans queries against one state of the index."""

    def __init__(
        self, searcher: tantivy.Searcher, schema: tantivy.Schema, knowledge: Knowledge, weights: Weights
    ) -> None:
        self._searcher = searcher
        self._schema = schema
        self._knowledge = knowledge
        self._weights = weights
        self._count = searcher.num_docs

    def plan(self, text: str) -> Plan:
        """The question for plain words."""
        plan = Plan()
        written = [self._mended(one) for one in tokens(text)]
        places: list[str] = []
        for one, repaired in written:
            for word, stemmed in zip(one.words, one.stems, strict=True):
                plan.concepts.append(self._concept(word, stemmed, repaired))
                places.append(word)
        if any(not concept.stop for concept in plan.concepts):
            active = [number for number, concept in enumerate(plan.concepts) if not concept.stop]
        else:
            active = list(range(len(plan.concepts)))
        distinct: dict[str, int] = {}
        for number in active:
            distinct.setdefault(plan.concepts[number].stem, number)
        chosen = sorted(distinct.values(), key=lambda number: -plan.concepts[number].weight)[:MAX_CONCEPTS]
        for number in sorted(chosen):
            self._word(plan, plan.concepts[number].stem)
        self._compounds(plan, written)
        self._acronyms(plan)
        self._names(plan, text)
        return plan

    def frequency(self, stemmed: str) -> int:
        """The number of papers with this stem in their text, or in a name."""
        found = self._searcher.doc_freq("body", stemmed)
        return found or self._searcher.doc_freq("name", stemmed) or self._searcher.doc_freq("inner", stemmed)

    def _concept(self, word: str, stemmed: str, repaired: str | None) -> Concept:
        found = self.frequency(stemmed) or self._known_whole(stemmed)
        return Concept(
            typed=word,
            stem=stemmed,
            weight=math.log(1 + (self._count - found + 0.5) / (found + 0.5)),
            known=found > 0,
            repaired=repaired,
            stop=word in STOP_WORDS,
        )

    def _known_whole(self, stemmed: str) -> int:
        return int(stemmed in self._knowledge.splits or stemmed in self._knowledge.acronyms.expansions)

    def _mended(self, one: Token) -> tuple[Token, str | None]:
        """A token as typed, or as it was meant where a word of it is unknown."""
        if all(self.frequency(stemmed) or self._known_whole(stemmed) for stemmed in one.stems):
            return one, None
        words = []
        for word, stemmed in zip(one.words, one.stems, strict=True):
            if word in STOP_WORDS or self.frequency(stemmed) or self._known_whole(stemmed):
                words.append(word)
            else:
                words.append(self._knowledge.vocabulary.repaired(word) or word)
        if words == list(one.words):
            return one, None
        fixed = token("-".join(words))
        return fixed, "-".join(words)

    def _word(self, plan: Plan, stemmed: str) -> None:
        weights = self._weights
        plan.marked.add(stemmed)
        self._add(plan, "body", stemmed, 1.0)
        self._add(plan, "title", stemmed, weights.title)
        self._add(plan, "name", stemmed, weights.name)
        self._add(plan, "inner", stemmed, weights.inner)

    def _add(self, plan: Plan, field_: str, stemmed: str, weight: float) -> None:
        if weight and self._searcher.doc_freq(field_, stemmed):
            query = tantivy.Query.term_query(self._schema, field_, stemmed, "freq")
            plan.clauses.append(query if weight == 1.0 else tantivy.Query.boost_query(query, weight))

    def _phrase(self, plan: Plan, stems: Sequence[str], weight: float) -> None:
        query = tantivy.Query.phrase_query(self._schema, "body", list(stems))
        plan.clauses.append(tantivy.Query.boost_query(query, weight))

    def _compounds(self, plan: Plan, written: list[tuple[Token, str | None]]) -> None:
        """`kvcache` also finds `kv cache` and `KV-Cache`; `flex rank` also finds FlexRank."""
        for one, _ in written:
            for stemmed in one.stems:
                parts = self._knowledge.splits.get(stemmed)
                if parts and len(parts) > 1:
                    self._phrase(plan, parts, self._weights.compound)
                    plan.marked.update(set(parts) - STOP_WORDS)
        words = [concept.repaired or concept.typed for concept in plan.concepts]
        if len(words) > 24:
            return
        for length in (2, 3, 4):
            for first in range(len(words) - length + 1):
                run = words[first : first + length]
                whole = stem("".join(run))
                if self.frequency(whole) and whole not in plan.marked:
                    plan.covering[whole] = tuple(range(first, first + length))
                    plan.marked.add(whole)
                    self._add(plan, "body", whole, self._weights.compound)
                    self._add(plan, "name", whole, self._weights.name)
                    self._add(plan, "inner", whole, self._weights.inner)

    def _acronyms(self, plan: Plan) -> None:
        acronyms = self._knowledge.acronyms
        stems = [concept.stem for concept in plan.concepts]
        for stemmed in dict.fromkeys(stems):
            for long in acronyms.expansions.get(stemmed, ()):
                self._phrase(plan, long, self._weights.acronym)
                plan.marked.update(set(long) - STOP_WORDS)
        longest = min(acronyms.longest, 8)
        for first in range(len(stems)):
            for last in range(first + 2, min(first + longest, len(stems)) + 1):
                for short in acronyms.shortened.get(tuple(stems[first:last]), ()):
                    if short not in plan.marked:
                        plan.marked.add(short)
                        plan.covering[short] = tuple(range(first, last))
                        self._add(plan, "body", short, self._weights.acronym)

    def _names(self, plan: Plan, text: str) -> None:
        """Who is called what was typed comes first, who is called by a part of it gains."""
        whole = key(text)
        if whole and self._searcher.doc_freq("key", whole):
            query = tantivy.Query.term_query(self._schema, "key", whole, "basic")
            plan.clauses.append(tantivy.Query.const_score_query(query, self._weights.whole_key))
        words = [concept.repaired or concept.typed for concept in plan.concepts]
        if len(words) > 24:
            return
        for length in (1, 2, 3, 4, 5):
            for first in range(len(words) - length + 1):
                part = "".join(words[first : first + length])
                if part != whole and part not in STOP_WORDS:
                    self._add(plan, "key", part, self._weights.key)


def question(plan: Plan, query: Query, schema: tantivy.Schema, knowledge: Knowledge) -> tantivy.Query:
    """The whole question: words that should occur, phrases that must, exclusions and filters."""
    clauses: list[tuple[Occur, tantivy.Query]] = []
    if plan.clauses:
        wanted = tantivy.Query.boolean_query([(Occur.Should, clause) for clause in plan.clauses])
        clauses.append((Occur.Should if query.phrases else Occur.Must, wanted))
    clauses.extend((Occur.Must, exact(schema, phrase)) for phrase in query.phrases)
    clauses.extend((Occur.MustNot, excluded(schema, phrase)) for phrase in query.without)
    conditions = filters(schema, query, knowledge)
    clauses.extend((Occur.Must, tantivy.Query.boost_query(condition, 0.0)) for condition in conditions)
    if not any(occur is not Occur.MustNot for occur, _ in clauses):
        clauses.append((Occur.Must, tantivy.Query.all_query()))
    return tantivy.Query.boolean_query(clauses)


def exact(schema: tantivy.Schema, phrase: str) -> tantivy.Query:
    """Papers in which these words stand together as they are."""
    words = [word for one in tokens(phrase) for word in one.words]
    return _run(schema, "exact", words)


def excluded(schema: tantivy.Schema, phrase: str) -> tantivy.Query:
    """Papers to leave out: those with any form of one word, or with this phrase."""
    found = tokens(phrase)
    if " " in phrase:
        return exact(schema, phrase)
    return _run(schema, "body", [stemmed for one in found for stemmed in one.stems])


def _run(schema: tantivy.Schema, field_: str, words: list[str]) -> tantivy.Query:
    match words:
        case []:
            return tantivy.Query.empty_query()
        case [word]:
            return tantivy.Query.term_query(schema, field_, word)
        case _:
            return tantivy.Query.phrase_query(schema, field_, list(words))


def filters(schema: tantivy.Schema, query: Query, knowledge: Knowledge) -> list[tantivy.Query]:
    """The conditions of a query's filters, each of which must hold."""
    wanted: list[list[str]] = []
    if query.has_code:
        wanted.append(["code"])
    if query.years:
        first, last = query.years.first or 0, query.years.last or 9999
        wanted.append([f"year{year}" for year in knowledge.years if first <= year <= last])
    wanted.extend([f"topic{n}" for n in matching(topic, knowledge.topics)] for topic in query.topics)
    wanted.extend([f"venue{n}" for n in matching(venue, knowledge.venues)] for venue in query.venues)
    return [tantivy.Query.term_set_query(schema, "facet", terms) for terms in wanted]


def matching(wanted: str, values: Sequence[str]) -> list[int]:
    """The places of the values that contain the wanted words together, or whose initials they are."""
    words = [stemmed for one in tokens(wanted) for stemmed in one.stems]
    if not words:
        return []
    found = []
    for place, value in enumerate(values):
        stems = [stemmed for one in tokens(value) for stemmed in one.stems]
        runs = range(len(stems) - len(words) + 1)
        initials = "".join(stemmed[0] for stemmed in stems if stemmed not in STOP_WORDS)
        if any(stems[start : start + len(words)] == words for start in runs) or (
            len(words) == 1 and len(initials) > 1 and words[0] == initials
        ):
            found.append(place)
    return found
