"""What buttons mean, and what they carry."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from platforms.slack.running import seeds

from bot.adapters.actions import DEEPEST, Action, ActionCodec, controls, personal
from bot.commands import all_commands
from bot.message import Call, Reply, Shown


class Keeper:
    def __init__(self) -> None:
        self.kept: dict[str, str] = {}

    async def put(self, body: str) -> str:
        key = f"{len(self.kept):024d}"
        self.kept[key] = body
        return key

    async def get(self, key: str) -> str | None:
        return self.kept.get(key)


calls = st.builds(
    Call,
    st.text(max_size=20),
    st.dictionaries(st.text(max_size=8), st.text(max_size=60) | st.integers() | st.booleans(), max_size=3),
)
presses = st.builds(
    Action,
    st.sampled_from(["open", "share", "unshare"]),
    calls,
    st.lists(calls, max_size=3).map(tuple),
    st.text(max_size=12),
)


@given(presses)
async def test_a_press_comes_back_as_it_went(press: Action) -> None:
    codec = ActionCodec(Keeper(), 100)
    carried = await codec.encode(press)
    assert len(carried) <= 100
    assert await codec.decode(carried) == press


@pytest.mark.parametrize(
    "text",
    ["", "#gone", "nonsense", "[]", '["open",[],""]', '["steal",[["a",{}]],""]', '["open",[["a",{"x":[1]}]],""]'],
)
async def test_what_is_not_ours_is_nothing(text: str) -> None:
    assert await ActionCodec(Keeper(), 100).decode(text) is None


def test_back_leads_where_one_came_from() -> None:
    first = Action("open", Call("search", {"query": "kv"}))
    second = first.onward(Call("tldr", {"paper": "a"}))
    third = second.onward(Call("similar", {"paper": "a"}))
    assert third.back == second
    assert second.back == first
    assert first.back is None


def test_the_way_back_is_bounded() -> None:
    press = Action("open", Call("0"))
    for number in range(1, 20):
        press = press.onward(Call(str(number)))
    assert [call.command for call in press.trail] == [str(n) for n in range(19 - DEEPEST, 19)]


def test_share_keeps_the_way_back_and_stands_only_where_one_may() -> None:
    paper = seeds().corpus.get("xkv")
    assert paper is not None
    press = Action("open", Call("tldr", {"paper": paper.id}), (Call("search", {"query": "kv"}),))
    reply = Reply("tldr", (), papers=(Shown(paper),))
    (share,) = [one for one in controls(reply, press, may_share=True) if one.label == "Share to channel"]
    assert share.action == Action("share", press.call, press.trail)
    assert [one.label for one in controls(reply, press, may_share=False)] == ["Back"]


@pytest.mark.parametrize(
    ("command", "expected"),
    [("search", False), ("show", False), ("about", False), ("saved", True), ("export", True), ("digest on", True)],
)
def test_what_a_person_keeps_or_sets_up_is_personal(command: str, expected: bool) -> None:
    assert personal(Call(command), all_commands()) is expected


def test_what_nobody_knows_is_personal_rather_than_for_all() -> None:
    assert personal(Call("gone"), all_commands()) is True
