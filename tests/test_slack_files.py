"""Exports in Slack: a file where only the person who asked sees it, or the text and the reason why."""

import json
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from platforms.slack.running import Running, running_bot, seeds
from platforms.slack.seen import words
from platforms.slack.server import slack_server
from platforms.slack.world import Fault, Message

from bot.adapters.slack.section import SlackSection


@pytest.fixture
async def bot(tmp_path: Path) -> AsyncIterator[Running]:
    async with slack_server() as server, running_bot(server, tmp_path) as running:
        yield running
    assert server.world.refused == []
    assert server.world.late == []


def with_files(bot: Running) -> list[Message]:
    return [one for one in bot.server.world.messages if one.files]


async def test_a_list_comes_as_a_file_in_direct_messages(bot: Running) -> None:
    person = bot.person()
    await person.say("save xkv")
    seen = await person.say("export csv")
    assert seen.private
    assert "papers.csv is in your direct messages with me." in seen.text
    (message,) = with_files(bot)
    assert message.channel == "D1"
    rows = message.files["papers.csv"].decode().split("\n")
    assert rows[0] == "handle,title,authors,venue,year,url,code"
    assert rows[1].startswith("xkv,")
    assert bot.server.world.public("C1") == []
    assert "papers.csv" in words(bot.server.world.public("D1")[0].blocks)


async def test_one_s_own_data_is_a_file_too(bot: Running) -> None:
    person = bot.person()
    await person.say("save xkv")
    await person.say("data export")
    (message,) = with_files(bot)
    paper = seeds().corpus.get("xkv")
    assert paper is not None
    assert json.loads(message.files["paperboy-data.json"])["saved"] == [paper.id]


async def test_by_a_button_too(bot: Running) -> None:
    person = bot.person()
    await person.say("save xkv")
    await person.say("saved")
    seen = await person.press("Export")
    assert "papers.bib is in your direct messages with me." in seen.text
    (message,) = with_files(bot)
    assert message.channel == "D1"
    assert message.files["papers.bib"].startswith(b"@")


async def test_in_direct_messages_it_stands_right_there(bot: Running) -> None:
    person = bot.person(channel="D1")
    await person.say("save xkv")
    seen = await person.say("export csv")
    assert "papers.csv is below." in seen.text
    (message,) = with_files(bot)
    assert message.channel == "D1"


async def test_of_a_long_list_the_answer_shows_whole_lines_and_the_file_has_all(bot: Running) -> None:
    person = bot.person(channel="D1")
    papers = list(seeds().corpus)
    for paper in papers:
        await person.say(f"save {paper.handle}")
    seen = await person.say("export csv")
    (message,) = with_files(bot)
    lines = message.files["papers.csv"].decode().splitlines()
    assert len(lines) == 1 + len(papers)
    shown = [line for line in seen.text.split("\n") if line in lines]
    assert shown == lines[: len(shown)]
    assert f"… and {len(lines) - len(shown)} more lines in the file." in seen.text


async def test_without_the_scope_the_text_stands_in_and_says_so(bot: Running) -> None:
    bot.server.world.tokens["xoxb-1-good"].scopes.discard("files:write")
    person = bot.person()
    await person.say("save xkv")
    seen = await person.say("export csv")
    assert "I may not send files in this workspace" in seen.text
    assert "files:write" in seen.text
    assert "handle,title,authors" in seen.text
    assert with_files(bot) == []


@pytest.mark.parametrize("method", ["files.getUploadURLExternal", "upload", "files.completeUploadExternal"])
@pytest.mark.parametrize("kind", ["500", "reset", "internal_error"])
async def test_a_file_that_does_not_get_through_costs_only_the_file(bot: Running, method: str, kind: str) -> None:
    person = bot.person()
    await person.say("save xkv")
    bot.server.world.faults.append(Fault(method, "503" if (method, kind) == ("upload", "internal_error") else kind, 5))
    seen = await person.say("export csv")
    assert "The file could not be sent just now" in seen.text
    assert "handle,title,authors" in seen.text
    assert with_files(bot) == []


async def test_files_that_are_switched_off_are_not_sent(tmp_path: Path) -> None:
    async with slack_server() as server, running_bot(server, tmp_path, SlackSection(files=False)) as bot:
        person = bot.person()
        await person.say("save xkv")
        seen = await person.say("export csv")
        assert "Files are switched off here" in seen.text
        assert with_files(bot) == []
        assert [name for name, _ in server.world.calls if name.startswith("files.")] == []


@pytest.mark.parametrize("words_", ["saved", "export csv", "data export", "watches", "save xkv"])
async def test_what_is_personal_stays_private_after_a_mention(bot: Running, words_: str) -> None:
    person, world = bot.person(), bot.server.world
    await person.say("save xkv")
    await person.say("watch kv cache")
    event = {"type": "app_mention", "text": f"<@UBOT> {words_}", "ts": "7.1"}
    seen = await person._after(lambda: person.event(event))
    assert seen.private
    assert person.last().thread == "7.1"
    assert world.public("C1") == []
