"""From text to the words that the index holds, the same way for papers and for queries.

A `Token` is one run of characters that a person would call a word, with its hyphens (`KV-Cache`, `SCHUR-A*`,
`GPT-4`). It stands in the index by its parts, each stemmed; what its parts make when they are written together
(`kvcache`) is kept beside, so that every way to write a compound finds the others.
"""

import re
from dataclasses import dataclass, field
from functools import cache, lru_cache
from itertools import chain

import tantivy

from bot.search.fold import fold, spoken
from bot.search.spelling import american
from bot.search.wordlists import STOP_WORDS

_TOKEN = re.compile(
    r"[^\W_][\w\u0300-\u036f]*"
    r"(?:(?:[-^'’‐‑–−](?=[^\W_])|(?<=\d)\.(?=\d)|(?<=\d),(?=\d{3}))[\w\u0300-\u036f]+)*"
    r"(?:\*|\+\+|#)?"
)
_BREAK = re.compile(r"[-_^]+")
_CAMEL = re.compile(  # acronyms with one small letter (MoE, LoRA), capitals, a word, a number, other scripts
    r"[A-Z][a-z][A-Z]+s?(?![a-z])|[A-Z]+s?(?![a-z])|[A-Z]?[a-z]+|\d+(?:\.\d+)?|[^\W\dA-Za-z_]+"
)
_OWNER = re.compile(r"(?:n't|'(?:s|re|ve|ll|d|m))$")
_PLURAL_ACRONYM = re.compile(r"[A-Z]{2,}s")
_NO_VOWEL = re.compile(r"[b-df-hj-np-tv-xz]{2,}s")
_ENDS_IN_S = frozenset({"gps", "dns", "sms", "css", "rms", "tls", "dss", "cvs", "bss", "ross"})
_TWO = re.compile(r"(?<=[a-z])2(?=[a-z])")

MAX_WORD = 60
"""Longer words are cut: they are encoded data or a stuck key, never looked for whole."""


@dataclass(frozen=True, slots=True, eq=False)
class Token:
    """One word as written: the words that it stands for, their stems, and what finds parts of it.

    `words` and `stems` run in parallel (`KV-Cache`: `kv cache`, `kv cach`). `joined` is the stem of all parts
    written together, "" for a simple word. `inner` holds the stems of parts of one word (`PuzzleMoE`:
    `puzzl`, `moe`).
    """

    words: tuple[str, ...]
    stems: tuple[str, ...]
    joined: str
    parts: tuple[str, ...]
    inner: tuple[str, ...]

    forms: tuple[str, ...] = field(init=False)
    """Every stem by which this word can be found."""

    telling: tuple[str, ...] = field(init=False)
    """The stems but those of function words."""

    def __post_init__(self) -> None:
        told = zip(self.words, self.stems, strict=True)
        idle = not STOP_WORDS.isdisjoint(self.words)
        object.__setattr__(
            self, "telling", tuple(s for word, s in told if word not in STOP_WORDS) if idle else self.stems
        )
        more = (self.joined, *self.inner) if self.joined else self.inner
        object.__setattr__(self, "forms", (*self.stems, *more) if more else self.stems)


@cache
def _stemmer() -> tantivy.TextAnalyzer:
    return tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.raw()).filter(tantivy.Filter.stemmer("english")).build()


_REMEMBERED = 100_000
"""Words whose analysis is kept: the common ones are met first, and are nearly all of any text."""


class _Tokens(dict[str, Token]):
    """Words as written that were met before; analyses others when they are asked for."""

    def __missing__(self, written: str) -> Token:
        found = _analysed(written)
        if len(self) < _REMEMBERED:
            self[written] = found
        return found


_TOKENS = _Tokens()


class _Chunks(dict[str, tuple[Token, ...]]):
    """What stood between two spaces before, with its words: no word has a space in it."""

    def __missing__(self, chunk: str) -> tuple[Token, ...]:
        found = tuple(_TOKENS[written] for written in _TOKEN.findall(chunk))
        if len(self) < _REMEMBERED and len(chunk) <= MAX_WORD:
            self[chunk] = found
        return found


_chunk = _Chunks().__getitem__


@lru_cache(_REMEMBERED)
def stem(word: str) -> str:
    """The stem of a folded lower-case word, British and American spelling alike."""
    if _NO_VOWEL.fullmatch(word) and word not in _ENDS_IN_S:
        return word[:-1]  # the stemmer keeps the s of a word without vowels: LLMs
    found = _stemmer().analyze(american(word))
    return found[0] if found else word


def token(written: str) -> Token:
    """What one word as written stands for."""
    return _TOKENS[written]


def tokens(text: str) -> list[Token]:
    """Every word of a text, in order."""
    return list(chain.from_iterable(map(_chunk, text.split())))


def places(chunk: str, wanted: frozenset[str]) -> list[tuple[int, int, tuple[str, ...]]]:
    """Where the words of a chunk stand that wanted stems find, with those."""
    found = []
    for match in _TOKEN.finditer(chunk):
        forms = _TOKENS[match.group()].forms
        if not wanted.isdisjoint(forms):
            found.append((match.start(), match.end(), tuple(form for form in forms if form in wanted)))
    return found


def stems(text: str) -> list[str]:
    """The stems of a text, in order."""
    return [stemmed for one in tokens(text) for stemmed in one.stems]


def _analysed(written: str) -> Token:
    rest = written[1:]
    if written.isascii() and ((rest.isalpha() and rest.islower()) or not rest) and written[0].isalpha():
        word = written.lower()[:MAX_WORD]
        return Token((word,), (stem(word),), "", (), ())
    text = spoken(fold(written).replace(",", "")).rstrip("*+#")
    segments = [segment for segment in _BREAK.split(_OWNER.sub("", text).replace("'", "")) if segment]
    plain = [_TWO.sub("to", segment.casefold())[:MAX_WORD] for segment in segments]
    singular = [
        word[:-1] if _PLURAL_ACRONYM.fullmatch(segment) else word for segment, word in zip(segments, plain, strict=True)
    ]
    stems = tuple(map(stem, singular))
    inner: dict[str, None] = {}
    finest: list[str] = []
    for segment, word in zip(segments, plain, strict=True):
        pieces = [piece.casefold() for piece in _CAMEL.findall(segment)]
        if not 2 <= len(pieces) <= 6:
            finest.append(word)
            continue
        finest.extend(pieces)
        for first in range(len(pieces)):
            for last in range(first + 1, len(pieces) + 1):
                if (last - first) < len(pieces) and len(piece := "".join(pieces[first:last])) > 1:
                    inner[stem(piece)] = None
    joined = stem("".join(singular)[:MAX_WORD]) if len(plain) > 1 else ""
    parts = tuple(map(stem, finest)) if len(finest) > 1 else ()
    return Token(tuple(plain), stems, joined, parts, tuple(inner))
