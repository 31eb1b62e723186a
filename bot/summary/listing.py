"""Lists inside a sentence, thinned: each part named, without the clause that says what it is for."""

import re
from collections.abc import Sequence

from bot.summary.lexicon import FINITE, VERBS
from bot.summary.sentences import Word, enclosed, tokenise
from bot.summary.soundness import DANGLING, past_adverbs

_MARK = re.compile(r"(?:(?<=\s)|\A)(?:\((?:\d|[ivx]{1,3}|[a-e])\)|(?:\d|[ivx]{1,3}|[a-e])\))\s+")
_JOINT = re.compile(r"[,;]?(?:\s+(?:and|or))?\s*\Z")
_CLAUSE = re.compile(
    r",\s+(?:which|where|whose|who)\s[^,;]{10,220}?(?=,\s+(?:and|or)\s+(?:[A-Z]|an? |the )|;|\.?\s*\Z)"
)
_JOINED = re.compile(r",\s+(?:and|or)\s")
_FEWEST = 2
"""Words of a part that stay at least, its mark not counted."""


def thinned(sentence: str) -> str:
    """The sentence with the parts of its list cut to what they are; the sentence itself where it has no list."""
    marked = _thin_parts(sentence)
    if marked != sentence:
        return marked
    colon = sentence.find(": ")
    if colon < 0:
        return sentence
    inside = enclosed(sentence)
    text = sentence
    for clause in reversed(list(_CLAUSE.finditer(sentence, colon))):
        ahead = sentence[clause.end() :]
        if inside[clause.start()] or inside[clause.end() - 1] or not _balanced(clause.group()):
            continue
        # the comma before "and" goes with the clause that it closed
        text = text[: clause.start()] + (ahead[1:] if _JOINED.match(ahead) else ahead) + text[len(sentence) :]
        sentence = text
    return text


def _balanced(text: str) -> bool:
    return text.count("(") == text.count(")") and text.count("“") == text.count("”") and text.count('"') % 2 == 0


def _thin_parts(sentence: str) -> str:
    inside = enclosed(sentence)
    marks = [mark for mark in _MARK.finditer(sentence) if not mark.start() or not inside[mark.start() - 1]]
    if len(marks) >= 2:
        starts = [mark.end() for mark in marks]
        ends = [*(mark.start() for mark in marks[1:]), len(sentence)]
    else:
        colon = sentence.find(": ")
        semicolons = [found.end() for found in re.finditer(r";\s+", sentence) if found.start() > colon > 0]
        if colon < 0 or not semicolons:
            return sentence
        starts, ends = [colon + 2, *semicolons], [*semicolons, len(sentence)]
    pieces = [sentence[: starts[0]]]
    for number, (start, end) in enumerate(zip(starts, ends, strict=True)):
        part = sentence[start:end]
        joint = _JOINT.search(part) if number + 1 < len(starts) else re.search(r"[.!?]?\s*\Z", part)
        tail = joint.start() if joint else len(part)
        shorter = _named(part[:tail])
        if shorter is None:
            return sentence
        pieces.extend((shorter, part[tail:], sentence[end : starts[number + 1]] if number + 1 < len(starts) else ""))
    return "".join(pieces)


def _named(part: str) -> str | None:
    """The part up to the clause that explains it, or None for a part that is a clause of its own."""
    every = tokenise(part)
    lead = 1 if every and every[0].low in {"and", "or"} else 0
    for at in range(lead, len(every)):
        low = every[at].low
        if every[at].inside:
            continue
        if at >= lead + _FEWEST and every[at - 1].low not in DANGLING and _explains(every, at):
            return part[: every[at - 1].end].rstrip(",:;—– ")
        if low in FINITE and low not in VERBS:
            return None
    return part if every and every[lead].low not in VERBS and every[lead].low not in {"we", "it", "they"} else None


def _explains(every: Sequence[Word], at: int) -> bool:
    low = every[at].low
    then = every[past_adverbs(every, at + 1)].low
    if low in {"that", "which", "where", "whose", "—", "–"} or every[at - 1].text.endswith(":"):
        return True
    if low == "to":
        return then in VERBS
    return low in {"by", "for"} and then.endswith("ing")
