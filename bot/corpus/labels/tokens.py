"""An abstract as tokens: what is capitalised, oddly cased or plain, where sentences end, what is emphasised.

Search and summaries have tokens of their own: this one keeps case, places and gaps, which names are told by; search
folds and stems; summaries shorten by whole runs of characters. Its bounds of sentences are those the rules of naming
were tuned with; `bot.summary.sentences` finds more of them.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from bot.corpus.labels.lexicon import ADJECTIVAL, CLOSED, CONNECTORS, word_set
from bot.richtext import Code, Emphasis, Inlines, Link, Strong, plain, walk

MAX_TEXT = 8_000
"""Characters read of an abstract: five times the longest usual one, so that no text costs more than that."""

_TOKEN = re.compile(r"https?://\S+|\d{1,3}(?:,\d{3})+[^\s()\[\]{}<>,;:!?]*|[^\s()\[\]{}<>,;:!?\"“”„‘`|=—…]+")
_PLAIN = str.maketrans("‐‑−，（）：；", "---,():;")
"""Characters that stand for others; one for one, so that positions stay."""

_TRAILING = ".'’–-/\\&%$_"
_POSSESSIVE = re.compile(r"['’]s?$")
_LETTERS = re.compile(r"[^\W\d_]")
_SYMBOL = re.compile(r"[A-Za-zα-ω]['′]?[_^]")
_DIGIT_INSIDE = re.compile(r"[a-z]{1,8}\d[a-z]{2,8}$")
_QUANTITY = re.compile(r"[~<>≈±+-]?\d[\d.,]*(?:[KMBGT]i?B?|[xXD×]|th|nd|st|ms|[kKMGT]?Hz)?(?:-[a-z]+)*$")
_VERSION = re.compile(r"v?\d(?:\.\d)?$")
_GREEK = re.compile(r"[α-ωΑ-Ω]")
_ABBREVIATED = word_set("e.g i.e et.al al vs cf fig eq sec no resp approx etc a.k.a")
_SPLIT = re.compile(r"[-–/]")

ODD, CAP, LOW, URL = "odd", "cap", "low", "url"


class TaggedToken(NamedTuple):
    """One word: `kind` is odd (`xKV`), cap (`Trifuse`), low or url; `gap` is what stands before it.

    A tuple, since an abstract has two hundred and a frozen dataclass takes four times as long to make.
    """

    text: str
    low: str
    kind: str
    start: int
    end: int
    gap: str
    sentence: int


@dataclass(frozen=True, slots=True)
class Flat:
    """An abstract as one string with its tokens, emphasised stretches (start, end, bold) and addresses."""

    text: str
    tokens: tuple[TaggedToken, ...]
    styled: tuple[tuple[int, int, bool], ...]
    links: tuple[str, ...]

    def gap_after(self, index: int) -> str:
        """What stands between this token and the next one, or after the last."""
        if index + 1 < len(self.tokens):
            return self.tokens[index + 1].gap
        return self.text[self.tokens[index].end :][:5]

    def words(self, start: int, end: int) -> str:
        """The characters from one token up to, not including, another, without the gap after it."""
        if start >= end:
            return ""
        return self.text[self.tokens[start].start : self.tokens[end - 1].end]


@lru_cache(maxsize=65536)
def kind_of(word: str) -> str:
    """How a word is written: odd (`SINQ`, `xKV`, `τ-Knowledge`), cap (`Trifuse`, `One-Way`) or low."""
    if word.startswith(("http://", "https://")):
        return URL
    letters = _LETTERS.findall(word)
    if not letters:
        return LOW
    parts = [part for part in _SPLIT.split(word) if part]
    tail = parts[-1] if parts else word
    if len(parts) > 1 and tail in ADJECTIVAL:
        return LOW
    if _GREEK.search(word):
        latin = sum(letter.isascii() for letter in letters)
        return ODD if latin > 2 or (len(parts) > 1 and latin and word[0].isupper()) else LOW
    if _SYMBOL.match(word) and not any(letter.isupper() for letter in letters[1:]):
        return LOW
    upper = [index for index, letter in enumerate(letters) if letter.isupper()]
    if _QUANTITY.match(word):
        return LOW
    if not upper:
        return ODD if _DIGIT_INSIDE.match(word) else LOW
    if len(parts) > 1 and len(tail) == 1 and parts[0].islower():
        return LOW
    if len(parts) > 1 and all(_ordinary(part) for part in parts):
        return CAP if parts[0][:1].isupper() else LOW
    if len(letters) == 1:
        return ODD if len(word) > 1 and any(c.isdigit() for c in word) and len(word) <= 4 else LOW
    if len(upper) > 1 or upper[0] > 0 or any(c.isdigit() for c in word):
        return ODD
    return CAP


def _ordinary(part: str) -> bool:
    """Whether a part of a compound is an ordinary word: all lower case, or one capital at its start."""
    return part.isalpha() and (part.islower() or (part[0].isupper() and len(part) > 1 and part[1:].islower()))


def flatten(nodes: Inlines) -> Flat:
    """Tokens of rich text; bounded to `MAX_TEXT` characters."""
    text = plain(nodes)[:MAX_TEXT].translate(_PLAIN)
    styled: list[tuple[int, int, bool]] = []
    links: list[str] = []
    for start, end, node in walk(nodes):
        match node:
            case Strong() | Emphasis() | Code() if end <= MAX_TEXT:
                styled.append((start, end, not isinstance(node, Emphasis)))
            case Link(url):
                links.append(url)
            case _:
                pass
    tokens = tuple(_tokens(text))
    links.extend(token.text for token in tokens if token.kind == URL)
    return Flat(text, tokens, tuple(styled), tuple(dict.fromkeys(links)))


def _tokens(text: str) -> Iterable[TaggedToken]:
    sentence = 0
    last = 0
    previous = ""
    for match in _TOKEN.finditer(text):
        lead, word, low, kind = _word(match.group())
        if not word:
            continue
        start = match.start() + lead
        end = start + len(word)
        gap = text[last:start]
        if gap != " " and previous and _ends_sentence(previous, gap, word, kind):
            sentence += 1
        yield TaggedToken(word, low, kind, start, end, gap, sentence)
        last = end
        previous = low


@lru_cache(maxsize=65536)
def _word(raw: str) -> tuple[int, str, str, str]:
    """What a stretch without spaces holds: characters before its word, the word, it folded, and its kind."""
    word = raw.rstrip(_TRAILING)
    bare = word.lstrip("'’‘*_")
    lead = len(word) - len(bare)
    possessive = _POSSESSIVE.search(bare)
    if possessive is not None and len(bare) > 2:
        bare = bare[: possessive.start()]
    return lead, bare, bare.casefold(), kind_of(bare)


def _ends_sentence(previous: str, gap: str, word: str, kind: str) -> bool:
    if "?" in gap or "!" in gap:
        return True
    if "." not in gap or not gap[-1:].isspace():
        return False
    return previous not in _ABBREVIATED and (kind == ODD or not word[:1].islower())


@dataclass(frozen=True, slots=True)
class TokenRun:
    """A stretch of tokens that could be a name: from `start` up to, not including, `end`."""

    start: int
    end: int


def runs(tokens: Sequence[TaggedToken]) -> list[TokenRun]:
    """Maximal stretches of capitalised or odd tokens, lower-case connectors allowed inside."""
    found: list[TokenRun] = []
    index = 0
    count = len(tokens)
    while index < count:
        token = tokens[index]
        if not is_namey(token):
            index += 1
            continue
        end = index + 1
        while end < count and end - index < 8:
            if not joined(tokens[end]):
                break
            if is_namey(tokens[end]) or (_VERSION.match(tokens[end].text) and tokens[end - 1].kind == ODD):
                end += 1
                continue
            reach = end
            while reach < count and reach - end < 2 and tokens[reach].low in CONNECTORS and joined(tokens[reach]):
                reach += 1
            if reach == end or reach >= count or not joined(tokens[reach]) or not is_namey(tokens[reach]):
                break
            # a connector joins title-cased words only: `SINQ for LLMs` is a name and its use
            if tokens[end - 1].kind != CAP or tokens[reach].kind != CAP:
                break
            end = reach + 1
        found.append(TokenRun(index, end))
        index = end
    return found


def is_namey(token: TaggedToken) -> bool:
    """Whether a token can be part of a name."""
    return (token.kind == CAP and token.low not in CLOSED) or (token.kind == ODD and len(token.text) > 1)


def joined(token: TaggedToken) -> bool:
    """Whether only a space (or a hyphen) stands between the token and the one before it."""
    return token.gap in {" ", "\n"}
