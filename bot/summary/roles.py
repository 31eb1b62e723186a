"""What each sentence of an abstract is for: a small linear model over words, neighbouring words, place and cues.

`tools/train_roles.py` makes the model file. It holds integer weights of a conditional random field over the roles and
of a log-linear choice among the sentences of one abstract for the one that states its contribution. Inference needs
the standard library alone.
"""

import base64
import json
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from pathlib import Path

from bot.summary.cues import cues, tokens

ROLES = ("background", "objective", "method", "result", "other")
"""The roles the model tells apart, in the order of its columns."""

MODEL_FORMAT = 1
_MODEL = Path(__file__).with_name("roles.json")

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
    authors = any(held & _AUTHORS_ACT for held in given)
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
