"""The piece of an abstract that shows why a paper was found."""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from bot.richtext import Inline, Inlines, Mark, Text
from bot.search.words import GREEK, has_no_spaces, places

# Where a text has the words that a query is after.
# Nearly every word that a stem finds begins like the stem, so a text is first searched for beginnings, which is
# several times quicker than taking it apart; only where that finds nothing is every word looked at.

Match = tuple[int, int, tuple[str, ...]]
"""Where a word starts and ends, and the wanted stems that find it."""

_SPACE = re.compile(r"\s")
_PLAIN = {
    code: ord(plain[0])
    for code in range(0xC0, 0x250)
    if len(plain := unicodedata.normalize("NFKD", chr(code)).encode("ascii", "ignore").decode()) == 1
}
_ACCENTED = re.compile(f"[{''.join(map(chr, _PLAIN))}]")
_LETTERS = {name: letter for letter, name in GREEK.items() if letter.islower()}


class Matcher:
    """Finds stems in texts; made for one query, it remembers what it saw."""

    def __init__(self, wanted: Iterable[str]) -> None:
        self._wanted = frozenset(wanted)
        self._needles = () if any(map(has_no_spaces, self._wanted)) else _needles(self._wanted)
        self._chunks: dict[str, list[Match]] = {}
        self._texts: dict[str, list[Match]] = {}

    def matches(self, text: str) -> list[Match]:
        """The words of a text that a wanted stem finds, in order."""
        known = self._texts.get(text)
        if known is None:
            known = self._texts[text] = self._quick(text) or self._thorough(text)
        return known

    def _quick(self, text: str) -> list[Match]:
        lower = text.lower()
        if len(lower) != len(text):
            return []
        if not lower.isascii() and _ACCENTED.search(lower):
            lower = lower.translate(_PLAIN)
        chunks: dict[int, int] = {}
        for needle in self._needles:
            place = lower.find(needle)
            while place != -1:
                if not place or not lower[place - 1].isalnum():
                    start, end = lower.rfind(" ", 0, place) + 1, lower.find(" ", place)
                    chunks[start] = place = end if end != -1 else len(text)
                place = lower.find(needle, place + 1)
        return [match for start in sorted(chunks) for match in self._within(text, start, chunks[start])]

    def _thorough(self, text: str) -> list[Match]:
        ends = [space.start() for space in _SPACE.finditer(text)] + [len(text)]
        starts = [0, *(end + 1 for end in ends)]
        return [match for start, end in zip(starts, ends, strict=False) for match in self._within(text, start, end)]

    def _within(self, text: str, start: int, end: int) -> list[Match]:
        """The matches in what stands between two spaces."""
        chunk = text[start:end]
        inside = self._chunks.get(chunk)
        if inside is None:
            inside = self._chunks[chunk] = places(chunk, self._wanted)
        return [(start + first, start + last, found) for first, last, found in inside]


def _needles(stems: Iterable[str]) -> tuple[str, ...]:
    """Beginnings of stems, short enough to be in a word also where its ending or spelling differs."""
    short = {stem[: max(3, min(6, len(stem) - 2))] for stem in stems}
    short |= {_LETTERS[stem] for stem in stems if stem in _LETTERS}
    found: list[str] = []
    for needle in sorted(short):
        if not found or not needle.startswith(found[-1]):
            found.append(needle)
    return tuple(found)


LENGTH = 160
"""The most characters a snippet has, ellipses included."""

_BEFORE = 20
"""Characters shown before the first match, where the text does not start there."""

_ROOM = LENGTH - _BEFORE - 10
"""Characters in which the matches of one snippet lie: what the start and the cut between words leave for sure."""

_CUT = "…"

Hit = tuple[int, int, str]
"""Where a marked word starts and ends, and the stem that finds it."""


class Snippets:
    """Snippets for one query. `marked` are the stems to mark; `rarity` is what each is worth, 1 without it."""

    def __init__(self, matcher: Matcher, marked: frozenset[str], rarity: Mapping[str, float]) -> None:
        self._matcher = matcher
        self._marked = marked
        self._rarity = rarity

    def of(self, text: str) -> Inlines:
        """At most `LENGTH` characters of `text` around its best matches, which are marked; cut between words.

        The stretch with the most different stems wins, by their worth, the earliest of equal ones. A text without
        a match gives its beginning.
        """
        if not text.isprintable() or "  " in text or text[:1] == " " or text[-1:] == " ":
            text = " ".join(text.split())
        marked = self._marked
        found = [
            (start, end, form)
            for start, end, forms in self._matcher.matches(text)
            if (form := next((one for one in forms if one in marked), ""))
        ]
        return _cut(text, self._start(found, len(text)), _apart(found))

    def _start(self, found: Sequence[Hit], length: int) -> int:
        """Where the best stretch starts."""
        if not found or length <= LENGTH:
            return 0
        inside: Counter[str] = Counter()
        best, best_worth, worth, first = 0, 0.0, 0.0, 0
        for start, end, form in found:
            while found[first][0] < start and end > found[first][0] + _ROOM:
                left = found[first][2]
                inside[left] -= 1
                worth -= 0.01 if inside[left] else self._rarity.get(left, 1.0) + 0.01
                first += 1
            worth += 0.01 if inside[form] else self._rarity.get(form, 1.0) + 0.01
            inside[form] += 1
            if worth > best_worth + 1e-6:
                best, best_worth = found[first][0], worth
        return max(0, best - _BEFORE)


def _apart(found: Sequence[Hit]) -> list[Hit]:
    """The same with those in one that overlap, as pairs of characters do."""
    apart: list[Hit] = []
    for start, end, form in found:
        if apart and start < apart[-1][1]:
            apart[-1] = (apart[-1][0], end, apart[-1][2])
        else:
            apart.append((start, end, form))
    return apart


def _cut(text: str, start: int, found: Sequence[Hit]) -> Inlines:
    """The snippet from `start` on, or a little later, where a word begins."""
    if len(text) - start < LENGTH:
        start = max(0, len(text) - LENGTH + 1)
    if start and (space := text.find(" ", start - 1)) != -1:
        start = space + 1
    room = LENGTH - bool(start)
    end = len(text)
    if end - start > room:
        end = text.rfind(" ", start, start + room)
        if end <= start:  # one word as long as the snippet
            end = start + room - 1
        while end > start + 1 and text[end - 1] in ",;:–—-":
            end -= 1
    nodes: list[Inline] = [Text(_CUT)] if start else []
    place = start
    for first, last, _ in found:
        if first < start or last > end:
            continue
        if first > place:
            nodes.append(Text(text[place:first]))
        nodes.append(Mark((Text(text[first:last]),)))
        place = last
    rest = text[place:end] + (_CUT if end < len(text) else "")
    if rest:
        nodes.append(Text(rest))
    return tuple(nodes)
