"""What each sentence of an abstract is for: a small linear model over words, neighbouring words, place and cues.

`tools/train_roles.py` makes the model file. It holds integer weights of a conditional random field over the roles and
of a log-linear choice among the sentences of one abstract for the one that states its contribution. Inference needs
the standard library alone.
"""

import base64
import json
import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from pathlib import Path

from bot.summary.cues import CUES

ROLES = ("background", "objective", "method", "result", "other")
"""The roles the model tells apart, in the order of its columns."""

MODEL_FORMAT = 1
_MODEL = Path(__file__).with_name("roles.json")

_TOKEN = re.compile(r"[a-z]+(?:-[a-z]+)*|\d+(?:[.,]\d+)*%?|\?|https?:")
_LONGEST = 1500
"""Characters of a sentence that are looked at: no sentence needs more to show what it is for."""


_AUTHORS_ACT = frozenset({"propose", "study", "show"})
_REMEMBERED = _AUTHORS_ACT | {"named"}


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


@dataclass(frozen=True, slots=True)
class Model:
    """Weights by feature; the columns are the roles, then the contribution. Each column has its own scale."""

    weights: dict[str, tuple[int, ...]]
    scales: tuple[float, ...]
    transitions: tuple[tuple[float, ...], ...]

    def scores(self, features: Iterable[str]) -> list[float]:
        """The sum of the weights of the features that the model knows, a column each."""
        known = [row for feature in features if (row := self.weights.get(feature)) is not None]
        if not known:
            return [0.0] * len(self.scales)
        return [sum(column) * scale for column, scale in zip(zip(*known, strict=True), self.scales, strict=True)]


@cache
def model() -> Model:
    """The trained model, read once."""
    stored = json.loads(_MODEL.read_text(encoding="utf-8"))
    if stored["format"] != MODEL_FORMAT:
        raise ValueError(f"{_MODEL.name} has format {stored['format']}, not {MODEL_FORMAT}: run tools/train_roles.py")
    width = len(ROLES) + 1
    table = memoryview(base64.b64decode(stored["weights"])).cast("b").tolist()
    names = stored["features"].split("\n")
    rows = zip(*(iter(table),) * width, strict=True)
    return Model(
        dict(zip(names, rows, strict=True)),
        tuple(stored["scales"]),
        tuple(tuple(row) for row in stored["transitions"]),
    )


def cues(sentence: str) -> frozenset[str]:
    """The names of the cues that a sentence holds."""
    low = sentence[:_LONGEST].lower()
    return frozenset(name for name, pattern in CUES if pattern.search(low))


def features(sentences: Sequence[str], given: Sequence[frozenset[str]]) -> list[set[str]]:
    """What the model looks at, for each sentence of one abstract; `given` holds the cues of each."""
    tokens = [_tokens(sentence) for sentence in sentences]
    count = len(sentences)
    rows: list[set[str]] = []
    seen: set[str] = set()
    authors = any(held & _AUTHORS_ACT for held in given)
    for place, mine in enumerate(tokens):
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
            row |= {f"@before={cue}" for cue in given[place - 1]} | {f"<{token}" for token in tokens[place - 1][:1]}
        if place + 1 < count:
            row |= {f"@after={cue}" for cue in given[place + 1]} | {f">{token}" for token in tokens[place + 1][:1]}
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
    given = [cues(sentence) for sentence in sentences]
    scores = [trained.scores(row) for row in features(sentences, given)]
    roles = _marginals([row[: len(ROLES)] for row in scores], trained.transitions)
    best = max(row[-1] for row in scores)
    chances = [math.exp(row[-1] - best) for row in scores]
    total = sum(chances)
    return [
        Reading(background, objective, method, result, other, chance / total, held)
        for (background, objective, method, result, other), chance, held in zip(roles, chances, given, strict=True)
    ]


def _tokens(sentence: str) -> list[str]:
    found = _TOKEN.findall(sentence[:_LONGEST].lower())
    return [("#%" if token[-1] == "%" else "#") if token[0].isdigit() else token for token in found]


def _marginals(scores: list[list[float]], transitions: tuple[tuple[float, ...], ...]) -> list[list[float]]:
    """The chance of each role at each place, by the forward-backward algorithm on scaled exponentials."""
    emitted = [[math.exp(score - max(row)) for score in row] for row in scores]
    follows = [[math.exp(weight) for weight in row] for row in transitions]
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
