"""The summary of an abstract: which of its own sentences speak for which role, shortened by deleting words."""

import math
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from bot.papers import Paper
from bot.richtext import Inlines, Link, plain, walk
from bot.summary.openings import without_pointers
from bot.summary.roles import AUTHORS_ACT, Reading, read
from bot.summary.sentences import spans
from bot.summary.shorten import shorten


@dataclass(frozen=True, slots=True)
class Picks:
    """Indexes of sentences, counted from 0; None where the abstract has no such sentence."""

    tldr: int
    problem: int | None
    approach: int
    result: int | None
    code: int | None


_IN_THIS = re.compile(
    r"^(?:\w+ly, )?(?:in|with|through) (?:this|our) (?:\w+ )?(?:paper|work|article|study|survey)\b", re.IGNORECASE
)
_POSITION = re.compile(r"\bposition(?: paper)?\b.{0,40}\b(?:argue|posit|call|advocate|contend|propose)", re.IGNORECASE)
_TURNS = re.compile(r"(?:,|;) (?:but|yet)\b|\bin contrast\b", re.IGNORECASE)
_THIS = re.compile(r"(?:this|these|such)\b", re.IGNORECASE)
_OUTLOOK = re.compile(
    r"\b(?:ultimately|paving|paves?|charting)\b"
    r"|\bour (?:work|findings|results|study) (?:provides?|offers?|highlights?|opens?)\b",
    re.IGNORECASE,
)
_JOINS = re.compile(r"^(?!.{0,60}\bwe \w+).{20,}[,;] (?:and|while|so) we ", re.IGNORECASE)
_ADDRESSES = re.compile(
    r"to \w+ (?:this|these|such|those|the above)\b|(?:motivated|inspired) by (?:this|these)\b", re.IGNORECASE
)
"""The contribution says that what stood before it was a problem."""
_ADDED = re.compile(
    r"(?:first|second|third|finally|lastly|next|also|to further|we also|additionally|furthermore|moreover"
    r"|in addition)\b",
    re.IGNORECASE,
)
_PROPOSED = re.compile(
    r"\b(?:propose|introduce|present|develop|design|implement|proposing|introducing|called|proposed) (\w[\w*+\-]{1,40})"
)
_NAMELIKE = re.compile(r"\w*(?:[a-z][A-Z]|[A-Z]{2}|\d|-[A-Z])[\w*+\-]*")
_DANGLING = re.compile(
    r"(?:it|they|this|these|those|such|that|both|its|their|he|she)\b(?! (?:paper|work|article|study)\b)"
    r"|(?:building on|based on|motivated by|to address) (?:this|these|that|it)\b",
    re.IGNORECASE,
)
_LEAD = re.compile(
    r"(?:however|yet|but|moreover|furthermore|specifically|in particular|unfortunately|still),? ", re.IGNORECASE
)


def _dangles(sentence: str) -> bool:
    """Whether the sentence begins with a word that stands for something said before it."""
    lead = _LEAD.match(sentence)
    return bool(_DANGLING.match(sentence, lead.end() if lead else 0))


def pick(sentences: Sequence[str]) -> Picks:
    """The sentences that speak for each role; `sentences` must not be empty."""
    readings = read(sentences)
    names = _repeated_names(sentences)
    places = range(len(sentences))

    def best(score: Callable[[int], float], among: Sequence[int], least: float) -> int | None:
        rated = [(score(place), -place) for place in among]
        if not rated or max(rated)[0] < least:
            return None
        return -max(rated)[1]

    code = best(lambda place: _code(readings[place], place / len(places)), places, 1.0)
    free = [place for place in places if place != code] or [*places]
    first = next((place for place in free if readings[place].cues & AUTHORS_ACT), None)
    chosen = best(lambda at: _contribution(sentences[at], readings[at], names, first=at == first), free, -math.inf)
    tldr = free[0] if chosen is None else chosen
    addressed = _ADDRESSES.match(sentences[tldr]) is not None
    problem = best(
        lambda at: _problem(sentences[at], readings[at], tldr - at, addressed=addressed),
        [place for place in free if place != tldr],
        0.75,
    )
    result = best(
        lambda place: _result(sentences[place], readings[place], place - tldr),
        [place for place in free if place not in {tldr, problem}],
        1.0,
    )
    approach = best(
        lambda place: _approach(sentences[place], readings[place], names, place - tldr),
        [place for place in free if place not in {tldr, problem, result}],
        1.2,
    )
    return Picks(tldr, problem, tldr if approach is None else approach, result, code)


def _repeated_names(sentences: Sequence[str]) -> frozenset[str]:
    """Words that look like names of systems and stand in two sentences or more."""
    counts: Counter[str] = Counter()
    for sentence in sentences:
        counts.update({one.strip("\"'“”‘’()[],.;:") for one in sentence[:1000].split() if not one.islower()})
    return frozenset(word for word, count in counts.items() if count > 1 and _is_name(word))


def _is_name(word: str) -> bool:
    return 1 < len(word) < 40 and any(one.isupper() for one in word) and _NAMELIKE.match(word) is not None


def _contribution(sentence: str, reading: Reading, names: frozenset[str], *, first: bool) -> float:
    """The model's choice, moved by what prose says outright; `first` is the first sentence in which the authors act."""
    cues = reading.cues
    score = 2.0 * math.log(reading.contribution + 1e-6) + 0.5 * first + 0.6 * bool(_IN_THIS.match(sentence))
    named = False
    if "propose" in cues:
        named = any(name in names for name in _PROPOSED.findall(sentence))
        score += (0.5 if _JOINS.search(sentence) else 1.6) + 1.1 * named
    score += 1.0 * ("osition" in sentence and _POSITION.search(sentence) is not None)
    score -= 2.0 * ("hope" in cues) + 0.8 * ("also" in cues) + 1.0 * ("evaluated" in cues and "propose" not in cues)
    slight = len(sentence) < 200 and len(without_pointers(sentence)) < 45
    return score - 1.5 * sentence.endswith("?") - (0.8 if named else 2.0) * slight


def _problem(sentence: str, reading: Reading, before: int, *, addressed: bool) -> float:
    cues = reading.cues
    turns = bool(_TURNS.search(sentence))
    spoken_of = addressed and before > 0
    if not (spoken_of or turns or cues & {"contrast", "hard"}):
        return 0.0
    score = 1.4 * ("contrast" in cues) + 0.7 * ("hard" in cues) + 0.4 * ("prior" in cues) + 0.5 * turns
    score += 0.5 * ("concede" in cues)
    score += 0.5 * reading.background - 1.0 * reading.result
    score -= 1.5 * bool(cues & {"propose", "code"}) + 0.8 * bool(cues & {"show", "study"}) + 0.6 * ("gain" in cues)
    score -= 0.5 * _dangles(sentence) + 1.2 * (before < 0) + 0.5 * (len(sentence) < 50)
    return score + 0.2 * (before == 1) + 0.5 * spoken_of


def _result(sentence: str, reading: Reading, after: int) -> float:
    cues = reading.cues
    score = 1.3 * reading.result + 0.7 * ("result" in cues) + 0.9 * ("gain" in cues) + 0.3 * ("evaluated" in cues)
    score += (
        0.3 * ("show" in cues)
        - 1.0 * ("outlook" in cues or bool(_OUTLOOK.search(sentence)))
        - 1.2 * bool(cues & {"code", "propose"})
    )
    score -= 0.4 * bool(_DANGLING.match(sentence)) + 1.0 * reading.background + 1.5 * (after < 0)
    return score - 0.5 * (len(sentence) < 50) - 0.3 * ("also" in cues)


def _approach(sentence: str, reading: Reading, names: frozenset[str], after: int) -> float:
    cues = reading.cues
    score = 1.2 * reading.method + 0.4 * ("means" in cues) + 0.5 * ("propose" in cues)
    score += 0.3 * any(name in sentence for name in names) + 0.3 * (after == 1) - 0.1 * max(after - 1, 0)
    score -= 0.6 * bool(_ADDED.match(sentence))
    score -= 0.8 * bool(cues & {"evaluated", "show"}) + 0.5 * ("gain" in cues) + 2.0 * ("code" in cues)
    score -= 0.4 * ("result" in cues and "means" not in cues) + 1.0 * bool(_THIS.match(sentence))
    score -= 0.8 * bool(cues & {"concede", "contrast"} and "prior" in cues)
    score -= 1.2 * bool(_dangles(sentence) and after != 1) + 2.0 * (after < 0)
    return score - 0.8 * (len(sentence) < 60) - 0.5 * ("outlook" in cues)


def _code(reading: Reading, place: float) -> float:
    """A statement of availability stands in the second half, but in the shortest abstracts."""
    return 0.8 * ("code" in reading.cues) + 0.4 * (place >= 0.5)


TLDR, LINE = 160, 220
"""Characters that the one line and the others are shortened to, where deleting words can do that."""
_TOO_LONG = LINE + 40
"""An approach longer than this gives way to the contribution, which says it in fewer words."""

Role = Literal["problem", "approach", "result", "code"]

_PRIZED: Mapping[Role, re.Pattern[str]] = {
    "problem": re.compile(
        r"\b(?:but|yet|however|fails?|failing|suffers?|limit\w*|lack\w*|challeng\w*|remains?|costly|degrad\w*|struggl\w*"
        r"|bottleneck\w*|difficult\w*|overlook\w*|unclear|inefficien\w*|expensive)\b",
        re.IGNORECASE,
    ),
    "approach": re.compile(
        r"\bwe\b|\b(?:propos|introduc|present|develop|design|deriv|prov|show|stud|investigat|framework|method|approach|algorithm"
        r"|benchmark|dataset)\w*",
        re.IGNORECASE,
    ),
    "result": re.compile(r"\d[\d.,]*\s?(?:%|×|x\b|percent\b|points?\b|-fold\b)"),
    "code": re.compile(r"https?://\S+|www\.\S+"),
}
"""What makes a sentence worth its role, given up last."""


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a summary: words of the abstract's sentence number `sentence`, counted from 1."""

    role: Role
    text: str
    sentence: int


@dataclass(frozen=True, slots=True)
class Summary:
    """One line that says what the paper does, and at most one line for each role, in the order of `Role`."""

    tldr: str
    tldr_sentence: int
    lines: tuple[Line, ...]


def summarise(paper: Paper) -> Summary:
    """The summary of a paper's abstract, in the abstract's own words.

    Each text is a sentence of the abstract with words left out (and a capital or full stop where the first or last
    word went). The one line of availability also gives the address behind a link, which plain text does not show.
    """
    return _summary(paper.text, _addresses(paper.abstract))


def summarise_text(text: str) -> Summary:
    """The summary of an abstract in plain text. Text without a sentence gives an empty summary about sentence 0."""
    return _summary(text, [])


def _summary(text: str, addresses: list[tuple[int, str]]) -> Summary:
    places = spans(text)
    if not places:
        return Summary("", 0, ())
    found = [text[start:end] for start, end in places]
    picks = pick(found)
    tldr = shorten(found[picks.tldr], TLDR, _PRIZED["approach"])
    lines: list[Line] = []
    if picks.problem is not None:
        lines.append(_line("problem", found, picks.problem))
    approach = _line("approach", found, picks.approach)
    lines.append(approach if len(approach.text) <= _TOO_LONG else _line("approach", found, picks.tldr))
    if picks.result is not None:
        lines.append(_line("result", found, picks.result))
    if picks.code is not None:
        found[picks.code] = _with_addresses(text, *places[picks.code], addresses)
        lines.append(_line("code", found, picks.code))
    return Summary(tldr, picks.tldr + 1, tuple(lines))


def _line(role: Role, found: list[str], place: int) -> Line:
    return Line(role, shorten(found[place], LINE, _PRIZED[role], claim=role == "result"), place + 1)


def _addresses(nodes: Inlines) -> list[tuple[int, str]]:
    """Where links end whose words are not their address, with the address."""
    links = [(end, node) for _, end, node in walk(nodes) if isinstance(node, Link)]
    return [(end, link.url) for end, link in links if plain(link.children).strip() not in link.url]


def _with_addresses(text: str, start: int, end: int, addresses: list[tuple[int, str]]) -> str:
    pieces: list[str] = []
    for place, url in addresses:
        if start < place <= end:
            pieces.extend((text[start:place], f" ({url})"))
            start = place
    return "".join((*pieces, text[start:end]))
