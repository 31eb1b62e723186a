"""A sentence made shorter by deleting words: brackets and dashes, openings, ends; what stays still reads as one."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from bot.summary.endings import tails
from bot.summary.lexicon import either
from bot.summary.openings import shorter_openings, without_announcement, without_pointers, without_purpose
from bot.summary.sentences import enclosed

_AUTHOR_YEAR = re.compile(
    r"(?:see |see also |cf\.? |e\.g\.,? )?[A-Z][\w’'-]{1,30}(?:,? (?:and |& )?[A-Z][\w’'-]{1,30}){0,3}"
    r",? (?:19|20)\d\d[a-z]?\b"
)
_REFERENCE_NUMBERS = re.compile(r"\d{1,3}(?:\s?[,;–-]\s?\d{1,3}){0,20}")
_TAKES_NOUN = re.compile(
    r"(?:\b(?:in|to|of|from|over|at|range|interval|set|vector|between|is|are|by|with|and|or|see|following)|[=∈⊂⊆<>≤≥])\s*\Z",
    re.IGNORECASE,
)
_LIST_MARK = re.compile(r"\d{1,2}|[ivxIVX]{1,4}|[a-hA-H]")
_SHORT_NAME = re.compile(r"(?:i\.e\., |aka |a\.k\.a\. )?[^\W\d_][\w*.+\-]{0,14}")
_NAMES = re.compile(
    r"\b(?:"
    + either(r"propos\w+ introduc\w+ present\w* develop\w* design\w* call(?:ed)? named? termed? dub(?:bed)?")
    + r")"
    r"(?: [^\s,;:]{1,40}){1,9}\Z"
)
_DASHED = re.compile(r"\s*(?:—|(?<=\s)(?:--?-?|–)(?=\s))[^—]{2,220}?(?:—|(?<=\s)(?:--?-?|–)(?=\s))\s*")


def without_citations(sentence: str) -> str:
    """The sentence without bracketed references to literature."""
    return _without(sentence, _is_citation)


def without_asides(sentence: str) -> str:
    """The sentence without brackets and pairs of dashes, list marks and the short form of a proposed name kept."""

    def drop(before: str, content: str, _mark: str) -> bool:
        if _LIST_MARK.fullmatch(content) or "://" in content:
            return False
        if _SHORT_NAME.fullmatch(content):
            used = len(re.findall(rf"(?<!\w){re.escape(content.removesuffix('s'))}", sentence)) > 1
            return not used and not _NAMES.search(before[-300:].rstrip())
        return True

    plainer = _without(sentence, drop)
    return _without_dashes(plainer)


def _is_citation(before: str, content: str, mark: str) -> bool:
    if _TAKES_NOUN.search(before[-20:]):
        return False  # "as in (Wu, 2020)", "a score in [1, 2]": it is part of the clause
    if mark == "[" and _REFERENCE_NUMBERS.fullmatch(content):
        return not content.startswith("0")  # no list of references starts there
    if re.search(r"\bet al\b", content):
        return re.search(r"\d{4}|et al\.?\Z", content) is not None
    return _AUTHOR_YEAR.match(content) is not None


def _without(sentence: str, drop: Callable[[str, str, str], bool]) -> str:
    kept: list[str] = []
    last = 0
    for start, end in _brackets(sentence):
        if drop(sentence[:start], sentence[start + 1 : end - 1].strip(), sentence[start]):
            before = sentence[last:start].rstrip()
            # "…, (Smith, 2020)." keeps one mark of two
            kept.append(before.rstrip(",;:") if sentence[end : end + 1] in {"", ".", ",", ";", ":"} else before)
            last = end
    return "".join((*kept, sentence[last:]))


def _brackets(sentence: str) -> Iterator[tuple[int, int]]:
    """Outermost bracketed asides: white space before, and white space, punctuation or the end after."""
    if "(" not in sentence and "[" not in sentence:
        return
    inside = enclosed(sentence)
    for match in re.finditer(r"(?<=\s)[(\[]", sentence):
        start = match.start()
        if not inside[start] or (start and inside[start - 1]):
            continue
        end = inside.find(0, start) + 1
        after = sentence[end : end + 1]
        if sentence[end - 1] in ")]" and (not after or after.isspace() or after in ",.;:!?—"):
            yield start, end


def _without_dashes(sentence: str) -> str:
    inside = enclosed(sentence)
    for match in _DASHED.finditer(sentence):
        if not inside[match.start()] and not inside[match.end() - 1] and match.start() > 0:
            after = sentence[match.end() :]
            return sentence[: match.start()] + ("" if after[:1] in ",.;:" else " ") + after
    return sentence


@dataclass(frozen=True, slots=True)
class Variant:
    """One way to shorten, and what it costs: the loss that a reader feels, about one a deletion."""

    text: str
    cost: float


_FIGURE = re.compile(r"\d+(?:[.,]\d+)*")
_SLACK = 12
"""Characters above the wanted length that are no reason to cut deeper."""


_LONGEST = 3000
"""Characters above which a text is no sentence, and is left as it is."""


def shorten(sentence: str, longest: int, prized: re.Pattern[str] | None = None, *, claim: bool = False) -> str:
    """The sentence in at most `longest` characters where deleting words can do that, else as short as is sound.

    Citations and openings that only point back or announce are deleted always; asides, other openings and clauses at
    the end only from sentences that are too long. `claim` also drops the announcement of a finding ("Experiments
    show that"). What `prized` finds is given up last. No number, name, formula, address, bracket or quotation is ever
    cut in two.
    """
    whole = without_pointers(without_citations(sentence))
    if claim:
        whole = without_announcement(whole)
    if len(whole) <= longest + _SLACK or len(whole) > _LONGEST:
        return finished(whole)

    figures = len(_FIGURE.findall(whole))
    prizes = len(prized.findall(whole)) if prized else 0

    def loss(one: Variant) -> float:
        given_up = 0.3 * (figures - len(_FIGURE.findall(one.text))) if figures else 0.0
        if prized is not None and prizes:
            kept = len(prized.findall(one.text))
            given_up += 1.0 * min(prizes - kept, 3) + 2.5 * (kept == 0)
        return one.cost + _excess(len(one.text), longest) + given_up

    return finished(without_purpose(min(_variants(whole, longest + _SLACK), key=loss).text))


def _variants(whole: str, enough: int) -> Iterator[Variant]:
    bodies = [Variant(whole, 0.0)]
    plainer = without_asides(whole)
    if plainer != whole:
        bodies.append(Variant(plainer, 0.3 + 0.004 * (len(whole) - len(plainer))))
    for opened in list(bodies):
        bodies.extend(
            Variant(text, opened.cost + cost + 0.006 * (len(opened.text) - len(text)))
            for text, cost in shorter_openings(opened.text)
        )
    for body in bodies:
        yield body
        if len(body.text) <= enough:
            continue
        for text, cost in tails(body.text):
            yield Variant(text, body.cost + cost + 0.008 * (len(body.text) - len(text)))


def _excess(length: int, longest: int) -> float:
    over = length - longest - _SLACK
    return 0.0 if over <= 0 else 2.0 + 0.08 * over


_FIRST_WORD = re.compile(r"[\"'“‘(\[]*([^\W\d_]+(?:[-'’][^\W\d_]+)*)(?!://)(?=[\s,.;:!?)”\"—]|\Z)")


def finished(text: str) -> str:
    """The text with a capital at the start, unless a name keeps its own case there, and a stop at the end."""
    text = text.strip()
    first = _FIRST_WORD.match(text)
    if first and first.group(1).isascii() and first.group(1).islower():
        at = first.start(1)
        text = text[:at] + text[at].upper() + text[at + 1 :]
    return text
