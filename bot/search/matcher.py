"""Where a text has the words that a query is after.

Nearly every word that a stem finds begins like the stem, so a text is first searched for beginnings, which is several
times quicker than taking it apart; only where that finds nothing is every word looked at.
"""

import re
import unicodedata
from collections.abc import Iterable

from bot.search.fold import GREEK
from bot.search.words import places

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
        self._needles = _needles(self._wanted)
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
