"""The seeds: what each is called, without its title and with it."""

import json
from pathlib import Path

import pytest
from shared import ROOT, shared_path

from bot.corpus import load_corpus
from bot.corpus.labels import assign, derive
from bot.papers import Corpus

# the handles that the requirements list; either of acronym and expansion is right
LISTED = frozenset(
    """
    persona-pruner sinq owpo percontrast trifuse tau-knowledge thetaevolve scout xkv diffract sale failed-step-fraction
    dot-moe rbcbf csplora r-diverse phi-balancing warmserve langforce rlve flexrank pisa camel tokendrop puzzlemoe
    paratool schur-a nsi agent-primitives rmr flowscore activeultrafeedback
    """.split()  # noqa: SIM905 - thirty-two quoted words in a list would hide that this is the requirement's own list
)


@pytest.fixture(scope="module")
def corpus() -> Corpus:
    return load_corpus([ROOT / "seeds"])


def rows(path: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def forms(*names: str) -> set[str]:
    return {name.casefold() for name in names}


def test_every_seed_has_its_name_with_the_title_withheld(corpus: Corpus) -> None:
    for row, paper in zip(rows(shared_path("cases/seed_rows.jsonl")), corpus, strict=True):
        label = derive(paper.abstract)
        assert str(row["name"]).casefold() in forms(label.name, *label.aliases), row["seed"]


def test_every_seed_has_its_name_and_aliases_with_the_title(corpus: Corpus) -> None:
    for row, paper in zip(rows(shared_path("cases/seed_rows.jsonl")), corpus, strict=True):
        found = forms(paper.name, *paper.aliases)
        assert str(row["name"]).casefold() in found, row["seed"]
        aliases = row["aliases"]
        assert isinstance(aliases, list)
        # the subject of one paper, text-to-SQL, is found by search and is no name of it
        assert forms(*aliases) - {"text-to-sql"} <= found, row["seed"]


def test_the_listed_handles_are_given_without_titles(corpus: Corpus) -> None:
    handles = assign([derive(paper.abstract, links=paper.links) for paper in corpus], {})
    assert not LISTED.difference(handles)


def test_the_listed_handles_are_given_with_titles(corpus: Corpus) -> None:
    assert not LISTED.difference(paper.handle for paper in corpus)


def test_what_names_nothing_is_a_phrase(corpus: Corpus) -> None:
    phrases = [label.name for paper in corpus if (label := derive(paper.abstract)).phrase]
    assert "annotation-anchored training" in phrases
    assert "positive-unlabeled RL distillation" in phrases
    assert all(2 <= len(phrase.split()) <= 5 for phrase in phrases)
