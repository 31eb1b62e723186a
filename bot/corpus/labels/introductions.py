"""Sentences that give a name: `we propose X`, `a framework called X`, `our method, X,`, `X is introduced`."""

from bot.corpus.labels.candidates import Candidate, Field, describes, key_of
from bot.corpus.labels.known import is_known
from bot.corpus.labels.lexicon import (
    FUNCTION,
    GERUNDS,
    HEADS,
    INTRODUCES,
    NAMED,
    PHENOMENA,
    STRONG_INTRODUCES,
    SUBJECTS,
)
from bot.corpus.labels.tokens import CAP, LOW, ODD, Run, Token, joined
from bot.corpus.labels.weights import WEIGHTS
from bot.corpus.labels.wordlist import word_set

_CLAUSE_ENDS = word_set("that which who where using while whose when so because since if leveraging by")
_PREPOSITIONS = word_set("for of with in on based via from to over under into")
_DETERMINERS = word_set("a an the our two three another")
_BETWEEN = word_set(
    "and then also further first next therefore thus hence here additionally now instead finally to in turn this end"
)
_BRIDGES = word_set("by we address this and thereby with")
_SPOKEN = word_set("name call term dub coin denote refer referred abbreviate")
_FILLERS = word_set(
    """
    as the a by it this to our method framework approach resulting proposed new model algorithm system variant overall simply
    """
)
_LONGEST_OBJECT = 22


def introductions(field: Field) -> None:
    """Weighs every sentence that introduces a name."""
    tokens = field.flat.tokens
    first = True
    for index, token in enumerate(tokens):
        low = token.low
        if low in INTRODUCES or low in GERUNDS:
            strength = _strength(tokens, index)
            if strength and _object(field, index, strength, first=first):
                first = False
            elif not strength:
                _passive(field, index)
        elif low in NAMED or low in _SPOKEN:
            _called(field, index)
        elif low in {"our", "resulting"} or (low == "proposed" and index and tokens[index - 1].low == "the"):
            _ours(field, index)
        elif low in {"yields", "yielding", "inspire", "inspires"} or (
            low == "is" and index and tokens[index - 1].low == "contribution"
        ):
            found = field.starts.get(index + 1)
            if found is not None and not is_known(found.name):
                _introduce(found, index + 1, "yielded", 1.0)


def _strength(tokens: tuple[Token, ...], index: int) -> float:
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


def _object(field: Field, verb: int, strength: float, *, first: bool) -> bool:
    """Weighs what stands as the object of an introducing verb; true where something is introduced."""
    tokens = field.flat.tokens
    at = verb + 1
    if at >= len(tokens) or tokens[at].sentence != tokens[verb].sentence:
        return False
    determined = tokens[at].low in _DETERMINERS
    direct = None if determined else field.starts.get(at) or _lower_case_name(field, at)
    found = None if direct is not None and _stands_alone(field, direct, at) else _bracket_name(field, at)
    sign = "bracket"
    where = at
    if found is None:
        found = direct
        sign = "direct"
    if found is None:
        found, sign, where = _walk(field, at, determined=determined)
    if found is None or (is_known(found.name) and sign not in {"direct", "bracket"}):
        return False
    if sign == "bracket" and not found.expansion:
        _describe_bracket(field, found, at)
    _introduce(found, where, sign, strength)
    if first:
        found.add("first", WEIGHTS["first"])
    _coordinated(field, found, where, sign, strength)
    return True


def _describe_bracket(field: Field, found: Candidate, at: int) -> None:
    """Capitalised words right before a bracketed name are its other form, whatever their letters: `Box Thirding (B3)`."""
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
        found.expansion_run = Run(start, found.run.start)


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
    found = Candidate(token.text, Run(at, at + 1), mentions=mentions)
    field.table[key_of(token.text)] = found
    for index in mentions:
        field.starts.setdefault(index, found)
    return found


def _bracket_name(field: Field, at: int) -> Candidate | None:
    """The acronym in brackets that ends the noun phrase which starts here: `a zero-shot OOV detector (OOVDet)`."""
    tokens = field.flat.tokens
    sentence = tokens[at].sentence
    prepositions = False
    best: Candidate | None = None
    for index in range(at, min(at + _LONGEST_OBJECT, len(tokens))):
        token = tokens[index]
        if token.sentence != sentence or (
            index > at and token.low in _CLAUSE_ENDS and token.low != "by" and token.kind == LOW
        ):
            break
        found = field.starts.get(index)
        if (
            index > at
            and "(" in token.gap
            and found is not None
            and found.run.start <= index
            and _ends_phrase(field, found, index)
        ):
            span = found.expansion_run
            own = span is not None and span.end == index
            reaches = (
                own
                and span is not None
                and all(describes(tokens[i]) or tokens[i].low in FUNCTION for i in range(at, span.start))
            )
            if (
                reaches
                or (not own and not is_known(found.name))
                or (own and not prepositions and not is_known(found.name))
            ):
                best = found
                if reaches:
                    break
        if (index > at and any(mark in token.gap for mark in ";:—")) or (
            best is not None and "(" not in token.gap and "," in token.gap
        ):
            break
        if token.low in _PREPOSITIONS:
            prepositions = True
    return best


def _ends_phrase(field: Field, found: Candidate, index: int) -> bool:
    """Whether no noun follows the bracket: `(RMR), a`, `(CITE) algorithm`, but not `(PU) distillation`."""
    tokens = field.flat.tokens
    end = field.end_of(found, index) if found.expansion_run is None or found.expansion_run.start != index else index + 1
    if end >= len(tokens):
        return True
    if ")" not in tokens[end].gap:
        return any(mark in tokens[end].gap for mark in ",;:")
    if tokens[end].gap.strip(")\"'”’ *") or tokens[end].sentence != tokens[index].sentence:
        return not tokens[end].gap.strip().endswith("-")
    return tokens[end].kind == LOW and (
        tokens[end].low in FUNCTION or tokens[end].low in HEADS or not _nounlike(tokens[end].low)
    )


def _nounlike(word: str) -> bool:
    return not word.endswith(("ing", "ed", "ly", "es", "s"))


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
            elif index > at and joined(token) and before.low in HEADS and not _qualifies(field, found, index):
                return found, "headed", index
            elif plain and (determined or index - at <= 2) and index - at <= 6 and not _qualifies(field, found, index):
                return found, "determined", index
        if token.low in _PREPOSITIONS:
            plain = False
    return None, "", at


def _qualifies(field: Field, found: Candidate, at: int) -> bool:
    """Whether a name only qualifies another noun (`a Transformer block`) that is no kind of system."""
    tokens = field.flat.tokens
    end = field.end_of(found, at)
    if end < len(tokens) and joined(tokens[end]) and tokens[end].kind == LOW:
        return tokens[end].low not in HEADS and tokens[end].low not in FUNCTION and _nounlike(tokens[end].low)
    return False


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
            _introduce(other, index, "coordinated", strength if sign == "direct" else strength * 0.8)
        return


def _introduce(candidate: Candidate, at: int, sign: str, strength: float) -> None:
    weight = WEIGHTS[sign] * strength
    if sign in candidate.signs:
        weight *= 0.3
    candidate.add(sign, weight)
    candidate.introduced = True
    if candidate.gloss < 0:
        candidate.gloss = at


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
                _introduce(found, at, "passive", 1.0)
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
            _introduce(found, at, "called", 1.0 if ours else 0.5)
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
            if is_known(found.name) or (_qualifies(field, found, at) and not apposed):
                return
            if apposed or tokens[at - 1].low in HEADS:
                _introduce(found, at, "apposed", 1.0)
            else:
                found.add("our", WEIGHTS["our"] if "our" not in found.signs else 0.5)
                found.introduced = found.introduced or found.run.end - found.run.start > 1 or tokens[at].kind == ODD
            return
        if not describes(tokens[at]) and tokens[at].low != "proposed":
            return
