"""Several papers in one command: by numbers, ranges and names; and never one that nobody named."""

import pytest

from bot.adapters.actions import Action, settled
from bot.commands import all_commands
from bot.commands.dispatch import Dispatcher
from bot.commands.grammar import names_in, numbers_in
from bot.config import default_corpus
from bot.corpus import load_corpus
from bot.errors import UsageError
from bot.library import Library
from bot.message import Call, ChannelRef, Reply, User

LIBRARY = Library.of(load_corpus(default_corpus()))
ADA, PLACE = User("U1"), ChannelRef("slack", "T1", "C1")


@pytest.mark.parametrize(
    ("words", "numbers"),
    [("1-3", [1, 2, 3]), ("1 – 3", [1, 2, 3]), ("1 to 3", [1, 2, 3]), ("1 3 5", [1, 3, 5]), ("1, 2 and 4", [1, 2, 4]),
     ("#2 #1", [2, 1]), ("3-1", [3, 2, 1]), ("1-3 2 5", [1, 2, 3, 5]), ("1,2,2", [1, 2]),
     ("1", []), ("xkv", []), ("1 xkv", []), ("gpt-4 2", []), ("", []), ("-3", []), ("1-", [])],
)  # fmt: skip
def test_numbers_named_together(words: str, numbers: list[int]) -> None:
    assert numbers_in(words) == numbers


@pytest.mark.parametrize("words", ["1-26", "1 to 9999", "30-2"])
def test_a_range_longer_than_any_page_is_refused(words: str) -> None:
    with pytest.raises(UsageError, match="At most 25"):
        numbers_in(words)


@pytest.mark.parametrize(
    ("words", "names"),
    [("xkv, sinq and puzzlemoe", ["xkv", "sinq", "puzzlemoe"]), ("xkv vs sinq", ["xkv", "sinq"]),
     ("xkv & sinq", ["xkv", "sinq"]), ("one; two", ["one", "two"]), ("mixture of experts", ["mixture of experts"]),
     ("xkv, ", ["xkv"]), ("", [])],
)  # fmt: skip
def test_names_named_together(words: str, names: list[str]) -> None:
    assert names_in(words) == names


async def told(*lines: str) -> Reply:
    """The answer to the last of some lines."""
    dispatcher = Dispatcher(lambda: LIBRARY, all_commands())
    replies = [await dispatcher.say(line, ADA, PLACE) for line in lines]
    return replies[-1]


@pytest.mark.parametrize("words", ["tldr 1-2", "tldr 1 2", "tldr xkv, warmserve", "tldr xkv and warmserve",
                                   "tldr xkv warmserve", "show 1, 2", "cite 1 and 2"])  # fmt: skip
async def test_commands_take_several(words: str) -> None:
    reply = await told("kv cache", words)
    assert [shown.paper.handle for shown in reply.papers] == ["xkv", "warmserve"]
    assert reply.error is None


@pytest.mark.parametrize(
    ("words", "answer"),
    [
        ("show 1-4", "Your last list here has the numbers 1 to 3, so not 4."),
        ("show 1-3 2-9", "Your last list here has the numbers 1 to 3, so not 4."),
        ("similar 1-2", "`similar` takes one paper at once: for example `similar puzzlemoe`."),
        ("show 1-300", "`1-300` is more than a page. At most 25 numbers at once."),
    ],
)
async def test_what_was_not_listed_is_not_shown(words: str, answer: str) -> None:
    reply = await told("kv cache", words)
    assert reply.papers == ()
    assert reply.error is not None
    assert reply.error.message == answer


async def test_more_than_one_reads_at_once_are_refused() -> None:
    reply = await told("models limit:10", "tldr 1-6")
    assert reply.error is not None
    assert "takes at most 5 papers at once" in reply.error.message


async def test_a_button_leads_back_to_the_same_papers_after_another_list() -> None:
    dispatcher = Dispatcher(lambda: LIBRARY, all_commands())
    await dispatcher.say("kv cache", ADA, PLACE)
    call = Call("tldr", {"paper": "1-2"})
    action = settled(Action("open", call), await dispatcher.call(call, ADA, PLACE), all_commands())
    await dispatcher.say("quantization", ADA, PLACE)
    again = await dispatcher.call(action.call, ADA, PLACE)
    assert [shown.paper.handle for shown in again.papers] == ["xkv", "warmserve"]


async def test_other_formats_of_a_citation_are_of_the_same_papers() -> None:
    dispatcher = Dispatcher(lambda: LIBRARY, all_commands())
    await dispatcher.say("kv cache", ADA, PLACE)
    first = await dispatcher.say("cite 1-2", ADA, PLACE)
    await dispatcher.say("quantization", ADA, PLACE)
    for button in first.buttons:
        again = await dispatcher.call(button.call, ADA, PLACE)
        assert [shown.paper.handle for shown in again.papers] == ["xkv", "warmserve"]
