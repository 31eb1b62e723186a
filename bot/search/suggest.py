"""Naming a paper: suggestions for every keystroke, and what a typed name stands for."""

import heapq
from array import array
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from rapidfuzz.distance import OSA
from rapidfuzz.fuzz import ratio
from rapidfuzz.process import extract

from bot.papers import Corpus, Paper
from bot.search.words import key, words
from bot.text import straighten

MAX_TYPED = 200
"""Characters of a typed name that are looked at."""

_DEPTH = 48
"""Characters of a suffix that are compared: what people type before they choose is shorter."""

_MANY = 400
"""The best entries of beginnings with more entries than this are found when the suggester is built."""

_HEAD = 100
"""Entries kept for such a beginning: enough for 25 different papers."""

_NEAR = 72.0
"""Percent of likeness (indel) from which a name is suggested for another."""

_NAME, _ALIAS, _TITLE = 0, 10, 20
"""Ranks of what a paper is found by; how far inside it the typed words start is added, up to 9."""

_NUMBER = 0xFFFFFFFF

_END = "\U0010ffff"


@dataclass(frozen=True, slots=True)
class Resolution:
    """What a typed name stands for: one `paper`, or several `candidates`, or only `suggestions`, or nothing."""

    paper: Paper | None = None
    candidates: tuple[Paper, ...] = ()
    suggestions: tuple[Paper, ...] = ()


class Suggester:
    """Suggestions and names for one corpus. Safe to use from several threads at once.

    Every place where a word starts in a name, handle or title is an entry; entries are sorted by what follows, so
    that what was typed so far is a range of them.
    """

    def __init__(self, corpus: Corpus) -> None:
        self._papers = corpus.papers
        self._lines: list[str] = []
        entries: list[int] = []
        owners: list[tuple[int, int]] = []
        exact: defaultdict[str, dict[int, None]] = defaultdict(dict)
        for number, paper in enumerate(corpus.papers):
            for rank, line in dict.fromkeys(_lines_of(paper)):
                start = 0
                for part in line.split(" "):
                    entries.append(len(self._lines) << 16 | min(start, 0xFFFF))
                    start += len(part) + 1
                self._lines.append(line)
                owners.append((rank, number))
            for name in _keys(paper):
                exact[name][number] = None
        entries.sort(key=self._suffix)
        self._entries = array("Q", entries)
        self._places = array("Q", (self._place(entry, *owners[entry >> 16]) for entry in entries))
        self._exact = {name: tuple(numbers) for name, numbers in exact.items()}
        self._names = list(self._exact)
        self._heads = self._popular()
        self._starts = self._first_words()

    def suggest(self, prefix: str, limit: int = 25) -> list[Paper]:
        """Papers with a name, handle or title that has these words in it, the last one perhaps unfinished.

        Best first: handles and names before aliases before titles, beginnings before middles. An empty prefix
        gives the first papers of the corpus. A last word that leads nowhere is repaired.
        """
        parts = words(straighten(prefix[:MAX_TYPED]))
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
        text = straighten(text[:MAX_TYPED])
        whole = key(text)
        if not whole:
            return Resolution()
        numbers: Sequence[int] = self._exact.get(whole, ())
        handled = [number for number in numbers if key(self._papers[number].handle) == whole]
        if len(handled) == 1:
            return Resolution(self._papers[handled[0]])
        numbers = (numbers or self._matching(words(text), limit))[:limit]
        found = tuple(self._papers[number] for number in numbers)
        if len(found) == 1:
            return Resolution(found[0])
        if found:
            return Resolution(candidates=found)
        return Resolution(suggestions=self._near(whole, limit))

    def _near(self, whole: str, limit: int) -> tuple[Paper, ...]:
        near = extract(whole, self._names, scorer=ratio, score_cutoff=_NEAR, limit=limit, processor=None)
        numbers = dict.fromkeys(number for name, _, _ in near for number in self._exact[name])
        return tuple(self._papers[number] for number in list(numbers)[:limit])

    def _suffix(self, entry: int) -> str:
        start = entry & 0xFFFF
        return self._lines[entry >> 16][start : start + _DEPTH]

    def _place(self, entry: int, rank: int, number: int) -> int:
        """How good an entry is (smaller is better) and its paper, in one number."""
        inside = min(self._lines[entry >> 16].count(" ", 0, entry & 0xFFFF), 9)
        return (rank + inside) << 32 | number

    def _popular(self) -> "dict[str, array[int]]":
        heads: dict[str, array[int]] = {}
        for length in (1, 2, 3):
            place = 0
            while place < len(self._entries):
                prefix = self._suffix(self._entries[place])[:length]
                end = self._end(prefix, place)
                if end - place > _MANY:
                    heads[prefix] = array("Q", heapq.nsmallest(_HEAD, self._places[place:end]))
                place = max(end, place + 1)
        return heads

    def _first_words(self) -> dict[str, list[str]]:
        starts: defaultdict[str, set[str]] = defaultdict(set)
        for word in {word for line in self._lines for word in line.split(" ")}:
            if len(word) > 2:
                starts[word[0]].add(word)
        return {first: sorted(found) for first, found in starts.items()}

    def _end(self, prefix: str, start: int) -> int:
        return bisect_right(self._entries, prefix + _END, lo=start, key=self._suffix)

    def _range(self, prefix: str) -> "array[int]":
        prefix = prefix[:_DEPTH]
        start = bisect_left(self._entries, prefix, key=self._suffix)
        return self._places[start : self._end(prefix, start)]

    def _matching(self, parts: list[str], limit: int) -> list[int]:
        """Numbers of the papers in which the words stand together, else of those that have them all."""
        prefix = " ".join(parts)
        entries: Sequence[int] = self._heads.get(prefix) or self._range(prefix)
        if not entries and len(parts) > 1:
            entries = self._range("".join(parts)) or self._scattered(parts)
        best = heapq.nsmallest(limit * 4, entries)
        return list(dict.fromkeys(place & _NUMBER for place in best))[:limit]

    def _scattered(self, parts: list[str]) -> list[int]:
        common: dict[int, int] | None = None
        for part in sorted(parts, key=len, reverse=True):
            if len(part) < 2:
                continue
            ranks: dict[int, int] = {}
            for place in self._range(part):
                number = place & _NUMBER
                if common is None or number in common:
                    ranks[number] = min(place, ranks.get(number, place))
            common = ranks
            if not common:
                break
        return list((common or {}).values())

    def _repairs(self, word: str) -> list[str]:
        """Beginnings of known words that the typed one is a slip or two away from, closest first."""
        if len(word) < 3:
            return []
        edits = 1 if len(word) < 6 else 2
        known = self._starts.get(word[0], [])
        heads = sorted({other[: len(word) + 1] for other in known if len(other) >= len(word) - 1})
        found = extract(word, heads, scorer=OSA.distance, score_cutoff=edits, limit=4, processor=None)
        if not found:
            heads = sorted({other[: len(word)] for other in known if len(other) >= len(word)})
            found = extract(word, heads, scorer=OSA.distance, score_cutoff=edits, limit=4, processor=None)
        return [other for other, _, _ in found]


def _lines_of(paper: Paper) -> Iterable[tuple[int, str]]:
    """What a paper can be suggested by, with its rank, folded; a handle's parts also written together."""
    for rank, name in ((_NAME, paper.handle), (_NAME, paper.name), *((_ALIAS, one) for one in paper.aliases)):
        parts = words(name)
        if parts:
            yield rank, " ".join(parts)
        if len(parts) > 1:
            yield rank, "".join(parts)
    if title := " ".join(words(paper.title_text)):
        yield _TITLE, title


def _keys(paper: Paper) -> list[str]:
    names = [paper.id, *paper.former_ids, paper.handle, paper.name, *paper.aliases, paper.title_text]
    forms = [key(form) for name in names for form in (name, name.replace("*", ""))]
    return [one for one in dict.fromkeys(forms) if one]
