"""Where a sentence can stop earlier and still be one."""

import re
from collections.abc import Iterator, Sequence

from bot.summary.leads import main_clause, opens_late
from bot.summary.lexicon import (
    AUXILIARIES,
    CONJUNCTIONS,
    DETERMINERS,
    FINITE,
    PARTICIPLES,
    PREPOSITIONS,
    THIRD,
    VERBS,
    words,
)
from bot.summary.tokens import Word, tokenise

_DANGLING = (
    PREPOSITIONS
    | DETERMINERS
    | CONJUNCTIONS
    | AUXILIARIES
    | words("""
        not very more less most least as than only also thus often both either we i it they who whose whom e.g i.e vs
        rather just even still further most highly well can't be been being become becomes remain remains called named
        termed dubbed following follows via two three four five several novel new
    """)
)
_OPENS_CLAUSE = words("that which who whose where when while whereas whether because since if how why although though")
_SUBJECTS = words("we it they this our these")
_ASKS_FOR_TO = re.compile(
    r"(?:enabl|allow|help|encourag|requir|forc|train|teach|abl[ey]|abilit|aim|attempt|fail|seek|tend|need|learn|how|whether"
    r"|sufficient|necessary|enough|too|likel|difficult|hard|easy|eas|possible|opportunit|way|potential|lead|guid|steer|caus"
    r"|prompt|ask|extend|adapt|convert|transform|transfer|due|accord|relativ|respect|compar|prior|close|equivalent|order|used"
    r"|design|incentiv|motivat|empower|equip|instruct|expect|shown|want|wish|try|tries|struggl|capab|capacit|tailor|appl"
    r"|generaliz|access|respon|map|limit|restrict|from|reduc|refer|sensitiv|robust|subject|know|challeng|decid|choos)"
)
_BINDS_WITH = re.compile(
    r"(?:replac|combin|coupl|equip|endow|augment|pair|compar|integrat|associat|align|deal|cop|compl|agree|provid|interact|shar"
    r"|mix|match|begin|start|correlat|consistent|along|together|contrast)"
)
_AFTER_COMMA = {
    **dict.fromkeys(
        words("which where whereas while thereby thus hence including especially particularly namely with"), 0.7
    ),
    **dict.fromkeys(words("without as such e.g i.e then"), 0.8),
    **dict.fromkeys(words("when because since although though despite even via through using by resulting"), 1.0),
    **dict.fromkeys(words("followed guided based compared combined driven supported trained motivated inspired"), 1.0),
    **dict.fromkeys(words("but yet rather instead regardless up to"), 1.3),
    **dict.fromkeys(words("for on in across from under over at within among beyond against"), 1.5),
}
_BARE = {
    **dict.fromkeys(words("while whereas"), 0.9),
    **dict.fromkeys(words("by via through using because despite regardless including even so such rather"), 1.3),
    **dict.fromkeys(words("without when compared relative based as and"), 1.6),
    **dict.fromkeys(words("across under during within where to"), 2.2),
    **dict.fromkeys(words("on in for from over at with against throughout"), 3.0),
}
_ADVERBS = words("also even still further often thus then thereby jointly not only")
_DASHES = frozenset({"—", "–", "-", "--", "---"})
_SHORTEST, _FEWEST = 45, 7


def tails(text: str) -> Iterator[tuple[str, float]]:
    """The text stopped before a clause or phrase at its end, with what that costs, for each sound place to stop."""
    if opens_late(text):
        return
    every = tokenise(text)
    start = main_clause(text)
    main = [number for number, word in enumerate(every) if word.start >= start]
    if len(main) < _FEWEST + 1:
        return
    first = main[0]
    verb = _first_verb(every, first)
    if verb is None:
        return
    for stop in range(max(first + _FEWEST - 1, verb + 2), len(every)):
        word, last = every[stop], every[stop - 1]
        if word.inside or last.end < _SHORTEST:
            continue
        cost = _cost(every, stop, first, verb)
        if cost is not None and _sound(every, first, stop):
            yield text[: last.end].rstrip(",;:—–- ") + ".", cost


def _first_verb(every: Sequence[Word], first: int) -> int | None:
    for number in range(first, len(every)):
        low = every[number].low
        if low == "we":
            after = _past_adverbs(every, number + 1)
            return after if after < len(every) else None
        if low in FINITE and number > first and every[number - 1].low not in {"to", *PREPOSITIONS}:
            return number
    return None


def _past_adverbs(every: Sequence[Word], at: int) -> int:
    while (
        at < len(every) - 1
        and (every[at].low in _ADVERBS or every[at].low.endswith("ly"))
        and every[at].text[-1] != ","
    ):
        at += 1
    return at


def _cost(every: Sequence[Word], stop: int, first: int, verb: int) -> float | None:
    word, last = every[stop], every[stop - 1]
    mark = last.text[-1]
    following = every[stop + 1].low if stop + 1 < len(every) else ""
    if word.text in _DASHES:
        return 0.8
    if last.text in _DASHES:
        return None
    if mark == ";":
        return 0.6
    if mark == ":":
        return 0.9
    action = every[_past_adverbs(every, stop)].low
    if mark == ",":
        return _after_comma(every, stop, action, following)
    if mark in ".?!":
        return None
    return _bare(every, stop, verb, following)


def _after_comma(every: Sequence[Word], stop: int, action: str, following: str) -> float | None:
    low = every[stop].low
    if action in PARTICIPLES:
        return 0.6
    if low in {"and", "or"}:
        then = every[_past_adverbs(every, stop + 1)].low if stop + 1 < len(every) else ""
        if _segment_opener(every, stop) in FINITE | PARTICIPLES:
            return None
        return 1.0 if then in FINITE or then in _SUBJECTS or then in PARTICIPLES else None
    if low in THIRD and low in FINITE and any(word.low == "and" for word in every[stop:]):
        return None if _segment_opener(every, stop) in FINITE else 1.3
    if low == "such" and following != "as":
        return None
    if low == "to" and following not in VERBS and not following.endswith("ly"):
        return None
    return _AFTER_COMMA.get(low)


def _segment_opener(every: Sequence[Word], stop: int) -> str:
    """The word after the comma before this one, past adverbs; empty without one."""
    for number in range(stop - 2, 0, -1):
        if every[number].text[-1] == "," and not every[number + 1].inside:
            return every[_past_adverbs(every, number + 1)].low
    return ""


def _bare(every: Sequence[Word], stop: int, verb: int, following: str) -> float | None:
    low, last = every[stop].low, every[stop - 1].low
    cost = _BARE.get(low)
    if cost is None or stop < verb + 3:
        return None
    then = every[_past_adverbs(every, stop + 1)].low if stop + 1 < len(every) else ""
    if low == "and":
        return cost if (then in FINITE or then in PARTICIPLES or then == "we") and then not in {"is", "are"} else None
    if low == "by" and then not in PARTICIPLES and not then.endswith("ing"):
        return None
    if low in {"so", "such"}:
        return cost if following in {"that", "as"} else None
    if low == "as":
        return cost if following == "well" else None
    if low == "even":
        return (
            cost if following in {"when", "though", "under", "if", "in", "with", "for", "without", "on", "at"} else None
        )
    if low == "rather":
        return cost if following == "than" else None
    if low in {"compared", "relative"}:
        return cost if following in {"to", "with"} else None
    if low == "based":
        return cost if following in {"on", "upon"} else None
    recent = [word.low for word in every[max(verb, stop - 9) : stop]]
    if low == "to":
        if then not in VERBS or any(_ASKS_FOR_TO.match(one) for one in recent):
            return None
        return cost
    if low == "with" and any(_BINDS_WITH.match(one) for one in recent):
        return None
    if cost >= 2.0 and (last.endswith(("ed", "ing", "able", "ible")) or last in VERBS or last in THIRD):
        return None
    return cost


def _sound(every: Sequence[Word], first: int, stop: int) -> bool:
    """Whether the words before `stop` can end there: nothing dangles and no pair is left with one half."""
    kept = [word.low for word in every[first:stop]]
    last = kept[-1]
    if not last or last in _DANGLING or last in FINITE or last.endswith(("'s", "’s", "s'", "s’")):
        return False
    for number in range(len(kept) - 1, -1, -1):
        if kept[number] in _OPENS_CLAUSE:
            inner = kept[number + 1 :]
            nonfinite = (
                inner and inner[0].endswith(("ing", "ed")) and kept[number] in {"while", "when", "if", "although"}
            )
            if not nonfinite and not any(word in FINITE for word in inner):
                return False
            break
    text = " ".join(kept)
    if "not only" in text and " but" not in text.split("not only")[-1]:
        return False
    if every[stop].low == "but" and re.search(r"\b(?:not|rather)\b", text):
        return False
    return not any(
        opened in kept and closing not in kept[len(kept) - kept[::-1].index(opened) :]
        for opened, closing in (("both", "and"), ("either", "or"), ("neither", "nor"), ("between", "and"))
    )
