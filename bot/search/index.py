"""The search index over a corpus."""

import math
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, Self

import tantivy

from bot.papers import Corpus, Paper
from bot.richtext import Inlines
from bot.search import store
from bot.search.documents import Indexing, Knowledge, schema
from bot.search.plan import Plan, Planner, Weights, question
from bot.search.query import MAX_CHARACTERS, Query, parse
from bot.search.snippet import snippet
from bot.search.words import STOP_WORDS, stems, tokens

_TELLING = 40
"""Words that stand for a paper when others like it are looked for."""


@dataclass(frozen=True, slots=True)
class Hit:
    """A paper that was found. `score` compares hits of one search only; a higher one is better."""

    paper: Paper
    score: float
    snippet: Inlines = ()


ProblemKind = Literal["empty", "punctuation", "too_long", "no_match"]


@dataclass(frozen=True, slots=True)
class Problem:
    """Why a search has nothing to show, and what may help: topics that exist, words that look alike."""

    kind: ProblemKind
    message: str
    topics: tuple[str, ...] = ()
    words: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Results:
    """One page of an answer.

    `searched_for` is set when something else was looked for than was typed, and is what that was. `notes` are
    sentences for the person. `problem` is set when there is no hit at all.
    """

    query: Query
    total: int
    hits: tuple[Hit, ...]
    searched_for: str | None = None
    notes: tuple[str, ...] = ()
    problem: Problem | None = None


class SearchIndex:
    """Finds papers of one corpus. Safe to use from several threads at once.

    >>> SearchIndex.build(corpus).search("kv cache", limit=3)  # doctest: +SKIP
    """

    def __init__(
        self, corpus: Corpus, index: tantivy.Index, knowledge: Knowledge, weights: Weights | None = None
    ) -> None:
        self._corpus = corpus
        self._index = index
        self._knowledge = knowledge
        self._schema = schema()
        self._weights = weights or Weights()
        self._searcher = index.searcher()
        self._papers = tuple(corpus.get(key) for key in knowledge.papers)

    @classmethod
    def build(cls, corpus: Corpus, directory: Path | None = None) -> Self:
        """An index of `corpus`: in memory, or in `directory`, where one of the same corpus is used again."""
        if directory is None:
            index = tantivy.Index(schema())
            return cls(corpus, *_filled(index, corpus))

        def into(place: Path) -> Knowledge:
            return _filled(tantivy.Index(schema(), path=str(place)), corpus)[1]

        return cls(corpus, *store.opened(directory, store.stamp(corpus.fingerprint), into))

    def search(self, text: str, limit: int = 10) -> list[Hit]:
        """The best hits for what a person typed, best first; none rather than noise. Never raises."""
        return list(self.find(parse(text), 0, limit, snippets=False).hits)

    def find(self, query: Query, offset: int = 0, limit: int = 5, *, snippets: bool = True) -> Results:
        """One page of the hits for a query, from `offset` on."""
        empty = self._empty(query)
        if empty:
            return Results(query, 0, (), problem=empty)
        planner = Planner(self._searcher, self._schema, self._knowledge, self._weights)
        plan = planner.plan(query.text)
        asked = question(plan, query, self._schema, self._knowledge)
        found = self._searcher.search(asked, max(limit, 1), count=True, offset=offset)
        marked = plan.marked | {stemmed for phrase in query.phrases for stemmed in stems(phrase)}
        rarity = {concept.stem: concept.weight for concept in plan.concepts}
        hits = self._hits(found, marked, rarity, snippets=snippets)
        total = int(found.count)  # type: ignore[attr-defined]  # the type stub of 0.27 lacks it
        problem = None
        if not total:
            problem = Problem("no_match", "Nothing in these papers matches that.")
        return Results(query, total, tuple(hits), searched_for=_searched_for(plan), problem=problem)

    def similar(self, paper: Paper, limit: int = 5) -> list[Hit]:
        """Papers about the same things, by the most telling words of this one; never itself."""
        terms = self._telling(paper)
        if not terms:
            return []
        clauses = [
            tantivy.Query.boost_query(tantivy.Query.term_query(self._schema, "body", stemmed, "freq"), weight)
            for stemmed, weight in terms
        ]
        asked = tantivy.Query.boolean_query([(tantivy.Occur.Should, clause) for clause in clauses])
        found = self._searcher.search(asked, limit + 1, count=False)
        hits = self._hits(found, {stemmed for stemmed, _ in terms}, dict(terms), snippets=False)
        return [hit for hit in hits if hit.paper.id != paper.id][:limit]

    def _telling(self, paper: Paper) -> list[tuple[str, float]]:
        """The stems that set a paper apart, with what each counts."""
        counts = Counter(
            stemmed
            for one in tokens(f"{paper.title_text} {paper.title_text} {paper.text}")
            for word, stemmed in zip(one.words, one.stems, strict=True)
            if word not in STOP_WORDS
        )
        weights = []
        for stemmed, count in counts.items():
            frequency = self._searcher.doc_freq("body", stemmed)
            if frequency > 1:  # a word of this paper alone leads to no other
                rarity = math.log((1 + self._searcher.num_docs) / frequency)
                weights.append((stemmed, rarity * count / (count + 1)))
        return sorted(weights, key=lambda item: (-item[1], item[0]))[:_TELLING]

    def _empty(self, query: Query) -> Problem | None:
        if query.words or query.phrases or query.filtered or query.without:
            return None
        return Problem("empty", "Say what to look for.")

    def _hits(
        self, found: tantivy.SearchResult, marked: set[str], rarity: dict[str, float], *, snippets: bool
    ) -> list[Hit]:
        numbers = self._searcher.fast_field_values("n", [address for _, address in found.hits])
        hits = []
        for (score, _), number in zip(found.hits, numbers, strict=True):
            paper = self._papers[int(number or 0)]
            if paper is not None:
                shown = snippet(paper.text, marked, rarity) if snippets else ()
                hits.append(Hit(paper, float(score), shown))
        return hits


def _searched_for(plan: Plan) -> str | None:
    if not any(concept.repaired for concept in plan.concepts):
        return None
    words: list[str] = []
    for concept in plan.concepts:
        word = concept.repaired or concept.typed
        if not words or words[-1] != word:
            words.append(word)
    return " ".join(words)


def _filled(index: tantivy.Index, corpus: Corpus) -> tuple[tantivy.Index, Knowledge]:
    indexing = Indexing()
    characters = sum(len(paper.text) for paper in corpus)
    writer = index.writer(heap_size=min(max(15_000_000, 4 * characters), 200_000_000), num_threads=1)
    for number, paper in enumerate(corpus):
        writer.add_document(indexing.document(number, paper))
    writer.commit()
    writer.wait_merging_threads()
    index.reload()
    return index, indexing.knowledge(corpus)


__all__ = ["MAX_CHARACTERS", "Hit", "Problem", "Results", "SearchIndex"]
