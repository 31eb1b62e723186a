"""Whether the first words of a sentence can end it: nothing dangles, no pair is left with one half."""

import re
from collections.abc import Sequence

from bot.summary.lexicon import (
    AUXILIARIES,
    CONJUNCTIONS,
    DETERMINERS,
    FINITE,
    PARTICIPLES,
    PREPOSITIONS,
    THIRD,
    words,
)
from bot.summary.sentences import Word

DANGLING = (
    PREPOSITIONS
    | DETERMINERS
    | CONJUNCTIONS
    | AUXILIARIES
    | words("""
        not very more less most least as than only also thus often both either we i it they who whose whom e.g i.e vs
        rather just even still further highly well can't be been being become becomes remain remains called named
        termed dubbed following follows two three four five several novel new there there's here does so too
    """)
)
"""Words that no clause ends in."""
_CLAUSES = words("that which who whose where when while whereas whether because since if how why although though")
_NEED_NO_VERB = words("while when if although though")
_PAIRS = (("both", "and"), ("either", "or"), ("neither", "nor"), ("between", "and"))
_LIST_MARKS = (("1", "2"), ("i", "ii"), ("a", "b"))
_LIST_WORDS = (("first", "second"), ("firstly", "secondly"), ("one", "other"))
_SUBJECTS = words("we it they this our these")
_INTRODUCES = words("""
    comprising comprises consisting consists including includes combining combines combine integrating integrates
    integrate incorporating incorporates features featuring unifying unifies namely containing contains via supports
    supporting
""")
_LINKING = AUXILIARIES | words("remain remains become becomes be been seem seems appear appears")
_NOUNS_IN_LY = words("family anomaly supply assembly reply only likely early")
_ADVERBS = words("also even still further often thus then thereby jointly not only always never both")


def past_adverbs(every: Sequence[Word], at: int) -> int:
    """The place of the first word from `at` on that is no adverb, or of the last word."""
    while at < len(every) - 1 and (every[at].low in _ADVERBS or every[at].low.endswith("ly")):
        if every[at].text[-1] == ",":
            break
        at += 1
    return min(at, len(every) - 1)


def can_end(every: Sequence[Word], first: int, stop: int) -> bool:
    """Whether the words from `first` to before `stop` make a whole clause."""
    kept = [word.low for word in every[first:stop]]
    last = kept[-1]
    if not last or last in DANGLING or last in FINITE or last.endswith(("'s", "’s", "s'", "s’")):
        return False
    if last.endswith("ly") and last not in _NOUNS_IN_LY:
        return False
    if last.endswith("ed") and not last.endswith("eed") and not any(word in _LINKING for word in kept[-4:-1]):
        return False
    # what a colon announces is given whole or not at all
    if any(word.text[-1] == ":" and not word.inside for word in every[first : stop - 1]):
        return False
    if _splits_list(every, stop) or not _last_clause_has_verb(every, first, stop):
        return False
    if every[stop - 1].text[-1] not in ":;" and _leaves_series(every, first, stop):
        return False
    text = " ".join(kept)
    if "not only" in text and " but" not in text.rsplit("not only", 1)[-1]:
        return False
    if every[stop].low == "but" and re.search(r"\b(?:not|rather)\b", text):
        return False
    return not any(
        opened in kept and closing not in kept[len(kept) - kept[::-1].index(opened) :] for opened, closing in _PAIRS
    )


def _last_clause_has_verb(every: Sequence[Word], first: int, stop: int) -> bool:
    for number in range(stop - 1, first, -1):
        if every[number].low in _CLAUSES:
            inner = [word.low for word in every[number + 1 : stop]]
            if any(word in FINITE for word in inner):
                return True
            if inner and every[number].low in _NEED_NO_VERB and inner[0].endswith(("ing", "ed")):
                return True
            verb = every[past_adverbs(every, number + 1)].low
            return verb in THIRD or (len(verb) > 3 and verb[-1] == "s" and verb[-2] not in "sui")
    return True


def _leaves_series(every: Sequence[Word], first: int, stop: int) -> bool:
    """Whether a series of three or more began before `stop` and goes on after it."""
    commas = [at for at in range(first, len(every) - 1) if every[at].text[-1] in ",;" and not every[at + 1].inside]
    before = [at for at in commas if at < stop - 1]
    opened = before[-1] + 1 if before else first
    introduced = any(word.low in _INTRODUCES for word in every[opened:stop])
    for number, at in enumerate(at for at in commas if at >= stop):
        low = every[at + 1].low
        if low in {"and", "or"}:
            then = every[past_adverbs(every, at + 2)].low if at + 2 < len(every) else ""
            if then in FINITE and before and every[past_adverbs(every, opened)].low in FINITE:
                return True
            clause = then in FINITE or then in _SUBJECTS or _verb_follows(every, at + 2)
            return (introduced if number else bool(before)) and not clause
        if low in _CLAUSES | PREPOSITIONS | PARTICIPLES:
            return False
    return False


def _verb_follows(every: Sequence[Word], at: int) -> bool:
    """Whether a verb stands among the next few words, before any comma."""
    for place, word in enumerate(every[at : at + 6], at):
        if word.low in FINITE and every[place - 1].low != "to":
            return True
        if word.low in _CLAUSES or word.text[-1] in ",;:":
            return False
    return False


def _splits_list(every: Sequence[Word], stop: int) -> bool:
    """Whether a numbered list has its first part before `stop` and its second part after."""
    before, after = every[:stop], every[stop:]
    for one, other in _LIST_MARKS:
        if any(word.low == one and word.text.endswith(")") for word in before) and any(
            word.low == other and word.text.endswith(")") for word in after
        ):
            return True
    kept, rest = {word.low for word in before}, {word.low for word in after}
    return any(one in kept and other in rest for one, other in _LIST_WORDS)
