"""Search: quality on judged collections and on the seeds, noise on questions about other things, and speed.

Everything is beside what one would pick instead, in the same run: `rank_bm25` and rapidfuzz over all abstracts.

python bench/search.py [quality] [untitled] [seeds] [gate] [requests] [slips] [speed]
"""

import contextlib
import gzip
import json
import logging
import math
import os
import random
import resource
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from pathlib import Path

from rank_bm25 import BM25Okapi
from rapidfuzz import fuzz, process

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from bot.corpus import load_corpus  # noqa: E402
from bot.papers import Corpus, Paper, Source  # noqa: E402
from bot.richtext import Text  # noqa: E402
from bot.search import SearchIndex, parse  # noqa: E402
from bot.search.suggest import Suggester  # noqa: E402
from bot.search.words import STOP_WORDS, tokens  # noqa: E402

SHARED = Path(os.environ.get("PAPERBOY_SHARED", ROOT.parent / "shared"))
DATA = ROOT / "tests" / "data"
FLOORS = {"scifact": 0.689, "cranfield": 0.354, "cisi": 0.335, "cacm": 0.478, "tldr-dev": 0.874}
"""What BM25 alone reaches on each judged collection (nDCG@10)."""

ROUNDS = 3


def records(path: Path) -> list[dict[str, str]]:
    content = path.read_bytes()
    text = (gzip.decompress(content) if path.suffix == ".gz" else content).decode()
    return [json.loads(line) for line in text.split("\n") if line]  # other line ends may be inside


def judged(name: str) -> tuple[Corpus, list[tuple[str, str]], dict[str, dict[str, float]]]:
    """A judged collection: papers without names of their own, queries, and grades by query and document."""
    folder = SHARED / "data" / "ir" / name
    papers = [
        Paper(
            id=f"p{number}",
            handle=f"p{number}",
            name="",
            aliases=(),
            title=(Text(record["title"]),),
            title_source="file",
            abstract=(Text(record["text"]),),
            sources=(Source(name, number + 1, number + 1, record["id"]),),
        )
        for number, record in enumerate(records(folder / "docs.jsonl.gz"))
    ]
    grades: dict[str, dict[str, float]] = {}
    for record in records(folder / "qrels.jsonl"):
        grades.setdefault(record["qid"], {})[record["docid"]] = float(record["grade"])
    queries = [(record["id"], record["text"]) for record in records(folder / "queries.jsonl")]
    return Corpus(tuple(papers), fingerprint=name), [one for one in queries if one[0] in grades], grades


def ndcg(ranked: Sequence[str | None], grades: dict[str, float], depth: int = 10) -> float:
    """Normalised discounted cumulative gain with linear gains."""

    def total(values: Iterable[float]) -> float:
        return sum(value / math.log2(place + 2) for place, value in enumerate(values))

    best = total(sorted(grades.values(), reverse=True)[:depth])
    return total(grades.get(key or "", 0.0) for key in ranked[:depth]) / best if best else 0.0


def stems_of(text: str) -> list[str]:
    return [
        stem for one in tokens(text) for word, stem in zip(one.words, one.stems, strict=True) if word not in STOP_WORDS
    ]


def quality() -> None:
    print(f"{'collection':12}{'papers':>8}{'queries':>9}{'nDCG@10':>9}{'rank_bm25':>11}{'BM25 floor':>12}{'empty':>7}")
    for name, floor in FLOORS.items():
        corpus, queries, grades = judged(name)
        index = SearchIndex.build(corpus)
        answers = [index.search(text, 10) for _, text in queries]
        reached = statistics.mean(
            ndcg([hit.paper.record_id for hit in hits], grades[key])
            for (key, _), hits in zip(queries, answers, strict=True)
        )
        other = "-"
        if len(corpus) < 10_000:  # beyond that it takes minutes
            bm25 = BM25Okapi([stems_of(f"{paper.title_text} {paper.text}") for paper in corpus])
            other = f"{statistics.mean(_bm25_ndcg(bm25, corpus, text, grades[key]) for key, text in queries):.3f}"
        empty = sum(not hits for hits in answers)
        print(f"{name:12}{len(corpus):8}{len(queries):9}{reached:9.3f}{other:>11}{floor:12.3f}{empty:7}")


def _bm25_ndcg(bm25: BM25Okapi, corpus: Corpus, text: str, grades: dict[str, float]) -> float:
    return ndcg([paper.record_id for paper in bm25.get_top_n(stems_of(text), corpus.papers, n=10)], grades)


def seed_of(paper: Paper) -> str:
    source = paper.sources[0]
    return f"{Path(source.file).name[:3]}:{source.position}"


def seeds() -> None:
    index = SearchIndex.build(load_corpus(ROOT / "seeds"))
    own = [(row["seed"], row["query"]) for row in records(DATA / "seed_queries.jsonl")]
    fresh = [(row["seed"], row["query"]) for row in records(DATA / "seed_queries_fresh.jsonl")]
    others = [(row["seed"], row["query"]) for row in records(DATA / "seed_queries_others.jsonl")]
    rows = records(SHARED / "cases" / "seed_rows.jsonl")
    given = [(row["seed"], query) for row in rows for query in row["queries"]]
    for name, asked in (
        ("given rows", given),
        ("own, written before tuning", own),
        ("fresh, after it", fresh),
        ("by somebody else, since tuned on", others),
    ):
        wrong = []
        for seed, query in asked:
            hits = index.search(query, 1)
            if not hits or seed_of(hits[0].paper) != seed:
                wrong.append(f"{query} ({seed})")
        right = len(asked) - len(wrong)
        print(f"{name:28}{right:4} of {len(asked)} first ({right / len(asked):.1%})", *wrong, sep="\n    ")


def gate() -> None:
    off = [row["query"] for row in records(DATA / "off_topic_queries.jsonl")]
    liners = [row["text"] for row in records(SHARED / "data" / "ir" / "tldr-dev" / "queries.jsonl")]
    own = [row["query"] for row in records(DATA / "seed_queries.jsonl")]
    for name, corpus, real in (("seeds", load_corpus(ROOT / "seeds"), own), ("ICML", icml(), liners)):
        index = SearchIndex.build(corpus)
        noise = [query for query in off if index.search(query, 1)]
        lost = [query for query in real if not index.search(query, 1)]
        print(f"{name}: {len(off) - len(noise)} of {len(off)} off-topic queries get nothing;", end=" ")
        print(f"{len(lost)} of {len(real)} real ones get nothing.", *noise, sep="\n    ")
        changed = [query for query in real if index.find(parse(query)).searched_for]
        print(f"{name}: {len(changed)} of {len(real)} real ones are searched in other words.")


HALVES = ("tuned on", "held out")


def requests() -> None:
    """Sentences around topics that the conference has must find what the topic finds; other things, nothing."""
    rows = records(DATA / "requests.jsonl")
    indexes = {"seeds": SearchIndex.build(load_corpus(ROOT / "seeds")), "ICML": SearchIndex.build(icml())}
    for half in HALVES:
        said, topics, off = (
            [row["text"] for row in rows if (row["half"], row["kind"]) == (half, kind)]
            for kind in ("request", "topic", "off topic")
        )
        index = indexes["ICML"]
        refused: list[str] = []
        others: list[str] = []
        for topic in topics:
            best = {hit.paper.id for hit in index.search(topic, 10)}
            for request in said:
                found = [hit.paper.id for hit in index.search(request.format(topic), 5)]
                if not found:
                    refused.append(request.format(topic))
                elif len(best.intersection(found)) < min(3, len(best)):
                    others.append(request.format(topic))
        count = len(said) * len(topics)
        print(f"{half}: of {count} requests {len(refused)} are refused, {len(others)} find other papers.")
        print(*refused, *others, sep="\n    ")
        for name, index in indexes.items():
            noise = [query for query in off if index.search(query, 1)]
            print(f"{half}, {name}: {len(noise)} of {len(off)} off-topic questions get papers.", *noise, sep="\n    ")


def untitled() -> None:
    """Judged collections as files without titles: the labels that are derived must not count as words of the paper."""
    for name in ("scifact", "cranfield", "cisi"):
        _, queries, grades = judged(name)
        with tempfile.TemporaryDirectory() as folder:
            lines = (
                json.dumps({"id": record["id"], "abstract": record["text"]})
                for record in records(SHARED / "data" / "ir" / name / "docs.jsonl.gz")
                if record["text"].strip()
            )
            file = Path(folder, "untitled.jsonl")
            file.write_text("\n".join(lines), "utf-8")
            corpus = load_corpus(file, workers=os.cpu_count() or 1)
        for told, papers in (("derived", corpus.papers), ("real", _as_titled(corpus))):
            index = SearchIndex.build(Corpus(papers, fingerprint=told))
            reached = statistics.mean(
                ndcg([hit.paper.record_id for hit in index.search(text, 10)], grades[key]) for key, text in queries
            )
            print(f"{name:12} without titles, their labels taken as {told:8} nDCG@10 {reached:.3f}")


def _as_titled(corpus: Corpus) -> tuple[Paper, ...]:
    return tuple(replace(paper, title_source="file") for paper in corpus)


def icml() -> Corpus:
    (
        SHARED / "data" / "icml2026.jsonl.gz"
    ).stat()  # raises FileNotFoundError, which a corpus that is loaded only reports
    with contextlib.redirect_stderr(None):
        return load_corpus(SHARED / "data" / "icml2026.jsonl.gz", workers=os.cpu_count() or 1)


def slip(word: str, chance: random.Random) -> str:
    """A word with one slip: two letters swapped, one left out, doubled or replaced."""
    place = chance.randrange(1, len(word) - 1)
    match chance.randrange(4):
        case 0:
            return word[:place] + word[place + 1] + word[place] + word[place + 2 :]
        case 1:
            return word[:place] + word[place + 1 :]
        case 2:
            return word[:place] + word[place] + word[place:]
        case _:
            return word[:place] + chance.choice("etaoinshrdl") + word[place + 1 :]


def slips() -> None:
    chance = random.Random(7)
    corpus = icml()
    index = SearchIndex.build(corpus)
    found = {"as it is": 0, "one slip": 0}
    papers = chance.sample(corpus.papers, 500)
    for paper in papers:
        words = [word for word in paper.title_text.split() if len(word) > 4 and word.isalpha()]
        chosen = chance.sample(words, min(3, len(words)))
        if not chosen:
            continue
        spoilt = [slip(chosen[0], chance), *chosen[1:]]
        for name, typed in (("as it is", chosen), ("one slip", spoilt)):
            hits = index.search(" ".join(typed), 10)
            found[name] += any(hit.paper.id == paper.id for hit in hits)
    for name, right in found.items():
        print(f"three words of a title, {name:10} right paper in the first ten: {right / len(papers):.3f}")
    for name, asked in typed_otherwise(corpus):
        ranked = [(paper, index.search(query, 10)) for paper, query in asked]
        ten = sum(any(hit.paper.id == paper.id for hit in hits) for paper, hits in ranked)
        first = sum(bool(hits) and hits[0].paper.id == paper.id for paper, hits in ranked)
        print(f"{name:42} right paper in the first ten: {ten:4} of {len(asked)}, first {first:4}")


AMERICAN = {
    "ization": "isation", "izing": "ising", "ized": "ised", "ize": "ise", "modeling": "modelling",
    "behavior": "behaviour", "neighbor": "neighbour", "labeled": "labelled", "analyzing": "analysing",
}  # fmt: skip
"""Endings of words in American spelling, and what they are in British."""


def british(word: str) -> str:
    """The word in British spelling, or nothing where it is the same in both."""
    return next((word[: -len(us)] + uk for us, uk in AMERICAN.items() if word.lower().endswith(us)), "")


def typed_otherwise(corpus: Corpus) -> Iterable[tuple[str, list[tuple[Paper, str]]]]:
    """Kinds of queries that each name one paper, but not as it is written."""
    titles = [(paper, [w for w in paper.title_text.split() if len(w) > 4 and w.isalpha()]) for paper in corpus]
    yield (
        "a title's word in British spelling, two more",
        [
            (paper, " ".join([british(some[0]), *[word for word in words if word != some[0]][:2]]))
            for paper, words in titles
            if (some := [word for word in words if british(word)])
        ],
    )
    yield (
        "a title's first word, a long one unfinished",
        [
            (paper, f"{words[0]} {some[-1][:-2]}")
            for paper, words in titles[::4]
            if (some := [word for word in words[1:] if len(word) > 8])
        ],
    )
    yield (
        "a name of several words, a word of others",
        [
            (paper, f"{paper.name.lower()} {others[0]}")
            for place, (paper, _) in enumerate(titles)
            if " " in paper.name and (others := titles[(37 * place + 11) % len(titles)][1])
        ],
    )
    yield (
        "a name of three letters, two swapped",
        [
            (paper, paper.name[1] + paper.name[0] + paper.name[2])
            for paper in corpus
            if len(paper.name) == 3 and paper.name.isalpha()
        ],
    )


def timed(work: Callable[[str], object], queries: Sequence[str], rounds: int = ROUNDS) -> str:
    """Milliseconds on the clock, median and 99th percentile, then the same of this thread's processor time."""
    for query in queries:
        work(query)
    clock: list[float] = []
    processor: list[float] = []
    for _ in range(rounds):
        for query in queries:
            started, busy = time.perf_counter(), time.thread_time()
            work(query)
            processor.append((time.thread_time() - busy) * 1000)
            clock.append((time.perf_counter() - started) * 1000)
    return "".join(
        f"{took[len(took) // 2]:9.2f}{took[int(len(took) * 0.99)]:9.2f}" for took in (sorted(clock), sorted(processor))
    )


def speed() -> None:
    for name, corpus in (("seeds", load_corpus(ROOT / "seeds")), ("ICML", icml())):
        print(f"{name}, {len(corpus)} papers")
        _speed_of(corpus)
    print(f"peak memory of this process {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MB")


def _speed_of(corpus: Corpus) -> None:
    queries = [row["query"] for row in records(DATA / "seed_queries.jsonl")]
    with tempfile.TemporaryDirectory() as folder:
        took = []
        for asks in ((), (), queries[:1]):
            started = time.perf_counter()
            opened = SearchIndex.build(corpus, Path(folder))
            for query in asks:
                opened.find(parse(query))
            took.append(time.perf_counter() - started)
        print(f"  built in {took[0]:.2f} s, opened again in {took[1] * 1000:.0f} ms,", end=" ")
        print(f"opened with a first answer in {took[2] * 1000:.0f} ms")
        index = SearchIndex.build(corpus, Path(folder))
    bm25 = BM25Okapi([f"{paper.title_text} {paper.text}".lower().split() for paper in corpus])
    texts = [paper.text for paper in corpus]
    suggester = Suggester(corpus)
    typed = [query[: 3 + number % 9] for number, query in enumerate(queries)]
    rows: list[tuple[str, Callable[[str], object], Sequence[str], int]] = [
        ("find: a page of five with snippets", lambda text: index.find(parse(text)), queries, ROUNDS),
        ("search: the best ten", index.search, queries, ROUNDS),
        ("rank_bm25", lambda text: bm25.get_top_n(text.lower().split(), corpus.papers, n=10), queries[:60], 1),
        ("rapidfuzz over all abstracts", lambda text: process.extract(text, texts, scorer=fuzz.WRatio), queries[:6], 1),
        ("suggestions for what was typed so far", suggester.suggest, typed, ROUNDS),
    ]
    print(f"  {'ms':44}{'p50':>9}{'p99':>9}{'CPU p50':>9}{'p99':>9}")
    for label, work, asked, rounds in rows:
        print(f"  {label:44}{timed(work, asked, rounds)}", flush=True)


PARTS: dict[str, Callable[[], None]] = {
    "quality": quality,
    "untitled": untitled,
    "seeds": seeds,
    "gate": gate,
    "requests": requests,
    "slips": slips,
    "speed": speed,
}


def main() -> None:
    logging.disable(logging.WARNING)
    for name in sys.argv[1:] or PARTS:
        print(f"-- {name}", flush=True)
        try:
            PARTS[name]()
        except FileNotFoundError as absent:
            if not str(absent.filename).startswith(str(SHARED)):
                raise
            print(f"skipped: no {absent.filename}; set PAPERBOY_SHARED")


if __name__ == "__main__":
    main()
