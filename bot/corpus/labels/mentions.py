"""What the mentions of a name say: what it does, what it is, how it is written, where its code lies."""

import re
from collections.abc import Sequence

from bot.corpus.labels.candidates import WEIGHTS, Candidate, Field, key_of
from bot.corpus.labels.lexicon import FUNCTION, HEADS, INTRODUCES, REPORTED, SUBJECT_VERBS, is_known, word_set
from bot.corpus.labels.tokens import LOW, ODD, joined

_ENDS = word_set("that which who where to by using while whose when for of")
_CLAIMS = word_set(
    "show shows demonstrate demonstrates that confirm confirms find indicate reveal validate showing suggest"
)
_ARTICLES = word_set("a an the our")
_ARTEFACT = re.compile(
    r"^[-_ ]?(?:bench(?:mark)?|dataset|data|gym|arena|eval|suite|base|large|small|lite|pro|plus|[\d.]+[kmb]?)$",
    re.IGNORECASE,
)


def mentions(field: Field, candidate: Candidate) -> None:
    """Weighs where and how often a name is used."""
    tokens = field.flat.tokens
    subject = claimed = reported = qualifying = 0
    for at in candidate.mentions:
        end = field.end_of(candidate, at)
        before = tokens[at - 1].low if at and tokens[at - 1].sentence == tokens[at].sentence else ""
        if before in REPORTED:
            reported += 1
        after = field.after_brackets(end)
        if after >= len(tokens) or tokens[after].sentence != tokens[at].sentence:
            continue
        following = tokens[after]
        if following.gap.strip(" )”\"'’*") == "":
            if following.low in SUBJECT_VERBS or (following.low in INTRODUCES and following.low.endswith("s")):
                if before not in REPORTED:
                    subject += 1
                    claimed += before in _CLAIMS
            elif following.kind == LOW and joined(following) and not _plain_follower(following.low):
                qualifying += 1
        _definition(field, candidate, at, after)
    _count(candidate, "subject", min(subject, 4))
    _count(candidate, "claimed", min(claimed, 1))
    _count(candidate, "mention", min(len(candidate.mentions) - 1, 5))
    _count(candidate, "reported", min(reported, 3))
    if qualifying and qualifying * 2 > len(candidate.mentions):
        candidate.add("qualifies", WEIGHTS["qualifies"])


def _count(candidate: Candidate, sign: str, times: int) -> None:
    if times > 0:
        candidate.add(sign, WEIGHTS[sign] * times)


def _plain_follower(low: str) -> bool:
    return low in FUNCTION or low in HEADS or low.endswith(("ly", "ing", "ed"))


def _definition(field: Field, candidate: Candidate, at: int, after: int) -> None:
    """`X, a framework that …`, `X (…), a new …`, `X is a toolkit`."""
    tokens = field.flat.tokens
    following = tokens[after]
    is_copula = joined(following) and following.low in {"is", "are"} and after + 1 < len(tokens)
    start = after + 1 if is_copula else after
    if not is_copula and not any(mark in following.gap for mark in ",—–:-"):
        return
    if tokens[start].low not in _ARTICLES or candidate.signs.keys() & {"defined", "described"}:
        return
    sign = "defined" if _says_kind(field, start) else "described"
    if sign == "described" and (is_copula or not _coined(candidate.name)):
        return
    candidate.add(sign, WEIGHTS[sign])
    if candidate.gloss < 0:
        candidate.gloss = at


def _says_kind(field: Field, at: int) -> bool:
    """Whether the words from here say what kind of thing a name is: `a novel two-stage framework …`."""
    tokens = field.flat.tokens
    for step in range(at + 1, min(at + 12, len(tokens))):
        if tokens[step].sentence != tokens[at].sentence:
            return False
        if tokens[step].low in HEADS:
            return True
        if tokens[step].low in _ENDS or any(mark in tokens[step].gap for mark in ",;:"):
            return False
    return False


def _coined(name: str) -> bool:
    return any(char.isupper() for char in name[1:]) and not is_known(name)


def shape(field: Field, candidate: Candidate) -> None:
    """Weighs how a name is written, whether it is the field's, and whether it stands in the background only."""
    words = field.flat.tokens[candidate.run.start : candidate.run.end]
    fresh = [word for word in words if word.kind == ODD and not is_known(word.text)]
    if fresh:
        candidate.add("odd", WEIGHTS["odd"])
        if any(
            any(char.islower() for char in word.text) and sum(char.isupper() for char in word.text) > 1
            for word in fresh
        ):
            candidate.add("coined", WEIGHTS["coined"])
    if is_known(candidate.name) or all(is_known(word.text) for word in words):
        own = candidate.expansion and candidate.signs.keys() & {"bracket", "direct"}
        candidate.add("known", WEIGHTS["known"] / 2 if own else WEIGHTS["known"])
    if candidate.expansion and candidate.introduced:
        candidate.add("expanded", WEIGHTS["expanded"])
    first = min(candidate.mentions)
    if candidate.expansion_run is not None:
        first = min(first, candidate.expansion_run.start)
    if not candidate.introduced and field.flat.tokens[first].sentence < field.news:
        candidate.add("background", WEIGHTS["background"])


def styles(field: Field) -> None:
    """Weighs bold and italic: authors emphasise their own names."""
    by_expansion = {key_of(found.expansion): found for found in field.table.values() if found.expansion}
    for start, end, bold in field.flat.styled:
        words = field.flat.text[start:end].split("(")[0]
        found = field.table.get(key_of(words)) or by_expansion.get(key_of(words))
        if found is not None and not found.signs.keys() & {"bold", "italic"}:
            sign = "bold" if bold else "italic"
            found.add(sign, WEIGHTS[sign])


def stems(field: Field) -> None:
    """A name that others extend (`RLVE`, `RLVE-Gym`) stands for them."""
    odd = [found for found in field.table.values() if "odd" in found.signs and found.score > 3.0]
    for longer in odd:
        for stem in field.table.values():
            rest = longer.name[len(stem.name) :]
            if stem is longer or len(stem.name) < 3 or not longer.name.startswith(stem.name) or is_known(stem.name):
                continue
            used = stem.introduced or stem.signs.keys() & {"subject", "defined"}
            if rest[:1] not in {"-", "_", " "} or not used or "background" in stem.signs or stem.score >= longer.score:
                continue
            if stem.introduced or (_ARTEFACT.match(rest) and not stem.expansion):
                stem.add("stem", longer.score - stem.score + WEIGHTS["stem"])
                stem.introduced = stem.introduced or longer.introduced


def repositories(names: Sequence[str], field: Field) -> None:
    """Weighs names that a repository or project page of the paper has too."""
    for name in names:
        key = key_of(name)
        for other, candidate in field.table.items():
            if other == key:
                candidate.add("repository", WEIGHTS["repository"])
            elif len(other) > 3 and (other in key or (len(key) > 3 and key in other)):
                candidate.add("repository", WEIGHTS["repository"] / 2)
