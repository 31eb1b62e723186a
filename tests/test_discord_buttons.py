"""Buttons, sharing, duplicates and failures in Discord, over sockets."""

import asyncio
import logging
from collections.abc import AsyncIterator
from functools import partial
from pathlib import Path

import pytest
from platforms.discord.markdown import labels, read_message
from platforms.discord.running import services_of, serving, settings_of, store_at
from platforms.discord.server import Double, discord_double, elements
from platforms.discord.surface import DiscordSurface
from platforms.discord.world import EMBED, EVERYTHING, SEND, THREADS, VIEW, Channel

from bot.adapters.discord.message import DiscordChrome, DiscordMessage, message
from bot.adapters.discord.section import DiscordSection
from bot.commands import all_commands
from bot.commands.base import Command, CommandSet, Example, Handler, Invocation, Kind, Parameter
from bot.config import default_corpus
from bot.corpus import load_corpus
from bot.library import Library
from bot.message import Attachment, Reply
from bot.richtext import Paragraph, text
from bot.store.database import Database


@pytest.fixture(scope="module")
def library() -> Library:
    return Library.of(load_corpus(default_corpus()))


@pytest.fixture
async def database(tmp_path: Path) -> AsyncIterator[Database]:
    async with store_at(f"sqlite:///{tmp_path / 'store.sqlite3'}") as database:
        yield database


@pytest.fixture
async def double() -> AsyncIterator[Double]:
    async with discord_double() as double:
        yield double
    assert double.world.pings == []


def surface_of(double: Double, **more: int) -> DiscordSurface:
    return DiscordSurface(double, double.world.channel(double.world.guild(), **more))


def _holds(channel: Channel, messages: int) -> bool:
    return len(channel.messages) == messages


def edits(double: Double) -> int:
    return sum(method == "PATCH" for method, _, _ in double.world.requests)


async def test_a_list_opens_each_paper_in_one_press(library: Library, database: Database, double: Double) -> None:
    async with serving(double, services_of(database, library)):
        surface = surface_of(double)
        await surface.say("kv cache")
        menu = next(one for one in elements(surface.last) if one["type"] == 3)
        offered = [option["label"] for option in menu["options"]]
        assert offered[:3] == ["xkv · TL;DR", "xkv · Abstract", "xkv · Similar"]
        seen = await surface.choose("xkv · Abstract")
        assert seen.replaced
        assert "Centered Kernel Alignment" in seen.text
        back = await surface.press("Back")
        assert "WarmServe" in back.text


async def test_buttons_outlive_a_restart(library: Library, database: Database, double: Double) -> None:
    surface = surface_of(double)
    async with serving(double, services_of(database, library)):
        await surface.say("search a rather long query about language models that no custom id has room for")
        await surface.press("Next")
        await surface.choose(elements(surface.last)[0]["options"][0]["label"])
        await surface.press("Share to channel")
        assert any("#" in element["custom_id"] for element in elements(surface.last))
    async with serving(double, services_of(database, library)):
        assert (await surface.press("Back")).replaced
        assert (await surface.press_shared("Abstract")).private


async def test_a_forgotten_button_says_so_and_leaves_the_answer(
    library: Library, database: Database, double: Double
) -> None:
    async with serving(double, services_of(database, library)):
        surface = surface_of(double)
        await surface.say("tldr xkv")
        for element in elements(surface.last):
            element["custom_id"] = "p00:#" + "0" * 24
        before = surface.last
        seen = await surface.press("Similar")
        assert seen.private
        assert "forgotten" in seen.text
        assert "xKV" in read_message(before).text


async def test_a_number_of_a_list_means_the_same_paper_after_another_list(
    library: Library, database: Database, double: Double
) -> None:
    async with serving(double, services_of(database, library)):
        surface = surface_of(double)
        await surface.say("kv cache")
        first = await surface.say("tldr 1")
        await surface.press("Similar")
        back = await surface.press("Back")
        assert back.text == first.text


async def test_a_paper_by_chance_is_shared_as_it_was_shown(
    library: Library, database: Database, double: Double
) -> None:
    async with serving(double, services_of(database, library)):
        surface = surface_of(double)
        for _ in range(5):
            seen = await surface.say("random")
            title = seen.text.split("\n", 1)[0]
            await surface.press("Share to channel")
            assert title in surface.posts()[-1]


async def test_delivered_twice_is_answered_once_also_by_two_replicas(
    library: Library, database: Database, double: Double
) -> None:
    one, two = services_of(database, library, "one"), services_of(database, library, "two")
    async with serving(double, one), serving(double, two):
        await double.connected(2)
        channel = double.world.channel(double.world.guild())
        for number in range(20):
            done = await double.answered(await double.say(9, channel, "show", paper="xkv", times=2))
            pressed = await double.answered(await double.press(9, channel, done.shown, "Share to channel", times=2))
            assert pressed.answers == 1
            await double.until(partial(_holds, channel, number + 1))
            assert done.answers == 1
    assert len(channel.messages) == 20
    # where the store is slow, Discord itself takes the acknowledgement of one of them only
    assert all("already been acknowledged" in str(faults) for _, faults in double.world.refused)


@pytest.mark.parametrize(
    ("who", "kind", "may", "named"),
    [
        ("person", 0, EVERYTHING & ~SEND, "Send Messages"),
        ("person", 11, EVERYTHING & ~THREADS, "Send Messages in Threads"),
        ("bot", 0, EVERYTHING & ~EMBED, "Embed Links"),
        ("bot", 0, EVERYTHING & ~VIEW, "View Channel"),
        ("bot", 11, EVERYTHING & ~THREADS, "Send Messages in Threads"),
    ],
)
async def test_sharing_names_the_permission_that_is_missing(
    who: str, kind: int, may: int, named: str, *, library: Library, database: Database, double: Double
) -> None:
    async with serving(double, services_of(database, library)):
        surface = surface_of(double, kind=kind)
        surface.channel.may[surface.user if who == "person" else double.world.me] = may
        await surface.say("tldr xkv")
        seen = await surface.press("Share to channel")
        assert seen.private
        assert named in seen.text
        assert ("You may not" if who == "person" else "I may not") in seen.text
        assert surface.posts() == []
        assert double.world.refused == []


async def test_a_permission_lost_meanwhile_is_said_too(library: Library, database: Database, double: Double) -> None:
    async with serving(double, services_of(database, library)):
        surface = surface_of(double)
        await surface.say("tldr xkv")
        slow = double.world.fault("slow", "POST /channels")
        pressed = await double.press(surface.user, surface.channel, surface.last, "Share to channel")
        await double.until(lambda: pressed.acknowledged is not None)
        surface.channel.may[double.world.me] = EVERYTHING & ~SEND
        slow.until.set()
        done = await double.answered(pressed)
        assert "Send Messages" in read_message(done.beside[0]).text
        assert surface.posts() == []


async def test_sharing_in_a_thread(library: Library, database: Database, double: Double) -> None:
    async with serving(double, services_of(database, library)):
        surface = surface_of(double, kind=11)
        await surface.say("tldr xkv")
        await surface.press("Share to channel")
        assert "hared by" in surface.posts()[0]


async def test_a_post_has_content_names_the_sharer_and_pings_nobody(
    library: Library, database: Database, double: Double
) -> None:
    async with serving(double, services_of(database, library)):
        surface = surface_of(double)
        await surface.say("language models")
        shared = await surface.press("Share to channel")
        assert "Shared with this channel." in shared.text
        assert "Share to channel" not in shared.buttons
        (post,) = surface.channel.messages
        assert "5 papers" in post["content"]
        assert f"<@{surface.user}>" in post["content"]
        offered = [option["label"] for option in elements(post)[0]["options"]]
        bodies = [body for method, path, body in double.world.requests if method == "POST" and "channels" in path]
        (body,) = bodies
        assert body["allowed_mentions"]["parse"] == []
        assert body["enforce_nonce"] is True
        chosen = await double.answered(await double.choose(77, surface.channel, post, offered[0]))
        assert chosen.acknowledged == 5
        assert offered[0].endswith(" · TL;DR")
        assert "own words" in read_message(chosen.shown).text
        assert surface.channel.messages == [post]


async def test_only_the_sharer_deletes(library: Library, database: Database, double: Double) -> None:
    async with serving(double, services_of(database, library)):
        surface = surface_of(double)
        await surface.say("tldr xkv")
        await surface.press("Share to channel")
        stranger = DiscordSurface(double, surface.channel, user=777)
        seen = await stranger.press_shared("Delete")
        assert seen.private
        assert "Only the person who shared this" in seen.text
        assert len(surface.posts()) == 1
        await surface.press_shared("Delete")
        assert surface.posts() == []


async def test_direct_messages_answer_and_have_nothing_to_share_with(
    library: Library, database: Database, double: Double
) -> None:
    async with serving(double, services_of(database, library)):
        surface = DiscordSurface(double, double.world.channel(None))
        seen = await surface.say("tldr xkv")
        assert "xKV" in seen.text
        assert "Share to channel" not in seen.buttons


async def test_sharing_can_be_switched_off(library: Library, database: Database, double: Double) -> None:
    async with serving(double, services_of(database, library), settings_of(DiscordSection(share=False))):
        assert "Share to channel" not in (await surface_of(double).say("tldr xkv")).buttons


async def test_every_interaction_is_acknowledged_before_it_is_answered(
    library: Library, database: Database, double: Double
) -> None:
    async with serving(double, services_of(database, library)):
        channel = double.world.channel(double.world.guild())
        asked = [await double.say(user, channel, "search", query="language models") for user in range(1, 51)]
        for one in asked:
            done = await double.answered(one)
            assert done.acknowledged == 5
            assert done.shown["flags"] == 64
    assert double.world.refused == []


async def test_too_late_is_noted_and_stops_nothing(
    library: Library, database: Database, double: Double, caplog: pytest.LogCaptureFixture
) -> None:
    async with serving(double, services_of(database, library)):
        channel = double.world.channel(double.world.guild())
        slow = double.world.fault("slow", "/callback")
        late = await double.say(3, channel, "tldr", paper="xkv")
        double.world.clock.advance(3.1)
        slow.until.set()
        await double.until(lambda: bool(double.world.refused))
        assert (
            "xKV" in read_message((await double.answered(await double.say(3, channel, "tldr", paper="xkv"))).shown).text
        )
        assert late.answers == 0
    assert f"interaction {late.id} could not be acknowledged: too late" in caplog.text


@pytest.mark.parametrize("kind", ["500", "503", "429", "drop before", "drop after", "reset"])
@pytest.mark.parametrize("where", ["/callback", "PATCH"])
async def test_a_passing_fault_costs_nobody_an_answer(
    kind: str, where: str, *, library: Library, database: Database, double: Double, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bot.adapters.discord.message.PAUSES", (0.0, 0.0))
    _no_waiting(monkeypatch)
    async with serving(double, services_of(database, library)):
        double.world.fault(kind, where)
        seen = await surface_of(double).say("tldr xkv")
        assert "xKV" in seen.text


@pytest.mark.parametrize("kind", ["503", "drop before", "drop after", "reset"])
async def test_a_passing_fault_shares_once(
    kind: str, library: Library, database: Database, double: Double, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bot.adapters.discord.message.PAUSES", (0.0, 0.0))
    async with serving(double, services_of(database, library)):
        surface = surface_of(double)
        await surface.say("tldr xkv")
        double.world.fault(kind, "POST /channels")
        await surface.press("Share to channel")
        assert len(surface.posts()) == 1


def _no_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    """discord.py waits a second before it tries again."""
    sleep = asyncio.sleep
    monkeypatch.setattr("discord.webhook.async_.asyncio.sleep", lambda _seconds: sleep(0))


def custom(handler: Handler, *parameters: Parameter) -> CommandSet:
    made = Command("odd", "Odd.", handler, (Example("odd", "", ()),), parameters)
    return CommandSet([*all_commands().all, made])


async def test_a_failing_command_gives_a_reference_and_stops_no_other(
    library: Library, database: Database, double: Double, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(_context: object, _invocation: object) -> Reply:
        raise RuntimeError("the reason")

    async with serving(double, services_of(database, library, commands=custom(broken))):
        surface = surface_of(double)
        seen = await surface.use("odd")
        assert "not your fault" in seen.text
        assert seen.text.strip().rpartition(" ")[2] in caplog.text
        assert "the reason" not in seen.text
        assert "xKV" in (await surface.say("tldr xkv")).text


async def test_a_rejected_message_is_sent_as_plain_text(
    library: Library, database: Database, double: Double, monkeypatch: pytest.MonkeyPatch
) -> None:
    def odd(reply: Reply, frame: DiscordChrome) -> DiscordMessage:
        made = message(reply, frame)
        made.embeds[0]["description"] = "x" * 5_000
        return made

    monkeypatch.setattr("bot.adapters.discord.surface.message", odd)
    async with serving(double, services_of(database, library)):
        seen = await surface_of(double).say("tldr xkv")
        assert "xKV: Cross-Layer" in seen.text
    assert "embeds.0.description" in str(double.world.refused[0])


async def test_files_are_attached_and_leave_with_the_next_answer(
    library: Library, database: Database, double: Double
) -> None:
    def export(_context: object, _invocation: object) -> Reply:
        files = (Attachment("list.bib", b"@article{}", "text/x-bibtex"),)
        return Reply("odd", (Paragraph(text("Your list")),), attachments=files)

    async with serving(double, services_of(database, library, commands=custom(export))):
        assert "Your list" in (await surface_of(double).use("odd")).text
        body = [body for method, _, body in double.world.requests if method == "PATCH"][-1]
        assert body["_files"] == 1
        assert body["attachments"][0]["filename"] == "list.bib"


@pytest.mark.parametrize("queries", [False, True])
async def test_logs_hold_no_query_unless_switched_on(
    queries: bool, library: Library, database: Database, double: Double, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    settings = settings_of()
    object.__setattr__(settings.core.log, "queries", queries)
    logging.getLogger("discord").setLevel(logging.NOTSET)
    async with serving(double, services_of(database, library), settings):
        surface = surface_of(double)
        await surface.say("search marzipan")
        await surface.say("tldr xkv")
        await surface.press("Similar")
    # not the double's own, nor the database driver's, which the application keeps quiet
    logged = "\n".join(entry.getMessage() for entry in caplog.records if entry.name.startswith(("bot.", "discord.")))
    assert ("marzipan" in logged) is queries
    assert double.world.token not in logged
    assert not any(token in logged for token in double.world.by_token)
    assert f"user{surface.user}" not in logged


async def test_a_long_option_of_any_kind_is_bounded(library: Library, database: Database, double: Double) -> None:
    def echo(_context: object, invocation: Invocation) -> Reply:
        return Reply("odd", (Paragraph(text(invocation.text("words"))),))

    words = Parameter("words", Kind.TEXT, "Words")
    async with serving(double, services_of(database, library, commands=custom(echo, words))):
        attack = "[a](b" * 200
        assert attack in (await surface_of(double).use("odd", words=attack)).text


async def test_buttons_fit_and_have_words(library: Library, database: Database, double: Double) -> None:
    async with serving(double, services_of(database, library)):
        surface = surface_of(double)
        await surface.say("search language models limit:25")
        menu = next(one for one in elements(surface.last) if one["type"] == 3)
        assert len(menu["options"]) == min(25, len({option["value"].split(":")[1] for option in menu["options"]}))
        await surface.say("search sourdough bread recipe")
        assert all(label.strip() for label in labels(surface.last["components"]))
    assert double.world.refused == []


async def test_what_one_keeps_is_not_to_be_shared(library: Library, database: Database, double: Double) -> None:
    async with serving(double, services_of(database, library)):
        surface = surface_of(double)
        saved = await surface.say("save xkv")
        assert "Share to channel" not in saved.buttons
        mine = await surface.say("saved")
        assert "xKV" in mine.text
        assert "Share to channel" not in mine.buttons
        assert "Share to channel" in (await surface.say("tldr xkv")).buttons


async def test_an_export_is_a_file_with_the_private_answer(
    library: Library, database: Database, double: Double
) -> None:
    async with serving(double, services_of(database, library)):
        surface = surface_of(double)
        await surface.say("save xkv")
        seen = await surface.say("export csv")
        assert seen.private
        body = [body for method, _, body in double.world.requests if method == "PATCH"][-1]
        rows = body["_contents"]["papers.csv"].decode().splitlines()
        assert rows[0] == "handle,title,authors,venue,year,url,code"
        assert rows[1].startswith("xkv,")
        assert len(rows) == 2
        assert surface.posts() == []
