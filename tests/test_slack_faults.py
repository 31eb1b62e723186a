"""What goes wrong between Slack and the bot: deliveries twice, requests lost, refused blocks, failing commands."""

import asyncio
import logging
import sqlite3
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from databases import database_url
from platforms.slack.people import OverHttp, Person
from platforms.slack.running import Running, free_port, running_bot
from platforms.slack.seen import words
from platforms.slack.server import SlackServer, slack_server
from platforms.slack.world import Fault
from waiting import GUARD_SECONDS

from bot.adapters.slack.section import HttpSection, Mode, SlackSection
from bot.commands import all_commands
from bot.commands.base import Command, CommandSet, Example, Kind, Parameter
from bot.commands.fetch import fetch
from bot.message import Button, Call, Reply
from bot.richtext import Paragraph, Text


@pytest.fixture
async def bot(tmp_path: Path) -> AsyncIterator[Running]:
    async with slack_server() as server, running_bot(server, tmp_path) as running:
        yield running


def answers(server: SlackServer, *names: str) -> int:
    """How many messages left."""
    wanted = names or ("response_url", "chat.postMessage", "chat.postEphemeral")
    return sum(name in wanted for name, _ in server.world.calls)


# the same delivery again


async def test_the_same_event_four_times_is_answered_once(bot: Running) -> None:
    person, event = bot.person(), {"type": "app_mention", "text": "<@UBOT> kv cache", "ts": "1.1"}
    acks = [await person.event(event, event_id="Ev-same", retry=number) for number in range(4)]
    assert None not in acks
    await bot.stop()  # everything under way is finished
    assert len(person.posts()) == 1


async def test_the_same_command_shortcut_and_press_twice_are_answered_once(bot: Running) -> None:
    person = bot.person()
    for _ in range(2):
        await person.slash("tldr xkv", trigger="T.same")
    await bot.server.world.until(person.visible)
    for _ in range(2):
        await person.use(person.last(), "Share to channel", trigger="T.share")
    await bot.stop()
    assert len(person.visible()) == 1
    assert len(person.posts()) == 1


async def test_the_same_form_twice_is_answered_once(bot: Running) -> None:
    person, world = bot.person(), bot.server.world
    await person.say("")
    await person.use(person.last(), "Search with filters")
    view = await world.until(lambda: next(iter(world.views.values()), None))
    values = {"query": {"value.query": {"type": "plain_text_input", "value": "experts"}}}
    for _ in range(2):
        await person.submit(view, values, trigger="T.form")
    await bot.stop()
    assert len(person.visible()) == 2


@pytest.mark.parametrize("kind", ["sqlite", "postgresql"])
async def test_a_thousand_deliveries_twice_at_two_replicas_are_answered_a_thousand_times(
    kind: str, tmp_path: Path
) -> None:
    sections = [SlackSection(mode="http", http=HttpSection(port=free_port())) for _ in range(2)]
    async with (
        database_url(kind, tmp_path) as url,
        slack_server() as server,
        running_bot(server, tmp_path, sections[0], url=url) as one,
        running_bot(server, tmp_path, sections[1], url=url),
    ):
        bases = [f"http://127.0.0.1:{section.http.port}" for section in sections]
        line = OverHttp(server, bases)
        person = Person(server, line)
        gate = asyncio.Semaphore(20)
        count = 1_000 if kind == "postgresql" else 200

        async def twice(number: int) -> None:
            async with gate:
                await asyncio.gather(*(person.slash("about", trigger=f"T.{number}", base=base) for base in bases))

        await asyncio.gather(*(twice(number) for number in range(count)))
        await server.world.until(lambda: answers(server) >= count)
        one.services.stopping.set()
        assert line.statuses == [200] * (2 * count)
    assert answers(server) == count
    assert server.world.late == []


# requests that are lost


async def test_a_post_is_never_sent_twice(bot: Running, caplog: pytest.LogCaptureFixture) -> None:
    person, world = bot.person(), bot.server.world
    await person.say("tldr xkv")
    world.faults.append(Fault("chat.postMessage", "drop_after"))
    seen = await person.press("Share to channel")
    if not seen.private:  # the post was seen before what the bot had to say about it
        await world.until(lambda: "Reference" in words(person.last().blocks))
    assert len(person.posts()) == 1
    assert "could not" in caplog.text or "failed" in caplog.text


async def test_a_lost_post_is_told_with_a_reference_that_finds_the_log_entry(
    bot: Running, caplog: pytest.LogCaptureFixture
) -> None:
    person = bot.person()
    await person.say("tldr xkv")
    bot.server.world.faults.append(Fault("chat.postMessage", "drop_before"))
    seen = await person.press("Share to channel")
    assert seen.private
    reference = seen.text.rpartition(" ")[2]
    assert f"reference {reference}" in caplog.text
    assert person.posts() == []


@pytest.mark.parametrize("kind", ["drop_after", "drop_before", "500", "internal_error"])
async def test_an_answer_that_may_have_arrived_is_not_told_to_have_failed(
    kind: str, bot: Running, caplog: pytest.LogCaptureFixture
) -> None:
    person, world = bot.person(), bot.server.world
    world.faults.append(Fault("chat.postMessage", kind))
    await person.event({"type": "app_mention", "text": "<@UBOT> tldr xkv", "ts": world.new_ts()})
    await world.until(lambda: "Reference" in seen_by(person))
    assert ["Approach" in words(one.blocks) for one in world.public("C1")] == [True] * (kind == "drop_after")
    assert "went wrong" not in seen_by(person)
    (doubt,) = [words(one.blocks) for one in person.visible() if "whether my answer arrived" in words(one.blocks)]
    assert f"reference {doubt.rpartition(' ')[2]}" in caplog.text


@pytest.mark.parametrize("kind", ["500", "drop_before"])
async def test_what_does_no_harm_twice_is_tried_again(kind: str, bot: Running) -> None:
    person = bot.person()
    await person.say("tldr xkv")
    bot.server.world.faults.append(Fault("conversations.info", kind))
    await person.press("Share to channel")
    assert len(person.posts()) == 1


async def test_429_waits_as_long_as_slack_says(bot: Running) -> None:
    person = bot.person()
    await person.say("tldr xkv")
    bot.server.world.faults.append(Fault("chat.postMessage", "429", seconds=1))
    await person.press("Share to channel")
    assert len(person.posts()) == 1


async def test_429_for_longer_than_anybody_waits_is_said(bot: Running) -> None:
    person = bot.person()
    await person.say("tldr xkv")
    bot.server.world.faults.append(Fault("chat.postMessage", "429", seconds=300))
    assert "slow down" in (await person.press("Share to channel")).text


async def test_429_for_an_answer_waits_too(bot: Running) -> None:
    bot.server.world.faults.append(Fault("response_url", "429", seconds=1))
    assert "xKV" in (await bot.person().say("tldr xkv")).text


# blocks that slack refuses


@pytest.mark.parametrize("code", ["invalid_blocks", "msg_blocks_too_long"])
async def test_refused_blocks_are_sent_once_more_as_plain_text(
    code: str, bot: Running, caplog: pytest.LogCaptureFixture
) -> None:
    person = bot.person()
    bot.server.world.faults.append(Fault("response_url", code))
    seen = await person.say("tldr xkv")
    assert person.last().blocks == []
    assert "xKV: Cross-Layer KV-Cache Compression" in seen.text
    assert "Approach:" in seen.text
    assert f"refused the blocks of a message ({code})" in caplog.text


async def test_refused_twice_is_told_by_another_message(bot: Running) -> None:
    bot.server.world.faults.append(Fault("response_url", "invalid_blocks", times=2))
    seen = await bot.person().say("tldr xkv")
    assert "Something went wrong" in seen.text


async def test_a_refused_view_is_shown_as_plain_text(bot: Running) -> None:
    person, world = bot.person(), bot.server.world
    home = await person.open_home()
    world.faults.append(Fault("views.open", "invalid_arguments"))
    await person.use_view({**home, "type": "home"}, "Vhome", "about")
    view = await world.until(lambda: next(iter(world.views.values()), None))
    assert [block["type"] for block in view.view["blocks"]] == ["section"]
    assert "Version" in words(view.view["blocks"])


async def test_a_form_that_came_too_late_is_said(bot: Running) -> None:
    person = bot.person()
    await person.say("")
    bot.server.world.faults.append(Fault("views.open", "expired_trigger_id"))
    seen = await person._after(lambda: person.use(person.last(), "Search with filters"))
    assert "Action once more" in seen.text
    assert not seen.replaced


# commands that fail, commands that take long


def with_commands(*extra: Command) -> CommandSet:
    return CommandSet([*all_commands().all, *extra])


async def test_a_failing_command_stops_no_other(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    def broken(_context: object, _invocation: object) -> Reply:
        raise RuntimeError("the reason")

    commands = with_commands(Command("boom", "", broken, (Example("boom", "", ()),)))
    async with slack_server() as server, running_bot(server, tmp_path, commands=commands) as running:
        person = running.person()
        seen = await person.say("boom")
        assert "not your fault" in seen.text
        assert "the reason" not in seen.text
        assert seen.text.rpartition(" ")[2] in caplog.text
        assert "xKV" in (await person.say("tldr xkv")).text


async def test_where_the_store_cannot_say_what_is_new_people_are_answered(
    bot: Running, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def gone(*_: object) -> bool:
        raise OSError("disk full")

    monkeypatch.setattr(bot.services.inbound, "claim", gone)
    assert "xKV" in (await bot.person().say("tldr xkv")).text
    assert "the store did not say whether" in caplog.text
    assert "(OSError)" in caplog.text


async def test_while_the_store_is_locked_people_search_and_read_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with slack_server() as server, running_bot(server, tmp_path) as bot:
        person = bot.person()
        await person.say("help")
        assert await bot.services.writes.finish(GUARD_SECONDS) == 0
        monkeypatch.setattr("bot.adapters.conversation.CLAIM_SECONDS", 0.0)
        monkeypatch.setattr("bot.store.inbound.LOOK_SECONDS", 0.0)
        with sqlite3.connect(tmp_path / "store.sqlite3", isolation_level=None) as other:
            other.execute("BEGIN IMMEDIATE")
            assert "xKV" in (await person.say("kv cache")).text
            assert "Approach" in (await person.say("tldr 1")).text
            assert "Closest to" in (await person.press("Similar")).text
            other.execute("ROLLBACK")
        assert await bot.services.writes.finish(GUARD_SECONDS) == 0
        assert "Approach" in (await person.press("Back")).text


async def test_a_store_that_answers_nobody_is_not_waited_for(
    bot: Running, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    freed = asyncio.Event()

    async def stalled(*_: object) -> bool:
        await freed.wait()
        return True

    monkeypatch.setattr("bot.adapters.conversation.CLAIM_SECONDS", 0.0)
    monkeypatch.setattr(bot.services.inbound, "claim", stalled)
    assert "xKV" in (await bot.person().say("tldr xkv")).text
    assert "(TimeoutError)" in caplog.text
    freed.set()


@pytest.mark.parametrize("mode", ["socket", "http"])
@pytest.mark.parametrize("way", ["slash command", "mention", "direct message", "shortcut", "button"])
async def test_what_takes_long_is_acknowledged_at_once(way: str, mode: Mode, tmp_path: Path) -> None:
    go_on = asyncio.Event()

    async def slow(_context: object, _invocation: object) -> Reply:
        await fetch(go_on.wait())
        return Reply("search", (Paragraph((Text("done at last"),)),))

    async def offer(_context: object, _invocation: object) -> Reply:
        return Reply("offer", (Paragraph((Text("an offer"),)),), buttons=(Button("Slowly", Call("search")),))

    others = [command for command in all_commands().all if command.path != "search"]
    example = (Example("offer", "", ()),)
    query = (Parameter("query", Kind.TEXT, ""),)
    commands = CommandSet([*others, Command("search", "", slow, example, query), Command("offer", "", offer, example)])
    section = SlackSection(mode=mode)
    async with slack_server() as server, running_bot(server, tmp_path, section, commands=commands) as running:
        person = running.person()
        match way:
            case "slash command":
                acknowledged = await person.slash("search")
            case "mention":
                acknowledged = await person.event({"type": "app_mention", "text": "<@UBOT> search", "ts": "1.1"})
            case "direct message":
                event = {"type": "message", "channel_type": "im", "text": "search", "ts": "1.1"}
                acknowledged = await person.event(event)
            case "shortcut":
                acknowledged = await person.ask_by_shortcut("anything")
            case _:
                await person.say("offer")
                acknowledged = await person.use(person.last(), "Slowly")
        assert acknowledged is not None
        assert "done at last" not in seen_by(person)  # its command still waits: the answer cannot have come first
        go_on.set()
        await server.world.until(lambda: "done at last" in seen_by(person))


def seen_by(person: Person) -> str:
    """Everything that stands in front of a person, in private or in the channel."""
    return " ".join([*(words(one.blocks) for one in person.visible()), *person.posts()])


async def test_a_form_whose_search_takes_long_says_so_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bot.adapters.slack.surface.SOON", 0.0)
    monkeypatch.setattr("bot.adapters.slack.surface._AFTER_ACK", 0.0)
    go_on = asyncio.Event()

    async def slow(_context: object, _invocation: object) -> Reply:
        await fetch(go_on.wait())
        return Reply("search", (Paragraph((Text("found at last"),)),))

    known = all_commands().get("search")
    assert known is not None
    others = [command for command in all_commands().all if command.path != "search"]
    commands = CommandSet([*others, Command("search", "", slow, known.examples, known.parameters)])
    async with slack_server() as server, running_bot(server, tmp_path, commands=commands) as running:
        person, world = running.person(), server.world
        home = await person.open_home()
        await person.use_view({**home, "type": "home"}, "Vhome", "Search with filters")
        view = await world.until(lambda: next(iter(world.views.values()), None))
        values = {"query": {"value.query": {"type": "plain_text_input", "value": "experts"}}}
        await person.submit(view, values)
        assert "Searching…" in words(view.view["blocks"])
        go_on.set()
        await world.until(lambda: "found at last" in words(view.view["blocks"]))


@pytest.mark.parametrize("home", [False, True])
async def test_a_form_does_not_stay_at_searching_where_the_store_is_slow(
    bot: Running, monkeypatch: pytest.MonkeyPatch, *, home: bool
) -> None:
    monkeypatch.setattr("bot.adapters.slack.surface.SOON", 0.0)
    monkeypatch.setattr("bot.adapters.slack.surface._AFTER_ACK", 0.0)
    person, world = bot.person(), bot.server.world
    if home:
        await person.use_view({**await person.open_home(), "type": "home"}, "Vhome", "Search with filters")
    else:
        await person.say("")
        await person.use(person.last(), "Search with filters")
    view = await world.until(lambda: next(iter(world.views.values()), None))
    freed = asyncio.Event()

    async def slow(*_: object) -> bool:
        await freed.wait()
        return True

    monkeypatch.setattr(bot.services.inbound, "claim", slow)
    values = {"query": {"value.query": {"type": "plain_text_input", "value": "experts"}}}
    acknowledged = await person.submit(view, values)
    assert ("Searching…" in str(acknowledged)) == home, "a form that closes is closed at once"
    freed.set()
    if home:
        await world.until(lambda: "PuzzleMoE" in words(view.view["blocks"]))
    else:
        await world.until(lambda: "PuzzleMoE" in seen_by(person))


async def test_fifty_at_once_are_all_acknowledged_and_answered(bot: Running) -> None:
    person, world = bot.person(), bot.server.world
    acks = await asyncio.gather(*(person.slash("kv cache") for _ in range(50)))
    assert None not in acks
    await world.until(lambda: len(person.visible()) == 50)
    assert world.late == []


# malformed payloads from slack's own side


WHO = {"team": {"id": "T1"}, "user": {"id": "U1"}}
PRESSED = {"type": "block_actions", **WHO, "actions": [{"action_id": "press.1", "type": "button"}]}


@pytest.mark.parametrize(
    ("kind", "payload"),
    [
        ("slash_commands", {"command": "/papers", "team_id": "T1", "user_id": "U1"}),
        ("slash_commands", {"command": "/other", "team_id": "T1", "user_id": "U1", "trigger_id": "x"}),
        ("interactive", PRESSED),
        ("interactive", {"type": "message_action", "callback_id": "find_related", **WHO}),
        ("events_api", {"type": "event_callback", "team_id": "T1", "event": {"type": "app_mention", "user": "U1"}}),
    ],
    ids=["slash without parts", "other command", "press without place", "shortcut without place", "event without id"],
)
async def test_a_payload_that_lacks_parts_is_acknowledged_and_harms_nobody(
    kind: str, payload: dict[str, object], bot: Running
) -> None:
    person = bot.person()
    assert await person.line.deliver(kind, payload) is not None
    assert "xKV" in (await person.say("tldr xkv")).text


# what is logged


@pytest.mark.parametrize("queries", [False, True])
async def test_queries_are_logged_only_when_that_was_switched_on(
    queries: bool, tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    from dataclasses import replace  # noqa: PLC0415

    from platforms.slack import running as module  # noqa: PLC0415

    from bot.config import CoreSections, LogSection, Settings  # noqa: PLC0415

    settings_for = module.settings_for

    def with_log(
        server: SlackServer, folder: Path, section: SlackSection | None, environment: dict[str, str] | None
    ) -> Settings:
        settings = settings_for(server, folder, section, environment)
        return replace(settings, core=CoreSections(log=LogSection(queries=queries)))

    monkeypatch.setattr(module, "settings_for", with_log)
    caplog.set_level(logging.DEBUG)
    async with slack_server() as server, running_bot(server, tmp_path) as bot:
        person = bot.person()
        await person.say("unlikelyword kv cache")
        await person.press("TL;DR")
        await person.mention("otherword experts")
        await person.shortcut("thirdword kv cache")
    own = "\n".join(record.getMessage() for record in caplog.records if record.name.startswith(("bot.", "slack")))
    assert ("unlikelyword" in own) is queries
    assert "thirdword" not in own
    assert "somebody" not in own
    assert "search answered U1" in own
