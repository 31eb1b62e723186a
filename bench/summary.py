"""Summaries against annotated abstracts: sentence bounds, roles, the one line; and what they look like on a conference.

python bench/summary.py [--limit N]

CSAbstruct's development set has sentences with roles; SciTLDR's has one-line summaries by authors and reviewers and,
for each abstract, the sentence with the highest ROUGE against them (the oracle). ROUGE here is the F1 of lower-case
words without stemming, the best over the references. `--limit` bounds the conference's papers.
"""

import argparse
import gzip
import json
import os
import re
import statistics
import sys
import time
from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any

from bot.corpus.markup import parse
from bot.richtext import plain
from bot.summary import summarise_text
from bot.summary.extract import TLDR, pick
from bot.summary.roles import ROLES, cues, read, tokens
from bot.summary.sentences import spans

ROOT = Path(__file__).resolve().parent.parent
SHARED = Path(os.environ.get("PAPERBOY_SHARED", ROOT.parent / "shared")) / "data"
GIVEN = ("csabstruct/dev", "scitldr/dev", "icml2026")
AGREED = 0.7
"""Annotators' agreement from which a label counts as agreed."""


def rows(name: str) -> list[dict[str, Any]]:
    with gzip.open(SHARED / f"{name}.jsonl.gz", "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def bounds(abstracts: Sequence[Sequence[str]]) -> None:
    """Joined with spaces and split again: the share of bounds found, and of found ones that are right."""
    right = found = wanted = 0
    for sentences in abstracts:
        pieces = [" ".join(sentence.split()) for sentence in sentences if sentence.strip()]
        ends: set[int] = set()
        at = 0
        for piece in pieces[:-1]:
            at += len(piece)
            ends.add(at)
            at += 1
        got = {end for _, end in spans(" ".join(pieces))[:-1]}
        right, found, wanted = right + len(got & ends), found + len(got), wanted + len(ends)
    precision, recall = right / found, right / wanted
    score = 2 * precision * recall / (precision + recall)
    print(f"  sentence bounds    precision {precision:.4f}  recall {recall:.4f}  F1 {score:.4f}  ({wanted} bounds)")


def by_cues(sentences: Sequence[str]) -> list[str]:
    """The baseline of rules: background until the authors act, then method, or result where results are named."""
    given: list[str] = []
    acted = False
    for sentence in sentences:
        held = cues(sentence, tokens(sentence))
        if not acted and held & {"propose", "study", "show"}:
            acted = True
            given.append("objective")
        elif not acted:
            given.append("background")
        else:
            given.append("result" if held & {"result", "evaluated", "show"} else "method")
    return given


def by_model(sentences: Sequence[str]) -> list[str]:
    return [max(ROLES, key=partial(getattr, one)) for one in read(sentences)]


def roles(abstracts: Sequence[dict[str, Any]]) -> None:
    most = Counter(label for one in abstracts for label in one["labels"]).most_common(1)[0][0]
    ways: dict[str, Callable[[Sequence[str]], list[str]]] = {
        f"always {most}": lambda sentences: [most] * len(sentences),
        "cue rules": by_cues,
        "this model": by_model,
    }
    for name, way in ways.items():
        pairs = [
            (guess == label, conf >= AGREED)
            for one in abstracts
            for guess, label, conf in zip(way(one["sentences"]), one["labels"], one["confs"], strict=True)
        ]
        agreed = [right for right, sure in pairs if sure]
        print(
            f"  role: {name:18} accuracy {statistics.mean(right for right, _ in pairs):.4f}"
            f"  where annotators agree {statistics.mean(agreed):.4f}  ({len(pairs)}, {len(agreed)} sentences)"
        )


def by_reading() -> None:
    """The seeds' sentences as a person chose them, role by role, and those that are chosen otherwise."""
    wanted = [json.loads(line) for line in (ROOT / "tests/data/seed_sentences.jsonl").read_text("utf-8").splitlines()]
    files = sorted((ROOT / "seeds").glob("*.txt"))
    wrong = []
    asked = 0
    for row in wanted:
        file, place = map(int, row.pop("seed").split(":"))
        parts = [part for part in files[file].read_text("utf-8").split("\n\n")[1:] if part.strip()]
        made = summarise_text(plain(parse(parts[place - 1])))
        chosen = {"tldr": made.tldr_sentence} | {line.role: line.sentence for line in made.lines}
        asked += len(row)
        wrong += [
            f"{file}:{place} {role}: {chosen.get(role)} instead of {allowed}"
            for role, allowed in row.items()
            if chosen.get(role) not in (allowed or [None])
        ]
    print(f"  sentences as a person chose them {asked - len(wrong)} of {asked}", *wrong, sep="\n    ")


def rouge(candidate: str, references: Sequence[str]) -> tuple[float, float, float]:
    """ROUGE-1, -2 and -L, each the best over the references."""
    scores = [_rouge_one(_plain_words(candidate), _plain_words(reference)) for reference in references]
    return max(one[0] for one in scores), max(one[1] for one in scores), max(one[2] for one in scores)


def _plain_words(text: str) -> list[str]:
    return re.findall(r"[a-z0-9]+", text.lower())


def _rouge_one(ours: list[str], theirs: list[str]) -> tuple[float, float, float]:
    grams = [
        _f1((Counter(one) & Counter(other)).total(), len(one), len(other))
        for one, other in (
            (ours, theirs),
            (list(pairwise(ours)), list(pairwise(theirs))),
        )
    ]
    row = [0] * (len(theirs) + 1)
    for word in ours:
        last = 0
        for place, other in enumerate(theirs, 1):
            last, row[place] = row[place], last + 1 if word == other else max(row[place], row[place - 1])
    return grams[0], grams[1], _f1(row[-1], len(ours), len(theirs))


def _f1(common: int, ours: int, theirs: int) -> float:
    return 2 * common / (ours + theirs) if common else 0.0


def one_line(papers: Sequence[dict[str, Any]]) -> None:
    ways: dict[str, Callable[[list[str], int], str]] = {
        "first sentence": lambda sentences, _: sentences[0],
        "our sentence": lambda sentences, _: sentences[pick(sentences).tldr],
        "our line": lambda sentences, _: summarise_text(" ".join(sentences)).tldr,
        "oracle sentence": lambda sentences, oracle: sentences[oracle],
    }
    cleaned = [([" ".join(sentence.split()) for sentence in one["source"]], one) for one in papers]
    for name, way in ways.items():
        lines = [way(sentences, one["source_labels"].index(1)) for sentences, one in cleaned]
        scores = [rouge(line, one["target"]) for line, (_, one) in zip(lines, cleaned, strict=True)]
        first, second, longest = (statistics.mean(column) for column in zip(*scores, strict=True))
        length = statistics.mean(map(len, lines))
        print(f"  {name:18} ROUGE-1 {first:.4f}  ROUGE-2 {second:.4f}  ROUGE-L {longest:.4f}  {length:5.0f} characters")
    hits = [one["source_labels"][pick(sentences).tldr] for sentences, one in cleaned]
    leads = [one["source_labels"][0] for one in papers]
    print(
        f"  oracle sentence    ours {statistics.mean(hits):.4f}  first {statistics.mean(leads):.4f}"
        f"  ({len(hits)} papers)"
    )


_POSITION = re.compile(r"\bposition paper\b.{0,60}\b(?:argue|posit|call|advocate|contend|propose)", re.IGNORECASE)


def positions(text: str) -> set[int]:
    """The sentences, counted from 1, in which a position paper says what it argues."""
    return {place for place, (start, end) in enumerate(spans(text), 1) if _POSITION.search(text[start:end])}


def conference(limit: int | None) -> None:
    texts = list(dict.fromkeys(plain(parse(one["abstract_html"])) for one in rows("icml2026")[:limit]))
    summarise_text(texts[0])
    started = time.process_time()
    made = [summarise_text(text) for text in texts]
    spent = (time.process_time() - started) / len(texts) * 1000
    lengths = sorted(len(one.tldr) for one in made)
    deciles = "  ".join(
        f"{part}%: {lengths[min(len(lengths) * part // 100, len(lengths) - 1)]}" for part in (5, 25, 50, 75, 90, 99)
    )
    print(f"  {len(texts)} abstracts, {spent:.2f} ms of processor each")
    print(f"  characters of the one line  {deciles}")
    for bound in (TLDR, TLDR + 20, 220):
        print(f"    at most {bound}: {statistics.mean(length <= bound for length in lengths):.1%}")
    for role in ("problem", "approach", "result", "code"):
        print(f"  with {role:9} {statistics.mean(any(line.role == role for line in one.lines) for one in made):.1%}")
    own = [any(line.role == "approach" and line.sentence != one.tldr_sentence for line in one.lines) for one in made]
    print(f"  approach from a sentence of its own {statistics.mean(own):.1%}")
    argued = [(one, states) for text, one in zip(texts, made, strict=True) if (states := positions(text))]
    told = sum(one.tldr_sentence in states for one, states in argued)
    print(f"  position papers whose one line is the position: {told} of {len(argued)}")
    print(f"  one lines that ask instead of telling: {sum(one.tldr.endswith('?') for one in made)}")


def main() -> int:
    """Print every table."""
    parser = argparse.ArgumentParser(description="Summaries, measured.")
    parser.add_argument("--limit", type=int, default=None, help="papers of the conference (all)")
    arguments = parser.parse_args()
    if absent := [name for name in GIVEN if not (SHARED / f"{name}.jsonl.gz").exists()]:
        print(f"skipped: no {SHARED / absent[0]}.jsonl.gz; set PAPERBOY_SHARED")
        return 0
    labelled = rows("csabstruct/dev")
    # a few records have fewer labels than sentences, or none marked
    scored = [one for one in rows("scitldr/dev") if len(one["source"]) == len(one["rouge_scores"])]
    print("CSAbstruct, development set")
    bounds([one["sentences"] for one in labelled])
    roles(labelled)
    print("SciTLDR, development set")
    one_line(scored)
    print("Seeds")
    by_reading()
    print("ICML 2026")
    conference(arguments.limit)
    return 0


if __name__ == "__main__":
    sys.exit(main())
