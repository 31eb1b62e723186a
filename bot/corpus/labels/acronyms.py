"""Which words an acronym stands for."""

import re

from bot.corpus.labels.wordlist import word_set

_PARTS = re.compile(r"[^\W_]+")
_SKIPPED = word_set("of for and the a an in on to with via by from as at or is are")
_X_SOUNDS = ("cross", "ex", "trans")
_QUOTES = str.maketrans("", "", '"“”`')
_NESTED = re.compile(r"\s*\([^()]*\)")


def letters_of(acronym: str) -> str:
    """The letters that an acronym has to account for: no plural s, digits, signs or case."""
    body = acronym
    if len(body) > 2 and body.endswith("s") and body[:-1].isupper():
        body = body[:-1]
    return "".join(char for char in body if char.isalpha()).casefold()


def expansion_start(acronym: str, words: list[str]) -> int | None:
    """Where, in the words before `(acronym)`, its expansion starts; None where the letters do not fit.

    The letters must occur in order, the first at the start of the first word and most of them at starts of words
    (Schwartz and Hearst 2003 ask only for the first).
    """
    letters = letters_of(acronym)
    if not 2 <= len(letters) <= 12:
        return None
    best: tuple[float, int] | None = None
    longest = min(len(words), len(letters) + 5)
    for size in range(1, longest + 1):
        start = len(words) - size
        if words[start].casefold() in _SKIPPED:
            continue
        cost = _cost(letters, words[start:])
        if cost is not None and (best is None or cost < best[0]):
            best = (cost, start)
    return best[1] if best is not None else None


def fits(acronym: str, expansion: str) -> bool:
    """Whether an acronym can stand for all of an expansion."""
    letters = letters_of(acronym)
    words = expansion.split()
    return 2 <= len(letters) <= 12 and 0 < len(words) <= len(letters) + 5 and _cost(letters, words) is not None


def _cost(letters: str, words: list[str]) -> float | None:
    """How badly the letters fit the words (0 is one initial each), None where they do not."""
    parts = [(part.casefold(), place > 0) for whole in words for place, part in enumerate(_PARTS.findall(whole))]
    if not parts or parts[0][0][0] != letters[0]:
        return None
    # states: (cost, letters used) after each part; a part gives none, its initial, or its initial and inner letters
    states: dict[int, float] = {0: 0.0}
    for position, (part, inner) in enumerate(parts):
        following: dict[int, float] = {}
        for used, cost in states.items():
            if position:
                skip = cost + (0.2 if part in _SKIPPED else 0.4 if inner else 1.2)
                _better(following, used, skip)
            for taken, extra in _takes(letters[used:], part):
                _better(following, used + taken, cost + extra)
        states = following
        if not states:
            return None
    total = states.get(len(letters))
    if total is None or total > 0.55 * len(letters) + 0.4:
        return None
    return total


def _better(table: dict[int, float], key: int, cost: float) -> None:
    if cost < table.get(key, 99.0):
        table[key] = cost


def _takes(letters: str, part: str) -> list[tuple[int, float]]:
    """How many of the next letters a part can give, its initial first, and what that costs."""
    if not letters or part[0] != letters[0]:
        return [(1, 0.3)] if letters[:1] == "x" and part.startswith(_X_SOUNDS) else []
    options = [(1, 0.0)]
    at, taken, cost = 0, 1, 0.0
    while taken < len(letters):
        found = part.find(letters[taken], at + 1)
        if found < 0:
            break
        cost += 0.15 if found == at + 1 else 0.6
        at = found
        taken += 1
        options.append((taken, cost))
    return options


def fits_loosely(acronym: str, expansion: str) -> bool:
    """Whether the letters occur in order in the words, the first one at their start."""
    letters = letters_of(acronym)
    at = 0
    folded = expansion.casefold()
    if len(letters) < 2 or not folded.startswith(letters[0]):
        return False
    for letter in letters:
        at = folded.find(letter, at) + 1
        if not at:
            return False
    return True


def without_nested(expansion: str) -> str:
    """An expansion without the bracketed abbreviations and quotes inside it: `Reinforcement Learning (RL) …`."""
    return _NESTED.sub("", expansion).translate(_QUOTES)
