"""Names, handles and topics: against titles of the form `X: …`, withheld from the rules, and on the seeds.

python bench/labels.py [corpus file]

Gold is the part before a title's colon where it is one to three words, is written like a name and occurs in the
abstract. Records are split into halves by the hash of their id: the rules were tuned on the development half alone.
"""

import gzip
import hashlib
import json
import os
import re
import statistics
import sys
import time
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from bot.corpus import load_corpus
from bot.corpus.labels import Label, assign, derive, handle_base
from bot.corpus.markup import parse
from bot.corpus.topics import derive_topics
from bot.papers import normalised
from bot.richtext import Inlines, Text, plain

ROOT = Path(__file__).resolve().parent.parent
SHARED = Path(os.environ.get("PAPERBOY_SHARED", ROOT.parent / "shared"))

_PREFIX = re.compile(r"\s*([^:]{1,50}?)\s*:\s")
_JOINERS = frozenset({"of", "as", "for", "the", "and", "with", "in", "to"})
_SHOWN_MISSES = 12


@dataclass(slots=True)
class Tally:
    """Counts of one half."""

    papers: int = 0
    name: int = 0
    either: int = 0
    handle: int = 0
    titled: int = 0
    phrases: int = 0
    seconds: list[float] = field(default_factory=list)
    misses: list[str] = field(default_factory=list)


def bare(words: str) -> str:
    """Letters and digits alone: `SCHUR-A*` and `schur a` are one."""
    return re.sub(r"[\W_]", "", unicodedata.normalize("NFKD", words).casefold())


def gold_name(title: str, abstract: str) -> str:
    """The name that a title gives, or nothing."""
    found = _PREFIX.match(title)
    words = found[1].split() if found else []
    if not found or not words or len(words) > 3 or found[1].casefold() == "position":
        return ""
    parts = re.findall(r"[^\W_]+", found[1])
    pattern = r"(?<![A-Za-z0-9])" + r"[\W_]*".join(map(re.escape, parts)) + r"(?![A-Za-z0-9])"
    if not parts or not re.search(pattern, abstract):
        return ""
    odd = any(re.search(r"[A-Z].*[A-Z]|[a-z][A-Z]|\d", word) for word in words)
    capitals = all(word[0].isupper() for word in words if word not in _JOINERS)
    return found[1] if len(words) == 1 or odd or capitals else ""


def records(path: Path) -> Iterator[tuple[str, str, Inlines]]:
    """Id, title and abstract of each distinct paper."""
    seen: set[str] = set()
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            record = json.loads(line)
            abstract = parse(record["abstract_html"] or "")
            key = normalised(plain(abstract))
            if key and key not in seen:
                seen.add(key)
                yield record["id"], plain(parse(record["title"])), abstract


def half_of(record_id: str) -> str:
    """Which half a record belongs to."""
    return "held-out" if hashlib.sha256(record_id.encode()).digest()[0] % 2 else "development"


def count(tally: Tally, gold: str, title: str, abstract: Inlines) -> None:
    """Derive one label with the title withheld, then with it, and compare."""
    started = time.perf_counter()
    label = derive(abstract)
    tally.seconds.append(time.perf_counter() - started)
    key = bare(gold)
    either = key in {bare(form) for form in (label.name, *label.aliases)}
    tally.papers += 1
    tally.name += bare(label.name) == key
    tally.either += either
    tally.handle += bare(handle_base(label)) == bare(handle_base(Label(gold, (), phrase=False, title=gold)))
    tally.titled += bare(derive(abstract, title=(Text(title),)).name) == key
    tally.phrases += label.phrase
    if not either:
        tally.misses.append(f"{gold} <- {label.name}")


def conference(path: Path) -> None:
    """Print the figures of a whole conference."""
    tallies = {"development": Tally(), "held-out": Tally()}
    labels: list[Label] = []
    texts: list[str] = []
    for record_id, title, abstract in records(path):
        text = plain(abstract)
        texts.append(text)
        labels.append(derive(abstract))
        if gold := gold_name(title, text):
            count(tallies[half_of(record_id)], gold, title, abstract)
    heads = ("name or alias", "name", "handle", "title given", "as phrase")
    print("{:12} {:>6} {:>14} {:>7} {:>7} {:>12} {:>10}".format("half", "papers", *heads))
    for name, tally in tallies.items():
        counts = (tally.either, tally.name, tally.handle, tally.titled, tally.phrases)
        shares = [part / tally.papers for part in counts]
        print("{:12} {:6d} {:14.1%} {:7.1%} {:7.1%} {:12.1%} {:10.1%}".format(name, tally.papers, *shares))
    seconds = [second for tally in tallies.values() for second in tally.seconds]
    print(f"derive: {statistics.mean(seconds) * 1000:.2f} ms mean, {max(seconds) * 1000:.1f} ms at most")
    misses = tallies["development"].misses
    print(f"missed (development, {len(misses)}): " + "; ".join(misses[:_SHOWN_MISSES]))
    started = time.perf_counter()
    handles = assign(labels, {})
    lengths = statistics.mean(map(len, handles))
    bases = {handle_base(label) for label in labels}
    numbered = sum(bool(re.search(r"-\d+$", handle)) for handle in set(handles) - bases)
    print(
        f"handles: {len(handles)} in {time.perf_counter() - started:.2f} s, {len(set(handles))} distinct, "
        f"{lengths:.1f} characters on average, {numbered} told apart by a number"
    )
    started = time.perf_counter()
    found = derive_topics(texts)
    seconds_taken = time.perf_counter() - started
    without = sum(not topics for topics in found.by_text)
    print(f"topics: {len(found.topics)} in {seconds_taken:.2f} s, {without} of {len(texts)} papers without one")
    print("  " + ", ".join(found.topics))


def seeds(cases: Path) -> None:
    """Print what the seeds are called, without their titles and with them."""
    rows = [json.loads(line) for line in cases.read_text(encoding="utf-8").splitlines()]
    corpus = load_corpus([ROOT / "seeds"])
    untitled = [derive(paper.abstract, links=paper.links) for paper in corpus]
    right = sum(bare(row["name"]) in forms(label) for row, label in zip(rows, untitled, strict=True))
    titled = sum(
        bare(row["name"]) in {bare(f) for f in (p.name, *p.aliases)} for row, p in zip(rows, corpus, strict=True)
    )
    print(f"seeds: {right} of {len(rows)} names right without titles, {titled} with")
    topics = derive_topics([paper.text for paper in corpus]).topics
    print(f"  handles: {', '.join(assign(untitled, {}))}")
    print(f"  topics: {', '.join(topics)}")


def forms(label: Label) -> set[str]:
    """All forms of a label, bare."""
    return {bare(form) for form in (label.name, *label.aliases)}


def main() -> int:
    """Print the tables."""
    cases = SHARED / "cases" / "seed_rows.jsonl"
    if cases.exists():
        seeds(cases)
    corpus = Path(sys.argv[1]) if len(sys.argv) > 1 else SHARED / "data" / "icml2026.jsonl.gz"
    if not corpus.exists():
        print(f"conference: skipped, {corpus} is not there")
        return 0
    conference(corpus)
    return 0


if __name__ == "__main__":
    sys.exit(main())
