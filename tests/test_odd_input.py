"""What people and files do that nobody planned: each was once answered wrongly."""

import io
import json
from pathlib import Path

import pytest
from rich.console import Console

from bot.adapters.terminal import CHANNEL, USER, show
from bot.commands import all_commands
from bot.commands.dispatch import Dispatcher
from bot.config import default_corpus
from bot.corpus import load_corpus
from bot.corpus.formats.fields import DEEPEST, LONGEST_ABSTRACT
from bot.library import Library
from bot.message import Reply

LIBRARY = Library.of(load_corpus(default_corpus()))


async def say(words: str) -> Reply:
    return await Dispatcher(lambda: LIBRARY, all_commands()).say(words, USER, CHANNEL)


@pytest.mark.parametrize(
    "words",
    [
        "show https://openreview.net/forum?id=XDb69lykA8",
        "show XDb69lykA8",
        "https://openreview.net/forum?id=XDb69lykA8",
        "<https://github.com/abdelfattah-lab/xKV>",
    ],
)
async def test_a_papers_own_link_names_it(words: str) -> None:
    assert [shown.paper.handle for shown in (await say(words)).papers] == ["xkv"]


async def test_pages_turn_without_the_word_search() -> None:
    assert (await say("language models page:2")).page == 2


@pytest.mark.parametrize("words", ["kv limit:abc", "moe year:20x6", "moe has:foo", "has:data moe", "kv limit:50"])
async def test_a_filter_that_cannot_be_read_is_named(words: str) -> None:
    reply = await say(words)
    assert any("limit" in note or "year" in note or "has" in note or "fit a page" in note for note in reply.notes)


async def test_help_for_what_is_no_command_suggests_one() -> None:
    assert "Did you mean help search" in (await say("help serach")).text
    assert "no command" in (await say("help xyzzy")).text
    assert (await say("help?")).command == "help"


async def test_labels_are_bold_and_their_values_are_not() -> None:
    out = io.StringIO()
    show(await say("tldr trifuse"), Console(file=out, width=100, force_terminal=True, color_system="standard"))
    line = next(line for line in out.getvalue().splitlines() if "Result" in line)
    assert line.startswith("\x1b[1mResult: \x1b[0m")


def test_a_record_that_nests_too_deep_or_is_too_long_is_a_fault_and_stops_nothing(tmp_path: Path) -> None:
    sentence = "We propose a way to do a thing that nobody has done before."
    lines = [
        json.dumps({"abstract": sentence, "x": 1})[:-1] + ', "y": ' + "[" * (DEEPEST + 2) + "]" * (DEEPEST + 2) + "}",
        json.dumps({"abstract": "word " * (LONGEST_ABSTRACT // 5 + 1)}),
        json.dumps({"abstract": sentence}),
    ]
    (tmp_path / "a.jsonl").write_text("\n".join(lines))
    corpus = load_corpus(tmp_path, state=tmp_path / "state")
    assert len(corpus) == 1
    assert [fault.line for fault in corpus.faults] == [1, 2]


@pytest.mark.parametrize(
    ("words", "handle"),
    [
        ("summarize xkv", "xkv"),
        ("explain SINQ", "sinq"),
        ("trifuse vs uground", "trifuse"),
        ("flexrank slides", "flexrank"),
        ("how does xKV compare with SnapKV", "xkv"),
    ],
)
async def test_a_paper_named_beside_words_that_no_paper_has_is_found(words: str, handle: str) -> None:
    assert (await say(words)).papers[0].paper.handle == handle


@pytest.mark.parametrize("words", ["camel riding lessons", "leaning tower of pisa", "garage sale on saturday"])
async def test_a_name_that_is_an_ordinary_word_is_no_match_beside_others(words: str) -> None:
    assert (await say(words)).papers == ()


async def test_what_was_typed_is_not_suggested() -> None:
    assert "alike: more" not in (await say("more")).text
