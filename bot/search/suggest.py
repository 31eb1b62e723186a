"""Naming a paper: suggestions for every keystroke, and what a typed name stands for."""

import heapq
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from rapidfuzz.distance import OSA
from rapidfuzz.fuzz import ratio
from rapidfuzz.process import extract

from bot.papers import Corpus, Paper
from bot.search.fold import key, words
from bot.search.query import typed

MAX_TYPED = 200
"""Characters of a typed name that are looked at."""

_DEPTH = 48
"""Characters of a suffix that are kept: what people type before they choose is shorter."""

_MANY = 1_000
"""The best entries of prefixes with more entries than this are found when the suggester is built."""

_HEAD = 100
"""Entries kept for such a prefix: enough for 25 different papers."""

_NEAR = 72.0
"""Percent of likeness (indel) from which a name is suggested for another."""


@dataclass(frozen=True, slots=True)
class Resolution:
    """What a typed name stands for: one `paper`, or several `candidates`, or only `suggestions`, or nothing."""

    paper: Paper | None = None
    candidates: tuple[Paper, ...] = ()
    suggestions: tuple[Paper, ...] = ()


class Suggester:
    """Suggestions and names for one corpus. Safe to use from several threads at once."""

    def __init__(self, corpus: Corpus) -> None:
        self._papers = corpus.papers
        self._exact: defaultdict[str, list[int]] = defaultdict(list)
        entries: list[tuple[str, int, int]] = []
        for number, paper in enumerate(corpus.papers):
            for rank, name in _named(paper):
                parts = words(name)
                line = " ".join(parts)
                start = 0
                for place, part in enumerate(parts):
                    # the kind of name counts most, then how far inside it the typed words start
                    entries.append((line[start : start + _DEPTH], rank + min(place, 9), number))
                    start += len(part) + 1
                if len(parts) > 1:
                    entries.append((key(name)[:_DEPTH], rank, number))
            for name in _keys(paper):
                if number not in self._exact[name]:
                    self._exact[name].append(number)
        entries.sort()
        self._suffixes = [entry[0] for entry in entries]
        self._places = [(entry[1], entry[2]) for entry in entries]
        self._heads = self._popular()
        self._starts = self._first_words()
        self._names = list(self._exact)

    def suggest(self, prefix: str, limit: int = 25) -> list[Paper]:
        """Papers with a name, handle or title that has these words in it, the last one perhaps unfinished.

        Best first: handles and names before titles, beginnings before middles. An empty prefix gives the
        first papers of the corpus. A last word that leads nowhere is repaired.
        """
        parts = words(typed(prefix[:MAX_TYPED]))
        if not parts:
            return list(self._papers[:limit])
        found = self._matching(parts, limit)
        if not found:
            for last in self._repairs(parts[-1]):
                found = self._matching([*parts[:-1], last], limit)
                if found:
                    break
        return [self._papers[number] for number in found]

    def resolve(self, text: str, limit: int = 10) -> Resolution:
        """The paper that a handle, id, name, alias or part of a title stands for, or what comes close."""
        text = text[:MAX_TYPED]
        whole = key(typed(text))
        if not whole:
            return Resolution()
        handled = [
            paper for number in self._exact.get(whole, ()) if key((paper := self._papers[number]).handle) == whole
        ]
        if len(handled) == 1:
            return Resolution(handled[0])
        numbers = self._exact.get(whole) or self._matching(words(typed(text)), limit)
        found = tuple(self._papers[number] for number in numbers[:limit])
        if len(found) == 1:
            return Resolution(found[0])
        if found:
            return Resolution(candidates=found)
        return Resolution(suggestions=self._near(whole, limit))

    def _near(self, whole: str, limit: int) -> tuple[Paper, ...]:
        near = extract(whole, self._names, scorer=ratio, score_cutoff=_NEAR, limit=limit, processor=None)
        numbers = dict.fromkeys(number for name, _, _ in near for number in self._exact[name])
        return tuple(self._papers[number] for number in list(numbers)[:limit])

    def _popular(self) -> dict[str, list[tuple[int, int]]]:
        heads: dict[str, list[tuple[int, int]]] = {}
        for length in (1, 2, 3):
            place = 0
            while place < len(self._suffixes):
                prefix = self._suffixes[place][:length]
                end = self._end(prefix, place)
                if end - place > _MANY:
                    heads[prefix] = heapq.nsmallest(_HEAD, self._places[place:end])
                place = max(end, place + 1)
        return heads

    def _first_words(self) -> dict[str, list[str]]:
        starts: defaultdict[str, set[str]] = defaultdict(set)
        for suffix in self._suffixes:
            word = suffix.partition(" ")[0]
            if len(word) > 2:
                starts[word[0]].add(word)
        return {first: sorted(found) for first, found in starts.items()}

    def _end(self, prefix: str, start: int) -> int:
        return bisect_right(self._suffixes, prefix + "\U0010ffff", lo=start)

    def _range(self, prefix: str) -> list[tuple[int, int]]:
        start = bisect_left(self._suffixes, prefix[:_DEPTH])
        return self._places[start : self._end(prefix[:_DEPTH], start)]

    def _matching(self, parts: list[str], limit: int) -> list[int]:
        """Numbers of the papers in which the words stand together, else of those that have them all."""
        prefix = " ".join(parts)
        entries = self._heads.get(prefix) or self._range(prefix)
        if not entries and len(parts) > 1:
            entries = self._range("".join(parts)) or self._scattered(parts)
        best = heapq.nsmallest(limit * 4, entries) if len(entries) > limit * 4 else sorted(entries)
        return list(dict.fromkeys(number for _, number in best))[:limit]

    def _scattered(self, parts: list[str]) -> list[tuple[int, int]]:
        common: dict[int, int] | None = None
        for part in sorted(parts, key=len, reverse=True):
            if len(part) < 2:
                continue
            ranks: dict[int, int] = {}
            for rank, number in self._range(part):
                if common is None or number in common:
                    ranks[number] = min(rank, ranks.get(number, rank))
            common = ranks
            if not common:
                break
        return [(rank, number) for number, rank in (common or {}).items()]

    def _repairs(self, word: str) -> list[str]:
        """Beginnings of known words that the typed one is a slip or two away from, closest first."""
        if len(word) < 3:
            return []
        edits = 1 if len(word) < 6 else 2
        known = self._starts.get(word[0], [])
        heads = sorted({other[: len(word) + step] for other in known for step in (0, 1) if len(other) >= len(word) - 1})
        found = extract(word, heads, scorer=OSA.distance, score_cutoff=edits, limit=4, processor=None)
        return [other for other, _, _ in found]


def _named(paper: Paper) -> Iterable[tuple[int, str]]:
    """What a paper can be suggested by; a lower rank is better."""
    yield 0, paper.handle
    yield 0, paper.name
    for alias in paper.aliases:
        yield 10, alias
    yield 20, paper.title_text


def _keys(paper: Paper) -> list[str]:
    names = [paper.id, *paper.former_ids, paper.handle, paper.name, *paper.aliases, paper.title_text]
    forms = [key(form) for name in names for form in (name, name.replace("*", ""))]
    return [one for one in dict.fromkeys(forms) if one]


def resolve(text: str, suggester: Suggester) -> Resolution:
    """See `Suggester.resolve`."""
    return suggester.resolve(text)
