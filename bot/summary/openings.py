"""Openings that a sentence can do without: pointers back, announcements, and phrases before the main clause."""

import re
from collections.abc import Iterator

from bot.summary.lexicon import DETERMINERS, FINITE, PARTICIPLES, PREPOSITIONS, VERBS, either, words
from bot.summary.sentences import enclosed

_WORK = "paper|work|article|study|survey|report|manuscript|thesis|position paper|regard|context|direction|setting"
_HERE = re.compile(
    rf"(?:in|with|through|throughout|for) (?:this|the present|our)(?: \w+){{0,2}} (?:{_WORK})(?:,\s*|\s+(?=we\b))",
    re.IGNORECASE,
)
_LINKS = re.compile(
    "(?:"
    + either("""
        however moreover furthermore additionally in_addition besides therefore thus hence consequently accordingly
        as_a_result as_a_consequence specifically more_specifically in_particular concretely more_concretely
        more_precisely precisely notably most_notably importantly more_importantly crucially interestingly
        surprisingly remarkably finally lastly first second third firstly secondly next then here to_this_end
        to_that_end in_response in_summary in_short in_conclusion overall taken_together in_contrast by_contrast
        conversely on_the_other_hand instead nevertheless nonetheless unfortunately still yet meanwhile indeed
        similarly in_fact as_such for_this_purpose accordingly also but empirically experimentally in_total in_sum
        in_doing_so altogether technically methodologically ultimately collectively to_do_so together at_its_core
        as_an_alternative alternatively critically to_be_specific in_detail in_essence in_this_way
    """)
    + r"),\s+",
    re.IGNORECASE,
)
_BARE_LINKS = re.compile(r"(?:yet|but|and|still|so|thus|therefore|hence)\s+(?=\w)", re.IGNORECASE)
_POINTER = re.compile(
    r"\b(?:this|these|those|such|that|the (?:above|aforementioned|former|latter|resulting)|it|them|doing so|both|"
    r"our (?:\w+ ){0,2}(?:findings?|analys[ei]s|observations?|insights?|results?|theory|study))\b",
    re.IGNORECASE,
)
_SUBORDINATE = (
    PREPOSITIONS
    | PARTICIPLES
    | words("""
        although though because since if when whenever whereas while as given unlike based built motivated inspired
        guided driven informed rather instead compared combined coupled following once unless even together drawing
        due regardless grounded rooted equipped prompted concerning according where thanks owing depending faced
        armed relative contrary only just whether training
    """)
)
_AUTHORS = re.compile(r"(?:we|i|this (?:paper|work|article|study)|our \w+|the authors)\b", re.IGNORECASE)
_PRONOUN = re.compile(
    r"(?:\S+ ){0,2}(?:its?|they|their|them|he|she|those|such)\b|(?:this|these)\b(?! (?:paper|work|article|study))",
    re.IGNORECASE,
)
_SUBJECT = re.compile(
    r"(?:existing|current|prior|previous|recent|most|many|several|two|three|state-of-the-art)\b"
    r"|\W*[A-Z]|\S*[A-Z]|[^\x00-\x7f]"
)

_ANNOUNCES = re.compile(
    r"(?:\S+ ){0,30}?(?:shows?|demonstrates?|indicates?|reveals?|confirms?|suggests?|validates?|verify|verifies|proves?"
    r"|showed|demonstrated|revealed|confirmed|indicated|finds?|found|observes?|establishes?|highlights?)"
    r"(?: \w+ly)? that ",
    re.IGNORECASE,
)
_EVIDENCE = re.compile(
    r"\b(?:experiments?|evaluations?|results?|analys[ei]s|studies|study|simulations?|ablations?|benchmarks?|comparisons?"
    r"|evidence|investigations?|tests?|findings?|we|validation|assessments?)\b",
    re.IGNORECASE,
)
_ANNOUNCEMENT = 8
"""Words of an announcement that say no more than that something was found."""
_POINTS_BACK = re.compile(
    r"[,;:]?\s+(?:in order )?to "
    r"(?:address|tackle|solve|resolve|overcome|bridge|mitigate|fill|close|alleviate|answer|study)"
    r" (?:this|these|both|such|those|the above)(?: [\w-]+){0,3}(?=\.?\Z)",
    re.IGNORECASE,
)
_SECOND_CLAUSE = re.compile(r"; (?=(?:we|this paper|this work) )")
_COMMA = re.compile(r",\s+|,(?=we\b)")
_TAIL = 120
"""Characters at the end that are looked at for a purpose that points back."""
_LEAST_LEFT = 12
"""Characters that stay at least behind an opening that goes."""
_LONGEST = 260
"""Characters that are looked at for the end of an opening."""


def without_pointers(sentence: str) -> str:
    """The sentence without the openings that point at what stood before it, or at the paper itself."""
    text = without_purpose(sentence)
    for _ in range(4):
        shorter = _without_pointer(text)
        if shorter == text:
            break
        text = shorter
    return text


def without_purpose(sentence: str) -> str:
    """The sentence without a purpose at its end that only points back ("… to address both issues")."""
    end = sentence[-_TAIL:]
    return sentence[:-_TAIL] + _POINTS_BACK.sub("", end) if " to " in end else sentence


def _without_pointer(text: str) -> str:
    for pattern in (_HERE, _LINKS, _BARE_LINKS):
        match = pattern.match(text)
        if match and len(text) - match.end() > _LEAST_LEFT:
            return text[match.end() :]
    end = main_clause(text)
    if len(text) - end > _LEAST_LEFT and end and _POINTER.search(text[:end]) and not _PRONOUN.match(text[end:]):
        return text[end:]
    return text


def without_announcement(sentence: str) -> str:
    """The finding itself, where a sentence says first that experiments show it; else the sentence."""
    match = _ANNOUNCES.match(sentence[:_LONGEST])
    if match is None or not _EVIDENCE.search(match.group()) or enclosed(sentence)[match.end() - 1]:
        return sentence
    rest = sentence[match.end() :]
    if " and that " in rest or _goes_on(rest):
        return sentence
    if (
        _PRONOUN.match(rest)
        or len(rest) < 30
        or re.match(r"(?:when|if|while|as|for|in|by|with)\b", rest, re.IGNORECASE)
    ):
        return sentence
    return rest


def _goes_on(rest: str) -> bool:
    """Whether the one who announces has a second verb further on ("we show that …, and prove …")."""
    every = rest.lower().replace(",", " ").split()
    for at, word in enumerate(every[:-1]):
        if word in {"and", "then", "but"}:
            then = next(
                (
                    one
                    for one in every[at + 1 : at + 4]
                    if not one.endswith("ly") and one not in {"also", "further", "then"}
                ),
                "",
            )
            if then in VERBS and then in FINITE:
                return True
    return False


def shorter_openings(text: str) -> Iterator[tuple[str, float]]:
    """The text without a phrase before its main clause, or without an announcement, each with what that costs."""
    found = without_announcement(text)
    if found != text and text[: len(text) - len(found)].count(" ") <= _ANNOUNCEMENT:
        yield found, 0.4
    halves = _SECOND_CLAUSE.search(text)
    if halves and not enclosed(text)[halves.start()]:
        yield text[halves.end() :], 0.8
    end = main_clause(text)
    if end and not _PRONOUN.match(text[end:]):
        first = text.split(maxsplit=1)[0].lower()
        yield text[end:], 1.6 if first in {"by", "under", "if", "when", "for", "given", "without"} else 0.8
        later = without_announcement(text[end:])
        if later != text[end:] and text[end : len(text) - len(later)].count(" ") <= _ANNOUNCEMENT:
            yield later, 1.2


def main_clause(text: str) -> int:
    """Where the main clause starts: 0 where the text opens with it, and where that cannot be told."""
    first = _first_word(text)
    if first not in _SUBORDINATE:
        return 0
    inside = enclosed(text[:_LONGEST])
    commas = [match for match in _COMMA.finditer(text[:_LONGEST]) if not inside[match.start()]]
    for comma in commas:
        if _AUTHORS.match(text, comma.end()):
            return comma.end()
    if first in PARTICIPLES and first != "using":
        return 0  # may be the subject itself
    for comma in commas[:1]:
        rest = text[comma.end() :]
        opening = rest.split(maxsplit=1)[0].lower()
        if opening in DETERMINERS or opening in {"it", "they", "we"} or _SUBJECT.match(rest.split(maxsplit=1)[0]):
            return comma.end()
    return 0


def opens_late(text: str) -> bool:
    """Whether the text opens with a phrase whose end cannot be told."""
    first = _first_word(text)
    if first not in _SUBORDINATE or main_clause(text) or "," not in text:
        return False
    # "Training them costs much, as …": the first word belongs to the subject
    return first not in PARTICIPLES or not any(word in FINITE for word in text.split(",", 1)[0].split())


def _first_word(text: str) -> str:
    return text.split(maxsplit=1)[0].strip("\"“”'(").lower() if text.strip() else ""
