"""What each sentence of an abstract is for: phrases that give it away (cues), and a small linear model over them.

The model also looks at words, neighbouring words and the place; the rules of `extract` read the same cues.

`tools/train_roles.py` makes the model file. It holds integer weights of a conditional random field over the roles and
of a log-linear choice among the sentences of one abstract for the one that states its contribution. Inference needs
the standard library alone.
"""

import base64
import json
import math
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import pairwise
from pathlib import Path

from bot.summary.lexicon import either, words

LONGEST = 1500
"""Characters of a sentence that are looked at: no sentence needs more to show what it is for."""

_TOKEN = re.compile(r"[a-z]+(?:-[a-z]+)*|\d+(?:[.,]\d+)*%?|\?")
_AUTHORS_SUBJECT = re.compile(
    r"\b(?:we|i|the authors|"
    r"(?:this|the|our)(?: \w+)? (?:paper|work|article|study|thesis|survey|manuscript|report|note))"
    r"(?: (?:\w+ly|also|first|then|here|thus|therefore|further|next|now|instead|hence|moreover|too)){0,2}"
    r" ([a-z]+)(?= (forward)?)"
)
_ACTS = {
    "propose": words("""
        propose introduce present develop design devise formulate build create construct contribute release describe
        put advocate offer unveil craft implement instantiate curate advance
    """),
    "study": words("""
        study investigate analyze analyse examine explore ask revisit consider address tackle aim focus argue
        conduct characterize characterise formalize formalise review survey discuss question rethink seek attempt
        extend prove derive provide give solve bridge close resolve generalize generalise adapt apply use leverage
        train view perform adopt employ combine integrate incorporate frame cast define
    """),
    "show": words("""
        show demonstrate find observe identify reveal report evaluate discover uncover validate verify compare test
        illustrate benchmark confirm highlight establish
    """),
}
_IRREGULAR = {"built": "build", "shown": "show", "found": "find", "gave": "give", "sought": "seek"}

_BY_WORD = {
    name: re.compile(either(line))
    for name, line in {
        "named": "called termed dubbed named coined namely",
        "hard": r"""
            remains? challeng\w+ limit(?:s|ed|ations?)? suffers? fails? struggles? lacks? overlooks? bottleneck\w*
            hinder\w* costly expensive prohibitive\w* degrad\w+ inefficien\w+ unclear under-?explored brittle cannot
            ignor\w+ neglect\w* impractical intractable insufficient\w* inadequate\w* unreliabl\w+ poorly scarc\w+
            difficult\w* hard strained crisis vulnerab\w+ redundan\w+ ambigu\w+ conflat\w+ overlooking lacking
            failing suffering undermin\w+ unstable instability intensive unknown unexplored untested
        """,
        "result": r"""
            outperform\w* surpass\w* state-of-the-art sota achiev\w+ improv\w+ reduc\w+ speedups? faster higher
            competitive superior\w* gains? accuracy
        """,
        "evaluated": "experiments? evaluations? results? empirically simulations? ablations? benchmarks? extensive",
        "means": r"by via through using leverag\w+ consists? comprises? combin\w+ integrat\w+ employs?",
        "outlook": "suggests? highlights? implications? insights? paves? promising overall underscores? opens",
    }.items()
}
_KINDS = either(r"methods? approach\w* works? stud\w+ models? systems? techniques? benchmarks? algorithms? frameworks?")
_SHARED = either("""
    code codes codebase implementations? scripts? data datasets? models? weights checkpoints? benchmark demos? toolkit
    library materials? package repository repo resources artifacts? page website link everything all pipelines?
    evaluators? harness suite
""")
_GIVEN = either(r"""
    available released? open[-\ ]?sourced? public(?:ly)?\b found_(?:at|in|on) provided_(?:at|in|on|with|here|as)
    accessible hosted made_public here
""")
_GIVES = (
    re.compile(
        rf"\b(?:{_SHARED})\b(?: \([^)]{{0,60}}\))?(?: \w+){{0,3}}? "
        rf"(?:is|are|will be|can be|has been|have been|was|were)(?: \w+){{0,3}}? (?:{_GIVEN})"
    ),
    re.compile(
        r"\b(?:we|and|will|plan to|aim to|intend to) (?:(?:also|will|further|have|publicly|fully|then) ){0,2}"
        r"(?:release|publish) "
        r"(?:our|the|all|both|a|an|its|this|these|everything|code|data|models?|pre-?trained|\w+bench)\b"
    ),
    re.compile(r"\bwe (?:(?:also|will|further|publicly|fully|then) ){0,2}(?:release|open[- ]source) "),
    re.compile(r"\b(?:we will|will|plan to|aim to|intend to) (?:(?:also|publicly|fully) ){0,2}open[- ]source "),
    re.compile(r"\b(?:we|will)(?: \w+){0,2} make (?:[^\s.]+ ){1,10}(?:available|public|accessible|open)"),
    re.compile(
        r"\bwe (?:also )?provide (?:[^\s,.]+ ){0,5}(?:code|implementation|package|library|toolkit|repository)\b"
    ),
)
_GIVING = (
    "availab",
    "releas",
    "open-sourc",
    "open sourc",
    "public",
    "accessib",
    "found ",
    "provide",
    "publish",
    " here",
)
"""Parts of words, one of which every statement of availability holds."""
_ON_CONDITION = re.compile(
    r"\b(?:when|where|if|whether|once|unless|only|often|rarely|never|not|abundantly|increasingly|readily|become|becomes)\b"
)
_CODE = re.compile(r"\b(?:code|codes|codebase|source)\b")


_BY_PHRASE = {
    name: re.compile(line)
    for name, line in {
        "propose": r", our proposed ",
        "also": r"we (?:also|additionally|further|furthermore|then|next|finally|subsequently)\b",
        "passive": r"\b(?:is|are|was|were) "
        r"(?:proposed|introduced|presented|developed|described|investigated|studied)\b",
        "prior": r"\b(?:existing|prior|previous|current|recent|traditional|conventional|most) "
        rf"(?:[\w–-]+ ){{0,2}}(?:{_KINDS})\b",
        "gain": r"\d(?:\.\d+)?\s?(?:%|×|x\b|percent|points?|times|-fold)",
    }.items()
}
_BY_OPENING = {
    name: re.compile(line)
    for name, line in {
        "propose": r"our proposed ",
        "also": r"(?:additionally|furthermore|moreover|besides|in addition)\b",
        "contrast": r"(?:however|yet|but|unfortunately|nevertheless|nonetheless|still)\b",
        "concede": r"(?:despite|although|though|while|even though)\b",
        "hope": r"(?:\w+, )?(?:we|i) (?:hope|believe|conclude|encourage|expect|close|end|call (?:for|on|upon))\b",
        "back": r"(?:it|this|these|those|they|such|that|both|here|building on|based on|in particular|specifically"
        r"|concretely)\b",
        "code": r"\W{0,3}(?:(?:our|the|source|anonymous|project) ){0,3}"
        r"(?:code|codes|page|website|github|demo|repository|repo|homepage|data|dataset)\b"
        r"(?:[^.:&]{0,30}(?:: |&)|[^.,]{0,30} (?:available|at:? https?))",
    }.items()
}


def tokens(sentence: str) -> list[str]:
    """The words of a sentence in lower case, `#` for a number and `#%` for a percentage."""
    found = _TOKEN.findall(sentence[:LONGEST].lower())
    return [("#%" if token[-1] == "%" else "#") if token[0].isdigit() else token for token in found]


def cues(sentence: str, its_tokens: Sequence[str]) -> frozenset[str]:
    """The names of the cues that a sentence holds; `its_tokens` are its `tokens`."""
    low = sentence[:LONGEST].lower()
    held = {name for name, pattern in _BY_PHRASE.items() if pattern.search(low)}
    held.update(name for name, pattern in _BY_OPENING.items() if pattern.match(low))
    if _address(low) or (any(hint in low for hint in _GIVING) and _gives(low)):
        held.add("code")
    held.update(*map(_of_word, its_tokens))
    held.update(_acts(low))
    return frozenset(held)


def _address(low: str) -> bool:
    return "://" in low or "www." in low or ".github.io" in low


def _gives(low: str) -> bool:
    """Whether the sentence says where code or data is, or that it is there, and not when it would be."""
    return any(pattern.search(low) for pattern in _GIVES) and (
        _ON_CONDITION.search(low) is None or _CODE.search(low) is not None
    )


def _acts(low: str) -> Iterator[str]:
    """What the authors do as subject of a verb, in the present or past."""
    for found in _AUTHORS_SUBJECT.finditer(low):
        verb = found.group(1)
        if verb == "put" and not found.group(2):
            continue
        for name, verbs in _ACTS.items():
            if any(form in verbs for form in _plain_forms(verb)):
                yield name


@lru_cache(maxsize=4096)
def _plain_forms(verb: str) -> tuple[str, ...]:
    forms = [verb, _IRREGULAR.get(verb, verb)]
    for ending, plain in (("ies", "y"), ("ied", "y"), ("es", ""), ("s", ""), ("ed", ""), ("d", "")):
        if verb.endswith(ending):
            forms.append(verb[: -len(ending)] + plain)
    return tuple(forms)


@lru_cache(maxsize=16384)
def _of_word(token: str) -> frozenset[str]:
    return frozenset(name for name, pattern in _BY_WORD.items() if pattern.fullmatch(token))


ROLES = ("background", "objective", "method", "result", "other")
"""The roles the model tells apart, in the order of its columns."""

MODEL_FORMAT = 1
_MODEL = Path(__file__).with_name("roles.json")

AUTHORS_ACT = frozenset({"propose", "study", "show"})
"""Cues of a sentence in which the authors say what they do."""
_REMEMBERED = AUTHORS_ACT | {"named"}


@dataclass(frozen=True, slots=True)
class Reading:
    """One sentence as the model sees it: the chance of each role, and of being the contribution; its cues by name."""

    background: float
    objective: float
    method: float
    result: float
    other: float
    contribution: float
    cues: frozenset[str]


_FIELD = 20
"""Bits of one column in a packed row: a sum of 8-bit weights over every feature of the longest sentence fits."""
_OFFSET = 128


@dataclass(frozen=True, slots=True)
class Model:
    """Weights by feature; the columns are the roles, then the contribution. Each column has its own scale.

    A row is one integer, its columns side by side and made positive, so that adding rows is adding integers.
    """

    rows: dict[str, int]
    scales: tuple[float, ...]
    follows: tuple[tuple[float, ...], ...]
    """By the role before and the role after: the exponential of the weight of that move."""

    def scores(self, features: Iterable[str]) -> list[float]:
        """The sum of the weights of the features that the model knows, a column each."""
        known = [row for row in map(self.rows.get, features) if row is not None]
        total, offset = sum(known), _OFFSET * len(known)
        return [
            ((total >> _FIELD * column & (1 << _FIELD) - 1) - offset) * scale
            for column, scale in enumerate(self.scales)
        ]


@cache
def model() -> Model:
    """The trained model, read once."""
    stored = json.loads(_MODEL.read_text(encoding="utf-8"))
    if stored["format"] != MODEL_FORMAT:
        raise ValueError(f"{_MODEL.name} has format {stored['format']}, not {MODEL_FORMAT}: run tools/train_roles.py")
    table = memoryview(base64.b64decode(stored["weights"])).cast("b").tolist()
    columns = zip(*(iter(table),) * (len(ROLES) + 1), strict=True)
    packed = (sum(weight + _OFFSET << _FIELD * column for column, weight in enumerate(weights)) for weights in columns)
    return Model(
        dict(zip(stored["features"].split("\n"), packed, strict=True)),
        tuple(stored["scales"]),
        tuple(tuple(map(math.exp, row)) for row in stored["transitions"]),
    )


def features(said: Sequence[Sequence[str]], given: Sequence[frozenset[str]]) -> list[set[str]]:
    """What the model looks at, for each sentence of one abstract: from the tokens and the cues of each."""
    count = len(said)
    rows: list[set[str]] = []
    seen: set[str] = set()
    authors = any(held & AUTHORS_ACT for held in given)
    for place, mine in enumerate(said):
        row = {*mine, *map(" ".join, pairwise(mine)), *(f"@cue={cue}" for cue in given[place])}
        row |= {
            f"@tenth={10 * place // count}",
            f"@from-start={min(place, 4)}",
            f"@from-end={min(count - 1 - place, 3)}",
        }
        row |= {"@bias", f"@length={min(len(mine) // 8, 6)}", f"@count={min(count, 12)}"}
        row |= {f"@first={cue}" for cue in given[place] - seen} | {f"@seen={cue}" for cue in seen & _REMEMBERED}
        if mine:
            row |= {f"^{mine[0]}", f"^{' '.join(mine[:2])}"}
        if place:
            row |= {f"@before={cue}" for cue in given[place - 1]} | {f"<{token}" for token in said[place - 1][:1]}
        if place + 1 < count:
            row |= {f"@after={cue}" for cue in given[place + 1]} | {f">{token}" for token in said[place + 1][:1]}
        if not authors:
            row.add("@no-authors")
        seen |= given[place]
        rows.append(row)
    return rows


def read(sentences: Sequence[str]) -> list[Reading]:
    """Each sentence of one abstract as the model sees it."""
    if not sentences:
        return []
    trained = model()
    said = [tokens(sentence) for sentence in sentences]
    given = [cues(sentence, words) for sentence, words in zip(sentences, said, strict=True)]
    scores = [trained.scores(row) for row in features(said, given)]
    roles = _marginals([row[: len(ROLES)] for row in scores], trained.follows)
    best = max(row[-1] for row in scores)
    chances = [math.exp(row[-1] - best) for row in scores]
    total = sum(chances)
    return [
        Reading(background, objective, method, result, other, chance / total, held)
        for (background, objective, method, result, other), chance, held in zip(roles, chances, given, strict=True)
    ]


def _marginals(scores: list[list[float]], follows: tuple[tuple[float, ...], ...]) -> list[list[float]]:
    """The chance of each role at each place, by the forward-backward algorithm on scaled exponentials."""
    emitted = [[math.exp(score - max(row)) for score in row] for row in scores]
    every = range(len(ROLES))
    forward = [_scaled(emitted[0])]
    for here in emitted[1:]:
        last = forward[-1]
        forward.append(_scaled([here[to] * sum(last[one] * follows[one][to] for one in every) for to in every]))
    backward = [[1.0] * len(ROLES)]
    for here in reversed(emitted[1:]):
        later = [here[to] * backward[-1][to] for to in every]
        backward.append(_scaled([sum(follows[one][to] * later[to] for to in every) for one in every]))
    backward.reverse()
    return [
        _scaled([ahead * behind for ahead, behind in zip(one, other, strict=True)])
        for one, other in zip(forward, backward, strict=True)
    ]


def _scaled(row: list[float]) -> list[float]:
    total = sum(row)
    return [value / total for value in row]
