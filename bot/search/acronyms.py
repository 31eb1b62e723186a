"""Acronyms that a corpus explains itself: `Reinforcement Learning (RL)`, `mixture-of-experts (MoE)`.

The letters of the acronym must be found in order in the words before the bracket, the first one at the start
of a word, by the backward walk of Schwartz and Hearst (Pacific Symposium on Biocomputing 2003).
"""

import re
from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass

from bot.search.fold import fold
from bot.search.wordlists import STOP_WORDS
from bot.search.words import stem, tokens

_BRACKETED = re.compile(r"\(([^\W_][^()\n]{0,14}?[^\W_])(?:[,;:][^()\n]{0,40})?\)")
_MAX_EXPANSIONS = 3
_SHARE = 0.15
"""An expansion counts when it makes up this part of the times that its acronym is explained."""

Stems = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Acronyms:
    """What acronyms mean and what is shortened to them, by stems."""

    expansions: Mapping[str, tuple[Stems, ...]]
    shortened: Mapping[Stems, tuple[str, ...]]
    first: frozenset[str]
    """What an expansion may start with."""


def mined(found: Mapping[str, Counter[Stems]]) -> Acronyms:
    """The acronyms of a corpus from how often each is explained in which way, the most frequent ways first."""
    return gathered(
        {
            short: tuple(
                long
                for long, count in sorted(counts.items(), key=lambda item: (-item[1], item[0]))[:_MAX_EXPANSIONS]
                if count >= _SHARE * counts.total()
            )
            for short, counts in sorted(found.items())
        }
    )


def gathered(expansions: Mapping[str, tuple[Stems, ...]]) -> Acronyms:
    """Acronyms by their expansions, with the way back."""
    shortened: defaultdict[Stems, list[str]] = defaultdict(list)
    for short, longs in expansions.items():
        for long in longs:
            shortened[long].append(short)
    first = frozenset(long[0] for long in shortened)
    return Acronyms(expansions, {long: tuple(shorts) for long, shorts in shortened.items()}, first)


def explained(text: str) -> list[tuple[str, Stems]]:
    """Pairs of acronym and expansion in one text, both stemmed."""
    pairs: list[tuple[str, Stems]] = []
    for bracket in _BRACKETED.finditer(text):
        short = fold(bracket[1])
        if not (2 <= len(short) <= 10 and any(map(str.isupper, short)) and " " not in short):
            continue
        singular = short[:-1] if short.endswith("s") and short[-2:-1].isupper() else short
        letters = "".join(filter(str.isalnum, singular)).casefold()
        before = fold(text[max(0, bracket.start() - 100) : bracket.start()]).casefold().rstrip()
        start = _start(letters, before)
        if start is None:
            continue
        long = tuple(one for item in tokens(before[start:]) for one in item.stems)
        if 2 <= len(long) <= len(letters) + 3 and set(long) - STOP_WORDS and stem(letters) not in long:
            pairs.append((stem(letters), long))
    return pairs


def _start(letters: str, before: str) -> int | None:
    """Where the expansion of `letters` starts in the text that ends at its bracket, or None."""
    place = len(before) - 1
    for step in range(len(letters) - 1, -1, -1):
        while place >= 0 and (
            before[place] != letters[step] or (step == 0 and place > 0 and before[place - 1].isalnum())
        ):
            place -= 1
        if place < 0:
            return None
        place -= 1
    return place + 1
