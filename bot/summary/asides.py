"""Brackets and dashes that a sentence can do without."""

import re
from collections.abc import Callable, Iterator

from bot.summary.lexicon import either
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
