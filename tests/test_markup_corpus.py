"""The parser on a sample of a real conference that its rules were tuned on, and on papers that they were not."""

import gzip
import json
import random
from pathlib import Path

import pytest
from residue import residue
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
