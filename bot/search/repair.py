"""What a word that no paper has was meant to be."""

from bot.search.reader import Reader
from bot.search.vocabulary import SHORTEST
from bot.search.words import stem

_SHORTEST_PART = 3
_SHORTEST_START = 5
_MANY_PAPERS = 500
_COMMON = 30


def repaired(word: str, reader: Reader) -> str | None:
    """The known word (or two, joined by a hyphen) that was meant, or None.

    In this order: a word that differs by a slip or two; a short name with two letters swapped; the beginning of a
    longer word; two words run together.
    """
    return (
        reader.knowledge.vocabulary.repaired(word)
        or _swapped(word, reader)
        or _continued(word, reader)
        or _run_together(word, reader)
    )


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
