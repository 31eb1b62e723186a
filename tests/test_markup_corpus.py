"""The parser on a sample of a real conference that its rules were tuned on, and on papers that they were not."""

import gzip
import json
import random
from collections.abc import Iterator
from pathlib import Path

import pytest
from residue import lost_words, residue
from shared import shared_path

from bot.corpus.markup import parse
from bot.richtext import plain


def _sample(path: Path, size: int, needs: str = "") -> list[dict[str, str]]:
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        listed = [line for line in lines if not needs or any(sign in line for sign in needs)]
    return [json.loads(line) for line in random.Random(7).sample(listed, size)]


@pytest.mark.parametrize(
    ("name", "field", "size", "needs"),
    [("data/icml2026.jsonl.gz", "abstract_html", 1_500, ""), ("data/ir/tldr-dev/docs.jsonl.gz", "text", 600, "$")],
)
def test_almost_nothing_is_left_of_the_markup(name: str, field: str, size: int, needs: str) -> None:
    records = _sample(shared_path(name), size, needs)
    left = [
        (record["id"], found)
        for record in records
        if (found := residue(plain(parse(record["title"])) + "\n" + plain(parse(record[field]))))
    ]
    # half a percent of the conference is the requirement; every text of the other set has a dollar sign
    assert len(left) <= size * (0.005 if not needs else 0.015), left


def test_residue_names_each_class() -> None:
    text = r"a \foo{b} x_{1} $y &lt; <em> **z `q` _w x_ costs $5"
    assert residue(text) == {
        "commands": [r"\foo"],
        "scripts": ["_{"],
        "dollars": ["$"],
        "entities": ["&lt;"],
        "tags": ["<em>"],
        "stars": ["**"],
        "underscores": ["_w x_"],
        "quotes": ["`", "`"],
    }
    assert residue("costs $5, A* and pass^1 of snake_case, __init__, 2*3*4 at 50%; US$ 3") == {}


CORPORA = {
    "data/icml2026.jsonl.gz": 1,
    "data/ir/scifact/docs.jsonl.gz": 1,
    "data/ir/cranfield/docs.jsonl.gz": 1,
    "data/ir/cisi/docs.jsonl.gz": 1,
    "data/ir/cacm/docs.jsonl.gz": 1,
    "data/ir/tldr-dev/docs.jsonl.gz": 4,
    "data/scitldr/train.jsonl.gz": 1,
    "data/scitldr/dev.jsonl.gz": 1,
    "data/csabstruct/train.jsonl.gz": 1,
    "data/csabstruct/dev.jsonl.gz": 1,
    "data/formats/arxiv-kaggle-snapshot.jsonl": 1,
}
"""Every so many records of each are read."""


def _sources(path: Path, every: int) -> Iterator[str]:
    with gzip.open(path, "rt", encoding="utf-8") if path.suffix == ".gz" else path.open(encoding="utf-8") as lines:
        for number, line in enumerate(lines):
            if number % every:
                continue
            record = json.loads(line)
            sentences = record.get("source") or record.get("sentences")
            yield record.get("title") or ""
            yield " ".join(sentences) if sentences else ""
            yield record.get("abstract_html") or record.get("abstract") or record.get("text") or ""


@pytest.mark.parametrize(("name", "every"), CORPORA.items())
def test_no_word_of_a_source_is_lost(name: str, every: int) -> None:
    sources = list(_sources(shared_path(name), every))
    lost = [(dict(words), source[:80]) for source in sources if (words := lost_words(source, plain(parse(source))))]
    assert lost == []


def test_lost_words_are_told() -> None:
    assert lost_words("A word is lost here.", "A word is here.") == {"lost": 1}
    assert lost_words("in $f(x_{max})$ and <b>bold</b>", "in f(x_max) and bold") == {}
