"""From a query to what the index is asked: words that should occur, phrases that must, exclusions, filters.

Every word of the query is a concept. What else may be meant by it (its acronym or the expansion, its parts, a
word of the thesaurus) stands in for it: of all ways to say one thing only the best counts, since a paper that
says it in three ways is not three times as good.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files
from itertools import pairwise
from typing import Literal, assert_never

import tantivy
from tantivy import Occur

from bot.search.documents import Reader, boosted
from bot.search.query import Query
from bot.search.words import (
    ASKING,
    LIGHT_WORDS,
    SHORTEST,
    STOP_WORDS,
    Token,
    around_the_subject,
    compound,
    is_english,
    is_everyday,
    key,
    may_be_plural,
    stem,
    stems,
    token,
    tokens,
)

# How much each kind of match counts.


@dataclass(frozen=True, slots=True)
class Weights:
    """How much a match counts, by where and how it matches; a word in the text counts 1.

    Found by measuring on the judged collections of `bench/search.py`. Tantivy adds what the fields give, so a
    title that counts more than a little buries good abstracts.
    """

    title: float = 0.25
    name: float = 0.1
    inner: float = 0.6
    """A part of a coined word: `puzzle` in PuzzleMoE."""
    pair: float = 0.3
    """Two words of the query side by side, where it has not more than `_PAIRED`; in longer ones the less the more."""
    compound: float = 0.7
    """`kvcache` for `kv cache`, and the other way round."""
    expansion: float = 0.3
    """Reinforcement learning for RL."""
    acronym: float = 0.4
    """RL for reinforcement learning."""
    synonym: float = 0.2
    """A word of the thesaurus for one of the query."""
    unknown_synonym: float = 0.5
    """A synonym of a word that no paper has."""
    coined: float = 1.3
    """A word typed with capitals or digits inside: somebody's name."""
    light: float = 0.5
    """A word that every text may have, such as `make`."""
    slip: float = 0.8
    """A common word, for a rare one that looks like a slip of it."""
    again: float = 0.6
    """What a further way to say the same adds, in parts of what it counts alone."""
    key: float = 0.2
    """A part of the query that is somebody's whole name."""


# Words of research talk that stand for one another, from the table in `data/thesaurus.txt`.


@cache
def thesaurus() -> Mapping[str, tuple[tuple[str, ...], ...]]:
    """For the stem of a word, what else may be meant by it: runs of stems, mostly of one."""
    meant: defaultdict[str, dict[tuple[str, ...], None]] = defaultdict(dict)
    for line in (files("bot.search") / "data" / "thesaurus.txt").read_text("utf-8").splitlines():
        if line.startswith("#"):
            continue
        group = [tuple(stems(entry.replace("_", " "))) for entry in line.split()]
        for entry in group:
            if len(entry) == 1:
                meant[entry[0]].update({other: None for other in group if other != entry})
    return {word: tuple(others) for word, others in meant.items()}


# What a word that no paper has was meant to be.

_SHORTEST_PART = 3
_SHORTEST_START = 5
_MANY_PAPERS = 500
_COMMON = 30


_MARKED = re.compile(r"[a-z](?:sharp|plusplus|star)")
"""`C#` as it is looked for: no slip of `sharp`."""


def repaired(word: str, reader: Reader) -> str | None:
    """The known word (or two, joined by a hyphen) that was meant, or None.

    In this order: a word that differs by a slip or two; a short name with two letters swapped; the beginning of a
    longer word; two words run together. The last two are not what is meant by a word of English.
    """
    if _MARKED.fullmatch(word):
        return None
    slip = reader.knowledge.vocabulary.repaired(word) or _swapped(word, reader)
    if slip or is_english(word):
        return slip
    return _continued(word, reader) or _run_together(word, reader)


def _swapped(word: str, reader: Reader) -> str | None:
    """`xvk` for xKV: three letters are one letter from too much, but swapped they are somebody's name or nothing."""
    if len(word) != SHORTEST - 1 or not word.isalpha():
        return None
    for swapped in (word[1] + word[0] + word[2], word[0] + word[2] + word[1]):
        if swapped != word and reader.count("key", swapped):
            return swapped
    return None


def _continued(word: str, reader: Reader) -> str | None:
    if len(word) < _SHORTEST_START:
        return None
    found = reader.searcher.terms_with_prefix("exact", word, limit=50)
    return min(found, key=lambda item: (-item[1], len(item[0]), item[0]))[0] if found else None


def _run_together(word: str, reader: Reader) -> str | None:
    best: tuple[int, str] | None = None
    for place in range(_SHORTEST_PART, len(word) - _SHORTEST_PART + 1):
        first, second = word[:place], word[place:]
        papers = min(reader.count("exact", first), reader.count("exact", second))
        if papers and reader.together((stem(first), stem(second)), 1.0) and (best is None or papers > best[0]):
            best = papers, f"{first}-{second}"
    return best[1] if best else None


def perhaps(word: str, stemmed: str, reader: Reader) -> str | None:
    """The common word that a word of one paper in many may be a slip of; it is searched for beside, never instead."""
    if reader.papers < _MANY_PAPERS or reader.count("body", stemmed) != 1 or reader.count("name", stemmed):
        return None
    other = reader.knowledge.vocabulary.repaired(word)
    return other if other and reader.knowledge.vocabulary.frequency[other] >= _COMMON else None


MAX_CONCEPTS = 120
"""A query of more different words is searched by the rarest ones."""

PROSE = 24
"""Compounds and names are looked for in runs of words of queries up to this length; longer ones are prose."""

PINNED = 50.0
"""Added to the score of a paper that is called exactly what was typed."""

_SHOWN = 0.3
"""Stand-ins that count less are not marked in snippets: they would look like mistakes."""

_UNCOMMON = 2.3
"""Words of more than about a tenth of the papers are not looked for by synonyms."""

_LONGEST_REQUEST = 14
"""Longer ones are prose, in which every word counts."""

_MISPRINTS = 0.02
"""An acronym that is met less than this part of the times as what may be its singular is a way to write that."""

_MOST_PARTS = 3
_SHORTEST_IN_PARTS = 6
"""A name with a slip is looked for in so many words, if they have so many letters together."""

_PAIRED = 12

_LONGEST_NAME = 5
_LONGEST_COMPOUND = 4
_LONGEST_EXPANSION = 8


@dataclass(frozen=True, slots=True)
class Concept:
    """One word of a query: as typed, the word that is searched for, its stem, and how rare that is."""

    typed: str
    word: str
    stem: str
    weight: float
    share: float
    known: bool
    idle: bool
    """True for words that carry no meaning beside others."""

    @property
    def repaired(self) -> bool:
        """True when another word than the typed one is searched for."""
        return self.typed != self.word


@dataclass(frozen=True, slots=True)
class Plan:
    """What is asked of the index for plain words.

    `stand_ins` has the runs of stems that stand, all together, for other words of the query than themselves, by
    the places of those. `marked` are the stems that a snippet marks. `named` says that a paper is called so.
    """

    concepts: tuple[Concept, ...] = ()
    clauses: tuple[tantivy.Query, ...] = ()
    marked: frozenset[str] = frozenset()
    stand_ins: tuple[tuple[tuple[str, ...], tuple[int, ...]], ...] = ()
    named: bool = False
    reduced: bool = False
    """True when words were left out: what is left must say the more."""

    @property
    def wanted(self) -> frozenset[str]:
        """Every stem that may answer a word of the query."""
        runs = (stemmed for run, _ in self.stand_ins for stemmed in run)
        return self.marked.union((concept.stem for concept in self.concepts), runs)

    @property
    def telling(self) -> list[Concept]:
        """The concepts that carry meaning; all of them when none does."""
        return [concept for concept in self.concepts if not concept.idle] or list(self.concepts)

    @property
    def searched_for(self) -> str | None:
        """The words that are searched for, when they are not those that were typed."""
        if not any(concept.repaired for concept in self.concepts):
            return None
        words: list[str] = []
        for number, concept in enumerate(self.concepts):
            again = number > 0 and concept.repaired and concept.typed == self.concepts[number - 1].typed
            if not (again and concept.word == self.concepts[number - 1].word):
                words.append(concept.word)
        return " ".join(words)


def planned(
    text: str,
    reader: Reader,
    weights: Weights,
    *,
    doubt_english: bool = False,
    leaving: frozenset[str] = frozenset(),
) -> Plan:
    """What to ask for plain words, but for those of `leaving`.

    Unknown words are taken for slips of known ones, but for English words: those only with `doubt_english`, which is
    worth a try where nothing is found without (`spilt` for split).
    """
    return _Planning(text, reader, weights, doubt_english=doubt_english, leaving=leaving).plan()


class _Planning:
    """Collects the parts of one plan."""

    def __init__(
        self, text: str, reader: Reader, weights: Weights, *, doubt_english: bool, leaving: frozenset[str]
    ) -> None:
        self._reader = reader
        self._doubt_english = doubt_english
        self._weights = weights
        self._reduced = bool(leaving)
        concepts = self._named_in_parts(text) or [concept for one in tokens(text) for concept in self._meant(one)]
        said = [concept.typed for concept in concepts]
        around = around_the_subject(said) if len(said) <= _LONGEST_REQUEST else frozenset()
        self._concepts = [
            replace(concept, idle=concept.idle or place in around or concept.typed in leaving)
            for place, concept in enumerate(concepts)
        ]
        self._words = [concept.word for concept in self._concepts]
        self._stems = [concept.stem for concept in self._concepts]
        meant = "".join(word for place, word in enumerate(self._words) if place not in around)
        typed = meant if around else key(text)
        self._whole = typed if reader.count("key", typed) or reader.count("key", f"{typed}~") else meant
        """What may be somebody's name: all that was typed, or all that was meant."""
        self._ways: dict[str, list[tantivy.Query]] = {}
        """For each stem of the query the ways to say it, of which the best counts."""
        self._clauses: list[tantivy.Query] = []
        self._marked: set[str] = set()
        self._stand_ins: dict[tuple[str, ...], tuple[int, ...]] = {}

    def plan(self) -> Plan:
        """The plan."""
        telling = Plan(tuple(self._concepts)).telling
        counts = Counter(concept.stem for concept in telling)
        different = {concept.stem: concept for concept in telling}.values()
        for concept in sorted(different, key=lambda one: -one.weight)[:MAX_CONCEPTS]:
            self._word(concept, counts[concept.stem])
        named = self._named()
        if len(self._concepts) <= PROSE:
            self._compounds()
            self._parts_that_are_names()
        self._pairs(telling)
        self._say_each_once(self._acronyms())
        return Plan(
            tuple(self._concepts),
            tuple(self._clauses),
            frozenset(self._marked),
            tuple(self._stand_ins.items()),
            named,
            self._reduced,
        )

    def _named_in_parts(self, text: str) -> list[Concept]:
        """A name typed with a slip and in several words (`puzle moe`); nothing where it is none."""
        words = [word for one in tokens(text) for word in one.words]
        if not 2 <= len(words) <= _MOST_PARTS or all(self._reader.known(stem(word)) for word in words):
            return []
        whole = "".join(words)
        meant = self._reader.knowledge.vocabulary.repaired(whole) if len(whole) >= _SHORTEST_IN_PARTS else None
        if meant is None or meant in words or not any(self._reader.count("key", key) for key in (meant, f"{meant}~")):
            return []
        return [self._concept(whole, meant, stem(meant))]

    def _meant(self, one: Token) -> list[Concept]:
        """The concepts of a token as typed, or as it was meant where a word of it is unknown."""
        found: list[Concept] = []
        for word, written in zip(one.words, one.stems, strict=True):
            stemmed = self._singular_or_not(word, written)
            other = None
            if not (word in STOP_WORDS or self._reader.known(stemmed)) and (
                not is_english(word) or (self._doubt_english and not is_everyday(word))
            ):
                other = repaired(word, self._reader)
            if other is None:
                found.append(self._concept(word, word, stemmed, coined=bool(one.inner)))
            else:
                meant = token(other)
                found.extend(
                    self._concept(word, part, part_stem)
                    for part, part_stem in zip(meant.words, meant.stems, strict=True)
                )
        return found

    def _singular_or_not(self, word: str, stemmed: str) -> str:
        """`dps` for DPS though it may be the plural of DP; `LLMS`, which nobody writes so, for LLM."""
        if stemmed == word:
            return word if self._reader.known(word) else stem(word)
        if not may_be_plural(word):
            return stemmed
        as_typed, singular = self._reader.count("body", word), self._reader.count("body", stemmed)
        return word if as_typed > _MISPRINTS * singular else stemmed

    def _concept(self, typed: str, word: str, stemmed: str, *, coined: bool = False) -> Concept:
        share = self._weights.coined if coined else self._weights.light if word in LIGHT_WORDS else 1.0
        return Concept(
            typed=typed,
            word=word,
            stem=stemmed,
            weight=self._reader.rarity(self._reader.frequency(stemmed)) * min(share, 1.0),
            share=share,
            known=self._reader.known(stemmed),
            idle=word in STOP_WORDS or word in ASKING,
        )

    def _word(self, concept: Concept, times: int) -> None:
        """Asks for one word, as often as the query says it, in every field, and for what stands in for it."""
        reader, weights, stemmed = self._reader, self._weights, concept.stem
        self._marked.add(stemmed)
        self._say(stemmed, reader.term("body", stemmed, times * concept.share))
        self._ask(reader.term("title", stemmed, weights.title * times * concept.share))
        # the parts of coined words are few: a plain word there must not pass for a rare one
        rare = reader.rarity(reader.count("inner", stemmed))
        self._ask(reader.term("inner", stemmed, weights.inner * min(1.0, concept.weight / rare)))
        self._ask(reader.term("name", stemmed, weights.name if reader.count("body", stemmed) else 1.0))
        self._stand_in(reader.knowledge.splits.get(stemmed, "").split(), stemmed, weights.compound)
        weight = (weights.synonym if concept.known else weights.unknown_synonym) * concept.share
        for other in thesaurus().get(stemmed, ()) if concept.weight >= _UNCOMMON else ():
            self._stand_in(other, stemmed, weight)
        for long in reader.knowledge.acronyms.expansions.get(stemmed, ()):
            self._stand_in(long, stemmed, weights.expansion)
        if other_word := perhaps(concept.word, stemmed, reader):
            self._stand_in((stem(other_word),), stemmed, weights.slip)

    def _ask(self, query: tantivy.Query | None) -> bool:
        if query is not None:
            self._clauses.append(query)
        return query is not None

    def _say(self, stemmed: str, query: tantivy.Query | None) -> bool:
        if query is not None:
            self._ways.setdefault(stemmed, []).append(query)
        return query is not None

    def _stand_in(self, run: Sequence[str], stemmed: str, weight: float) -> None:
        """Asks for other words, together, as a way to say one word of the query."""
        content = tuple(one for one in run if one not in STOP_WORDS)
        if content and content != (stemmed,) and self._say(stemmed, self._reader.together(content, weight)):
            if weight >= _SHOWN:
                self._marked.update(content)
            self._covers(content, [n for n, other in enumerate(self._stems) if other == stemmed])

    def _covers(self, run: tuple[str, ...], places: Sequence[int]) -> None:
        self._stand_ins[run] = (*self._stand_ins.get(run, ()), *places)

    def _runs(self, shortest: int, longest: int) -> Iterator[tuple[int, int]]:
        """Where runs of so many words start and end, the short ones first."""
        count = len(self._concepts)
        for length in range(shortest, min(longest, count) + 1):
            for first in range(count - length + 1):
                yield first, first + length

    def _compounds(self) -> None:
        """`flex rank` also finds FlexRank, `kv cache` also `kvcache`."""
        for first, last in self._runs(2, _LONGEST_COMPOUND):
            if self._words[first] in STOP_WORDS or self._words[last - 1] in STOP_WORDS:
                continue  # `stateof`, in a paper that misprints it, would be a rare word
            whole = compound(self._words[first:last], self._stems[first:last])
            if whole in self._marked or not self._reader.frequency(whole):
                continue
            weights = self._weights
            for field, weight in (("body", weights.compound), ("name", weights.name), ("inner", weights.inner)):
                self._ask(self._reader.term(field, whole, weight))
            self._marked.add(whole)
            self._covers((whole,), range(first, last))

    def _pairs(self, telling: list[Concept]) -> None:
        weight = self._weights.pair * min(1.0, _PAIRED / max(len(telling), 1))
        for first, second in pairwise(telling):
            if first.stem != second.stem:
                self._ask(self._reader.together((first.stem, second.stem), weight))

    def _acronyms(self) -> list[tuple[Sequence[str], tantivy.Query]]:
        """What shortens a run of the query: `reinforcement learning` also finds RL."""
        acronyms = self._reader.knowledge.acronyms
        found: list[tuple[Sequence[str], tantivy.Query]] = []
        for first, last in self._runs(2, _LONGEST_EXPANSION):
            if self._stems[first] not in acronyms.first:
                continue
            run = self._stems[first:last]
            for short in acronyms.shortened.get(tuple(run), ()):
                query = self._reader.term("body", short, self._weights.acronym)
                if query is not None and short not in self._marked:
                    self._marked.add(short)
                    self._covers((short,), range(first, last))
                    found.append((run, query))
        return found

    def _say_each_once(self, shortened: list[tuple[Sequence[str], tantivy.Query]]) -> None:
        """Asks for the best way to say each word, and for an acronym or the words that it stands for."""
        best = tantivy.Query.disjunction_max_query
        whole = {stemmed: queries[0] if len(queries) == 1 else best(queries) for stemmed, queries in self._ways.items()}
        for run, short in shortened:
            members = [whole.pop(stemmed) for stemmed in run if stemmed in whole]
            long = tantivy.Query.boolean_query([(Occur.Should, member) for member in members])
            self._ask(best([long, short], self._weights.again) if members else short)
        self._clauses.extend(whole.values())

    def _named(self) -> bool:
        """Puts the papers first that are called exactly what was typed; names come before aliases."""
        whole = self._whole
        found = False
        for term, bonus in ((whole, PINNED), (f"{whole}~", PINNED - 5)):
            if whole and self._reader.count("key", term):
                query = tantivy.Query.term_query(self._reader.schema, "key", term, "basic")
                found = self._ask(tantivy.Query.const_score_query(query, bonus))
        return found

    def _parts_that_are_names(self) -> None:
        for first, last in self._runs(1, _LONGEST_NAME):
            part = "".join(self._words[first:last])
            if part != self._whole and part not in STOP_WORDS and self._reader.count("key", part):
                query = tantivy.Query.term_query(self._reader.schema, "key", part, "basic")
                self._ask(boosted(query, self._weights.key))


# The whole question: the words as planned, with what the query demands beside them.

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
