"""Which of many texts may be near-equal to one, without comparing it with each."""

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence

_SHARED = 8
"""Rare words that two texts must share before they are compared in full, if they are long enough to."""

_ROUNDING = 1e-9
"""0.8 times 15 is a little over 12 in binary, and would ask for 13."""


class Crowd:
    """Word sets of one label, asked for those that may resemble another one at `least` (a Jaccard index).

    Two sets of that index share at least `least` of the larger one; so, with the words of all in one order, the
    rarest first, their beginnings of `n - ceil(least * n) + k` words share k (prefix filtering: Xiao et al.,
    "Efficient similarity joins for near-duplicate detection", 2011; with k above 1: Wang, Li and Feng, "Can we beat
    the prefix filtering?", 2012). No pair that is near-equal is missed; of others nearly all are passed over.
    """

    def __init__(self, sets: Iterable[frozenset[str]], least: float) -> None:
        self._least = least
        self._count = Counter(word for words in sets for word in words)
        self._holders: dict[str, list[int]] = defaultdict(list)
        self._needed: dict[int, int] = {}

    def add(self, index: int, words: frozenset[str]) -> None:
        """Let `index` be found from now on."""
        self._needed[index], beginning = self._beginning(words)
        for word in beginning:
            self._holders[word].append(index)

    def rivals(self, words: frozenset[str]) -> list[int]:
        """Those added that may be near-equal to `words`, in order of their index."""
        needed, beginning = self._beginning(words)
        shared: Counter[int] = Counter()
        for word in beginning:
            shared.update(self._holders.get(word, ()))
        return sorted(index for index, count in shared.items() if count >= min(needed, self._needed[index]))

    def _beginning(self, words: frozenset[str]) -> tuple[int, Sequence[str]]:
        """How many words of its beginning a set must share, and that beginning."""
        overlap = math.ceil(self._least * len(words) - _ROUNDING)
        needed = max(1, min(_SHARED, overlap))
        ordered = sorted(words, key=lambda word: (self._count[word], word))
        return needed, ordered[: len(words) - overlap + needed]
