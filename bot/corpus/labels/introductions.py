"""Sentences that give a name: `we propose X`, `a framework called X`, `our method, X,`, `X is introduced`."""

from bot.corpus.labels.candidates import WEIGHTS, Field, describes
from bot.corpus.labels.lexicon import (
    GERUNDS,
    HEADS,
    INTRODUCES,
    NAMED,
    PHENOMENA,
    PREPOSITIONS,
    STRONG_INTRODUCES,
    SUBJECTS,
    is_known,
    word_set,
)
from bot.corpus.labels.objects import qualifies, weigh_object
from bot.corpus.labels.tokens import LOW, ODD, Token

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
