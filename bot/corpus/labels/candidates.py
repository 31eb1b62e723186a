"""Possible names of a paper: capitalised or oddly cased stretches, and acronyms paired with their expansions."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from bot.corpus.labels.lexicon import FUNCTION, HEADS, PRAISE, word_set
from bot.corpus.labels.tokens import CAP, LOW, ODD, Flat, TaggedToken, TokenRun, is_namey, joined, runs

# Which words an acronym stands for.

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


# How much each sign of a name counts. Tuned on half of a venue's papers whose titles give their names.

WEIGHTS = {
    # it is introduced
    "direct": 6.0,
    "bracket": 6.0,
    "headed": 5.0,
    "appositive": 4.0,
    "determined": 3.0,
    "coordinated": 4.0,
    "called": 6.0,
    "passive": 5.0,
    "apposed": 5.0,
    "yielded": 3.0,
    "our": 3.0,
    "first": 1.0,
    # what is said of it
    "defined": 3.5,
    "described": 1.5,
    "subject": 1.5,
    "claimed": 1.5,
    "mention": 0.4,
    "bold": 2.0,
    "italic": 0.7,
    "repository": 4.0,
    "stem": 0.5,
    # how it is written
    "odd": 1.5,
    "coined": 1.0,
    "expanded": 1.0,
    # what speaks against it
    "known": -8.0,
    "background": -3.0,
    "phenomenon": -6.0,
    "reported": -1.2,
    "qualifies": -2.0,
}


_KEY = re.compile(r"[\W_]+")
_PLURAL = re.compile(r"(?<=[A-Z])s$")
_REACH = 14
"""Words before `(ACR)` that its expansion can take."""


def key_of(name: str) -> str:
    """A name reduced to its letters and digits, for comparing: `Flex-Rank` and `flexrank`, `SAEs` and `SAE` are one."""
    folded = _PLURAL.sub("", name).casefold()
    return _KEY.sub("", folded) or folded


@dataclass(slots=True)
class Candidate:
    """One possible name, the forms it takes and what speaks for it."""

    name: str
    run: TokenRun
    expansion: str = ""
    expansion_run: TokenRun | None = None
    acronym_first: bool = False
    score: float = 0.0
    introduced: bool = False
    phenomenon: bool = False
    gloss: int = -1
    """TaggedToken that starts the mention which is explained right after it; -1 where there is none."""
    mentions: list[int] = field(default_factory=list)
    signs: dict[str, float] = field(default_factory=dict)

    def add(self, sign: str, weight: float) -> None:
        """Count one sign."""
        self.signs[sign] = self.signs.get(sign, 0.0) + weight
        self.score += weight

    def introduce(self, at: int, sign: str, strength: float) -> None:
        """Count an introduction by the mention that starts at a token; a second of its kind says little."""
        weight = WEIGHTS[sign] * strength
        self.add(sign, weight * 0.3 if sign in self.signs else weight)
        self.introduced = True
        if self.gloss < 0:
            self.gloss = at


@dataclass(frozen=True, slots=True)
class Field:
    """An abstract with its candidates: by key, by the token where a mention or expansion starts."""

    flat: Flat
    table: dict[str, Candidate]
    starts: dict[int, Candidate]
    news: int
    """The first sentence that speaks of this paper; before it is background."""

    def end_of(self, candidate: Candidate, at: int) -> int:
        """The token after the mention that starts here."""
        if candidate.expansion_run is not None and at == candidate.expansion_run.start:
            return candidate.expansion_run.end
        return min(at + candidate.run.end - candidate.run.start, len(self.flat.tokens))

    def after_brackets(self, end: int) -> int:
        """The token after a bracket that opens right after `end`, or `end` where none does."""
        tokens = self.flat.tokens
        if end < len(tokens) and end and "(" in tokens[end].gap and ")" not in tokens[end].gap:
            for at in range(end + 1, min(end + 14, len(tokens))):
                if ")" in tokens[at].gap:
                    return at
        return end


def survey(flat: Flat) -> Field:
    """Every possible name of an abstract, not yet weighed."""
    table: dict[str, Candidate] = {}
    stretches = _stretches(flat.tokens)
    for run in stretches:
        name = flat.words(run.start, run.end)
        found = table.setdefault(key_of(name), Candidate(name, run))
        found.mentions.append(run.start)
        if len(name) < len(found.name) and name + "s" == found.name:
            found.name = name
    for run in stretches:
        if run.end - run.start == 1:
            _pair(flat, run, table)
        else:
            _split(flat, run, table)
    _absorb(table)
    starts: dict[int, Candidate] = {}
    for candidate in table.values():
        for at in candidate.mentions:
            starts.setdefault(at, candidate)
    for candidate in table.values():
        span = candidate.expansion_run
        if span is None:
            continue
        if ends_phrase(flat, span.end):
            starts[span.start] = candidate
        else:
            starts.pop(span.end, None)
    return Field(flat, table, starts, _news(flat.tokens))


def _stretches(tokens: tuple[TaggedToken, ...]) -> list[TokenRun]:
    found = []
    for run in runs(tokens):
        start, end = run.start, run.end
        while start < end and tokens[start].low in FUNCTION and opens(tokens, start) and tokens[start].kind == CAP:
            start += 1
        while start < end and not is_namey(tokens[start]):
            start += 1
        if start < end:
            found.append(TokenRun(start, end))
    return found


def opens(tokens: Sequence[TaggedToken], at: int) -> bool:
    """Whether a token opens a sentence or a clause after a colon, where a capital means nothing."""
    return at == 0 or tokens[at - 1].sentence != tokens[at].sentence or ":" in tokens[at].gap


def _news(tokens: tuple[TaggedToken, ...]) -> int:
    for at, token in enumerate(tokens):
        if token.low == "we" or (
            token.low in {"paper", "work", "article"} and at and tokens[at - 1].low in {"this", "our"}
        ):
            return token.sentence
    return 0


def _pair(flat: Flat, run: TokenRun, table: dict[str, Candidate]) -> None:
    """Pairs an acronym with its expansion: `Expansion (ACR)`, `ACR (Expansion)`, `ACR: Expansion`."""
    tokens = flat.tokens
    token = tokens[run.start]
    candidate = table.get(key_of(token.text))
    if candidate is None or candidate.expansion:
        return
    if "(" in token.gap and token.gap[-1] in "(“\"'‘[":
        begin = _expansion_before(flat, run.start)
        if begin is not None:
            text = without_nested(flat.text[tokens[begin].start : tokens[run.start - 1].end])
            candidate.expansion = " ".join(text.split())
            candidate.expansion_run = TokenRun(begin, run.start)
        return
    end = run.end
    if end < len(tokens) and tokens[end].low in HEADS and joined(tokens[end]):
        end += 1
    if end >= len(tokens):
        return
    gap = tokens[end].gap
    start = tokens[end].start
    if "(" in gap:
        close = flat.text.find(")", start, start + 160)
        inside = flat.text[start:close] if close > 0 else ""
        for lead in ("short for ", "i.e., ", "i.e. ", "for "):
            inside = inside.removeprefix(lead)
        if len(inside) > len(token.text) + 2 and fits(token.text, inside):
            candidate.expansion = " ".join(inside.split())
            candidate.acronym_first = True
    elif token.kind == ODD and (":" in gap or "," in gap or "—" in gap):
        _expansion_after(flat, candidate, end)


def _split(flat: Flat, run: TokenRun, table: dict[str, Candidate]) -> None:
    """Words that run into their own acronym without brackets: `Neural Low-Discrepancy Sequences NeuroLDS`."""
    last = flat.tokens[run.end - 1]
    words = flat.words(run.start, run.end - 1)
    if last.kind != ODD or run.end - run.start < 3 or not fits(last.text, words):
        return
    found = table.pop(key_of(flat.words(run.start, run.end)), None)
    if found is not None:
        found.name, found.expansion, found.expansion_run = last.text, words, TokenRun(run.start, run.end)
        table[key_of(last.text)] = found


def _expansion_after(flat: Flat, candidate: Candidate, at: int) -> None:
    """Capitalised words after `ACR,` or `ACR:` that its letters fit: `DVPD, a Dual-View Predictive Diffusion model`."""
    tokens = flat.tokens
    for start in range(at, min(at + 6, len(tokens))):
        if tokens[start].sentence != tokens[at].sentence or (start > at and not joined(tokens[start])):
            return
        if tokens[start].kind != CAP:
            continue
        for end in range(min(start + 8, len(tokens)), start + 1, -1):
            words = flat.words(start, end)
            if (
                tokens[end - 1].kind == CAP
                and all(joined(t) for t in tokens[start + 1 : end])
                and fits(candidate.name, words)
            ):
                candidate.expansion = words
                candidate.acronym_first = True
                return
        return


def _expansion_before(flat: Flat, at: int) -> int | None:
    """The token where the expansion of the bracketed acronym at `at` starts."""
    tokens = flat.tokens
    acronym = tokens[at]
    low = at
    while low > 0 and at - low < _REACH and tokens[low - 1].sentence == acronym.sentence:
        low -= 1
    kept = [index for index in range(low, at) if not bracketed(flat, index)]
    if not kept:
        return None
    clause = 0
    for cut in range(len(kept) - 1, 0, -1):
        if any(mark in tokens[kept[cut]].gap for mark in ";:—"):
            clause = cut
            break
    comma = clause
    for cut in range(len(kept) - 1, clause, -1):
        if "," in tokens[kept[cut]].gap:
            comma = cut
            break
    for first in dict.fromkeys((comma, clause)):
        found = expansion_start(acronym.text, [tokens[index].text for index in kept[first:]])
        if found is not None:
            return kept[first:][found]
    return _title_cased_before(flat, kept[comma:], acronym.text)


def _title_cased_before(flat: Flat, kept: list[int], acronym: str) -> int | None:
    """Title-cased words before a bracket whose letters fit only loosely (`Large Language … (LaMo)`)."""
    tokens = flat.tokens
    end = len(kept)
    while end and tokens[kept[end - 1]].low in HEADS and tokens[kept[end - 1]].kind == LOW:
        end -= 1
    start = end
    while start and (
        tokens[kept[start - 1]].kind in {CAP, ODD}
        or tokens[kept[start - 1]].low in {"of", "for", "with", "and", "via", "in"}
    ):
        start -= 1
    while start < end and (tokens[kept[start]].kind == LOW or tokens[kept[start]].low in FUNCTION):
        start += 1
    if end - start < 2:
        return None
    words = " ".join(tokens[index].text for index in kept[start:end])
    return kept[start] if fits_loosely(acronym, words) else None


def bracketed(flat: Flat, index: int) -> bool:
    """Whether a token stands alone in brackets."""
    return "(" in flat.tokens[index].gap and ")" in flat.gap_after(index)


def _absorb(table: dict[str, Candidate]) -> None:
    """Mentions inside an expansion are no names of their own; the spelled form counts for its acronym."""
    for candidate in list(table.values()):
        if not candidate.expansion:
            continue
        twin = table.get(key_of(candidate.expansion))
        if twin is not None and twin is not candidate:
            candidate.mentions = sorted({*candidate.mentions, *twin.mentions})
            del table[key_of(candidate.expansion)]
        span = candidate.expansion_run
        if span is None:
            continue
        for key, other in list(table.items()):
            if other is candidate:
                continue
            inside = [at for at in other.mentions if span.start <= at < span.end]
            if inside and other.expansion_run is None:
                other.mentions = [at for at in other.mentions if at not in inside]
                if not other.mentions:
                    del table[key]


def ends_phrase(flat: Flat, last: int) -> bool:
    """Whether no noun follows a bracket that closes after token `last`: `(RMR), a`, not `(PU) distillation`."""
    tokens = flat.tokens
    end = last + 1
    if end >= len(tokens) or tokens[end].sentence != tokens[last].sentence:
        return True
    gap = tokens[end].gap
    if ")" not in gap:
        return any(mark in gap for mark in ",;:")
    if gap.strip(")\"'”’ *"):
        return not gap.rstrip().endswith("-")
    return tokens[end].kind == LOW and not nounlike(tokens[end].low)


def nounlike(word: str) -> bool:
    """Whether a lower-case word could be a noun that a name before it only qualifies."""
    return word not in FUNCTION and word not in HEADS and not word.endswith(("ing", "ed", "ly", "es", "s"))


def describes(token: TaggedToken) -> bool:
    """Whether a word only describes what follows: an adjective of praise, or a kind of thing."""
    return token.low in PRAISE or token.low in HEADS
