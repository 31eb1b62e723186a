"""The paper of the day in Slack: set up by command, posted once, whatever goes wrong between Slack and the bot."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import aiohttp
import pytest
from digest_worker import Worker
from platforms.slack.live import live
from platforms.slack.running import Running, running_bot, seeds
from platforms.slack.seen import words
from platforms.slack.server import slack_server
from platforms.slack.world import Fault, Message
from waiting import until, until_true

from bot.adapters.slack.posting import SlackPoster
from bot.adapters.slack.section import SlackSection
from bot.connections import Look, Offer
from bot.digest.deliver import Deliverer
from bot.digest.vote_totals import VoteTotals
from bot.errors import AmbiguousPostError, RetryLaterError
from bot.message import ChannelRef, Reply
from bot.richtext import Paragraph, plain, text
from bot.schedule.values import MAIN, posting_key

PLACE = ChannelRef("slack", "T1", "C1")
MAY_READ = SlackSection(history=True)


class Room:
    """A channel with a bot, a person, and a worker."""

    def __init__(self, bot: Running) -> None:
        self.bot, self.world = bot, bot.server.world
        self.person = bot.person()
        self.worker = Worker(bot.services, seeds(), self.world.pass_seconds)

    async def say(self, text: str) -> str:
        return (await self.person.say(text)).text

    def posts(self, channel: str = "C1") -> list[Message]:
        return [one for one in self.world.public(channel) if one.metadata]

    def fault(self, kind: str, times: int = 1, seconds: float = 0.05) -> None:
        self.world.faults.append(Fault("chat.postMessage", kind, times, seconds))

    async def owe(self, more: str = "") -> None:
        await self.say(f"digest on 9:00 {more}")
        assert "On its way" in await self.say("digest now")


@pytest.fixture
async def room(tmp_path: Path) -> AsyncIterator[Room]:
    async with slack_server() as server, running_bot(server, tmp_path, MAY_READ) as bot:
        yield Room(bot)


@pytest.fixture
async def blind(tmp_path: Path) -> AsyncIterator[Room]:
    """A bot that may not read history."""
    async with slack_server() as server, running_bot(server, tmp_path) as bot:
        yield Room(bot)


async def test_set_up_by_command_in_ones_own_zone_and_posted_once(room: Room) -> None:
    assert "Europe/Berlin" in await room.say("digest on 9:00")
    await room.say("digest now")
    await room.worker.tick()
    await room.worker.tick()
    (post,) = room.posts()
    (row,) = await room.worker.rows(PLACE)
    assert (row.state, row.message) == ("posted", post.ts)
    entry = await room.worker.storage.subscriptions.of(PLACE)
    assert entry is not None
    assert post.metadata == {
        "event_type": "paperboy_posting",
        "event_payload": {"key": posting_key(entry.id, row.day, MAIN)},
    }
    shown = words(post.blocks)
    assert shown.startswith("Paper of the day")
    assert "Why this one" in shown
    assert not live(post.sent)
    assert not room.world.refused
    assert "posted at" in await room.say("digest why")


async def test_past_picks_link_to_their_posts(room: Room) -> None:
    await room.owe()
    await room.worker.tick()
    (post,) = room.posts()
    await room.say("seen")
    assert f"https://x.slack.com/archives/C1/p{post.ts.replace('.', '')}" in str(room.world.private("U1")[-1].blocks)
    post.channel = "C-gone"  # deleted
    await room.say("seen")
    assert "slack.com/archives" not in str(room.world.private("U1")[-1].blocks)


async def test_buttons_of_the_post_answer_privately(room: Room) -> None:
    await room.owe()
    await room.worker.tick()
    for label, expected in (("Abstract", ""), ("Similar", ""), ("Save", "Saved"), ("👍 Good pick", "noted")):
        seen = await room.person.press_shared(label)
        assert seen.private
        assert expected in seen.text
    assert len(room.posts()) == 1
    (row,) = await room.worker.rows(PLACE)
    assert (await room.worker.storage.votes.of(PLACE))[row.papers[0]].up == 1


async def test_totals_of_votes_are_drawn_by_the_bot_at_most_once_a_minute(room: Room) -> None:
    await room.owe("count:2")
    await room.worker.tick()
    before = room.posts()[0].sent["blocks"]
    totals = VoteTotals(room.bot.services.storage, room.bot.services.connections)
    await room.person.press_shared("2 · 👍 Good pick")
    assert labels_of(room.posts()[0]) == labels_of_blocks(before), "a press changes no post"
    assert await totals.flush() == 1
    (post,) = room.posts()
    plain_labels = labels_of_blocks(before)
    assert labels_of(post) == [one + " · 1" if one == "2 · 👍 Good pick" else one for one in plain_labels]
    assert [one for one in post.blocks if one["type"] != "actions"] == [
        one for one in before if one["type"] != "actions"
    ], "its content stays"
    assert post.metadata
    await room.person.press_shared("2 · 👎 Not for us")
    assert await totals.flush() == 0
    room.world.pass_seconds(60)
    assert await totals.flush() == 1
    assert labels_of(room.posts()[0]) == [one + " · 1" if one == "2 · 👎 Not for us" else one for one in plain_labels]
    assert not room.world.refused


def labels_of(post: Message) -> list[str]:
    return labels_of_blocks(post.blocks)


def labels_of_blocks(blocks: list[dict[str, Any]]) -> list[str]:
    return [one["text"]["text"] for block in blocks if block["type"] == "actions" for one in block["elements"]]


@pytest.mark.parametrize("kind", ["drop_before", "drop_after", "reset", "late", "429", "500", "503", "internal_error"])
async def test_a_fault_neither_loses_nor_doubles(room: Room, kind: str) -> None:
    await room.owe()
    room.fault(kind)
    await room.worker.tick()
    if kind == "late":
        await room.world.until(room.posts)
    for _ in range(4):
        await room.worker.after(seconds=40)
    assert len(room.posts()) == 1
    assert [row.state for row in await room.worker.rows(PLACE)] == ["posted"]


async def test_nobody_listens_is_tried_again_soon(room: Room) -> None:
    await room.owe()
    await room.bot.server.stop()
    await room.worker.tick()
    (row,) = await room.worker.rows(PLACE)
    assert (row.state, row.note) == ("rendered", "no connection to Slack")
    await room.bot.server.start()
    await room.worker.after(seconds=6)
    assert len(room.posts()) == 1


@pytest.mark.parametrize("kind", ["drop_before", "drop_after"])
async def test_without_the_history_scope_it_is_reported_and_never_sent_again(blind: Room, kind: str) -> None:
    await blind.owe()
    blind.fault(kind)
    await blind.worker.tick()
    for _ in range(5):
        await blind.worker.after(minutes=10)
    assert len(blind.posts()) == (kind == "drop_after")
    assert [row.state for row in await blind.worker.rows(PLACE)] == ["unconfirmed"]
    (told,) = blind.world.public("D1")
    assert "may not have been posted" in told.text
    why = await blind.say("digest why")
    assert "not confirmed" in why
    assert "If it does not stand here, digest now posts it again." in why


async def test_who_looked_has_what_was_not_confirmed_sent_again(blind: Room) -> None:
    await blind.owe("thread:yes")
    blind.fault("drop_before")
    await blind.worker.tick()
    await blind.worker.after(minutes=10)
    assert blind.posts() == []
    assert "On its way" in await blind.say("digest now")
    await blind.worker.after(seconds=5)
    assert [row.state for row in await blind.worker.rows(PLACE)] == ["posted", "posted"]
    main, thread = blind.posts()
    assert thread.thread == main.ts
    assert "digest now extra" in await blind.say("digest now")


async def test_a_press_in_the_post_confirms_it(blind: Room) -> None:
    await blind.owe()
    blind.fault("drop_after")
    await blind.worker.tick()
    await blind.worker.after(minutes=10)
    assert [row.state for row in await blind.worker.rows(PLACE)] == ["unconfirmed"]
    seen = await blind.person.press_shared("Abstract")
    assert seen.private

    async def confirmed() -> bool:
        (row,) = await blind.worker.rows(PLACE)
        return (row.state, row.message) == ("posted", blind.posts()[0].ts)

    await until(confirmed)
    assert "posted at" in await blind.say("digest why")


async def test_a_scope_that_is_configured_and_not_granted_counts_as_none(room: Room) -> None:
    await room.owe()
    room.world.tokens["xoxb-1-good"].scopes.discard("channels:history")
    room.fault("drop_after")
    await room.worker.tick()
    await room.worker.after(minutes=2)
    assert [row.state for row in await room.worker.rows(PLACE)] == ["unconfirmed"]


async def test_429_waits_as_long_as_slack_says(room: Room) -> None:
    await room.owe()
    room.fault("429", seconds=90)
    await room.worker.tick()
    await room.worker.after(seconds=85)
    assert not room.posts()
    assert "slow down" in await room.say("digest why")
    await room.worker.after(seconds=10)
    assert len(room.posts()) == 1


async def test_rejected_rich_message_is_sent_as_plain_text(room: Room) -> None:
    await room.owe()
    room.fault("invalid_blocks")
    await room.worker.tick()
    (post,) = room.posts()
    assert not post.blocks
    assert post.text.startswith("Paper of the day")
    assert post.metadata


@pytest.mark.parametrize("code", ["invalid_blocks", "msg_too_long", "no_text", "restricted_content"])
async def test_what_is_refused_for_what_it_says_costs_that_paper_and_not_the_day(
    room: Room, code: str, caplog: pytest.LogCaptureFixture
) -> None:
    await room.owe()
    room.fault(code, times=2)  # with blocks, and as plain text
    await room.worker.tick()
    (post,) = room.posts()
    assert post.blocks
    (row,) = await room.worker.rows(PLACE)
    assert (row.state, row.replaced) == ("posted", 1)
    lines = [one for one in caplog.messages if code in one]
    assert len(lines) == 1
    assert "channel C1" in lines[0]
    entry = await room.worker.storage.subscriptions.of(PLACE)
    assert entry is not None
    assert entry.held_for is None
    assert room.world.public("D1") == []


async def test_archived_is_one_notice_and_resumes_by_itself(room: Room) -> None:
    await room.owe()
    room.world.channels["C1"].archived = True
    await room.worker.tick()
    for _ in range(12):
        await room.worker.after(hours=6)
    (told,) = room.world.public("D1")
    assert "archived" in told.text
    assert "is archived" in await room.say("digest status")
    room.world.channels["C1"].archived = False
    await room.worker.after(hours=1.1)
    entry = await room.worker.storage.subscriptions.of(PLACE)
    assert entry is not None
    assert entry.held_for is None
    for _ in range(4 * 5):
        await room.worker.after(hours=6)
    posted = [row for row in await room.worker.rows(PLACE) if row.state == "posted"]
    assert posted
    assert len(room.posts()) == len(posted)
    assert len(room.world.public("D1")) == 1


@pytest.mark.parametrize(
    ("code", "remedy"),
    [
        ("channel_not_found", "/invite @Paperboy"),
        ("not_in_channel", "/invite @Paperboy"),
        ("restricted_action", "admin"),
        ("is_archived", "restore"),
    ],
)
async def test_a_refusal_pauses_the_channel_and_says_how_to_mend_it(room: Room, code: str, remedy: str) -> None:
    await room.owe()
    room.fault(code)
    await room.worker.tick()
    entry = await room.worker.storage.subscriptions.of(PLACE)
    assert entry is not None
    assert remedy in (entry.held_for or "")
    (told,) = room.world.public("D1")
    assert remedy in told.text


async def test_a_cause_that_nobody_can_see_is_told_once(room: Room) -> None:
    await room.say("digest on 9:00 daily")
    room.world.channels["C1"].restricted = True
    room.world.channels["D1"].restricted = False
    for _ in range(24 * 6):
        await room.worker.after(hours=1)
    failed = [row for row in await room.worker.rows(PLACE) if row.state == "failed"]
    assert len(failed) > 2, "it tries at each slot, since asking tells nothing"
    assert len(room.world.public("D1")) == 1


@pytest.mark.parametrize("code", ["account_inactive", "token_revoked", "invalid_auth"])
async def test_a_revoked_install_pauses_without_a_word_to_anyone(room: Room, code: str) -> None:
    await room.owe()
    room.fault(code)
    await room.worker.tick()
    entry = await room.worker.storage.subscriptions.of(PLACE)
    assert entry is not None
    assert code in (entry.held_for or "")
    assert not room.world.public("D1")


async def test_thread_has_the_abstract_as_its_first_reply(room: Room) -> None:
    await room.owe("thread:yes")
    room.fault("drop_after", times=1)
    for _ in range(6):
        await room.worker.after(seconds=50)
    first, second = sorted(room.posts(), key=lambda one: one.ts)
    assert first.thread is None
    assert second.thread == first.ts
    paper = seeds().corpus.get((await room.worker.rows(PLACE))[0].papers[0])
    assert paper is not None
    assert words(second.blocks).split()[:3] == plain(paper.abstract).split()[:3]


async def test_429_on_the_second_part_continues_there(room: Room) -> None:
    await room.owe("thread:yes")
    await room.worker.deliverer._storage.ledger.plan()
    (first,) = await room.worker.storage.ledger.claim(("slack",))
    await room.worker.deliver(first)
    room.fault("429", seconds=20)
    await room.worker.tick()
    assert len(room.posts()) == 1
    await room.worker.after(seconds=25)
    assert len(room.posts()) == 2


@pytest.mark.parametrize("count", [3, 5])
async def test_several_papers_are_one_message_within_all_limits(room: Room, count: int) -> None:
    await room.owe(f"count:{count} style:full")
    await room.worker.tick()
    (post,) = room.posts()
    assert not room.world.refused
    buttons = [one["text"]["text"] for block in post.blocks if block["type"] == "actions" for one in block["elements"]]
    assert len(buttons) == len(set(buttons))
    assert f"{count} · 👎 Not for us" in buttons
    assert f"{count}. " in words(post.blocks)


async def test_renamed_or_made_private_keeps_working(room: Room) -> None:
    await room.owe()
    room.world.channels["C1"].private = True
    await room.worker.tick()
    assert len(room.posts()) == 1


async def test_a_channel_that_gets_another_id_keeps_its_digest_history_and_watches(room: Room) -> None:
    await room.owe()
    await room.worker.tick()
    assert "I will tell this channel" in await room.say("watch kv cache channel:yes")
    before = await room.worker.rows(PLACE)
    room.world.channels["C9"] = replace(room.world.channels.pop("C1"), id="C9")
    await room.worker.after(hours=24)  # posted in vain: it is not told of yet
    for _ in range(2):
        event = {"type": "channel_id_changed", "old_channel_id": "C1", "new_channel_id": "C9"}
        await room.person.event(event)
    moved = ChannelRef("slack", "T1", "C9")

    async def there() -> object:
        return await room.worker.storage.subscriptions.of(moved)

    await until(there)
    assert await room.worker.storage.subscriptions.of(PLACE) is None
    assert (await room.worker.rows(moved))[-1:] == before[-1:]
    assert [watch.query for watch in await room.worker.storage.watches.told_to(moved)] == ["kv cache"]
    assert await room.worker.storage.watches.told_to(PLACE) == []
    await room.worker.tick()
    entry = await room.worker.storage.subscriptions.of(moved)
    assert entry is not None
    assert entry.held_for is None
    await room.worker.after(hours=24)
    assert len(room.posts("C9")) == 1


@pytest.mark.parametrize(
    ("about", "words_"),
    [
        ({"is_restricted": True}, "Guests"),
        ({"is_ultra_restricted": True}, "Guests"),
        ({"is_stranger": True}, "shared"),
        ({"team_id": "T9"}, "shared"),
    ],
)
async def test_guests_and_outsiders_may_not_set_it_up(room: Room, about: dict[str, object], words_: str) -> None:
    room.world.about["U1"] = about
    assert words_ in await room.say("digest on 9:00")
    assert await room.worker.storage.subscriptions.of(PLACE) is None


async def test_only_members_of_the_channel_may(room: Room) -> None:
    outsider = room.bot.person("U1", "C3")
    assert "Join it first" in (await outsider.say("digest on 9:00")).text


async def test_only_admins_where_the_config_says_so(tmp_path: Path) -> None:
    section = replace(MAY_READ, digest_managers="admins")
    async with slack_server() as server, running_bot(server, tmp_path, section) as bot:
        room = Room(bot)
        assert "admins" in await room.say("digest on 9:00")
        room.world.about["U1"] = {"is_admin": True}
        assert "is set up" in await room.say("digest on 9:00")


@pytest.mark.parametrize(("channel", "remedy"), [("C2", "/invite @Paperboy"), ("CARCH", "archived")])
async def test_setting_up_checks_at_once_that_it_can_post(room: Room, channel: str, remedy: str) -> None:
    person = room.bot.person("U1", channel)
    assert remedy in (await person.say("digest on 9:00")).text


async def test_ten_subscriptions_during_a_digest(room: Room, caplog: pytest.LogCaptureFixture) -> None:
    await room.owe()
    people = [room.bot.person("U1", "C1") for _ in range(10)]
    await asyncio.gather(
        *(person.slash(f"digest on {hour}:00 daily") for hour, person in enumerate(people, 6)),
        *(room.worker.tick() for _ in range(3)),
    )
    await room.say("digest status")
    assert len(room.posts()) == 1
    assert not [record for record in caplog.records if record.levelname == "ERROR"]


async def test_what_ends_with_the_adapter_is_taken_out(tmp_path: Path) -> None:
    async with slack_server() as server, running_bot(server, tmp_path) as bot:
        assert bot.services.connections.alive() == {"slack": True}
        assert bot.services.connections.offering(Offer.DIGEST) == ("slack",)
        await bot.stop()
        assert bot.services.connections.alive() == {}


async def test_a_post_that_was_begun_is_finished_before_the_adapter_ends(room: Room) -> None:
    go_on = asyncio.Event()
    room.world.faults.append(Fault("chat.postMessage", "slow", until=go_on))
    await room.owe()
    services = room.bot.services
    services.idle.clear()
    tick = asyncio.create_task(room.worker.tick())
    await until_true(lambda: room.world.faults[-1].times == 0)
    services.stopping.set()
    await until_true(lambda: not room.bot.server.sockets)  # it listens no more
    assert not room.bot.task.done()
    assert services.connections.offering(Offer.DIGEST) == ("slack",)
    go_on.set()
    await tick
    services.idle.set()
    await room.bot.stop()
    assert len(room.posts()) == 1
    assert [row.state for row in await room.worker.rows(PLACE)] == ["posted"]
    assert services.connections.alive() == {}


async def test_once_it_stops_nothing_more_is_begun(room: Room) -> None:
    await room.owe()
    stopped = Deliverer(
        room.worker.storage, room.bot.services.connections, seeds, pace=0, between=0, stopping=lambda: True
    )
    assert await stopped.tick() == 0
    (claimed,) = await room.worker.storage.ledger.claim(("slack",), 10)
    await stopped._guarded(claimed, await room.worker.storage.subscriptions.get(claimed.subscription))
    assert room.posts() == []
    await room.worker.tick()  # what was claimed is given back at once, and not held by a lease
    assert len(room.posts()) == 1


def poster_of(room: Room) -> SlackPoster:
    poster = room.bot.services.connections.poster("slack", Offer.DIGEST)
    assert isinstance(poster, SlackPoster)
    return poster


async def test_what_became_too_late_before_its_bytes_are_written_does_not_leave(
    room: Room, monkeypatch: pytest.MonkeyPatch
) -> None:
    poster = poster_of(room)
    payload = await poster.render(Reply("x", (Paragraph(text("words")),)), "key1")
    connect, waited = aiohttp.TCPConnector.connect, [False]

    async def slowly(*given: Any, **named: Any) -> Any:
        connection = await connect(*given, **named)
        waited[0] = True
        return connection

    monkeypatch.setattr(aiohttp.TCPConnector, "connect", slowly)
    with pytest.raises(RetryLaterError, match="too late"):
        await poster.send(PLACE, "key1", payload, None, lambda: waited[0])
    assert not room.posts()
    monkeypatch.undo()
    assert await poster.send(PLACE, "key1", payload, None, lambda: False)


async def test_the_body_of_a_request_is_looked_at_as_well(room: Room) -> None:
    """Headers wait for the body, which is written by a task of its own."""
    poster = poster_of(room)
    payload = await poster.render(Reply("x", (Paragraph(text("words")),)), "key1")
    answers = iter((False, True))
    with pytest.raises(RetryLaterError, match="too late"):
        await poster.send(PLACE, "key1", payload, None, lambda: next(answers))
    assert not room.posts()


async def test_what_left_and_was_not_answered_is_looked_for_however_late_it_is(room: Room) -> None:
    poster = poster_of(room)
    payload = await poster.render(Reply("x", (Paragraph(text("words")),)), "key1")
    room.fault("drop_after")
    with pytest.raises(AmbiguousPostError):
        await poster.send(PLACE, "key1", payload, None, lambda: bool(room.posts()))
    assert len(room.posts()) == 1


async def test_history_is_looked_through_by_the_clock_of_its_messages(room: Room) -> None:
    poster = poster_of(room)
    payload = await poster.render(Reply("x", (Paragraph(text("words")),)), "key1")
    found = await poster.send(PLACE, "key1", payload, None)
    room.world.pass_seconds(3 * 3600)
    assert await poster.find(PLACE, "key1", timedelta(0), None) == found, "nothing was said since"
    for other in ("key2", "key3"):
        room.world.pass_seconds(2 * 3600)
        await poster.send(PLACE, other, payload.replace("key1", other), None)
    room.world.pass_seconds(60)
    assert await poster.find(PLACE, "key1", timedelta(hours=1), None) is Look.ABSENT
    assert await poster.find(PLACE, "key1", timedelta(hours=8), None) == found


async def test_of_several_papers_each_has_a_row_of_buttons(room: Room) -> None:
    await room.owe("count:3")
    await room.worker.tick()
    (post,) = room.posts()
    rows = [block for block in post.blocks if block["type"] == "actions"]
    assert [[element["text"]["text"][0] for element in row["elements"]] for row in rows] == [[n] * 5 for n in "123"]
    assert not room.world.refused
