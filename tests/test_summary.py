"""Summaries of abstracts: which sentence speaks for which role, by reading the seeds, and what a summary promises."""

import json
import re
import subprocess
import sys
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from shared import ROOT

from bot.corpus.markup import parse
from bot.papers import Paper, Source
from bot.richtext import Inlines, Link, Text, plain
from bot.summary import Summary, summarise, summarise_text
from bot.summary.sentences import spans

ROLES = ("problem", "approach", "result", "code")


def _seeds() -> dict[str, Inlines]:
    found: dict[str, Inlines] = {}
    for number, path in enumerate(sorted((ROOT / "seeds").glob("*.txt"))):
        paragraphs = [part for part in path.read_text(encoding="utf-8").split("\n\n")[1:] if part.strip()]
        found.update({f"{number}:{place}": parse(part) for place, part in enumerate(paragraphs, 1)})
    return found


SEEDS = _seeds()


def sentences(text: str) -> list[str]:
    return [text[start:end] for start, end in spans(text)]


def _paper(abstract: Inlines) -> Paper:
    return Paper("0" * 12, "x", "X", (), (Text("X"),), "file", abstract, (Source("x.txt", 1, 1),))


def _places(summary: Summary) -> dict[str, int]:
    return {"tldr": summary.tldr_sentence, **{line.role: line.sentence for line in summary.lines}}


def _read_by_a_person() -> dict[str, dict[str, list[int]]]:
    """By seed and role the sentences that a person could choose; none where the abstract has no such sentence."""
    lines = (ROOT / "tests" / "data" / "seed_sentences.jsonl").read_text(encoding="utf-8").splitlines()
    rows: list[dict[str, Any]] = [json.loads(line) for line in lines]
    return {row.pop("seed"): row for row in rows}


_READ = _read_by_a_person()


@pytest.mark.parametrize("seed", list(_READ))
def test_seeds_read_by_a_person(seed: str) -> None:
    places = _places(summarise(_paper(SEEDS[seed])))
    for role, allowed in _READ[seed].items():
        chosen = places.get(role)
        assert chosen in allowed if allowed else chosen is None, role


@pytest.mark.parametrize("seed", list(SEEDS))
def test_every_seed_has_a_short_line_that_names_its_contribution(seed: str) -> None:
    summary = summarise(_paper(SEEDS[seed]))
    assert 40 < len(summary.tldr) <= 215
    assert "\n" not in summary.tldr
    assert re.match(r"(?:We|Our|This paper) ", summary.tldr)
    assert summary.tldr.endswith(".")


@pytest.mark.parametrize("seed", list(SEEDS))
def test_lines_are_words_of_their_sentence(seed: str) -> None:
    found = sentences(plain(SEEDS[seed]))
    summary = summarise(_paper(SEEDS[seed]))
    roles = [line.role for line in summary.lines]
    assert roles == [role for role in ROLES if role in roles]
    texts = [(summary.tldr, summary.tldr_sentence), *((line.text, line.sentence) for line in summary.lines)]
    for text, place in texts:
        rest = iter(re.findall(r"\w+", found[place - 1].lower()))
        shown = re.sub(r" \(https?://[^)]+\)", "", text)
        assert all(word in rest for word in re.findall(r"\w+", shown.lower()))


@pytest.mark.parametrize(
    ("seed", "address"),
    [
        ("0:1", "https://github.com/jsu-kim/Persona-Pruner"),
        ("0:10", "https://github.com/abdelfattah-lab/xKV"),
        ("1:6", "https://github.com/OpenDFM/long-context-heads"),  # behind the word "here"
        ("1:14", "https://sh-jj.github.io/NSI"),
        ("1:19", "https://github.com/lasgroup/ActiveUltraFeedback"),
    ],
)
def test_the_code_line_has_the_whole_address(seed: str, address: str) -> None:
    code = next(line.text for line in summarise(_paper(SEEDS[seed])).lines if line.role == "code")
    assert re.search(re.escape(address) + r"(?![\w/])", code)


def test_a_link_that_shows_its_address_is_not_said_twice() -> None:
    url = "https://example.org/code"
    summary = summarise(
        _paper((Text("We propose a new kind of cache. Code is at "), Link(url, (Text(url),)), Text(".")))
    )
    assert summary.lines[-1].text == f"Code is at {url}."


_ABSTRACT = (
    "Caches are everywhere in large systems. However, existing caches are slow and limited in size. "
    "We propose FastCache, a cache that learns which keys matter from past requests. "
    "FastCache combines a small network with a queue to predict the next key. "
    "Experiments on five traces show that FastCache reduces latency by 35% over the best baseline. "
)


def test_each_role_of_a_plain_abstract() -> None:
    summary = summarise_text(_ABSTRACT + "Our code is available at https://example.org/fast.")
    assert _places(summary) == {"tldr": 3, "problem": 2, "approach": 4, "result": 5, "code": 6}
    assert summary.tldr == "We propose FastCache, a cache that learns which keys matter from past requests."
    assert [line.text for line in summary.lines] == [
        "Existing caches are slow and limited in size.",
        "FastCache combines a small network with a queue to predict the next key.",
        "FastCache reduces latency by 35% over the best baseline.",
        "Our code is available at https://example.org/fast.",
    ]


def test_a_role_that_is_not_there_is_left_out() -> None:
    assert [line.role for line in summarise_text("We propose FastCache, a cache that learns.").lines] == ["approach"]
    assert "code" not in _places(summarise_text(_ABSTRACT))
    for other in (
        "We use publicly available data sets.",
        "The model is open to new uses.",
        "It releases memory early.",
    ):
        assert "code" not in _places(summarise_text(_ABSTRACT + other)), other


@pytest.mark.parametrize(
    "statement",
    [
        "We release our code publicly.",
        "Code is available in the supplementary.",
        "The code will be open-sourced.",
        "Project Page: https://example.org/x.",
        "Our dataset and models are publicly available.",
        "We will make all data and code public upon acceptance.",
    ],
)
def test_statements_of_availability(statement: str) -> None:
    summary = summarise_text(_ABSTRACT + statement)
    assert _places(summary)["code"] == 6
    assert summary.lines[-1].text == statement


@pytest.mark.parametrize("text", ["", "   ", "\n"])
def test_nothing_to_summarise(text: str) -> None:
    assert summarise_text(text) == Summary("", 0, ())


@given(st.lists(st.sampled_from([*sentences(_ABSTRACT), "https://example.org", "(", "We", "?", "“x"]), max_size=9))
def test_any_order_of_sentences_has_a_summary(parts: list[str]) -> None:
    text = " ".join(parts)
    count = len(sentences(text))
    summary = summarise_text(text)
    assert bool(summary.tldr) == bool(count)
    for place in _places(summary).values():
        assert bool(count) <= place <= count
    assert summary == summarise_text(text)


@given(st.text(max_size=400))
def test_any_text_has_a_summary(text: str) -> None:
    summary = summarise_text(text)
    assert 0 <= summary.tldr_sentence <= len(sentences(text))


def test_a_hostile_text_is_summarised_in_bounded_work() -> None:
    for text in (
        "we " * 40_000,
        "We propose " + "that, which " * 20_000,
        "(a " * 20_000,
        "We show that " * 5_000 + ".",
    ):
        assert summarise_text(text).tldr_sentence == 1


def test_no_array_library_at_run_time() -> None:
    code = (
        "import sys; from bot.summary import summarise_text; summarise_text('We propose X. It is good.');"
        "sys.exit('numpy' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False, cwd=ROOT).returncode == 0
