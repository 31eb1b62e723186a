"""Which records are one paper, and which paper of the corpus before they are.

Similarity of two texts is the Jaccard index of their word sets (shared words by all words). On the ICML 2026
list it is bimodal for pairs of one title: 445 of 507 pairs are at 0.8 or above, the rest spread down to 0.2.
"""

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from rapidfuzz import fuzz

from bot.papers import Paper, normalised

# Which of many texts may be near-equal to one, without comparing it with each.

_SHARED = 8
"""Rare words that two texts must share before they are compared in full, if they are long enough to."""

_ROUNDING = 1e-9
"""0.8 times 15 is a little over 12 in binary, and would ask for 13."""


class CandidateIndex:
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

    def candidates(self, words: frozenset[str]) -> list[int]:
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


NEAR_EQUAL = 0.8
"""Two texts of one load with one title, or a corrected text without a title, are the same paper from here on."""
REVISED = 0.5
"""A text under a title that an earlier load knew is its revision from here on."""
SAME_TITLE = 90.0
"""rapidfuzz ratio (0 to 100) of normalised titles that are the same but for a correction."""


_MANY_RECORDS = 20
"""Records of one title or id from which on only likely pairs are compared."""


def similarity(one: frozenset[str], other: frozenset[str]) -> float:
    """Jaccard index of two word sets, 0 to 1; two empty ones are equal."""
    return len(one & other) / len(one | other) if one or other else 1.0


@dataclass(frozen=True, slots=True)
class Fingerprint:
    """What identity is judged by: id, world-known keys, keys within files, title words, text words."""

    id: str
    keys: frozenset[str]
    records: frozenset[str]
    title: str
    text: str

    @property
    def words(self) -> frozenset[str]:
        """The distinct words of the text."""
        return frozenset(self.text.split())


def fingerprint(paper: Paper) -> Fingerprint:
    """How an existing paper is recognised."""
    title = normalised(paper.title_text) if paper.title_source != "derived" else ""
    return Fingerprint(paper.id, paper.keys, record_keys(paper), title, normalised(paper.text))


def record_keys(paper: Paper) -> frozenset[str]:
    """The record ids of a paper, each with its file, since `1` means something else in every file."""
    return frozenset(f"{source.file}#{source.record_id}" for source in paper.sources if source.record_id)


def group(prints: Sequence[Fingerprint]) -> list[list[int]]:
    """Indices of the records that are one paper, each group in reading order, groups by their first record.

    One paper: the same normalised abstract, or near-equal text under one title or one world-known id.
    """
    labels = [[*entry.keys, *([f"title:{entry.title}"] if entry.title else [])] for entry in prints]
    indexes = _indexes(prints, labels)
    home: dict[int, int] = {}
    by_id: dict[str, int] = {}
    by_label: dict[str, list[int]] = defaultdict(list)
    words: dict[int, frozenset[str]] = {}
    for index, entry in enumerate(prints):
        found = by_id.get(entry.id)
        if found is None and labels[index]:
            one = entry.words
            candidates: set[int] = set()
            for label in labels[index]:
                candidates.update(indexes[label].candidates(one) if label in indexes else by_label.get(label, ()))
            for candidate in sorted(candidates):
                if similarity(words.setdefault(candidate, prints[candidate].words), one) >= NEAR_EQUAL:
                    found = home[candidate]
                    break
        home[index] = index if found is None else found
        by_id.setdefault(entry.id, home[index])
        for label in labels[index]:
            if label in indexes:
                indexes[label].add(index, entry.words)
            else:
                by_label[label].append(index)
    groups: dict[int, list[int]] = defaultdict(list)
    for index, root in home.items():
        groups[root].append(index)
    return [groups[root] for root in sorted(groups)]


def _indexes(prints: Sequence[Fingerprint], labels: Sequence[Sequence[str]]) -> Mapping[str, CandidateIndex]:
    """The labels that so many records share (`Untitled`) that comparing each with each would take minutes."""
    members: dict[str, list[int]] = defaultdict(list)
    for index, own in enumerate(labels):
        for label in own:
            members[label].append(index)
    return {
        label: CandidateIndex((prints[index].words for index in found), NEAR_EQUAL)
        for label, found in members.items()
        if len(found) > _MANY_RECORDS
    }


def match(fresh: Sequence[Fingerprint], known: Sequence[Paper]) -> Mapping[int, Paper]:
    """For each index of `fresh`, the known paper that it is now; each known paper is given once.

    In order of certainty: the same text (also a former one); the same DOI, arXiv or OpenReview id; the same
    record id in the same file, if title or text still resemble; near-equal title and text.
    """
    result: dict[int, Paper] = {}
    given: set[str] = set()

    def give(index: int, paper: Paper | None) -> None:
        if paper is not None and index not in result and paper.id not in given:
            result[index] = paper
            given.add(paper.id)

    by_id = {former: paper for paper in known for former in paper.former_ids} | {paper.id: paper for paper in known}
    for index, entry in enumerate(fresh):
        give(index, by_id.get(entry.id))
    rest = [index for index in range(len(fresh)) if index not in result]
    if not rest:
        return result
    free = [fingerprint(paper) for paper in known if paper.id not in given]
    papers = {paper.id: paper for paper in known}
    for kind in ("keys", "records"):
        by_key = {key: entry for entry in free for key in getattr(entry, kind)}
        for index in rest:
            for key in sorted(getattr(fresh[index], kind)):
                candidate = by_key.get(key)
                if candidate is not None and (kind == "keys" or _resemble(fresh[index], candidate)):
                    give(index, papers[candidate.id])
    _match_by_text(fresh, rest, [entry for entry in free if entry.id not in given], papers, give)
    return result


def _resemble(one: Fingerprint, other: Fingerprint) -> bool:
    """A record id alone does not make a paper: files are overwritten. Half a title or a third of the words does."""
    if one.title and other.title and fuzz.ratio(one.title, other.title) >= SAME_TITLE:
        return True
    return similarity(one.words, other.words) >= REVISED / 1.5


def _match_by_text(
    fresh: Sequence[Fingerprint],
    rest: Iterable[int],
    free: Sequence[Fingerprint],
    papers: Mapping[str, Paper],
    give: Callable[[int, Paper | None], None],
) -> None:
    """Near-equal title and text: candidates share rare words, so that two large corpora are not compared in full."""
    words = [entry.words for entry in free]
    counts = Counter(word for entry in words for word in entry)
    holders: dict[str, list[int]] = defaultdict(list)
    for number, entry in enumerate(words):
        for word in sorted(entry, key=lambda word: (counts[word], word))[:24]:
            holders[word].append(number)
    scored: list[tuple[float, int, int]] = []
    for index in rest:
        one = fresh[index].words
        shared = Counter(number for word in one for number in holders.get(word, ()))
        for number, _ in shared.most_common(8):
            score = similarity(one, words[number])
            titles = fresh[index].title, free[number].title
            same_title = all(titles) and fuzz.ratio(*titles) >= SAME_TITLE
            if score >= (REVISED if same_title else NEAR_EQUAL) and (same_title or not all(titles)):
                scored.append((score, index, number))
    for _, index, number in sorted(scored, key=lambda entry: (-entry[0], entry[1], entry[2])):
        give(index, papers[free[number].id])
