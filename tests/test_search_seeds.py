"""The seeds, searched as people would: queries written before the search was tuned, and after."""

import json
from pathlib import Path

import pytest
from shared import ROOT, shared_path

from bot.corpus import load_corpus
from bot.papers import Paper
from bot.search import SearchIndex, parse
from bot.search.suggest import Suggester

DATA = Path(__file__).parent / "data"
CORPUS = load_corpus(ROOT / "seeds")
INDEX = SearchIndex.build(CORPUS)


def seed_of(paper: Paper) -> str:
    return f"{Path(paper.sources[0].file).name[:3]}:{paper.sources[0].position}"


def asked(path: Path) -> list[tuple[str, str]]:
    rows = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    return [(row["seed"], query) for row in rows for query in row.get("queries", [row.get("query")])]


def wrong(queries: list[tuple[str, str]]) -> list[tuple[str, str]]:
    return [
        (seed, query)
        for seed, query in queries
        if not (hits := INDEX.search(query, 1)) or seed_of(hits[0].paper) != seed
    ]


@pytest.mark.parametrize("name", ["seed_queries.jsonl", "seed_queries_fresh.jsonl"])
def test_the_right_paper_comes_first(name: str) -> None:
    queries = asked(DATA / name)
    assert len(wrong(queries)) <= 0.03 * len(queries), wrong(queries)


def test_every_given_query_finds_its_paper_first() -> None:
    assert wrong(asked(shared_path("cases/seed_rows.jsonl"))) == []


def test_every_name_and_alias_finds_its_paper_first() -> None:
    names = [(paper, name) for paper in CORPUS for name in (paper.name, paper.handle, *paper.aliases, paper.title_text)]
    assert [(p.handle, name) for p, name in names if INDEX.search(name, 1)[0].paper.id != p.id] == []


def test_questions_about_other_things_get_nothing() -> None:
    queries = [json.loads(line)["query"] for line in (DATA / "off_topic_queries.jsonl").read_text().splitlines()]
    assert len(queries) >= 60
    answered = [query for query in queries if INDEX.search(query)]
    assert len(answered) <= 2, answered
    for query in ("sourdough bread recipe", "best pizza in naples", "how to knit a sweater", "garden furniture sale"):
        assert query not in answered


@pytest.mark.parametrize(
    ("text", "handle"),
    [
        ("trifuze", "trifuse"),
        ("flex rank", "flexrank"),
        ("phi balancing", "phi-balancing"),
        ("φ", "phi-balancing"),
        ("naive pruning persona", "persona-pruner"),
        ("quantisation without calibration", "sinq"),
        ("“sub-scale collaboration”", "scout"),
        ("A*", "schur-a"),
    ],
)
def test_ways_to_type_a_name(text: str, handle: str) -> None:
    assert INDEX.find(parse(text)).hits[0].paper.handle == handle


def test_every_paper_is_named_by_its_handle_id_and_name() -> None:
    suggester = Suggester(CORPUS)
    for paper in CORPUS:
        for name in (paper.handle, paper.id, paper.name, paper.title_text):
            assert suggester.resolve(name).paper == paper, name
