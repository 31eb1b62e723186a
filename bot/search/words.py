"""From text to the words that the index holds, the same way for papers and for queries.

A `Token` is one run of characters that a person would call a word, with its hyphens (`KV-Cache`, `SCHUR-A*`,
`GPT-4`). It stands in the index by its parts, each stemmed; what its parts make when they are written together
(`kvcache`) is kept beside, so that every way to write a compound finds the others.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

import tantivy

from bot.search.fold import fold, spoken
from bot.search.spelling import american

_TOKEN = re.compile(
    r"[^\W_][\w\u0300-\u036f]*"
    r"(?:(?:[-^'’‐‑–−](?=[^\W_])|(?<=\d)\.(?=\d)|(?<=\d),(?=\d{3}))[\w\u0300-\u036f]+)*"
    r"(?:\*|\+\+|#)?"
)
_PIECES = re.compile(f"({_TOKEN.pattern})")
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

_FUNCTION_WORDS = """
    a about above after again all also am an and any are as at be because been before being between both but by
    can could did do does doing down during each few for from further had has have having he her here hers
    him his how i if in into is it its itself just me more most my no nor not now of off on once only or other
    our out over own same she should so some such than that the their them then there these they this those
    through to too under until up very was we were what when where which while who whom why will with would you
    your dont cant
"""
STOP_WORDS = frozenset(_FUNCTION_WORDS.split())
"""The function words of English: they carry no meaning alone, and are searched for only inside phrases."""

_REQUEST_WORDS = """
    paper papers article articles publication publications find show list tell please interested
"""
ASKING = frozenset(_REQUEST_WORDS.split())
"""Words of a request rather than of what it is about; they count only where nothing else is left."""


@dataclass(frozen=True, slots=True)
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


@cache
def _stemmer() -> tantivy.TextAnalyzer:
    return tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.raw()).filter(tantivy.Filter.stemmer("english")).build()


_BOUND = 400_000
_stems: dict[str, str] = {}
_tokens: dict[str, Token] = {}


def stem(word: str) -> str:
    """The stem of a folded lower-case word, British and American spelling alike."""
    known = _stems.get(word)
    if known is None:
        if _NO_VOWEL.fullmatch(word) and word not in _ENDS_IN_S:
            known = word[:-1]  # the stemmer keeps the s of a word without vowels: LLMs
        else:
            found = _stemmer().analyze(american(word))
            known = found[0] if found else word
        if len(_stems) < _BOUND:
            _stems[word] = known
    return known


def pieces(text: str) -> list[str]:
    """A text in pieces that make it up again: at odd places its words as written, between them the rest."""
    return _PIECES.split(text)


def token(written: str) -> Token:
    """What one word as written stands for."""
    known = _tokens.get(written)
    if known is None:
        known = _analysed(written)
        if len(_tokens) < _BOUND:
            _tokens[written] = known
    return known


def tokens(text: str) -> list[Token]:
    """Every word of a text, in order."""
    return [token(written) for written in _TOKEN.findall(text)]


def telling(one: Token) -> Iterator[str]:
    """The stems of a token but those of function words."""
    return (stemmed for word, stemmed in zip(one.words, one.stems, strict=True) if word not in STOP_WORDS)


def stems(text: str) -> list[str]:
    """The stems of a text, in order."""
    return [stemmed for one in tokens(text) for stemmed in one.stems]


def _analysed(written: str) -> Token:
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
