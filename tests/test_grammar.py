"""What a person types, and the call that it means."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.commands import all_commands
from bot.commands.grammar import LONGEST, interpret
from bot.errors import UsageError
from bot.message import Call

COMMANDS = all_commands()


@pytest.mark.parametrize(
    ("typed", "call"),
    [
        ("", Call("help")),
        ("   ", Call("help")),
        ("/papers", Call("help")),
        ("/papers kv cache", Call("search", {"query": "kv cache"})),
        ("/tldr xkv", Call("tldr", {"paper": "xkv"})),
        ("kv cache", Call("search", {"query": "kv cache"})),
        ("search kv cache", Call("search", {"query": "kv cache"})),
        ("SEARCH kv", Call("search", {"query": "kv"})),
        ("search", Call("search")),
        ("search: kv cache", Call("search", {"query": "kv cache"})),
        ("tldr: xkv", Call("tldr", {"paper": "xkv"})),
        ("1.", Call("show", {"paper": "1"})),
        ("search kv page:2", Call("search", {"query": "kv", "page": 2})),
        ("search page:3 kv", Call("search", {"query": "kv", "page": 3})),
        ("search kv page:x", Call("search", {"query": "kv page:x"})),
        ("search kv page:0", Call("search", {"query": "kv page:0"})),
        ('search "exact words" -not', Call("search", {"query": '"exact words" -not'})),
        ("search “exact words” –not", Call("search", {"query": '"exact words" -not'})),
        ("tldr 2", Call("tldr", {"paper": "2"})),
        ("show long context heads", Call("show", {"paper": "long context heads"})),
        ('show "long context heads"', Call("show", {"paper": "long context heads"})),
        ("show model’s heads", Call("show", {"paper": "model's heads"})),
        ("random", Call("random")),
        ("random topic:pruning", Call("random", {"topic": "pruning"})),
        ("random topic:mixture of experts", Call("random", {"topic": "mixture of experts"})),
        ('random topic:"mixture of experts"', Call("random", {"topic": "mixture of experts"})),
        ("random topic: mixture of experts ", Call("random", {"topic": "mixture of experts"})),
        (
            "digest on 9:00 berlin topic:reinforcement learning count:3 thread:yes",
            Call(
                "digest on",
                {"time": "9:00", "zone": "berlin", "topic": "reinforcement learning", "count": 3, "thread": True},
            ),
        ),
        ("digest", Call("help", {"command": "digest"})),
        ("Data", Call("help", {"command": "data"})),
        ("data augmentation", Call("search", {"query": "data augmentation"})),
        ("7", Call("show", {"paper": "7"})),
        ("2048", Call("search", {"query": "2048"})),
        ("topics page:2", Call("topics", {"page": 2})),
        ("help search", Call("help", {"command": "search"})),
        ("papers about pruning", Call("search", {"query": "papers about pruning"})),
        ("searching for gold", Call("search", {"query": "searching for gold"})),
    ],
)
def test_meaning(typed: str, call: Call) -> None:
    meant = interpret(typed, COMMANDS)
    assert meant.call == call
    assert meant.note is None


@pytest.mark.parametrize(
    ("typed", "command"),
    [
        ("random forests", "random"),
        ("help desk agents", "help"),
        ("topics in reinforcement learning", "topics"),
        ("about attention", "about"),
    ],
)
def test_a_command_word_that_cannot_take_the_rest_is_a_search_that_says_so(typed: str, command: str) -> None:
    meant = interpret(typed, COMMANDS)
    assert meant.call == Call("search", {"query": typed})
    assert meant.note is not None
    assert f"`{command}`" in meant.note
    assert f"`help {command}`" in meant.note


@pytest.mark.parametrize("typed", ["show", "tldr", "similar", '/papers show ""'])
def test_a_missing_argument_is_asked_for_with_an_example(typed: str) -> None:
    with pytest.raises(UsageError, match="for example"):
        interpret(typed, COMMANDS)


def test_a_line_is_read_as_far_as_its_limit() -> None:
    meant = interpret("x" * (LONGEST + 5), COMMANDS)
    assert meant.call == Call("search", {"query": "x" * LONGEST})


@given(st.text(max_size=200))
def test_any_line_means_something_or_asks(line: str) -> None:
    try:
        meant = interpret(line, COMMANDS)
    except UsageError:
        return
    assert COMMANDS.get(meant.call.command) is not None


@given(st.lists(st.sampled_from(["search", "show", '"', "'", "page:2", "-", "kv", "–", "topic:x", "\\"]), max_size=6))
def test_any_order_of_telling_tokens(tokens: list[str]) -> None:
    line = " ".join(tokens)
    try:
        meant = interpret(line, COMMANDS)
    except UsageError:
        assert tokens[0] == "show"
        return
    assert meant.call.command in {"search", "show", "help"}
