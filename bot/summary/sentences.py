"""Sentences of an abstract: where each starts and ends, and the rich text cut into paragraphs of whole sentences."""

import re
from collections.abc import Iterator
from typing import assert_never

from bot.richtext import Code, Emphasis, Inline, Inlines, LineBreak, Link, Mark, Math, Strong, Text, plain


def _words(line: str) -> list[str]:
    return line.split()


_NEVER_LAST = frozenset(
    _words(
        "e.g eg i.e ie cf vs v.s w.r.t wrt viz approx ca fig figs eq eqs eqn eqns sec secs tab ref refs thm lem prop def "
        "alg app ch vol pp dr mr mrs ms prof st mt sr jr esp incl a.k.a aka"
    )
)
"""Abbreviations that something always follows."""
_SELDOM_LAST = frozenset(
    _words("al etc resp no nos inc ltd co corp dept univ est jan feb mar apr jun jul aug sep sept oct nov dec")
)
"""Abbreviations that may close a sentence: the next word decides."""
_OPENERS = frozenset(
    _words(
        "a according across additionally after all along also although among an and another applied applying as at based "
        "because besides both but by code combined compared comparisons consequently contrary crucially data dataset "
        "despite despite due during each empirical empirically especially evaluated evaluation evaluations even "
        "existing experiment experimental experiments extensive finally first for from further furthermore given hence "
        "here how however i if importantly in indeed inspired instead interestingly it its key lastly many models moreover "
        "most motivated motivating most namely nevertheless next no nonetheless notably numerical on once one our "
        "over overall previous prior project recent recently results second secondly several similarly simulations since "
        "so some source specifically still such surprisingly that the their then theoretical theoretically there thereby "
        "therefore these they third this those though through thus to together traditional training two under "
        "unfortunately unlike using via we what when where whereas whether which while with within without yet you"
    )
)
"""Words that open a sentence more often than a name: they decide where the stop alone does not."""

_STOP = re.compile(r"(?:\.{2,}|[.!?…。]+)(?:\[\d{1,3}(?:,\s?\d{1,3}){0,5}\])?[\"'”’»)\]}]*")
_URL = re.compile(r"(?:https?://|www\.)[^\s<>\"“”]{1,2000}")
_LAST_WORD = re.compile(r"[^\s(\[{“\"‘,;/]{1,40}\Z")
_NEXT_WORD = re.compile(r"[\s(\[{“\"‘'`*_]*([^\s,;:()\[\]{}“”\"]{1,60})")
_PAIRS = {"(": ")", "[": "]", "{": "}", "“": "”"}
_ENCLOSED_AT_MOST = 400


def spans(text: str) -> list[tuple[int, int]]:
    """Start and end of each sentence of `text`, in order; between them there is only white space."""
    found: list[tuple[int, int]] = []
    start = 0
    for end in _bounds(text):
        piece = text[start:end]
        if not any(character.isalpha() for character in piece):
            continue  # a list number or stray mark belongs to what follows
        found.append(_trimmed(text, start, end))
        start = end
    if text[start:].strip():
        first, last = _trimmed(text, start, len(text))
        if found and not any(character.isalnum() for character in text[first:last]):
            found[-1] = (found[-1][0], last)
        else:
            found.append((first, last))
    return found


def sentences(text: str) -> list[str]:
    """The sentences of `text`, without the white space between them."""
    return [text[start:end] for start, end in spans(text)]


def _trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    piece = text[start:end]
    return start + len(piece) - len(piece.lstrip()), end - len(piece) + len(piece.rstrip())


def _bounds(text: str) -> Iterator[int]:
    closed = _enclosed(text)
    for stop in _STOP.finditer(text):
        if not closed[stop.start()] and _ends(text, stop):
            yield stop.end()


def _enclosed(text: str) -> bytearray:
    """One byte a character: 1 inside an address or between two matching brackets or quotes."""
    inside = bytearray(len(text) + 1)
    for address in _URL.finditer(text):
        last = address.start() + len(address.group().rstrip(".!?,;:)]}'\"”’"))
        inside[address.start() : last] = b"\x01" * (last - address.start())
    stack: list[tuple[str, int]] = []
    quote = -1
    for position, character in enumerate(text):
        if character in _PAIRS:
            stack.append((_PAIRS[character], position))
        elif character == '"':
            if quote >= 0 and position - quote <= _ENCLOSED_AT_MOST:
                inside[quote:position] = _marks(text, quote, position)
                quote = -1
            else:
                quote = position
        else:
            for depth in range(len(stack) - 1, -1, -1):
                if stack[depth][0] == character:
                    opened = stack[depth][1]
                    if position - opened <= _ENCLOSED_AT_MOST:
                        inside[opened:position] = _marks(text, opened, position)
                    del stack[depth:]
                    break
    return inside


def _marks(text: str, opened: int, closing: int) -> bytes:
    """All enclosed, but a stop right before the closing mark, which may end the sentence too."""
    width = closing - opened
    stops = len(text[opened:closing]) - len(text[opened:closing].rstrip(".!?…"))
    return b"\x01" * (width - stops) + b"\x00" * stops


def _ends(text: str, stop: re.Match[str]) -> bool:
    end = stop.end()
    if end == len(text):
        return True
    after = text[end:]
    following = _NEXT_WORD.match(after[:120])
    if following is None:
        return after[0].isspace()
    word = following.group(1)
    opener = word.rstrip(".!?:'’").lower() in _OPENERS and word[0].isupper()
    before = _LAST_WORD.search(text[max(0, stop.start() - 41) : stop.start()])
    last = before.group() if before else ""
    if not after[0].isspace():
        return opener and len(last) >= 3 and last.isalpha() and last[1:].islower() and after[0].isalpha()
    if "\n\n" in after[: len(after) - len(after.lstrip())]:
        return True
    if stop.group()[0] != ".":
        named = stop.group()[0] == "!" and last[:1].isupper()
        return opener or (_may_start(word) and not named)
    if stop.group().startswith(".."):
        return word[0].isupper()
    low = last.lower()
    if low in _NEVER_LAST:
        return False
    initial = len(last) == 1 and last.isupper()
    if low in _SELDOM_LAST or initial or re.fullmatch(r"(?:\w\.){1,5}\w{1,2}", last):
        return opener
    return _may_start(word) or (last.isalpha() and len(last) > 3)


def _may_start(word: str) -> bool:
    """Whether a sentence can begin so: a capital, a digit, a symbol, or the odd case of a named system."""
    return not word[0].isascii() or not word[0].islower() or any(one.isupper() or one.isdigit() for one in word)


def paragraphs(abstract: Inlines, longest: int) -> list[Inlines]:
    """Rich text as paragraphs of whole sentences, each at most `longest` characters where its sentences allow.

    A boundary inside a formula, code or a link does not count. Only the white space between paragraphs is dropped.
    """
    text = plain(abstract)
    whole = _atoms(abstract)
    groups: list[tuple[int, int]] = []
    joins = False
    for start, end in spans(text):
        if groups and (joins or end - groups[-1][0] <= longest):
            groups[-1] = (groups[-1][0], end)
        else:
            groups.append((start, end))
        joins = any(first < end < last for first, last in whole)
    return [_cut(abstract, start, end) for start, end in groups]


def _atoms(nodes: Inlines) -> list[tuple[int, int]]:
    found: list[tuple[int, int]] = []

    def walk(children: Inlines, at: int) -> None:
        for node in children:
            width = len(plain((node,)))
            match node:
                case Code() | Math() | Link():
                    found.append((at, at + width))
                case Strong(inner) | Emphasis(inner) | Mark(inner):
                    walk(inner, at)
                case Text() | LineBreak():
                    pass
                case _:
                    assert_never(node)
            at += width

    walk(nodes, 0)
    return found


def _cut(nodes: Inlines, start: int, end: int) -> Inlines:
    kept: list[Inline] = []
    at = 0
    for node in nodes:
        width = len(plain((node,)))
        first, last = max(start - at, 0), min(end - at, width)
        at += width
        if first >= last:
            continue
        if last - first == width:
            kept.append(node)
            continue
        match node:
            case Text(value):
                kept.append(Text(value[first:last]))
            case Strong(inner):
                kept.append(Strong(_cut(inner, first, last)))
            case Emphasis(inner):
                kept.append(Emphasis(_cut(inner, first, last)))
            case Mark(inner):
                kept.append(Mark(_cut(inner, first, last)))
            case Code() | Math() | Link() | LineBreak():
                kept.append(node)
            case _:
                assert_never(node)
    return tuple(kept)
