"""The paper of the day in Discord: set up by command, posted once, whatever goes wrong between Discord and the bot."""

import asyncio
import json
from collections.abc import AsyncIterator
from datetime import time, timedelta
from pathlib import Path
from typing import Any

import aiohttp
import pytest
from digest_worker import Worker
from platforms.discord.markdown import labels, read_message
from platforms.discord.running import services_of, serving, settings_of, store_at
from platforms.discord.server import Double, discord_double, elements
from platforms.discord.surface import DiscordSurface
from platforms.discord.world import (
    EMBED,
    EVERYTHING,
    HISTORY,
    MANAGE,
    NEW_THREADS,
    SEND,
    VIEW,
    Channel,
    Json,
)
from waiting import GUARD_SECONDS, until, until_true

from bot.adapters.discord.posting import DiscordPoster
from bot.adapters.discord.section import DiscordSection
from bot.config import default_corpus
from bot.connections import Look, Offer
from bot.corpus import load_corpus
from bot.digest.notify import news_reply
from bot.digest.vote_totals import VoteTotals
from bot.errors import AmbiguousPostError, RetryLaterError
from bot.library import Library
from bot.message import Button, Call, ChannelRef, Reply
from bot.richtext import Paragraph, plain, text
from bot.schedule.values import DAILY, MAIN, News, Schedule, Subscription, posting_key

LIBRARY = Library.of(load_corpus(default_corpus()))
BOSS, READERS = 501, 77
ROLE = 4242


class Room:
    """A channel with a bot, a person with Manage Server, and a worker."""

    def __init__(self, double: Double, worker: Worker) -> None:
        self.double, self.world, self.worker = double, double.world, worker
        self.channel: Channel = self.world.channel(self.world.guild())
        self.place = ChannelRef("discord", str(self.channel.guild), str(self.channel.id))
        self.person = DiscordSurface(double, self.channel, BOSS)
        self.world.roles[READERS] = MANAGE
        self.world.role_of[BOSS] = [READERS]

    async def say(self, text: str) -> str:
        return (await self.person.say(text)).text

    async def owe(self, more: str = "") -> None:
        assert "is set up" in await self.say(f"digest on 9:00 berlin {more}")
        assert "On its way" in await self.say("digest now")

    def posts(self) -> list[Json]:
        return self.channel.messages

    def fault(self, kind: str, times: int = 1) -> None:
        self.world.fault(kind, f"POST /channels/{self.channel.id}/messages", times)

    async def after(self, **span: float) -> None:
        await self.world.settle_late()
        await self.worker.after(**span)
        await self.world.settle_late()


@pytest.fixture
async def double(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Double]:
    monkeypatch.setattr("bot.adapters.discord.message.PAUSES", (0.0, 0.0))
    async with discord_double() as double:
        yield double


@pytest.fixture
async def room(double: Double, tmp_path: Path) -> AsyncIterator[Room]:
    async with store_at(f"sqlite:///{tmp_path / 'store.sqlite3'}") as database:
        services = services_of(database, LIBRARY, clock=double.world.clock)
        async with serving(double, services, settings_of(DiscordSection(digest_role=ROLE))):
            yield Room(double, Worker(services, LIBRARY, double.world.clock.advance))


async def test_set_up_by_command_and_posted_once_with_its_key(room: Room) -> None:
    await room.owe()
    await room.worker.tick()
    await room.worker.tick()
    (post,) = room.posts()
    (row,) = await room.worker.rows(room.place)
    assert (row.state, row.message) == ("posted", post["id"])
    assert row.key == posting_key(row.subscription, row.day, MAIN)
    assert row.key in elements(post)[0]["custom_id"]
    assert post["content"].startswith("Paper of the day: ")
    assert labels(post["components"]) == ["Abstract", "Similar", "Save", "👍 Good pick", "👎 Not for us"]
    assert not room.world.pings
    assert not room.world.refused


async def test_discord_tells_no_zone_so_it_asks(room: Room) -> None:
    assert "zone" in (await room.say("digest on 9:00")).lower()
    assert await room.worker.storage.subscriptions.of(room.place) is None


async def test_past_picks_link_to_their_posts(room: Room) -> None:
    await room.owe()
    await room.worker.tick()
    (post,) = room.posts()
    link = f"https://discord.com/channels/{room.channel.guild}/{room.channel.id}/{post['id']}"
    await room.say("seen")
    assert link in str(room.person.last)


async def test_buttons_of_the_post_answer_privately(room: Room) -> None:
    await room.owe()
    await room.worker.tick()
    for label, expected in (("Abstract", ""), ("Save", "Saved"), ("👎 Not for us", "noted")):
        seen = await room.person.press_shared(label)
        assert seen.private
        assert expected in seen.text
    (row,) = await room.worker.rows(room.place)
    assert (await room.worker.storage.votes.of(room.place))[row.papers[0]].down == 1


async def test_totals_of_votes_are_drawn_by_the_bot_and_nothing_else_of_the_post_changes(room: Room) -> None:
    await room.owe()
    await room.worker.tick()
    (before,) = [dict(one) for one in room.posts()]
    totals = VoteTotals(room.worker.services.storage, room.worker.services.connections)
    await room.person.press_shared("👎 Not for us")
    assert labels(room.posts()[0]["components"]) == labels(before["components"]), "a press changes no post"
    assert await totals.flush() == 1
    (post,) = room.posts()
    assert labels(post["components"]) == ["Abstract", "Similar", "Save", "👍 Good pick", "👎 Not for us · 1"]
    assert (post["content"], post["embeds"]) == (before["content"], before["embeds"])
    (row,) = await room.worker.rows(room.place)
    assert row.key in elements(post)[0]["custom_id"]
    assert not room.world.refused


@pytest.mark.parametrize("times", [1, 9])
@pytest.mark.parametrize("kind", ["drop before", "drop after", "reset", "late", "503", "429"])
async def test_a_fault_neither_loses_nor_doubles(room: Room, kind: str, times: int) -> None:
    """Once, the same nonce makes a second try safe; nine times, the ledger looks before it sends again."""
    if kind == "429":
        times = 1  # the library waits as long as Discord says
    await room.owe()
    room.fault(kind, times)
    for _ in range(16):
        await room.after(seconds=40)
    assert len(room.posts()) == 1
    assert [row.state for row in await room.worker.rows(room.place)] == ["posted"]


async def test_without_read_message_history_it_is_reported_and_never_sent_again(room: Room) -> None:
    await room.owe()
    room.channel.may[room.world.me] = EVERYTHING & ~HISTORY
    room.fault("drop after", 3)
    for _ in range(5):
        await room.after(minutes=3)
    assert len(room.posts()) == 1
    assert [row.state for row in await room.worker.rows(room.place)] == ["unconfirmed"]
    (told,) = room.world.channels[BOSS].messages
    assert "may not have been posted" in told["content"]


@pytest.mark.parametrize(("lost", "named"), [(VIEW, "View Channel"), (SEND, "Send Messages"), (EMBED, "Embed Links")])
async def test_missing_permission_is_named_told_once_and_resumes_by_itself(room: Room, lost: int, named: str) -> None:
    await room.owe()
    room.channel.may[room.world.me] = EVERYTHING & ~lost
    await room.worker.tick()
    for _ in range(12):
        await room.after(hours=6)
    entry = await room.worker.storage.subscriptions.of(room.place)
    assert entry is not None
    assert named in (entry.held_for or "")
    (told,) = room.world.channels[BOSS].messages
    assert named in told["content"]
    assert named in await room.say("digest status")
    room.channel.may[room.world.me] = EVERYTHING
    await room.after(hours=1.1)
    entry = await room.worker.storage.subscriptions.of(room.place)
    assert entry is not None
    assert entry.held_for is None


@pytest.mark.parametrize("refusal", ["400 50035", "400 50006", "400 200000", "403 200000", "400 240000"])
async def test_what_is_refused_for_what_it_says_costs_that_paper_and_not_the_day(
    room: Room, refusal: str, caplog: pytest.LogCaptureFixture
) -> None:
    await room.owe()
    room.fault(refusal, times=2)  # with embeds, and as text alone
    await room.worker.tick()
    (post,) = room.posts()
    assert post["embeds"]
    (row,) = await room.worker.rows(room.place)
    assert (row.state, row.replaced) == ("posted", 1)
    lines = [one for one in caplog.messages if refusal[4:] in one]
    assert len(lines) == 1
    assert f"channel {room.channel.id}" in lines[0]
    entry = await room.worker.storage.subscriptions.of(room.place)
    assert entry is not None
    assert entry.held_for is None


async def test_a_400_that_is_a_matter_of_the_channel_pauses_it(room: Room) -> None:
    await room.owe()
    room.fault("400 50008", times=2)
    await room.worker.tick()
    entry = await room.worker.storage.subscriptions.of(room.place)
    assert entry is not None
    assert entry.held_for is not None
    assert (await room.worker.rows(room.place))[0].replaced == 0


async def test_setting_up_names_the_permission_that_is_missing(room: Room) -> None:
    room.channel.may[room.world.me] = EVERYTHING & ~EMBED & ~SEND
    assert "Send Messages, Embed Links" in await room.say("digest on 9:00 berlin")


async def test_token_reset_pauses_the_install(room: Room) -> None:
    await room.owe()
    room.world.token = "another"
    await room.worker.tick()
    entry = await room.worker.storage.subscriptions.of(room.place)
    assert entry is not None
    assert "token" in (entry.held_for or "")


async def test_manage_server_is_checked_with_discord_at_that_moment(room: Room) -> None:
    room.world.role_of[BOSS] = []
    assert "Manage Server" in await room.say("digest on 9:00 berlin")
    room.world.role_of[BOSS] = [ROLE]
    room.world.roles[ROLE] = 0
    assert "is set up" in await room.say("digest on 9:00 berlin")


async def test_thread_has_the_abstract_as_its_first_reply(room: Room) -> None:
    await room.owe("thread:yes")
    room.fault("drop after", 3)
    for _ in range(8):
        await room.after(seconds=50)
    (post,) = room.posts()
    thread = room.world.channels[int(post["id"])]
    (first,) = thread.messages
    (second, _) = await room.worker.rows(room.place)
    paper = LIBRARY.corpus.get(second.papers[0])
    assert paper is not None
    assert read_message(first).text.split()[:3] == plain(paper.abstract).split()[:3]
    assert {row.state for row in await room.worker.rows(room.place)} == {"posted"}


@pytest.mark.parametrize("kind", ["drop before", "drop after", "late"])
async def test_a_lost_answer_in_the_thread_neither_loses_nor_doubles(room: Room, kind: str) -> None:
    await room.owe("thread:yes")
    (first,) = [row for row in await room.worker.rows(room.place) if row.part == MAIN]
    await room.worker.storage.ledger.claim(("discord",))
    (claimed,) = [first]
    await room.worker.deliver(claimed)
    (post,) = room.posts()
    room.world.fault(kind, f"POST /channels/{post['id']}/messages", 3)
    for _ in range(8):
        await room.after(seconds=50)
    assert len(room.world.channels[int(post["id"])].messages) == 1


async def test_without_the_permission_for_threads_the_paper_is_posted_and_the_channel_goes_on(room: Room) -> None:
    room.channel.may[room.world.me] = EVERYTHING & ~NEW_THREADS
    await room.owe("thread:yes")
    await room.worker.tick()
    assert len(room.posts()) == 1
    assert "Create Public Threads" in await room.say("digest why")
    entry = await room.worker.storage.subscriptions.of(room.place)
    assert entry is not None
    assert entry.held_for is None


@pytest.mark.parametrize("count", [3, 5])
async def test_several_papers_are_one_message_within_all_limits(room: Room, count: int) -> None:
    await room.owe(f"count:{count} style:full")
    await room.worker.tick()
    (post,) = room.posts()
    assert not room.world.refused
    names = labels(post["components"])
    assert len(names) == len(set(names))
    assert f"{count} · 👎 Not for us" in names


async def test_what_ends_with_the_connection_is_taken_out(double: Double, tmp_path: Path) -> None:
    async with store_at(f"sqlite:///{tmp_path / 'store.sqlite3'}") as database:
        services = services_of(database, LIBRARY, clock=double.world.clock)
        async with serving(double, services):

            async def alive() -> bool:
                return services.connections.alive() == {"discord": True}

            await until(alive)
            assert services.connections.offering(Offer.DIGEST) == ("discord",)
        assert services.connections.alive() == {}


async def test_a_post_that_was_begun_is_finished_before_the_connection_closes(
    double: Double, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async with store_at(f"sqlite:///{tmp_path / 'store.sqlite3'}") as database:
        services = services_of(database, LIBRARY, clock=double.world.clock)
        async with serving(double, services, settings_of(DiscordSection(digest_role=ROLE))):
            room = Room(double, Worker(services, LIBRARY, double.world.clock.advance))
            await room.owe()
            slow = double.world.fault("slow", f"POST /channels/{room.channel.id}/messages")
            services.idle.clear()
            tick = asyncio.create_task(room.worker.tick())
            await until_true(lambda: slow.times == 0)
            services.stopping.set()
            await until_true(lambda: not double.gateway.open)
            assert services.connections.offering(Offer.DIGEST) == ("discord",)
            slow.until.set()
            await tick
            services.idle.set()
        assert len(room.posts()) == 1
        assert [row.state for row in await room.worker.rows(room.place)] == ["posted"]
        assert services.connections.alive() == {}
    assert not [record for record in caplog.records if record.exc_info]


async def test_a_burst_to_many_channels_stays_below_the_limit_for_all(room: Room) -> None:
    """Each with a thread, which is three requests: as many at once as the deliverer allows."""
    guild = room.channel.guild
    schedule = Schedule(time(9), "Europe/Berlin", room.worker.clock(), DAILY)
    places = []
    for _ in range(40):
        channel = room.world.channel(guild)
        places.append(ChannelRef("discord", str(guild), str(channel.id)))
        entry = await room.worker.storage.subscriptions.put(Subscription(0, places[-1], schedule, "", thread=True))
        assert await room.worker.storage.ledger.enter_now(entry, room.worker.clock().date(), extra=False)
    room.world.most_a_second = 50
    await room.worker.tick()
    assert room.world.limited == 0
    for place in places:
        assert {row.state for row in await room.worker.rows(place)} == {"posted"}


async def test_a_limit_for_all_that_outlasts_a_send_stops_no_later_one(room: Room) -> None:
    """discord.py holds back every request meanwhile: cut short, that would have been for ever."""
    connection = room.worker.services.connections.of("discord")
    assert connection is not None
    poster = connection.poster
    assert isinstance(poster, DiscordPoster)
    payload = await poster.render(Reply("x", (Paragraph(text("words")),)), "key1")
    room.fault("429 for all")
    poster._seconds = 0.05
    with pytest.raises(AmbiguousPostError):
        await poster.send(room.place, "key1", payload, None)
    with pytest.raises(RetryLaterError, match="still being posted"):
        await poster.find(room.place, "key1", timedelta(hours=1), None)
    await until_true(room.posts)
    poster._seconds = GUARD_SECONDS
    found = await poster.find(room.place, "key1", timedelta(hours=1), None)
    assert isinstance(found, str)
    again = await poster.send(room.place, "key2", payload, None)
    assert again != found


def poster_of(room: Room) -> DiscordPoster:
    connection = room.worker.services.connections.of("discord")
    assert connection is not None
    assert isinstance(connection.poster, DiscordPoster)
    return connection.poster


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
        await poster.send(room.place, "key1", payload, None, lambda: waited[0])
    assert not room.posts()
    monkeypatch.undo()
    assert await poster.send(room.place, "key1", payload, None, lambda: False)


async def test_a_further_try_that_comes_too_late_does_not_leave_and_the_first_is_looked_for(room: Room) -> None:
    poster = poster_of(room)
    payload = await poster.render(Reply("x", (Paragraph(text("words")),)), "key1")
    room.fault("drop after")
    with pytest.raises(AmbiguousPostError):
        await poster.send(room.place, "key1", payload, None, lambda: bool(room.posts()))
    asked = [path for method, path, _ in room.world.requests if method == "POST" and path.endswith("/messages")]
    assert len(asked) == 1


async def test_history_is_looked_through_by_the_clock_of_its_messages(room: Room) -> None:
    poster = poster_of(room)
    said = Reply("x", (Paragraph(text("words")),), buttons=(Button("Help", Call("help")),))
    payload = await poster.render(said, "key1")
    found = await poster.send(room.place, "key1", payload, None)
    room.world.clock.advance(60)
    for ours in (timedelta(0), timedelta(days=9)):
        room.world.clock.advance(ours.total_seconds())
        assert await poster.find(room.place, "key1", timedelta(0), None) == found
    for other in ("key2", "key3"):
        room.world._next += int(timedelta(hours=2).total_seconds() * 1000) << 22
        await poster.send(room.place, other, await poster.render(said, other), None)
        room.world.clock.advance(60)
    assert await poster.find(room.place, "key1", timedelta(hours=1), None) is Look.ABSENT
    assert await poster.find(room.place, "key1", timedelta(hours=5), None) == found


async def test_news_for_a_channel_are_not_called_the_paper_of_the_day(room: Room) -> None:
    poster = room.worker.services.connections.poster("discord", Offer.NEWS)
    assert poster is not None
    reply = news_reply([News("kv cache", (LIBRARY.corpus.papers[0].id,), 1)], LIBRARY.corpus)
    assert reply is not None
    body = json.loads(await poster.render(reply, "key1"))
    assert body["content"] == "New papers that match what is watched here."
