"""A short noun phrase of the contribution, for papers that name nothing, and a readable title line for all."""

import re
from collections import Counter
from collections.abc import Sequence

from bot.corpus.labels.lexicon import FUNCTION, GENERIC_HEADS, INTRODUCES, PRAISE, STRONG_INTRODUCES, SUBJECTS
from bot.corpus.labels.tokens import URL, Flat, Token
from bot.corpus.labels.wordlist import word_set

TITLE_WIDTH = 90
"""Characters of a derived title line: one line of a chat message."""

_STUDIES = word_set(
    """
    study investigate analyze analyse examine explore characterize characterise revisit consider address tackle
    evaluate formalize formalise demonstrate show prove identify argue question rethink audit measure adopt
    extend focus use
    """
)
_ENDS = word_set(
    """
    that which who where when while to with by via in on at from into and or as is are was were using through
    under without than whose can if across between over among within towards toward so because such based built
    inspired motivated designed called termed named dubbed grounded capable leveraging consisting comprising
    combining enabling allowing tailored aimed aiming it we be
    """
)
_DETERMINERS = word_set("a an the our this these its")
_CUT = re.compile(r"\s+\S*$")


def contribution(flat: Flat) -> str:
    """The contribution as a noun phrase of up to five words, or nothing where no sentence says it."""
    tokens = flat.tokens
    for verbs in (STRONG_INTRODUCES, INTRODUCES, _STUDIES):
        for index, token in enumerate(tokens):
            if token.low in verbs and _ours(tokens, index):
                phrase = _noun_phrase(flat, index + 1)
                if phrase:
                    return phrase
    return ""


def _ours(tokens: Sequence[Token], index: int) -> bool:
    if tokens[index].low.endswith("ing"):
        return True
    for back in range(1, 5):
        at = index - back
        if at < 0 or tokens[at].sentence != tokens[index].sentence:
            return False
        if tokens[at].low in SUBJECTS:
            return True
    return False


def _noun_phrase(flat: Flat, at: int) -> str:
    """The noun phrase that starts here, reduced to what tells: `a novel X method for Y` gives `X`, or `Y`."""
    words, at, mark = _stretch(flat, at)
    kept = _trim(words)
    if len(kept) >= 2:
        return " ".join(kept[-5:])
    tokens = flat.tokens
    if mark in {"for", "of", "on", "to", "based", "in"}:
        follow = at + 1
        if mark == "based" and follow < len(tokens) and tokens[follow].low == "on":
            follow += 1
        more, _, _ = _stretch(flat, follow)
        tail = _trim(more)
        if kept and mark in {"for", "of"} and 1 <= len(tail) <= 3:
            return " ".join([*kept, mark, *tail])
        if len(tail) >= 2:
            return " ".join(tail[-5:])
    return ""


def _stretch(flat: Flat, at: int) -> tuple[list[str], int, str]:
    """Words up to the end of a noun phrase, where that is, and the word that ends it."""
    tokens = flat.tokens
    words: list[str] = []
    if at >= len(tokens):
        return words, at, ""
    sentence = tokens[at].sentence
    while at < len(tokens) and tokens[at].low in _DETERMINERS:
        at += 1
    begin = at
    while at < len(tokens) and tokens[at].sentence == sentence and at - begin < 12:
        token = tokens[at]
        if at > begin and "(" in token.gap and ")" in flat.gap_after(at):
            at += 1
            continue
        praised = bool(words) and all(word.casefold() in PRAISE for word in words)
        closed = at > begin and ")" not in token.gap and any(char in token.gap for char in ",;:—(")
        if closed and not (token.gap.startswith(",") and praised):
            return words, at, ""
        if token.low in _ENDS or token.low in {"for", "of"} or token.kind == URL:
            if token.low == "and" and praised:
                at += 1
                continue
            return words, at, token.low
        words.append(token.text)
        at += 1
    return words, at, ""


def _trim(words: list[str]) -> list[str]:
    kept = list(words)
    while kept and (kept[0].casefold() in PRAISE or kept[0].casefold() in FUNCTION):
        kept.pop(0)
    while len(kept) > 2 and kept[-1].casefold() in GENERIC_HEADS:
        kept.pop()
    if len(kept) == 1 and kept[0].casefold() in GENERIC_HEADS:
        kept.pop()
    while kept and (kept[-1].casefold() in FUNCTION or kept[-1].casefold().endswith("ly")):
        kept.pop()
    return kept


def keyphrase(flat: Flat) -> str:
    """The most frequent two-word phrase: the last resort where no sentence says what is new."""
    counts: Counter[tuple[str, str]] = Counter()
    forms: dict[tuple[str, str], str] = {}
    for one, two in zip(flat.tokens, flat.tokens[1:], strict=False):
        if two.gap != " " or not (_content(one) and _content(two)) or two.low.endswith(("ly", "ed")):
            continue
        pair = (one.low, two.low.removesuffix("s"))
        counts[pair] += 1
        forms.setdefault(pair, f"{one.text} {two.text}")
    if counts:
        return forms[max(counts, key=lambda pair: counts[pair])]
    return " ".join(token.text for token in flat.tokens[:4])


def _content(token: Token) -> bool:
    return token.kind != URL and len(token.low) > 2 and token.low not in FUNCTION and token.low not in PRAISE


def cut(line: str, width: int = TITLE_WIDTH) -> str:
    """A line of at most `width` characters, cut at a word with an ellipsis."""
    line = " ".join(line.split())
    if len(line) <= width:
        return line
    shorter = _CUT.sub("", line[: width - 1]) if not line[width - 1 : width].isspace() else line[: width - 1]
    return (shorter or line[: width - 1]).rstrip(" ,;:—–-(") + "…"


_LEAD = re.compile(r"^(?:\s|,|:|;|—|–|-|\)|”|\"|'|’)+")
_DROPPED = re.compile(r"^(?:that|which|to|is|as|who)\s+", re.IGNORECASE)


def gloss(flat: Flat, end: int) -> str:
    """The words that explain a name, read after its mention that ends before token `end`."""
    tokens = flat.tokens
    if not 0 < end <= len(tokens):
        return ""
    start = tokens[end - 1].end
    sentence = tokens[end - 1].sentence
    last = end - 1
    while last + 1 < len(tokens) and tokens[last + 1].sentence == sentence and last - end < 40:
        last += 1
    rest = flat.text[start : tokens[last].end]
    if rest.lstrip().startswith("("):
        close = rest.find(")")
        rest = rest[close + 1 :] if close >= 0 else rest
    rest = _LEAD.sub("", rest)
    return " ".join(_DROPPED.sub("", rest).split())
