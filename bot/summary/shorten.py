"""A sentence made shorter by deleting words: brackets and dashes, openings, ends; what stays still reads as one.

An end is cut where the sentence can stop earlier and still be one: nothing dangles, no pair is left with one half.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from bot.summary.lexicon import (
    AUXILIARIES,
    CONJUNCTIONS,
    DETERMINERS,
    FINITE,
    PARTICIPLES,
    PREPOSITIONS,
    THIRD,
    VERBS,
    either,
    words,
)
from bot.summary.openings import (
    main_clause,
    opens_late,
    shorter_openings,
    without_announcement,
    without_pointers,
    without_purpose,
)
from bot.summary.sentences import Word, enclosed, tokenise

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


_SHORTEST, _FEWEST = 45, 7
"""Characters and words that a shortened sentence has at least."""
_DASHES = frozenset({"—", "–", "-", "--", "---"})

_AFTER_COMMA = {
    word: cost
    for line, cost in (
        ("which where whereas while thereby thus hence including especially particularly namely with", 0.7),
        ("as such e.g i.e then", 0.8),
        ("without when because since although though despite even via through using by", 1.0),
        ("followed guided based compared combined driven supported trained motivated inspired", 1.0),
        ("but yet rather instead regardless up to", 1.3),
        ("for on in across from under over at within among beyond against", 1.5),
    )
    for word in line.split()
}
"""What it costs to end before one of these words where a comma stands before it."""
_BARE = {
    word: cost
    for line, cost in (
        ("while whereas", 0.9),
        ("by via through using because despite regardless including even so such rather", 1.3),
        ("compared relative based as and", 1.6),
        ("across under during within to when", 2.2),
        ("on in for from over at with without against throughout where", 3.2),
    )
    for word in line.split()
}
"""The same without a comma: the more the word before it asks for what follows, the dearer."""
_ATTACHED = words("""
    leveraging utilizing employing exploiting incorporating enabling requiring spanning covering comprising containing
    involving allowing ensuring featuring combining achieving providing describing indicating yielding
""")
"""Participles that seldom are nouns: a phrase opens there without a comma too."""
_OPENING = {*_BARE, *_ATTACHED, "that"}
_OPEN_NO_SERIES = DETERMINERS | CONJUNCTIONS | PREPOSITIONS | _SUBJECTS
_CONTINUED = {
    "so": words("that as"),
    "such": words("that as"),
    "as": words("well"),
    "even": words("when though under if in with for without on at"),
    "rather": words("than"),
    "compared": words("to with"),
    "relative": words("to"),
    "based": words("on upon"),
}
"""Words of the table above that only count before one of these."""

_ASKS_FOR_TO = re.compile(
    "(?:"
    + either(r"""
        enabl allow help encourag requir forc train teach abl[ey] abilit aim attempt fail seek tend need learn how
        whether sufficient necessary enough too likel difficult hard eas possible opportunit way potential lead guid
        steer caus prompt ask extend adapt convert transform transfer due accord relativ respect compar prior close
        equivalent order used design incentiv motivat empower equip instruct expect shown want wish try tries struggl
        capab capacit tailor appl generaliz access respon map limit restrict from reduc refer sensitiv robust subject
        knows?\b challeng decid choos fine-tun
    """)
    + ")"
)
"""Starts of words that a `to` belongs to."""
_ASKS_FOR_WITH = re.compile(
    "(?:"
    + either("""
        replac combin coupl equip endow augment pair compar integrat associat align deal cop compl agree provid
        interact shar mix match begin start correlat consistent along together contrast fram evaluat experiment
    """)
    + ")"
)


def tails(text: str) -> Iterator[tuple[str, float]]:
    """The text stopped before a clause or phrase at its end, with what that costs, for each sound place to stop."""
    if opens_late(text):
        return
    every = tokenise(text)
    start = main_clause(text)
    first = next((number for number, word in enumerate(every) if word.start >= start), len(every))
    verb = _first_verb(every, first)
    if verb is None:
        return
    for stop in range(max(first + _FEWEST, verb + 2), len(every)):
        last = every[stop - 1]
        if every[stop].inside or last.end < _SHORTEST:
            continue
        if last.text[-1].isalnum() and every[stop].low not in _OPENING and every[stop].text not in _DASHES:
            continue
        cost = _cost(every, stop, verb)
        if cost is not None and can_end(every, first, stop):
            yield _stopped(text[: last.end]), cost


def _stopped(kept: str) -> str:
    if kept[-1] in '"”’' and kept[-2] in ",;:":
        kept = kept[:-2] + kept[-1]  # American style has the comma inside of the quotation marks
    return kept.rstrip(",;:—–- ") + "."


def _first_verb(every: Sequence[Word], first: int) -> int | None:
    for number in range(first, len(every)):
        low = every[number].low
        if low == "we":
            after = past_adverbs(every, number + 1)
            return after if number + 1 < len(every) else None
        if low in FINITE and number > first and every[number - 1].low not in PREPOSITIONS:
            return number
    return None


def _cost(every: Sequence[Word], stop: int, verb: int) -> float | None:
    word, last = every[stop], every[stop - 1]
    if word.text in _DASHES:
        return 0.8
    if last.text in _DASHES:
        return None
    if last.text.rstrip(",").endswith(("%", "×")) and word.low in PREPOSITIONS:
        return 1.3
    match last.text[-1]:
        case ";":
            return 0.6
        case ":":
            return 0.9
        case ",":
            return _after_comma(every, stop)
        case "." | "?" | "!":
            return None
        case _:
            return _bare(every, stop, verb)


def _after_comma(every: Sequence[Word], stop: int) -> float | None:
    low = every[stop].low
    following = every[stop + 1].low if stop + 1 < len(every) else ""
    if every[past_adverbs(every, stop)].low in PARTICIPLES:
        return 0.6
    if low in {"and", "or"}:
        then = every[past_adverbs(every, stop + 1)].low
        # the last of three: "reduces this, improves that, and …" must not lose it alone
        opener = _segment_opener(every, stop)
        last_of_series = opener in FINITE | PARTICIPLES | THIRD or (opener != "" and opener not in _OPEN_NO_SERIES)
        return 1.0 if not last_of_series and then in FINITE | _SUBJECTS | PARTICIPLES else None
    if low in THIRD and _segment_opener(every, stop) not in THIRD | FINITE:
        later = (at for at in range(stop, len(every) - 1) if every[at].low == "and")
        return 1.3 if any(every[past_adverbs(every, at + 1)].low in THIRD | FINITE for at in later) else None
    if low.endswith("ed") and following in PREPOSITIONS:
        return 1.0
    if low == "such" and following != "as":
        return None
    if low == "to" and every[past_adverbs(every, stop + 1)].low not in VERBS:
        return None
    return _AFTER_COMMA.get(low)


def _segment_opener(every: Sequence[Word], stop: int) -> str:
    """The word after the comma before this one, past adverbs; empty without one."""
    for number in range(stop - 2, 0, -1):
        if every[number].text[-1] == "," and not every[number + 1].inside:
            return every[past_adverbs(every, number + 1)].low
    return ""


def _bare(every: Sequence[Word], stop: int, verb: int) -> float | None:
    low, last = every[stop].low, every[stop - 1].low
    cost = 1.6 if low in _ATTACHED else _BARE.get(low)
    if low == "that":
        return _before_that(every, stop)
    if cost is None or stop < verb + 3 or not every[stop].text[0].islower():
        return None
    if last in _KINDS and _described(every, stop) < 5:
        return None
    following = every[stop + 1].low if stop + 1 < len(every) else ""
    then = every[past_adverbs(every, stop + 1)].low if following else ""
    recent = [word.low for word in every[max(verb, stop - 9) : stop]]
    if low in _CONTINUED:
        return cost if following in _CONTINUED[low] and every[stop - 2].low not in PREPOSITIONS else None
    if low == "and":
        return cost if then == "we" or (then in FINITE | PARTICIPLES and then not in {"is", "are"}) else None
    if low == "by" and not then.endswith("ing"):
        return None
    if low == "to" and (then not in VERBS or any(_ASKS_FOR_TO.match(one) for one in recent)):
        return None
    if low == "with" and any(_ASKS_FOR_WITH.match(one) for one in recent if "-" not in one):
        return None
    if cost >= 2.0 and (last.endswith(("ed", "able", "ible")) or last in VERBS | PARTICIPLES or last in THIRD):
        return None
    return cost


_KINDS = words("""
    framework method approach algorithm model system paradigm technique benchmark pipeline architecture strategy
    mechanism scheme dataset way setting problem regime
""")


def _before_that(every: Sequence[Word], stop: int) -> float | None:
    """Ending before a relative clause leaves something said where the noun before it has words of its own."""
    last = every[stop - 1].low
    if (
        _described(every, stop) < (5 if last in _KINDS else 4)
        or last in VERBS
        or last in THIRD
        or last.endswith(("ing", "ed"))
    ):
        return None
    return 3.0


def _described(every: Sequence[Word], stop: int) -> int:
    """How many words the noun phrase that would end the sentence has, its article included."""
    count = 0
    for word in reversed(every[:stop]):
        if word.text[-1] in ",;:" or word.low in FINITE:
            break
        count += 1
    return count


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
