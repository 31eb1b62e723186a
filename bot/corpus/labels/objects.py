"""What stands as the object of an introducing verb: `we propose X`, `a detector (OOVDet)`, `a framework, X, that`."""

from collections.abc import Sequence

from bot.corpus.labels.candidates import WEIGHTS, Candidate, Field, describes, ends_phrase, key_of, nounlike
from bot.corpus.labels.lexicon import FUNCTION, HEADS, NAMED, PHENOMENA, PREPOSITIONS, is_known, word_set
from bot.corpus.labels.tokens import CAP, LOW, Run, Token, joined

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


def _closes_object(token: Token, *, found: bool) -> bool:
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


def _only_describes(tokens: Sequence[Token]) -> bool:
    return all(describes(token) or token.low in FUNCTION for token in tokens)
