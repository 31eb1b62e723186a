"""Sentences of an abstract: where each starts and ends, and the rich text cut into paragraphs of whole sentences."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import assert_never

from bot.richtext import Code, Emphasis, Inline, Inlines, LineBreak, Link, Mark, Math, Strong, Text, plain, walk
from bot.summary.lexicon import words

_NEVER_LAST = words("""
    e.g eg i.e ie cf vs v.s w.r.t wrt viz approx ca fig figs eq eqs eqn eqns sec secs tab ref refs thm lem prop def
    alg app ch vol dr mr mrs ms prof st mt sr jr esp incl a.k.a aka et avg num conf
""")
"""Abbreviations that something always follows."""
_SELDOM_LAST = words("""
    al resp pp no nos inc ltd co corp dept univ est jan feb mar apr jun jul aug sep sept oct nov dec int soc
""")
"""Abbreviations that may close a sentence: the next word decides."""
_OPENERS = words("""
    a ablation ablations according across additionally after all along also although among an analyses analysis and
    another applied applying as at based because before below besides between beyond both building but by code
    collectively combined compared comparisons comprehensive concretely consequently consistent contrary conversely
    crucially current data dataset datasets despite due during each effectively empirical empirically especially
    evaluated evaluating evaluation evaluations even existing experiment experimental experiments extensive finally
    first for from further furthermore given hence here how however i if importantly in indeed inspired instead
    interestingly it its key lastly later leveraging like many meanwhile models moreover most motivated motivating
    namely nevertheless next no nonetheless not notably numerical numerically on once one only our over overall
    previous prior project rather recent recently remarkably results second secondly several similarly simulations
    since so some source specifically still subsequently such surprisingly that the their then theoretical
    theoretically there thereby therefore these they third this those though three through thus to together
    traditional training two ultimately under unfortunately unlike using via we what when where whereas whether which
    while why with within without yet you
""")
"""Words that open a sentence more often than a name: they decide where the stop alone does not."""

_STOP = re.compile(r"(?:[.!?…]+|[。！？]+)(?:\[\d{1,3}(?:,\s?\d{1,3}){0,5}\])?[\"'”’»)\]}]{0,4}")
_URL = re.compile(r"(?:https?://|www\.)[^\s<>\"“”]{1,2000}")
_LAST_WORD = re.compile(r"[^\s(\[{“\"‘,;/]{1,40}\Z")
_NEXT_WORD = re.compile(r"[\s(\[{“\"‘'`*_]*([^\s,;:()\[\]{}“”\"]{1,60})")
_DOTTED = re.compile(r"(?:[^\W\d_]\.){1,5}[^\W\d_]{1,2}")
_PAIRS = {"(": ")", "[": "]", "{": "}", "“": "”", '"': '"'}
_MARK = re.compile(r"[\"()\[\]{}“”]")
_ENCLOSED_AT_MOST = 400
_NESTED_AT_MOST = 20


def spans(text: str) -> list[tuple[int, int]]:
    """Start and end of each sentence of `text`, in order; between them there is only white space.

    A full stop inside an address, brackets or quotation marks ends no sentence, and neither does an abbreviation's
    unless the next word opens one. A list number belongs to what it numbers.
    """
    found: list[tuple[int, int]] = []
    start = seen = 0
    for end in _bounds(text):
        lettered = any(character.isalpha() for character in text[seen:end])
        seen = end
        if lettered:
            found.append(_trimmed(text, start, end))
            start = end
    first, last = _trimmed(text, start, len(text))
    if first < last:
        if found and not any(character.isalnum() for character in text[first:last]):
            found[-1] = (found[-1][0], last)
        else:
            found.append((first, last))
    return found


def _trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    return start, end


def _bounds(text: str) -> Iterator[int]:
    closed = _enclosed(text)
    for stop in _STOP.finditer(text):
        if not closed[stop.start()] and _ends(text, stop):
            yield stop.end()


def _enclosed(text: str) -> bytearray:
    """One byte a character: 1 inside an address or between two matching brackets or quotation marks."""
    inside = bytearray(len(text) + 1)
    for address in _URL.finditer(text):
        last = address.start() + len(address.group().rstrip(".!?,;:)]}'\"”’"))
        inside[address.start() : last] = b"\x01" * (last - address.start())
    stack: list[tuple[str, int]] = []
    for mark in _MARK.finditer(text):
        position, character = mark.start(), mark.group()
        if character == '"':
            spaced = position == 0 or text[position - 1].isspace() or text[position - 1] in "([{“—"
            if spaced:
                stack.append(('"', position))
            else:
                _close(text, inside, stack, ('"', "”"), position)
        elif character == "”":
            _close(text, inside, stack, ("”", '"'), position)
        elif character in _PAIRS:
            stack.append((_PAIRS[character], position))
        elif character in ")]}":
            _close(text, inside, stack, (character,), position)
        del stack[:-_NESTED_AT_MOST]
    return inside


def _close(text: str, inside: bytearray, stack: list[tuple[str, int]], closing: tuple[str, ...], position: int) -> None:
    for depth in range(len(stack) - 1, -1, -1):
        awaited, opened = stack[depth]
        if awaited in closing:
            if position - opened <= _ENCLOSED_AT_MOST:
                # a stop right before the closing mark may end the sentence too
                last = opened + len(text[opened:position].rstrip(".!?…"))
                inside[opened:last] = b"\x01" * (last - opened)
            del stack[depth:]
            return


def _ends(text: str, stop: re.Match[str]) -> bool:
    end = stop.end()
    mark = stop.group()[0]
    if end == len(text) or mark in "。！？":
        return True
    after = text[end : end + 120]
    spaced = after[0].isspace()
    following = _NEXT_WORD.match(after)
    if following is None:
        return spaced
    word = following.group(1)
    opener = word[0].isupper() and word.rstrip(".!?:'’").split("'")[0].split("’")[0].lower() in _OPENERS
    before = _LAST_WORD.search(text[max(0, stop.start() - 41) : stop.start()])
    last = before.group() if before else ""
    low = last.lower()
    if not spaced:
        return _joined(text, stop, word, low, opener=opener)
    if "\n\n" in after[: following.start(1)]:
        return True
    if mark == "…" or stop.group().startswith(".."):
        return word[0].isupper()
    if mark != ".":
        # Yahoo! Answers, Jeopardy! questions
        named = mark == "!" and last[:1].isupper()
        return opener or (_may_start(word) and not named)
    if low in _NEVER_LAST and not (last.isupper() and len(last) > 1):
        return False
    if low == "etc":
        return word[0].isupper()
    if last.isdigit() and len(last) <= 2 and text[: stop.start() - len(last)].rstrip().endswith(":"):
        return False  # the number of a list's first part
    initial = len(last) == 1 and last.isupper()
    if low in _SELDOM_LAST or initial or _DOTTED.fullmatch(last):
        return opener
    if "://" in text[max(0, stop.start() - 80) : end].rsplit(maxsplit=1)[-1] and "/" in word and word[0].islower():
        return False  # an address broken by a space
    return _may_start(word) or (last.isalnum() and not last.isdigit() and len(last) > 3)


def _joined(text: str, stop: re.Match[str], word: str, last: str, *, opener: bool) -> bool:
    """Whether a stop without white space after it ends a sentence (`method.We`), not a name (`Node.js`)."""
    if stop.group() not in {".", "?", "!", ").", '."', ".”"} or last in _NEVER_LAST or len(last) < 2:
        return False
    beyond = text[stop.end() + len(word) : stop.end() + len(word) + 1]
    if text[stop.end()] != word[0] or not (beyond.isspace() or beyond in {",", ""}) or not word.isalpha():
        return False
    if opener:
        return last[-1].isalnum() or last[-1] in "%)"
    plain_word = last.isalpha() and len(last) > 3 and text[stop.start() - len(last)].islower()
    return plain_word and len(word) > 1 and word[0].isupper() and (word[1:].islower() or word.isupper())


def _may_start(word: str) -> bool:
    """Whether a sentence can begin so: a capital, a digit, a symbol, or the odd case of a named system."""
    return not word[0].isascii() or not word[0].islower() or any(one.isupper() or one.isdigit() for one in word)


def paragraphs(abstract: Inlines, longest: int) -> list[Inlines]:
    """Rich text as paragraphs of whole sentences, each at most `longest` characters where its sentences allow.

    A boundary inside a formula, code or a link does not count. Only the white space between paragraphs is dropped.
    """
    text = plain(abstract)
    whole = [(start, end) for start, end, node in walk(abstract) if isinstance(node, Code | Math | Link)]
    groups: list[tuple[int, int]] = []
    joins = False
    for start, end in spans(text):
        if groups and (joins or end - groups[-1][0] <= longest):
            groups[-1] = (groups[-1][0], end)
        else:
            groups.append((start, end))
        joins = any(first < end < last for first, last in whole)
    return [_cut(abstract, start, end) for start, end in groups]


def _cut(nodes: Inlines, start: int, end: int) -> Inlines:
    """The part of inline nodes that gives the characters from `start` to `end`."""
    kept: list[Inline] = []
    at = 0
    for node in nodes:
        width = len(plain((node,)))
        first, last = max(start - at, 0), min(end - at, width)
        at += width
        if first >= last:
            continue
        match node:
            case Text(value):
                kept.append(Text(value[first:last]))
            case Strong() | Emphasis() | Mark():
                kept.append(replace(node, children=_cut(node.children, first, last)))
            case Code() | Math() | Link() | LineBreak():
                kept.append(node)
            case _:
                assert_never(node)
    return tuple(kept)


# A sentence as words with their places, and which of them stand inside brackets, quotation marks or formulas.

_WORD = re.compile(r"—|[^\s—]+")
_OPENING = {"(": ")", "[": "]", "{": "}", "“": "”", "⟨": "⟩"}
_SPECIAL = re.compile(r"[\"()\[\]{}“”⟨⟩]")
_STRIPPED = "\"'“”‘’()[]{}.,;:!?"


@dataclass(frozen=True, slots=True)
class Word:
    """A run of characters without white space; `low` is it without punctuation around it, in lower case.

    `inside` says that brackets or quotation marks are open before it.
    """

    start: int
    end: int
    text: str
    low: str
    inside: bool


@lru_cache(maxsize=64)
def tokenise(sentence: str) -> tuple[Word, ...]:
    """The words of a sentence, an em dash being a word of its own."""
    inside = enclosed(sentence)
    return tuple(
        Word(
            match.start(),
            match.end(),
            match.group(),
            match.group().strip(_STRIPPED).lower(),
            bool(match.start() and inside[match.start() - 1]),
        )
        for match in _WORD.finditer(sentence)
    )


@lru_cache(maxsize=64)
def enclosed(sentence: str) -> bytes:
    """One byte a character and one more: 1 from an opening bracket or quotation mark to before its closing one."""
    marks = bytearray(len(sentence) + 1)
    open_marks: list[tuple[str, int]] = []
    for mark in _SPECIAL.finditer(sentence):
        position, character = mark.start(), mark.group()
        if character == '"':
            if open_marks and open_marks[-1][0] == '"':
                _, opened = open_marks.pop()
                marks[opened:position] = b"\x01" * (position - opened)
            elif position == 0 or not sentence[position - 1].isalnum():
                open_marks.append(('"', position))
        elif character in _OPENING:
            open_marks.append((_OPENING[character], position))
        elif open_marks and character == open_marks[-1][0]:
            _, opened = open_marks.pop()
            marks[opened:position] = b"\x01" * (position - opened)
    return bytes(marks)
