"""The words that a corpus uses, and which of them a mistyped one was meant to be."""

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property

from rapidfuzz.distance import OSA
from rapidfuzz.process import extract

SHORTEST = 4
"""Shorter words are left as they are: nearly every one of them is one letter from another."""

_TWO_EDITS = 8
"""Words from this length on may have two mistakes."""

_CANDIDATES = 20


@dataclass(frozen=True)
class Vocabulary:
    """Words with the number of papers they occur in: those of two papers or more, and every word of a name."""

    frequency: Mapping[str, int]

    @cached_property
    def _buckets(self) -> Mapping[tuple[str, int], list[str]]:
        buckets: defaultdict[tuple[str, int], list[str]] = defaultdict(list)
        for word in self.frequency:
            if len(word) >= SHORTEST - 1:
                buckets[word[0], len(word)].append(word)
        return dict(buckets)

    @cached_property
    def _initials(self) -> tuple[str, ...]:
        return tuple(sorted({first for first, _ in self._buckets}))

    def repaired(self, word: str) -> str | None:
        """The known word that this unknown one was most likely meant to be, or None."""
        if len(word) < SHORTEST or not any(map(str.isalpha, word)):
            return None
        edits = 2 if len(word) >= _TWO_EDITS else 1
        return self._best(word, (word[0],), edits) or self._best(
            word, [first for first in self._initials if first != word[0]], 1
        )

    def _best(self, word: str, initials: Iterable[str], edits: int) -> str | None:
        best: tuple[float, str] | None = None
        for first in initials:
            for length in range(len(word) - edits, len(word) + edits + 1):
                bucket = self._buckets.get((first, length))
                if not bucket:
                    continue
                for candidate, distance, _ in extract(
                    word, bucket, scorer=OSA.distance, score_cutoff=edits, limit=_CANDIDATES, processor=None
                ):
                    # one edit costs as much as being e^4 times rarer
                    cost = 4 * distance - math.log(self.frequency[candidate])
                    if best is None or (cost, candidate) < best:
                        best = cost, candidate
        return best[1] if best else None

    def nearest(self, word: str, limit: int = 3) -> list[str]:
        """Known words that look like this one, the closest first, for a suggestion only."""
        if len(word) < 3:
            return []
        bucket = [other for step in (-2, -1, 0, 1, 2) for other in self._buckets.get((word[0], len(word) + step), ())]
        found = extract(word, bucket, scorer=OSA.normalized_similarity, score_cutoff=0.7, limit=limit)
        return [other for other, _, _ in found]
