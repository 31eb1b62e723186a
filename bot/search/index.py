"""The search index over a corpus, and whether the best that it finds is about the query at all."""

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Self

import tantivy
from rapidfuzz import fuzz
from rapidfuzz.fuzz import token_set_ratio
from rapidfuzz.process import extract
from tantivy import Occur

from bot.papers import Corpus, Paper, first_of
from bot.search import documents
from bot.search.documents import Indexing, Knowledge, Reader, boosted, names_of, own_title, schema
from bot.search.plan import (
    LONG,
    PINNED,
    Concept,
    Phrasing,
    Plan,
    Weights,
    filters,
    matching,
    planned,
    question,
)
from bot.search.query import MAX_CHARACTERS, Exclusion, Hit, Problem, Query, Results, exclusion, in_english, parse
from bot.search.snippet import Matcher, Snippets
from bot.search.words import LIGHT_WORDS, everyday_rarity, is_english, is_everyday, stems, tokens

TOP = 3
"""So many of the best hits are looked at."""

_STAND_IN = 0.7
_REPAIRED = 0.6

_FOUND_TYPICAL = 0.06
_SHORT = 4
_NEEDED, _TYPICAL = 0.75, 0.015
_NEEDED_OF_LONG, _TYPICAL_OF_LONG = 0.6, 0.03
"""A paper is about a query if these come to what is needed: the share of the query that the paper covers; how much more
typical the words that it has are of these papers than of talk; the same of all words of the query, which counts more
where it has more than a few. The parts were found by logistic regression on the judged collections, requests for topics
of a conference, and questions about other things (`bench/search.py gate`)."""

_TYPICAL_ALONE = 3.5
"""What the words must come to where others of the query were left out: a word of talk that is met here says nothing."""

_NEVER = 1e-4
"""The share of papers that a word is taken to be in that is in none."""

_SHORTEST_NAME = 3
_SHORTEST_ACRONYM = 4
_SHORTEST_TERM = 7
_NEARLY = 87.0
"""rapidfuzz ratio (0 to 100) from which a query is a name with a slip or another ending."""

_VOWELS = frozenset("aeiouy")


def about(plan: Plan, papers: Iterable[Paper], matcher: Matcher, reader: Reader) -> bool:
    """True when one of these papers answers the plan; `matcher` finds the plan's `wanted` stems."""
    return any(_answers(plan, paper, matcher, reader) for paper in papers)


def calls(paper: Paper, typed: Sequence[str]) -> bool:
    """True when one of these words is a coined name of the paper: then the others need not be in it.

    So is a query that is nearly its name of several words (`reinforced mode regularization`).

    A coined name is one that is no word of English: `PuzzleMoE`, `xKV`, `Trifuse`. One that is (`ReD`, `MoVie`) counts
    where it is typed as it is written. One in capitals may be a word (`CAMEL`, `SALE`): it counts where it is typed in
    capitals, or has no vowel. One of three capitals is half the world's (`CSS`, `API`): it is a word like others.
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
            named = name in words or (name.lower() in folded and not _VOWELS.intersection(name.lower()))
            if named and len(name) >= _SHORTEST_ACRONYM:
                return True
        elif name in words or (name.lower() in folded and not is_english(name.lower())):
            return True
    return False


def _answers(plan: Plan, paper: Paper, matcher: Matcher, reader: Reader) -> bool:
    called = " ".join((paper.title_text, *names_of(paper)))
    has = {stem for text in (paper.text, called) for _, _, stems in matcher.matches(text) for stem in stems}
    stood_for = {plan.concepts[place].stem for run, places in plan.stand_ins if has.issuperset(run) for place in places}
    asked = found = typical = language = 0.0
    different = {concept.stem: concept for concept in plan.telling}.values()
    matched: list[str] = []
    for concept in different:
        weight = min(concept.weight, everyday_rarity(concept.word))
        asked += weight
        language += (ours := how_typical(concept, reader))
        if concept.stem in has or concept.stem in stood_for:
            counts = (1.0 if concept.stem in has else _STAND_IN) * (_REPAIRED if concept.repaired else 1.0)
            found += counts * weight
            matched.append(concept.word)
            if concept.stem in has and not concept.repaired and _is_a_term(concept.word):
                return True
            typical += counts * ours
    if plan.reduced and typical < _TYPICAL_ALONE:
        return False
    repaired = {concept.word for concept in different if concept.repaired}
    if (plan.reduced or repaired) and _is_only_a_name([word for word in matched if word not in repaired], paper):
        return False
    if not found or len(different) == 1:
        return bool(found)
    if len(matched) == 1 and len(matched[0]) < _SHORTEST_ACRONYM:
        return False
    covered = found / asked + _FOUND_TYPICAL * typical
    if len(different) <= _SHORT:
        return covered + _TYPICAL * language >= _NEEDED
    return covered + _TYPICAL_OF_LONG * language >= _NEEDED_OF_LONG


def _is_a_term(word: str) -> bool:
    """Whether a word is one that nobody says who does not mean it: long, and no word of English (`onchocerciasis`)."""
    return len(word) >= _SHORTEST_TERM and word.isalpha() and not is_english(word)


def _is_only_a_name(matched: list[str], paper: Paper) -> bool:
    """Whether what was typed and found is one word that a paper has for its name in capitals (`CAMEL`, `PISA`)."""
    return len(matched) == 1 and any(name.isupper() and name.lower() == matched[0] for name in names_of(paper))


def how_typical(concept: Concept, reader: Reader) -> float:
    """By how much a word is rather of these papers than of talk: the logarithm of how many times as often it is met."""
    if len(concept.word) == 1 or concept.word in LIGHT_WORDS:
        return 0.0
    share = reader.count("exact", concept.word) / max(reader.papers, 1)
    return math.log(share + _NEVER) + everyday_rarity(concept.word)


def words_of_talk(plan: Plan, reader: Reader) -> frozenset[str]:
    """The words of a plan that belong to talk rather than to these papers; none where no other word is left."""
    telling = [concept for concept in plan.concepts if not concept.idle]
    talk = {one.typed for one in telling if is_everyday(one.typed) and how_typical(one, reader) < 0}
    return frozenset(talk) if any(one.typed not in talk for one in telling) else frozenset()


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
    alone = () if query.filtered or query.cut else _alone(plan, reader)
    return Problem(
        "too_long" if query.cut else "no_match",
        "No paper here is about all of that." if alone else _reason(query, reader),
        topics=near_topics(typed, reader),
        words=tuple(dict.fromkeys(words))[:_WORDS],
        alone=alone,
    )


def _alone(plan: Plan, reader: Reader) -> tuple[str, ...]:
    """The words of a plan that find papers each by itself and say something, the most typical of these papers first."""
    told = {
        concept.typed: how_typical(concept, reader)
        for concept in plan.concepts
        if not (concept.idle or concept.repaired) and reader.count("body", concept.stem)
    }
    say = [word for word, typical in told.items() if typical > 0 or not is_everyday(word)]
    return tuple(sorted(say, key=lambda word: -told[word])[:_WORDS])


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


MAX_LISTED = 1_000
"""The most hits that one search for words lists, on all its pages."""

_MAX_COUNTED = 20_000
"""Hits are counted up to here."""

_SUBJECT = 0.005
"""Where at least this part of the papers that have a word speak of doing without it, that is a subject: `without
calibration` leaves nothing out."""

_MANY = 500
"""Fewer papers cannot tell whether doing without something is a subject."""

_WORTHWHILE = 0.2
"""A listed hit has at least this part of the best one's score."""

_TELLING = 60
"""Words that stand for a paper when others like it are looked for."""

_LEAST_MEMORY = 15_000_000
_MOST_MEMORY = 200_000_000
"""Bytes that indexing may use before it writes to disk; Tantivy takes no less than the first."""


@dataclass(frozen=True, slots=True)
class _Page:
    """What part of the papers is wanted: `limit` of them from `offset` on, by score none below `least` of the best."""

    offset: int
    limit: int
    least: float = 0.0


@dataclass(frozen=True, slots=True)
class _Found:
    """Papers by score, and how they were found."""

    query: Query
    plan: Plan = field(default_factory=Plan)
    scored: tuple[tuple[float, Paper], ...] = ()
    count: int = 0
    matcher: Matcher | None = None
    searched_for: str | None = None
    notes: tuple[str, ...] = ()
    problem: Problem | None = None


class SearchIndex:
    """Finds papers of one corpus. Safe to use from several threads at once; searching releases the GIL.

    >>> SearchIndex.build(corpus).search("kv cache", limit=3)  # doctest: +SKIP
    """

    def __init__(
        self, corpus: Corpus, index: tantivy.Index, knowledge: Knowledge, weights: Weights | None = None
    ) -> None:
        self._weights = weights or Weights()
        self._reader = Reader(index.searcher(), knowledge)
        self._papers = tuple(first_of(knowledge.papers, corpus))

    @classmethod
    def build(cls, corpus: Corpus, directory: Path | None = None) -> Self:
        """An index of `corpus`: in memory, or in `directory`, where one of the same corpus is used again.

        Whether it is the same is told by the corpus's fingerprint and the versions of this code and of Tantivy.
        Raises OSError when the directory cannot be written.
        """
        if directory is None:
            index = tantivy.Index(schema())
            return cls(corpus, index, _filled(index, corpus))

        def into(place: Path) -> Knowledge:
            return _filled(tantivy.Index(schema(), path=str(place)), corpus)

        return cls(corpus, *documents.opened(directory, documents.stamp(corpus), into))

    def search(self, text: str, limit: int = 10) -> list[Hit]:
        """The best hits for what a person typed, best first; none rather than noise. Never raises for a text."""
        query = parse(text)
        limit = max(limit, 0)
        found = self._find(query, _Page(0, query.limit or limit))
        return [Hit(paper, score) for score, paper in found.scored[: query.limit or limit]]

    def find(self, query: Query, offset: int = 0, limit: int = 5) -> Results:
        """One page of the hits for a query: `limit` hits from `offset` on, with snippets."""
        offset, limit = max(offset, 0), max(limit, 0)
        if query.words or query.phrases:
            found = self._find(query, _Page(0, MAX_LISTED, _WORTHWHILE))
            scored, total = found.scored[offset:], max(found.count, len(found.scored)) if found.scored else 0
        else:
            found = self._find(query, _Page(offset, limit))
            scored, total = found.scored, found.count
        marked = found.plan.marked.union(*(stems(phrase) for phrase in found.query.phrases))
        rarity = {concept.stem: concept.weight for concept in found.plan.concepts}
        snippets = Snippets(found.matcher or Matcher(marked), marked, rarity)
        hits = tuple(Hit(paper, score, snippets.of(paper.text)) for score, paper in scored[:limit])
        return Results(query, total, hits, found.searched_for, found.notes, found.problem)

    def similar(self, paper: Paper, limit: int = 5) -> list[Hit]:
        """Papers about the same things, found by the words that set this one apart; never itself."""
        clauses = [
            boosted(tantivy.Query.term_query(self._reader.schema, "body", stemmed, "freq"), weight)
            for stemmed, weight in self._telling(paper)
        ]
        if not clauses or limit < 1:
            return []
        asked = tantivy.Query.boolean_query([(Occur.Should, clause) for clause in clauses])
        found = self._reader.searcher.search(asked, limit + 1, count=False)
        return [Hit(other, score) for score, other in self._scored(found.hits) if other.id != paper.id][:limit]

    def _telling(self, paper: Paper) -> list[tuple[str, float]]:
        """The stems that set a paper apart, with what each counts."""
        title = own_title(paper)
        text = f"{title}\n{title}\n{paper.text}"
        counts = Counter(stemmed for one in tokens(text) for stemmed in one.telling)
        telling: list[tuple[float, str, float]] = []
        for stemmed, count in counts.items():
            papers = self._reader.count("body", stemmed)
            if papers > 1:  # a word of this paper alone leads to no other
                weight = count / (count + 1)  # the index itself counts how rare the word is
                telling.append((-weight * self._reader.rarity(papers), stemmed, weight))
        return [(stemmed, weight) for _, stemmed, weight in sorted(telling)[:_TELLING]]

    def _find(self, query: Query, page: _Page) -> _Found:
        if not (query.words or query.phrases or query.filtered or query.without):
            return _Found(query, problem=nothing_asked(query, self._reader))
        if read := self._excluding(query):
            found = self._in_other_words(read.query, page)
            if read.sure or not found.problem:
                note = f"Read as `{read.query}`: papers that say “{read.left}” are left out."
                return replace(found, notes=(note, *found.notes))
        found = self._in_other_words(query, page)
        english = in_english(" ".join((*query.words, *query.phrases))) if found.problem else None
        return replace(found, notes=(*found.notes, english)) if english else found

    def _excluding(self, query: Query) -> Exclusion | None:
        """The query read as leaving something out, unless papers here are about doing without that."""
        found = exclusion(query)
        if found is None or found.sure:
            return found
        if self._reader.papers < _MANY:
            return None
        reader, stem = self._reader, (stems(found.left) or [""])[-1]
        without = [("without", stem), (stem, "free")]
        asked = [tantivy.Query.phrase_query(reader.schema, "body", list(pair)) for pair in without]
        counts = [reader.searcher.search(one, 1).count for one in asked]  # type: ignore[attr-defined]
        about_it = int(sum(counts))
        return found if about_it <= _SUBJECT * reader.count("body", stem) else None

    def _in_other_words(self, query: Query, page: _Page) -> _Found:
        """What is found for a query as it is, else without the words of talk, else with English words doubted."""
        found = self._first(query, page)
        if found.problem and (talk := words_of_talk(found.plan, self._reader)):
            again = self._first(query, page, leaving=talk)
            if not again.problem:
                return again
        if found.problem and any(not concept.known for concept in found.plan.concepts):
            again = self._first(query, page, doubt_english=True)
            return found if again.problem else again
        return found

    def _first(
        self, query: Query, page: _Page, *, doubt_english: bool = False, leaving: frozenset[str] = frozenset()
    ) -> _Found:
        """What is found for a query with something in it, its words taken in one way; those of `leaving` left out."""
        long = len(query.words) > LONG
        words = " ".join((*query.words, *query.phrases)) if long else query.text
        plan = planned(words, self._reader, self._weights, doubt_english=doubt_english, leaving=leaving)
        notes: list[str] = []
        if query.cut:
            notes.append(f"Only the first {MAX_CHARACTERS:,} characters were looked at.")
        found = self._asked(plan, query, "exact", page)
        if not found.scored and query.phrases and not long:
            found = self._asked(plan, query, "any form", page)
            if found.scored:
                notes.append("No paper has these words exactly like this; these have them in another form.")
            else:
                loose = " ".join((query.text, *query.phrases)).strip()
                query = replace(query, words=tuple(loose.split()), phrases=())
                plan = planned(loose, self._reader, self._weights, doubt_english=doubt_english, leaving=leaving)
                found = replace(self._asked(plan, query, "exact", page), searched_for=loose)
        repaired = plan.searched_for
        if found.scored and repaired:
            found = replace(found, searched_for=repaired)
        if not found.scored and not (page.offset and found.count):
            return _Found(query, plan, notes=tuple(notes), problem=no_match(query, plan, self._reader))
        return replace(found, notes=tuple(notes))

    def _asked(self, plan: Plan, query: Query, phrasing: Phrasing, page: _Page) -> _Found:
        """What the index answers, unless its best papers are about something else."""
        asked = question(plan, query, self._reader, phrasing)
        searcher, limit = self._reader.searcher, max(page.limit, TOP)
        by_score = bool(query.words or query.phrases)
        if by_score:
            found = searcher.search(asked, limit, offset=page.offset)
        else:
            found = searcher.search(asked, limit, offset=page.offset, order_by_field="n", order=tantivy.Order.Asc)
        hits = [(score if by_score else 0.0, address) for score, address in found.hits]
        floor = _floor(hits, page.least if len({concept.stem for concept in plan.telling}) != 1 else 0.0)
        worthwhile = [hit for number, hit in enumerate(hits) if number < TOP or hit[0] >= floor]
        scored = self._scored(worthwhile)
        matcher = Matcher(plan.wanted) if query.words and not query.phrases else None
        if matcher and not plan.named:
            best = [paper for _, paper in scored[:TOP]]
            if not about(plan, best, matcher, self._reader) and not any(calls(paper, query.words) for paper in best):
                return _Found(query, plan)
        count = int(found.count)  # type: ignore[attr-defined]  # the type stub of 0.27 lacks it
        kept = tuple(one for one in scored if one[0] >= floor)
        if page.least and floor > 0:
            count = len(kept)
            if count == MAX_LISTED:  # more may be worthwhile than are listed
                scores = searcher.search(asked, _MAX_COUNTED, count=False).hits
                count = len([score for score, _ in scores if score >= floor])
        return _Found(query, plan, kept, count, matcher)

    def _scored(self, hits: Sequence[tuple[float, tantivy.DocAddress]]) -> list[tuple[float, Paper]]:
        numbers = self._reader.searcher.fast_field_values("n", [address for _, address in hits])
        return [
            (float(score), self._papers[int(number or 0)]) for (score, _), number in zip(hits, numbers, strict=True)
        ]


def _floor(hits: Sequence[tuple[float, object]], least: float) -> float:
    """The score that a hit needs: this part of the best one; being called what was typed is no measure for others."""
    if not least or not hits:
        return -math.inf
    return least * max(score - PINNED if score > PINNED else score for score, _ in hits[:10])


def _filled(index: tantivy.Index, corpus: Corpus) -> Knowledge:
    """Writes every paper of the corpus into an empty index."""
    indexing = Indexing()
    characters = sum(len(paper.text) for paper in corpus)
    memory = min(max(_LEAST_MEMORY, 4 * characters), _MOST_MEMORY)
    writer = index.writer(heap_size=memory, num_threads=1)
    for number, paper in enumerate(corpus):
        writer.add_document(indexing.document(number, paper))
    writer.commit()
    writer.wait_merging_threads()
    index.reload()
    return indexing.knowledge(corpus, index.searcher().terms_with_prefix("exact", ""))
