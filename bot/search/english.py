"""Which words are English, and which of them are everyday ones: told by how often people write them.

The counts are those of pyspellchecker's English dictionary: occurrences in some 1.6 billion words of film subtitles.
"""

import gzip
import re
from functools import cache, lru_cache
from importlib import resources

from bot.search.spelling import american

_WORD = re.compile(rb'"([a-z]{2,})": \d{3,}')
"""Words that stand there a hundred times or more: rarer ones are as often misprints and names."""

_EVERYDAY = re.compile(rb'"([a-z]{2,})": \d{5,}')
"""Those of ten thousand times or more: some five thousand words, six or more in a million."""


@cache
def _counted() -> tuple[bytes, frozenset[str]]:
    """All words, one a line (a set of them would take ten times the memory), and the everyday ones."""
    file = resources.files("spellchecker").joinpath("resources", "en.json.gz")
    counts = gzip.decompress(file.read_bytes())
    words = b"\n" + b"\n".join(_WORD.findall(counts)) + b"\n"
    return words, frozenset(word.decode() for word in _EVERYDAY.findall(counts))


@lru_cache(10_000)
def is_english(word: str) -> bool:
    """Whether a lower-case word is one of English, in either spelling: such a word is no slip of another."""
    words, _ = _counted()
    return any(f"\n{form}\n".encode() in words for form in {word, american(word)} if form.isascii() and form.isalpha())


def is_everyday(word: str) -> bool:
    """Whether people use a lower-case word so much that it tells little about a paper."""
    return word in _counted()[1]
