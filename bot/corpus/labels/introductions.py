"""Sentences that give a name (`we propose X`, `a framework called X`), and what its mentions say of it."""

import re
from collections.abc import Sequence

from bot.corpus.labels.candidates import WEIGHTS, Candidate, Field, describes, ends_phrase, key_of, nounlike
from bot.corpus.labels.lexicon import (
    FUNCTION,
    GERUNDS,
    HEADS,
    INTRODUCES,
    NAMED,
    PHENOMENA,
    PREPOSITIONS,
    REPORTED,
    STRONG_INTRODUCES,
    SUBJECT_VERBS,
    SUBJECTS,
    is_known,
    word_set,
)
from bot.corpus.labels.tokens import CAP, LOW, ODD, TaggedToken, TokenRun, joined

_ENDS = word_set("that which who where to by using while whose when for of")
_CLAIMS = word_set(
    "show shows demonstrate demonstrates that confirm confirms find indicate reveal validate showing suggest"
)
_BEFORE_A_NAME = word_set("a an the our")
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
    if tokens[start].low not in _BEFORE_A_NAME or candidate.signs.keys() & {"defined", "described"}:
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


_CLAUSE_ENDS = word_set("that which who where using while whose when so because since if leveraging by")
_DETERMINERS = word_set("a an the our two three another")
_LONGEST_OBJECT = 22


def weigh_object(field: Field, verb: int, strength: float, *, first: bool) -> bool:
    """Weighs what stands as the object of an introducing verb; true where something is introduced."""
    tokens = field.flat.tokens
    at = verb + 1
    if at >= len(tokens) or tokens[at].sentence != tokens[verb].sentence:
        return False
    determined = tokens[at].low in _DETERMINERS
    direct = None if determined else field.starts.get(at) or _lower_case_name(field, at)
    found = None if direct is not None and _stands_alone(field, direct, at) else _bracket_name(field, at)
    sign, where = "bracket", found.run.start if found is not None else at
    if found is None:
        found, sign = direct, "direct"
    if found is None:
        found, sign, where = _walk(field, at, determined=determined)
    if found is None or (is_known(found.name) and sign not in {"direct", "bracket"}):
        return False
    nouns = [token.low for token in tokens[at:where]]
    if any(word in PHENOMENA for word in nouns) and not any(word in HEADS for word in nouns):
        found.phenomenon = True
        found.add("phenomenon", WEIGHTS["phenomenon"])
        return True
    if sign == "bracket" and not found.expansion:
        _describe_bracket(field, found, at)
    found.introduce(where, sign, strength)
    if first:
        found.add("first", WEIGHTS["first"])
    _coordinated(field, found, where, sign, strength)
    return True


def _describe_bracket(field: Field, found: Candidate, at: int) -> None:
    """Capitalised words right before a bracketed name are its other form: `Box Thirding (B3)`."""
    tokens = field.flat.tokens
    start = at
    while start < found.run.start and (tokens[start].low in _DETERMINERS or tokens[start].kind == LOW):
        start += 1
    other = field.starts.get(start)
    if (
        other is not None
        and other is not found
        and field.end_of(other, start) == found.run.start
        and not is_known(other.name)
    ):
        found.expansion = other.name
        found.expansion_run = TokenRun(start, found.run.start)


def _stands_alone(field: Field, found: Candidate, at: int) -> bool:
    """Whether a name ends where its first mention does: `XRPO (…)`, `MOFology, an …`; not `Ego, Exo and … (CEL)`."""
    tokens = field.flat.tokens
    if found.expansion_run is not None and found.expansion_run.start == at:
        return True
    end = field.end_of(found, at)
    if end >= len(tokens) or not tokens[end].gap.strip():
        return False
    if tokens[at].kind == CAP and end - at > 1 and "(" in tokens[end].gap:
        return False
    return tokens[at].kind != CAP or tokens[end].low in {"a", "an", "which", "that", "the"}


def _lower_case_name(field: Field, at: int) -> Candidate | None:
    """A name in lower case, known by the explanation that follows: `we introduce fmxcoders, which …`."""
    tokens = field.flat.tokens
    token = tokens[at]
    if token.kind != LOW or at + 1 >= len(tokens) or len(token.text) < 4 or token.low in FUNCTION or describes(token):
        return None
    following = tokens[at + 1]
    if "," not in following.gap or following.low not in {"a", "an", "which", "the", "our"}:
        return None
    mentions = [index for index, other in enumerate(tokens) if other.text == token.text]
    if mentions[0] < at:
        return None
    found = Candidate(token.text, TokenRun(at, at + 1), mentions=mentions)
    field.table[key_of(token.text)] = found
    for index in mentions:
        field.starts.setdefault(index, found)
    return found


def _bracket_name(field: Field, at: int) -> Candidate | None:
    """The acronym in brackets that ends the noun phrase which starts here: `a zero-shot OOV detector (OOVDet)`."""
    tokens = field.flat.tokens
    prepositions = False
    best: Candidate | None = None
    for index in range(at, min(at + _LONGEST_OBJECT, len(tokens))):
        token = tokens[index]
        opens = "(" in token.gap
        if token.sentence != tokens[at].sentence or (index > at and _closes_object(token, found=best is not None)):
            break
        found = field.starts.get(index)
        if index > at and opens and found is not None and found.run.start <= index and not is_known(found.name):
            span = found.expansion_run
            own = span is not None and span.end == index
            if ends_phrase(field.flat, index + found.run.end - found.run.start - 1) and not (own and prepositions):
                best = found
            if span is not None and own and _only_describes(tokens[at : span.start]):
                return found
        if token.low in PREPOSITIONS:
            prepositions = True
    return best


def _closes_object(token: TaggedToken, *, found: bool) -> bool:
    if any(mark in token.gap for mark in ";:—"):
        return True
    if "," in token.gap and "(" not in token.gap and token.low != "and" and (found or token.kind == LOW):
        return True
    return token.kind == LOW and token.low in _CLAUSE_ENDS and token.low != "by"


def _walk(field: Field, at: int, *, determined: bool) -> tuple[Candidate | None, str, int]:
    """Reads the object from left to right up to the first name that is not just a part of it."""
    tokens = field.flat.tokens
    sentence = tokens[at].sentence
    plain = True
    for index in range(at, min(at + _LONGEST_OBJECT, len(tokens))):
        token = tokens[index]
        if (
            token.sentence != sentence
            or (index > at and token.low in _CLAUSE_ENDS)
            or (index > at and token.low in NAMED)
        ):
            break
        found = field.starts.get(index)
        if found is not None and not is_known(found.name):
            gap = token.gap
            before = tokens[index - 1]
            if any(mark in gap for mark in ",:—–“\"‘'`") or " - " in gap:
                if plain or "," not in gap:
                    return found, "appositive", index
            elif index > at and joined(token) and before.low in HEADS and not qualifies(field, found, index):
                return found, "headed", index
            elif plain and (determined or index - at <= 2) and index - at <= 6 and not qualifies(field, found, index):
                return found, "determined", index
        if token.low in PREPOSITIONS:
            plain = False
    return None, "", at


def qualifies(field: Field, found: Candidate, at: int) -> bool:
    """Whether a name only qualifies another noun (`a Transformer block`) that is no kind of system."""
    tokens = field.flat.tokens
    end = field.end_of(found, at)
    return end < len(tokens) and joined(tokens[end]) and tokens[end].kind == LOW and nounlike(tokens[end].low)


def _coordinated(field: Field, found: Candidate, at: int, sign: str, strength: float) -> None:
    """The second of two: `we introduce X, a dataset, and Y, a recipe`, `X and Y, efficient estimators`."""
    tokens = field.flat.tokens
    start = field.end_of(found, at)
    for index in range(start, min(start + 26, len(tokens))):
        if tokens[index].sentence != tokens[at].sentence:
            return
        other = field.starts.get(index)
        if other is None or other is found or tokens[index - 1].low != "and" or is_known(other.name):
            continue
        end = field.end_of(other, index)
        follows = field.flat.gap_after(end - 1) if end else ""
        if index - start <= 2 or follows.startswith((",", " (", ".", ":")):
            other.introduce(index, "coordinated", strength if sign == "direct" else strength * 0.8)
        return


def _only_describes(tokens: Sequence[TaggedToken]) -> bool:
    return all(describes(token) or token.low in FUNCTION for token in tokens)


_BETWEEN = word_set(
    "and then also further first next therefore thus hence here additionally now instead finally to in turn this end"
)
_BRIDGES = word_set("by we address this and thereby with")
_ARTICLES = word_set("a an our the this")
_REPORTING = word_set("on of from across over like using than")
_SPOKEN = word_set("name call term dub coin denote refer referred abbreviate")
_FILLERS = word_set(
    """
    as the a by it this to our method framework approach resulting proposed new model algorithm system variant
    overall simply
    """
)


def introductions(field: Field) -> None:
    """Weighs every sentence that introduces a name."""
    tokens = field.flat.tokens
    first = True
    for index, token in enumerate(tokens):
        low = token.low
        if low in INTRODUCES or low in GERUNDS:
            strength = _strength(tokens, index)
            if strength and weigh_object(field, index, strength, first=first):
                first = False
            elif not strength:
                _passive(field, index)
        elif low in NAMED or low in _SPOKEN:
            _called(field, index)
        elif low in {"our", "resulting"} or (low == "proposed" and index and tokens[index - 1].low == "the"):
            _ours(field, index)
        elif low in HEADS and token.sentence >= field.news:
            _apposed(field, index)
        elif low in {"yields", "yielding", "inspire", "inspires"} or (
            low == "is" and index and tokens[index - 1].low == "contribution"
        ):
            found = field.starts.get(index + 1)
            if found is not None and not is_known(found.name):
                found.introduce(index + 1, "yielded", 1.0)


def _strength(tokens: tuple[TaggedToken, ...], index: int) -> float:
    """How surely a verb speaks of this paper's own work: 0 for not at all."""
    token = tokens[index]
    before = tokens[index - 1] if index and tokens[index - 1].sentence == token.sentence else None
    if token.low in GERUNDS:
        return 0.8 if before is None or before.low in _BRIDGES else 0.4
    base = 1.0 if token.low in STRONG_INTRODUCES else 0.7
    for at in range(index - 1, max(index - 6, -1), -1):
        word = tokens[at].low
        if tokens[at].sentence != token.sentence:
            break
        if word in SUBJECTS:
            return base
        if word not in _BETWEEN and word not in INTRODUCES and not word.endswith("ly") and word != "design":
            break
    if before is not None and before.low in {"and", "then", "also"}:
        for at in range(index - 2, max(index - 40, -1), -1):
            if tokens[at].sentence != token.sentence:
                break
            if tokens[at].low == "we":
                return base * 0.8
    return 0.0


def _passive(field: Field, verb: int) -> None:
    """`X (…) is proposed`, `X, a …, is introduced`."""
    tokens = field.flat.tokens
    if tokens[verb].low not in {"proposed", "introduced", "presented", "developed", "designed", "released"} or verb < 2:
        return
    if tokens[verb - 1].low not in {"is", "are"}:
        return
    for at in range(verb - 2, max(verb - 24, -1), -1):
        if tokens[at].sentence != tokens[verb].sentence:
            return
        found = field.starts.get(at)
        if found is not None and not is_known(found.name) and (tokens[at].kind == ODD or len(found.name.split()) > 1):
            end = field.after_brackets(field.end_of(found, at))
            if end == verb - 1 or (end < verb and "," in tokens[end].gap) or tokens[end].low in HEADS:
                found.introduce(at, "passive", 1.0)
                return


def _called(field: Field, index: int) -> None:
    tokens = field.flat.tokens
    token = tokens[index]
    spoken = {tokens[i].low for i in range(max(0, index - 4), index)}
    if token.low in _SPOKEN and not {"we", "which", "is", "are"} & spoken:
        return
    for at in range(index + 1, min(index + 6, len(tokens))):
        if tokens[at].sentence != token.sentence:
            return
        found = field.starts.get(at)
        if found is None:
            if tokens[at].low in _FILLERS:
                continue
            return
        sentence = [tokens[i].low for i in range(max(0, index - 14), index) if tokens[i].sentence == token.sentence]
        ours = any(word in INTRODUCES or word in GERUNDS or word in {"we", "our", "which"} for word in sentence)
        if any(word in PHENOMENA for word in sentence[-8:]) and not any(word in HEADS for word in sentence[-4:]):
            found.phenomenon = True
            found.add("phenomenon", WEIGHTS["phenomenon"])
        elif not is_known(found.name):
            found.introduce(at, "called", 1.0 if ours else 0.5)
        return


def _ours(field: Field, index: int) -> None:
    """`our X method`, `our method, X,`, `the proposed X`, `the resulting model, X (…)`."""
    tokens = field.flat.tokens
    for at in range(index + 1, min(index + 6, len(tokens))):
        if tokens[at].sentence != tokens[index].sentence:
            return
        found = field.starts.get(at)
        if found is not None:
            apposed = "," in tokens[at].gap or "(" in tokens[at].gap
            if is_known(found.name) or (qualifies(field, found, at) and not apposed):
                return
            if apposed or tokens[at - 1].low in HEADS:
                found.introduce(at, "apposed", 1.0)
            else:
                found.add("our", WEIGHTS["our"] if "our" not in found.signs else 0.5)
                found.introduced = found.introduced or found.run.end - found.run.start > 1 or tokens[at].kind == ODD
            return
        if not describes(tokens[at]) and tokens[at].low != "proposed":
            return


def _apposed(field: Field, head: int) -> None:
    """`a unified framework, X, which`, `The method, X (…), uses`, `our harness (X)`: a kind of thing and its name."""
    tokens = field.flat.tokens
    at = head + 1
    found = field.starts.get(at)
    if (
        found is None
        or is_known(found.name)
        or tokens[at].gap.strip() not in {",", "(", ":", "—"}
        or tokens[at].kind == LOW
    ):
        return
    after = field.flat.gap_after(field.end_of(found, at) - 1).strip()
    if after[:1] not in set(",.;()—:"):
        return
    for back in range(head - 1, max(head - 9, -1), -1):
        if tokens[back].sentence != tokens[head].sentence or tokens[back].low in PREPOSITIONS - {"with", "to"}:
            return
        if tokens[back].low in _ARTICLES:
            opens = back == 0 or tokens[back - 1].sentence != tokens[back].sentence
            if opens or tokens[back - 1].low not in _REPORTING:
                found.introduce(at, "apposed", 0.9 if opens or tokens[back].low != "the" else 0.6)
            return
