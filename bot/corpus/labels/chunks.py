"""Noun phrases of an abstract: the stretches of words that could be one, and how often each is used."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from bot.corpus.labels.candidates import opens
from bot.corpus.labels.lexicon import (
    FUNCTION,
    GENERIC_HEADS,
    GERUNDS,
    INTRODUCES,
    NOUNS_IN_ING,
    PRAISE,
    STUDIES,
    SUBJECT_VERBS,
    VERBS,
    word_set,
)
from bot.corpus.labels.tokens import URL, Flat, Token, joined

MAX_WORDS = 5
"""Words of a phrase: more is a sentence, not a name."""

_BREAKS = FUNCTION | VERBS | SUBJECT_VERBS | INTRODUCES | GERUNDS | STUDIES
_OBJECT_STARTS = word_set("a an the their its our this these how what whether it them each any all")
_SHORTEST_PLURAL = 5


@dataclass(slots=True)
class Phrase:
    """A noun phrase that an abstract uses: its words folded, where it is used, what is said of it."""

    words: tuple[str, ...]
    spans: list[tuple[int, int]] = field(default_factory=list)
    bonus: float = 0.0


@dataclass(frozen=True, slots=True)
class Chunk:
    """A stretch of words that one noun phrase could be: tokens by index."""

    at: tuple[int, ...]


def chunks_of(flat: Flat) -> list[Chunk]:
    """Stretches of words between function words, verbs and punctuation; a bracketed abbreviation is seen through."""
    found: list[Chunk] = []
    run: list[int] = []
    for index, token in enumerate(flat.tokens):
        if run and abbreviates(flat, index):
            continue
        if run and (token.gap.strip(") ’'") or token.sentence != flat.tokens[index - 1].sentence):
            found.append(Chunk(tuple(run)))
            run = []
        if _breaks(token) or _governs(flat, index):
            if run:
                found.append(Chunk(tuple(run)))
            run = []
            continue
        run.append(index)
    if run:
        found.append(Chunk(tuple(run)))
    trimmed = [_trim(flat.tokens, chunk.at) for chunk in found]
    return [Chunk(at) for at in trimmed if len(at) > 1]


def abbreviates(flat: Flat, index: int) -> bool:
    """Whether a token stands in brackets by itself, as an abbreviation does."""
    return "(" in flat.tokens[index].gap and ")" in flat.gap_after(index)


def _breaks(token: Token) -> bool:
    low = token.low
    return low in _BREAKS or token.kind == URL or low.endswith("ly") or not low[0].isalpha()


def _governs(flat: Flat, index: int) -> bool:
    """Whether a word in -ing is a verb with an object after it: `functions measuring the …`."""
    if not flat.tokens[index].low.endswith("ing") or index + 1 == len(flat.tokens):
        return False
    following = flat.tokens[index + 1]
    return joined(following) and following.low in _OBJECT_STARTS


def _trim(tokens: Sequence[Token], at: tuple[int, ...]) -> tuple[int, ...]:
    start, end = 0, len(at)
    while start < end and (tokens[at[start]].low in PRAISE or _is_gerund(tokens, at[start])):
        start += 1
    while end - start > 2 and tokens[at[end - 1]].low in GENERIC_HEADS:
        end -= 1
    while end > start and (tokens[at[end - 1]].low.endswith("ed") or tokens[at[end - 1]].low in PRAISE):
        end -= 1
    return at[start:end]


def _is_gerund(tokens: Sequence[Token], index: int) -> bool:
    """Whether a word in -ing is a verb: `by testing models`, not `pruning criteria`."""
    low = tokens[index].low
    if not low.endswith("ing") or "-" in low or low in NOUNS_IN_ING:
        return False
    return opens(tokens, index) or tokens[index - 1].low in FUNCTION


@lru_cache(maxsize=65536)
def _singular(word: str) -> str:
    return word[:-1] if len(word) >= _SHORTEST_PLURAL and word.endswith("s") and not word.endswith("ss") else word


def folded(words: Iterable[str]) -> tuple[str, ...]:
    """Words for counting: no plural s."""
    return tuple(map(_singular, words))


@lru_cache(maxsize=65536)
def parts_of(word: str) -> tuple[str, ...]:
    """The parts of a compound, folded."""
    return folded(word.split("-"))


def phrases_of(flat: Flat, chunks: Sequence[Chunk]) -> dict[tuple[str, ...], Phrase]:
    """Every phrase of two to `MAX_WORDS` words inside the chunks, by its folded words."""
    tokens = flat.tokens
    table: dict[tuple[str, ...], Phrase] = {}
    for chunk in chunks:
        size = len(chunk.at)
        words = folded(tokens[index].low for index in chunk.at)
        for start in range(size - 1):
            if tokens[chunk.at[start]].low in PRAISE:
                continue
            for end in range(start + 2, min(start + MAX_WORDS, size) + 1):
                key = words[start:end]
                phrase = table.get(key)
                if phrase is None:
                    phrase = table[key] = Phrase(key)
                phrase.spans.append((chunk.at[start], chunk.at[end - 1] + 1))
    return table
