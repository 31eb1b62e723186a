"""What people say instead of a command: in other words, politely, with “that” and “more”; and what is a search."""

import pytest

from bot.commands import all_commands
from bot.commands.dispatch import Dispatcher
from bot.commands.grammar import place_in
from bot.config import default_corpus
from bot.corpus import load_corpus
from bot.library import Library
from bot.message import ChannelRef, Reply, User
from bot.store.database import Database
from bot.store.inbound import StoredLists

LIBRARY = Library.of(load_corpus(default_corpus()))
ADA, PLACE = User("U1"), ChannelRef("slack", "T1", "C1")


@pytest.mark.parametrize(
    ("words", "place"),
    [("2", 2), ("#2", 2), ("no. 2", 2), ("number 2", 2), ("1.", 1), ("the second one", 2), ("second one", 2),
     ("the 2nd", 2), ("3rd paper", 3), ("the tenth", 10), ("paper 4", 4), ("second", None),
     ("2 bits", None), ("the second", 2), ("100", None), ("", None), ("first one wins", None)],
)  # fmt: skip
def test_places_of_a_list(words: str, place: int | None) -> None:
    assert place_in(words) == place


async def told(*lines: str, person: User = ADA) -> Reply:
    """The answer to the last of some lines."""
    dispatcher = Dispatcher(lambda: LIBRARY, all_commands())
    replies = [await dispatcher.say(line, person, PLACE) for line in lines]
    return replies[-1]


@pytest.mark.parametrize(
    ("said", "means"),
    [
        ("summary of xkv", "tldr xkv"),
        ("Summarise xkv", "tldr xkv"),
        ("could you please summarize xkv for me?", "tldr xkv"),
        ("what is xkv about?", "tldr xkv"),
        ("tl;dr xkv", "tldr xkv"),
        ("please tldr xkv, thanks", "tldr xkv"),
        ("summarise xkv and sinq", "tldr xkv, sinq"),
        ("abstract xkv", "show xkv"),
        ("the abstract of xkv", "show xkv"),
        ("open xkv", "show xkv"),
        ("pdf xkv", "show xkv"),
        ("who wrote xkv?", "show xkv"),
        ("code for xkv", "show xkv"),
        ("open https://openreview.net/pdf?id=XDb69lykA8", "show xkv"),
        ("similar to xkv", "similar xkv"),
        ("papers similar to xkv", "similar xkv"),
        ("papers like xkv", "similar xkv"),
        ("more like xkv", "similar xkv"),
        ("bibtex xkv", "cite xkv"),
        ("how do I cite xkv", "cite xkv"),
        ("ris xkv", "cite xkv format:ris"),
        ("list topics", "topics"),
        ("how many papers are there", "about"),
        ("show me xkv", "xkv"),
        ("@Paperboy, tldr xkv", "tldr xkv"),
        ("search: kv cache", "kv cache"),
        ("how many papers about kv cache", "kv cache"),
        ("random …", "random …"),
    ],
)
async def test_in_other_words(said: str, means: str) -> None:
    one, other = await told(said), await told(means)
    assert one.command == other.command
    assert one.papers == other.papers
    assert one.blocks == other.blocks


@pytest.mark.parametrize(
    "line",
    ["open source", "abstract reasoning", "code generation", "reading comprehension", "papers like transformers",
     "random forests", "more efficient attention", "next token prediction", "explain attention",
     "what is attention", "related to diffusion", "that works", "summary statistics", "second order methods"],
)  # fmt: skip
async def test_ordinary_words_are_a_search(line: str) -> None:
    assert (await told(line)).command == "search"


@pytest.mark.parametrize("line", ["3 random papers", "3 random papers about large language models"])
async def test_some_by_chance(line: str) -> None:
    reply = await told(line)
    assert reply.command == "random"
    assert len({shown.paper.id for shown in reply.papers}) == 3


async def test_by_chance_of_a_topic_that_is_one() -> None:
    reply = await told("random large language models")
    assert reply.command == "random"
    assert "large language models" in reply.papers[0].paper.topics


async def test_topics_by_their_names() -> None:
    reply = await told("topics words:mixture")
    assert reply.total == 1
    assert "Mixture-of-Experts" in reply.text
    assert (await told("topics words:zebra")).error is not None


@pytest.mark.parametrize("line", ["tldr that", "summarise it", "more like this", "cite that one", "show this paper"])
async def test_that_is_the_paper_seen_alone_last(line: str) -> None:
    reply = await told("kv cache", "show sinq", line)
    about = reply.papers if reply.command != "similar" else ()
    assert all(shown.paper.handle == "sinq" for shown in about)
    assert "SINQ" in reply.text


async def test_looking_at_a_paper_leaves_the_list_as_it_was() -> None:
    reply = await told("kv cache", "tldr sinq", "show the second one")
    assert [shown.paper.handle for shown in reply.papers] == ["warmserve"]


async def test_that_of_nobody_is_said() -> None:
    reply = await told("tldr that")
    assert reply.text.startswith("I do not know which paper “that” is")
    assert (await told("1", "more")).text.startswith("There is no list here yet")


@pytest.mark.parametrize("line", ["more", "next", "next page", "page 2", "show me more", "more please", "Next ones"])
async def test_more_is_the_next_page(line: str) -> None:
    pages = await told("models", line), await told("models page:2")
    assert pages[0].page == 2
    assert pages[0].papers == pages[1].papers


async def test_more_and_more_and_back() -> None:
    assert (await told("models", "more", "more")).page == 3
    assert (await told("models", "more", "page 1")).page == 1
    assert (await told("models", "tldr sinq", "more")).page == 2
    assert (await told("similar xkv", "more")).text.startswith("Your last list here, of similar, has one page.")


async def test_what_was_seen_last_is_kept() -> None:
    database = await Database.open("sqlite:///:memory:")
    for line, told_of in (("kv cache", ""), ("show sinq", ""), ("tldr that", "SINQ"), ("models", ""), ("more", "of")):
        dispatcher = Dispatcher(lambda: LIBRARY, all_commands(), lists=StoredLists(database))
        reply = await dispatcher.say(line, ADA, PLACE)
        assert told_of in reply.text
    assert reply.page == 2
    await database.close()
