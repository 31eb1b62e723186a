"""App Home: today's paper, one's own list, and nothing of channels that one is not in."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from digest_worker import Worker
from platforms.slack.attacks import ATTACKS, corpus
from platforms.slack.live import live
from platforms.slack.running import Running, running_bot, seeds
from platforms.slack.seen import buttons, links, words
from platforms.slack.server import slack_server
from platforms.slack.world import Channel, Fault

from bot.adapters.slack.section import SlackSection
from bot.library import Library
from bot.message import ChannelRef
from bot.papers import Corpus


@pytest.fixture
async def bot(tmp_path: Path) -> AsyncIterator[Running]:
    async with slack_server() as server, running_bot(server, tmp_path) as running:
        yield running
    assert server.world.refused == []
    assert server.world.late == []


def worker(bot: Running) -> Worker:
    return Worker(bot.services, seeds(), bot.server.world.pass_seconds)


async def given(bot: Running, user: str, channel: str, more: str = "") -> list[str]:
    """A paper of the day in a channel, set up by somebody there; the titles of its papers."""
    person = bot.person(user=user, channel=channel)
    assert "is set up" in (await person.say(f"digest on 9:00 {more}")).text
    assert "On its way" in (await person.say("digest now")).text
    at_work = worker(bot)
    await at_work.tick()
    row = (await at_work.rows(ChannelRef("slack", "T1", channel)))[0]
    assert row.state == "posted"
    return [paper.title_text for key in row.papers if (paper := seeds().corpus.get(key))]


async def test_a_new_home_is_what_the_bot_can_do_alone(bot: Running) -> None:
    shown = words((await bot.person().open_home())["blocks"])
    assert "What you can type" in shown
    assert "Today" not in shown
    assert "Papers you saved" not in shown


async def test_today_s_paper_of_a_channel_of_mine_comes_first(bot: Running) -> None:
    (title,) = await given(bot, "U1", "C1")
    home = await bot.person().open_home()
    shown = words(home["blocks"])
    assert shown.startswith("Today · ")
    assert shown.split("\n")[1] == title
    assert buttons(home["blocks"])[:4] == ("TL;DR", "Abstract", "Similar", "Save")
    assert "What you can type" in shown


async def test_of_several_papers_each_can_be_read_and_saved(bot: Running) -> None:
    titles = await given(bot, "U1", "C1", "count:3")
    assert len(titles) == 3
    home = await bot.person().open_home()
    assert all(title in words(home["blocks"]) for title in titles)
    assert [label.split()[0] for label in buttons(home["blocks"])[:6]] == ["Read", "Save"] * 3


async def test_the_latest_of_several_channels_is_shown(bot: Running) -> None:
    await given(bot, "U2", "C3")
    bot.server.world.pass_seconds(60)
    (title,) = await given(bot, "U1", "C1")
    assert words((await bot.person(user="U2").open_home())["blocks"]).split("\n")[1] == title


@pytest.mark.parametrize("private", [True, False], ids=["private", "public"])
async def test_a_channel_that_i_am_not_in_is_none_of_my_business(bot: Running, private: bool) -> None:
    bot.server.world.channels["C9"] = Channel("C9", "T1", {"U2", "UBOT"}, private=private)
    (title,) = await given(bot, "U2", "C9")
    assert title in words((await bot.person(user="U2").open_home())["blocks"])
    mine = words((await bot.person().open_home())["blocks"])
    assert "Today" not in mine
    assert title not in mine


async def test_a_digest_of_a_group_message_is_its_members(bot: Running) -> None:
    bot.server.world.channels["GN"] = Channel("GN", "T1", {"U2", "UBOT"}, private=True, kind="mpim")
    (title,) = await given(bot, "U2", "GN")
    assert title in words((await bot.person(user="U2").open_home())["blocks"])
    assert title not in words((await bot.person().open_home())["blocks"])


async def test_a_digest_of_direct_messages_is_its_person_s(bot: Running) -> None:
    (title,) = await given(bot, "U1", "D1")
    assert title in words((await bot.person().open_home())["blocks"])
    assert title not in words((await bot.person(user="U2").open_home())["blocks"])


async def test_yesterday_s_paper_is_not_today_s(bot: Running) -> None:
    await given(bot, "U1", "C1")
    bot.server.world.pass_seconds(25 * 3600)
    assert "Today" not in words((await bot.person().open_home())["blocks"])


async def test_slack_that_does_not_say_who_is_where_costs_only_today_s_paper(bot: Running) -> None:
    await given(bot, "U1", "C1")
    bot.server.world.faults.append(Fault("users.conversations", "missing_scope"))
    shown = words((await bot.person().open_home())["blocks"])
    assert "Today" not in shown
    assert "What you can type" in shown


async def test_my_list_is_mine_and_shows_its_first_five(bot: Running) -> None:
    person = bot.person()
    handles = [paper.handle for paper in seeds().corpus][:7]
    for handle in handles:
        await person.say(f"save {handle}")
        bot.server.world.pass_seconds(1)
    home = await person.open_home()
    shown = words(home["blocks"])
    assert "Papers you saved" in shown
    assert "The latest 5 of 7" in shown
    assert [handle for handle in handles if f"{handle} · " in shown] == handles[2:]
    assert "Whole list" in buttons(home["blocks"])
    assert "Papers you saved" not in words((await bot.person(user="U2").open_home())["blocks"])


async def test_saving_at_home_is_seen_there_at_once(bot: Running) -> None:
    person, world = bot.person(), bot.server.world
    (title,) = await given(bot, "U1", "C1")
    home = await person.open_home()
    await person.use_view({**home, "type": "home"}, "Vhome", "Save")
    await world.until(lambda: "Papers you saved" in words(world.homes["T1", "U1"]["blocks"]))
    assert words(world.homes["T1", "U1"]["blocks"]).count(title) == 2
    view = next(iter(world.views.values()))
    assert "Saved" in words(view.view["blocks"])
    await person.use_view(view.view, view.id, "Undo")
    await world.until(lambda: "Papers you saved" not in words(world.homes["T1", "U1"]["blocks"]))


async def test_saving_elsewhere_draws_no_home(bot: Running) -> None:
    await given(bot, "U1", "C1")
    person = bot.person()
    await person.press_shared("Save")
    await bot.stop()
    assert [name for name, _ in bot.server.world.calls if name == "views.publish"] == []


async def test_a_hostile_paper_does_nothing_at_home(tmp_path: Path) -> None:
    # none of those that no reader of corpus files lets through
    library = Library.of(Corpus(tuple(one for one in corpus() if "\ud83d" not in one.name), "attacks"), None)
    async with slack_server() as server, running_bot(server, tmp_path, library=lambda: library) as bot:
        person = bot.person()
        for paper in list(library.corpus)[:5]:
            await person.say(f"save {paper.handle}")
        await person.say("digest on 9:00 count:5")
        await person.say("digest now")
        await Worker(bot.services, library, server.world.pass_seconds).tick()
        home: dict[str, Any] = await person.open_home()
        shown = words(home["blocks"])
        assert "Today" in shown
        assert "Papers you saved" in shown
        assert any(attack in shown for attack in ATTACKS)
        assert live(home) == []
        assert [url for url in links(home["blocks"]) if not url.startswith("http")] == []
    assert server.world.refused == []


async def test_a_home_that_is_off_is_never_drawn(tmp_path: Path) -> None:
    async with slack_server() as server, running_bot(server, tmp_path, SlackSection(home=False)) as bot:
        await bot.person().event({"type": "app_home_opened", "tab": "home", "channel": "D1"})
        await bot.stop()
        assert server.world.homes == {}
