"""Train the sentence model of the summaries: `python tools/train_roles.py DATA [--out FILE]`.

DATA holds two public data sets as JSON Lines, gzipped: `csabstruct/train.jsonl.gz` (`sentences` with `labels`, how
sure the annotators were of each in `confs`) and `scitldr/train.jsonl.gz` (`source` sentences and their
`rouge_scores` against one-line summaries by authors and reviewers). The model file holds weights only.

Two log-linear models over the features of `bot.summary.roles`: a linear-chain conditional random field over the roles
(Lafferty, McCallum and Pereira, 2001), each sentence weighted by its annotators' agreement, and a choice among the
sentences of an abstract, fitted to a softmax of the scores. Both are fitted by Adam (Kingma and Ba, 2015) from
zero on the whole data, so that the same data gives the same file.
"""

import argparse
import base64
import gzip
import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bot.summary import roles

Floats = NDArray[np.floating[Any]]
Ints = NDArray[np.int64]

LEAST_OFTEN = 30
"""Sentences of the training data that a feature must occur in."""
LARGEST = 2600
"""Features kept in the file: those with the largest weights."""
ROLE_DECAY, CHOICE_DECAY = 20.0, 60.0
TEMPERATURE = 0.1
"""Of the softmax over a sentence's scores against the reference summaries: small means the best one alone."""
STEPS, RATE = 150, 0.03


def rows(path: Path) -> list[dict[str, list[str]]]:
    """The records of a gzipped JSON Lines file."""
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def features(sentences: list[str]) -> list[set[str]]:
    """The features of each sentence of one abstract."""
    said = [roles.tokens(sentence) for sentence in sentences]
    return roles.features(said, [roles.cues(sentence, words) for sentence, words in zip(sentences, said, strict=True)])


def matrix(documents: list[list[set[str]]], index: dict[str, int]) -> NDArray[np.float32]:
    """One row a sentence, 1 where it has the feature."""
    table = np.zeros((sum(map(len, documents)), len(index)), np.float32)
    row = 0
    for document in documents:
        for sentence in document:
            table[row, [index[feature] for feature in sentence if feature in index]] = 1
            row += 1
    return table


def places(documents: list[list[set[str]]]) -> Ints:
    """The row of each sentence by document and place, -1 past a document's end."""
    table = np.full((len(documents), max(map(len, documents))), -1)
    row = 0
    for number, document in enumerate(documents):
        table[number, : len(document)] = range(row, row + len(document))
        row += len(document)
    return table


def adam(gradient: Callable[[list[Floats]], list[Floats]], parameters: list[Floats]) -> list[Floats]:
    """The parameters after `STEPS` steps down the gradient, the rate falling to nothing."""
    first = [np.zeros_like(one) for one in parameters]
    second = [np.zeros_like(one) for one in parameters]
    for step in range(1, STEPS + 1):
        rate = RATE * (1 - (step - 1) / STEPS)
        for number, slope in enumerate(gradient(parameters)):
            first[number] = 0.9 * first[number] + 0.1 * slope
            second[number] = 0.999 * second[number] + 0.001 * slope**2
            size = np.sqrt(second[number] / (1 - 0.999**step)) + 1e-8
            parameters[number] = parameters[number] - rate * first[number] / (1 - 0.9**step) / size
    return parameters


def log_sum(values: Floats, axis: int) -> Floats:
    """The logarithm of a sum of exponentials along an axis."""
    top = values.max(axis, keepdims=True)
    return np.asarray((top + np.log(np.exp(values - top).sum(axis, keepdims=True))).squeeze(axis))


def chain_slope(emitted: Floats, moves: Floats, where: Ints, gold: Ints) -> tuple[Floats, Floats]:
    """Expected minus observed counts, for the roles of each sentence and for the moves between roles."""
    there = where >= 0
    here = np.where(there[:, :, None], emitted[np.maximum(where, 0)], 0.0)
    ahead, behind = np.zeros_like(here), np.zeros_like(here)
    ahead[:, 0] = here[:, 0]
    for place in range(1, where.shape[1]):
        step = log_sum(ahead[:, place - 1, :, None] + moves[None], 1) + here[:, place]
        ahead[:, place] = np.where(there[:, place, None], step, ahead[:, place - 1])
    for place in range(where.shape[1] - 2, -1, -1):
        step = log_sum(moves[None] + (here[:, place + 1] + behind[:, place + 1])[:, None, :], 2)
        behind[:, place] = np.where(there[:, place + 1, None], step, 0.0)
    total = log_sum(ahead[:, -1], 1)
    slope = np.zeros_like(emitted)
    slope[where[there]] = np.exp(ahead + behind - total[:, None, None])[there]
    slope[np.arange(len(gold)), gold] -= 1
    move_slope = np.zeros_like(moves)
    for place in range(1, where.shape[1]):
        on = there[:, place]
        later = (here[on, place] + behind[on, place])[:, None, :]
        pairs = ahead[on, place - 1, :, None] + moves[None] + later - total[on, None, None]
        move_slope += np.exp(pairs).sum(0)
        np.subtract.at(move_slope, (gold[where[on, place - 1]], gold[where[on, place]]), 1)
    return slope, move_slope


def train_roles(table: NDArray[np.float32], where: Ints, gold: Ints, sure: Floats) -> tuple[Floats, Floats]:
    """Weights by feature and role, and by the role before and the role after."""

    def gradient(now: list[Floats]) -> list[Floats]:
        weights, moves = now
        slope, move_slope = chain_slope(table @ weights.astype(np.float32), moves, where, gold)
        slope *= sure[:, None]
        return [table.T @ slope.astype(np.float32) + ROLE_DECAY * weights, move_slope + 0.1 * moves]

    width = len(roles.ROLES)
    weights, moves = adam(gradient, [np.zeros((table.shape[1], width)), np.zeros((width, width))])
    return weights, moves


def by_document(values: Floats, number: Ints) -> Floats:
    """A softmax of the values of each document's sentences."""
    top = np.full(number.max() + 1, -np.inf)
    np.maximum.at(top, number, values)
    raised = np.exp(values - top[number])
    total = np.zeros(number.max() + 1)
    np.add.at(total, number, raised)
    return np.asarray(raised / total[number])


def train_choice(table: NDArray[np.float32], number: Ints, scores: Floats) -> Floats:
    """Weights by feature for the choice of a document's contribution sentence."""
    wanted = by_document(scores / TEMPERATURE, number)

    def gradient(now: list[Floats]) -> list[Floats]:
        slope = by_document(table @ now[0].astype(np.float32), number) - wanted
        return [table.T @ slope.astype(np.float32) + CHOICE_DECAY * now[0]]

    return adam(gradient, [np.zeros(table.shape[1])])[0]


def main() -> None:
    """Read, train, write."""
    parser = argparse.ArgumentParser(description="Train the sentence model of the summaries.")
    parser.add_argument("data", type=Path, help="folder with csabstruct/ and scitldr/")
    parser.add_argument("--out", type=Path, default=Path(roles.__file__).with_name("roles.json"))
    arguments = parser.parse_args()
    labelled = rows(arguments.data / "csabstruct" / "train.jsonl.gz")
    # a few records have fewer scores than sentences: which sentence has none is not known
    scored = [
        row
        for row in rows(arguments.data / "scitldr" / "train.jsonl.gz")
        if len(row["source"]) == len(row["rouge_scores"])
    ]
    labelled_features = [features(row["sentences"]) for row in labelled]
    scored_features = [features(row["source"]) for row in scored]
    counts = Counter(
        feature for document in (*labelled_features, *scored_features) for sentence in document for feature in sentence
    )
    names = sorted(feature for feature, count in counts.items() if count >= LEAST_OFTEN)
    index = {name: number for number, name in enumerate(names)}

    gold = np.array([roles.ROLES.index(label) for row in labelled for label in row["labels"]])
    sure = np.array([float(conf) for row in labelled for conf in row["confs"]])
    weights, moves = train_roles(matrix(labelled_features, index), places(labelled_features), gold, sure / sure.mean())
    number = np.repeat(np.arange(len(scored)), [len(row["source"]) for row in scored])
    scores = np.array([float(score) for row in scored for score in row["rouge_scores"]])
    choice = train_choice(matrix(scored_features, index), number, scores)

    table = np.column_stack([weights, choice])
    scales = np.abs(table).max(0) / 127
    strength = (np.abs(table) / scales).max(1)
    kept = sorted(np.argsort(-strength, kind="stable")[:LARGEST])
    stored = np.rint(table[kept] / scales).astype(np.int8)
    model = {
        "format": roles.MODEL_FORMAT,
        "scales": [float(f"{scale:.5g}") for scale in scales],
        "transitions": [[round(float(move), 3) for move in line] for line in moves],
        "features": "\n".join(names[place] for place in kept),
        "weights": base64.b64encode(stored.tobytes()).decode(),
    }
    arguments.out.write_text(json.dumps(model, indent=0, sort_keys=True) + "\n", encoding="utf-8")
    print(f"{len(kept)} of {len(names)} features, {arguments.out.stat().st_size:,} bytes: {arguments.out}")


if __name__ == "__main__":
    main()
