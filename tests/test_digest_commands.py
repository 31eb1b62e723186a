"""Setting up the paper of the day by command: who may, when, in which zone, and what is told."""

import json
from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import UTC, date, datetime, time, timedelta

import pytest
import sqlalchemy as sa
from connected import Access, connected

from bot.commands import all_commands
from bot.commands.dispatch import Dispatcher
from bot.config import default_corpus
from bot.corpus import load_corpus
from bot.library import Library
from bot.message import Call, ChannelRef, Reply, User
from bot.schedule.values import DAILY, DEFAULT_CATCH_UP, Announcement
from bot.store.database import Database
from bot.store.inbound import LaterWrites, PromptLists, StoredLists
from bot.store.storage import Storage
from bot.store.tables import metadata

LIBRARY = Library.of(load_corpus(default_corpus()))
PLACE = ChannelRef("slack", "T1", "C1")
PERSON = User("U1")


class Room:
    def __init__(self, database: Database, catch_up: timedelta = DEFAULT_CATCH_UP) -> None:
        self.now = datetime(2026, 7, 1, 6, tzinfo=UTC)  # a Wednesday, 8:00 in Berlin
        self.storage = Storage.of(database, "test", lambda: self.now, catch_up)
        self.gate = Access()
        self.connections = connected(access=self.gate)
        self.dispatcher = Dispatcher(
            lambda: LIBRARY, all_commands(), storage=self.storage, connections=self.connections
        )

    async def say(self, words: str) -> Reply:
        return await self.dispatcher.say(words, PERSON, PLACE)

    async def text(self, words: str) -> str:
        return " ".join((await self.say(words)).typed.split())


@pytest.fixture
async def room() -> AsyncIterator[Room]:
    database = await Database.open("sqlite:///:memory:")
    yield Room(database)
    await database.close()


async def test_setting_up_answers_with_the_next_three_posts_in_local_time(room: Room) -> None:
    answer = await room.text("digest on 9:00 berlin")
    for expected in ("Wed 1 Jul 2026, 09:00", "Thu 2 Jul 2026, 09:00", "Fri 3 Jul 2026, 09:00", "Monday to Friday"):
        assert expected in answer


@pytest.mark.parametrize("words", ["9am", "9:00", "09:00", "0900", "9h"])
async def test_times_as_people_type_them(room: Room, words: str) -> None:
    await room.say(f"digest on {words} berlin")
    entry = await room.storage.subscriptions.of(PLACE)
    assert entry is not None
    assert entry.schedule.at == time(9)


@pytest.mark.parametrize(
    ("words", "zone", "days"),
    [
        ("9:00 new york mon,wed,fri", "America/New_York", {0, 2, 4}),
        ("9:00 daily Europe/Berlin", "Europe/Berlin", DAILY),
        ("9:00 tokyo weekdays", "Asia/Tokyo", {0, 1, 2, 3, 4}),
        ("9:00 sat sao paulo", "America/Sao_Paulo", {5}),
    ],
)
async def test_zone_and_days_in_any_order(room: Room, words: str, zone: str, days: set[int]) -> None:
    await room.say(f"digest on {words}")
    entry = await room.storage.subscriptions.of(PLACE)
    assert entry is not None
    assert (entry.schedule.zone, entry.schedule.weekdays) == (zone, frozenset(days))


async def test_options_are_kept(room: Room) -> None:
    await room.say('digest on 9:00 berlin topic:"mixture of experts" count:3 thread:yes style:brief')
    entry = await room.storage.subscriptions.of(PLACE)
    assert entry is not None
    assert (entry.topic, entry.count, entry.thread, entry.style) == ("mixture of experts", 3, True, "brief")
    assert "Style: brief" in await room.text("digest status")
    await room.say("digest on 10:00")
    again = await room.storage.subscriptions.of(PLACE)
    assert again is not None
    assert (again.id, again.topic, again.schedule.at, again.schedule.zone) == (
        entry.id,
        entry.topic,
        time(10),
        "Europe/Berlin",
    )


async def test_the_persons_own_zone_is_the_default(room: Room) -> None:
    room.gate.zone = "Asia/Tokyo"
    assert "Asia/Tokyo" in await room.text("digest on 9:00")


async def test_without_a_zone_it_asks_and_never_assumes_utc(room: Room) -> None:
    assert "In which time zone?" in await room.text("digest on 9:00")
    assert await room.storage.subscriptions.of(PLACE) is None


async def test_a_misspelt_zone_is_suggested(room: Room) -> None:
    assert "Did you mean Europe/Berlin" in await room.text("digest on 9:00 berlni")


@pytest.mark.parametrize("words", ["digest on 25:00 berlin", "digest on 9 berlin", "digest on 9:00 berlin style:loud"])
async def test_what_cannot_be_read_is_said(room: Room, words: str) -> None:
    assert (await room.say(words)).error is not None


async def test_who_may_not_is_told_why_and_nothing_changes(room: Room) -> None:
    await room.say("digest on 9:00 berlin")
    room.gate.manage = "Guests cannot change this channel's digest."
    for words in ("digest on 10:00", "digest off", "digest pause monday", "digest skip tomorrow", "digest now"):
        assert "Guests cannot" in await room.text(words)
    entry = await room.storage.subscriptions.of(PLACE)
    assert entry is not None
    assert entry.schedule.at == time(9)
    assert entry.ended is None


async def test_setting_up_checks_at_once_that_the_bot_can_post(room: Room) -> None:
    room.gate.post = "I am not in this channel: type `/invite @Paperboy`."
    assert "/invite" in await room.text("digest on 9:00 berlin")
    assert await room.storage.subscriptions.of(PLACE) is None


async def test_off_and_on_again_keeps_the_settings(room: Room) -> None:
    await room.say("digest on 9:00 berlin count:2")
    await room.say("digest off")
    assert "switched off" in await room.text("digest status")
    await room.say("digest on")
    entry = await room.storage.subscriptions.of(PLACE)
    assert entry is not None
    assert (entry.count, entry.schedule.at) == (2, time(9))


async def test_pause_and_skip_and_why(room: Room) -> None:
    await room.say("digest on 9:00 berlin")
    assert "Pending" in await room.text("digest why")
    assert "Thu 2 Jul 2026" in await room.text("digest skip tomorrow")
    assert "Paused until Mon 6 Jul 2026" in await room.text("digest pause monday")
    assert "Paused until" in await room.text("digest why")
    room.now = datetime(2026, 7, 4, 8, tzinfo=UTC)
    await room.say("digest on")
    assert "not one of its days" in await room.text("digest why")
    assert "is over" in await room.text("digest skip 2026-07-01")
    assert "no date that I can read" in await room.text("digest skip someday")


async def test_preview_flags_the_change_of_clocks_and_promises_what_comes(room: Room) -> None:
    room.now = datetime(2026, 10, 23, 12, tzinfo=UTC)
    await room.say("digest on 2:30 berlin daily")
    answer = await room.text("digest preview 4d")
    assert "Sun 25 Oct 2026, 02:30 (the clocks change: the first of two)" in answer
    first = answer.split("02:30: ")[1].split(" - ")[0]
    entry = await room.storage.subscriptions.of(PLACE)
    assert entry is not None
    assert any(paper.name == first for paper in LIBRARY.corpus)


async def test_now_is_owed_at_once_and_told(room: Room) -> None:
    await room.say("digest on 9:00 berlin")
    assert "On its way" in await room.text("digest now")
    assert "digest now extra" in await room.text("digest now")
    assert "On its way" in await room.text("digest now extra")
    entry = await room.storage.subscriptions.of(PLACE)
    assert entry is not None
    assert [row.part.number for row in await room.storage.ledger.of_day(entry.id, date(2026, 7, 1))] == [0, 10]
    assert "pending" in await room.text("digest why")


async def test_a_persons_lists_are_private_to_them(room: Room) -> None:
    await room.say("save xkv")
    await room.say("watch kv cache")
    other = User("U2")
    assert "empty" in (await room.dispatcher.say("saved", other, PLACE)).text
    assert "watch nothing" in (await room.dispatcher.say("watches", other, PLACE)).text
    mine = await room.say("saved")
    assert mine.private
    assert [shown.paper.handle for shown in mine.papers] == ["xkv"]


async def test_data_export_holds_everything_and_delete_leaves_nothing(room: Room) -> None:
    await room.say("save xkv")
    await room.say("watch kv cache")
    await room.dispatcher.call(Call("vote", {"paper": "sinq", "up": False}), PERSON, PLACE)
    exported = (await room.say("data export")).attachments[0].content.decode()
    xkv, sinq = LIBRARY.corpus.get("xkv"), LIBRARY.corpus.get("sinq")
    assert xkv is not None
    assert sinq is not None
    for expected in (xkv.id, sinq.id, "kv cache"):
        assert expected in exported
    assert "3 entries" in await room.text("data delete")
    assert "empty" in await room.text("saved")
    assert await room.storage.votes.of(PLACE) == {}


async def test_after_data_delete_no_table_names_the_person(room: Room) -> None:
    writes = LaterWrites()
    lists = PromptLists(StoredLists(room.storage.database), writes)
    stored = Dispatcher(
        lambda: LIBRARY,
        all_commands(),
        storage=replace(room.storage, lists=lists),
        connections=room.connections,
    )
    for words in ("digest on 9:00 berlin", "save xkv", "watch kv cache", "vote sinq", "kv cache"):
        assert (await stored.say(words, PERSON, PLACE)).error is None
        assert (await stored.say(words, User("U2"), PLACE)).error is None
    for person in ("U1", "U2"):
        await room.storage.ledger.announce(f"to {person}", Announcement(PLACE, person, words="It is paused."))
    await writes.finish(60)
    exported = json.loads((await stored.say("data export", PERSON, PLACE)).attachments[0].content)
    assert exported.keys() == {"saved", "watches", "votes", "last_lists", "digests_set_up", "told"}
    assert len(exported["last_lists"][0]["papers"]) == 3
    assert [told["words"] for told in exported["told"]] == ["It is paused."]
    assert (
        await named("U2", room.storage.database) == await named("U1", room.storage.database) + 1
    )  # the last to set it up
    answer = (await stored.say("data delete", User("U2"), PLACE)).text
    assert "3 entries of yours, and your last lists. The digests that you set up go on" in answer
    await writes.finish(60)
    assert await named("U2", room.storage.database) == 0
    assert await lists.get(User("U2"), PLACE) is None
    assert await named("U1", room.storage.database) == 5
    entry = await room.storage.subscriptions.of(PLACE)
    assert entry is not None
    assert not entry.declared


async def named(person: str, database: Database) -> int:
    """How many rows of all tables have a column with this person."""
    async with database.read() as connection:
        tables = [(await connection.execute(sa.select(table))).all() for table in metadata.sorted_tables]
    return sum(person in row for rows in tables for row in rows)


async def test_votes_count_once_a_person(room: Room) -> None:
    await room.say("vote xkv")
    await room.say("vote xkv up:no")
    answer = (await room.dispatcher.say("vote xkv", User("U2"), PLACE)).text
    assert "👍 1, 👎 1" in answer


async def test_watches_are_bounded(room: Room) -> None:
    for number in range(25):
        assert (await room.say(f"watch pruning {number}")).error is None
    assert (await room.say("watch one more")).error is not None


async def test_a_hold_is_told_by_why_and_ended_by_on(room: Room) -> None:
    await room.say("digest on 9:00 berlin")
    entry = await room.storage.subscriptions.of(PLACE)
    assert entry is not None
    await room.storage.subscriptions.hold(entry.id, "the channel is archived.")
    room.now += timedelta(days=1)
    assert "archived" in await room.text("digest why")
    await room.say("digest on")
    assert "Pending" in await room.text("digest why")


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("digest on half past nine", "no time of day in “half past nine”"),
        ("digest on berlin", "At what time? For example digest on 9:00 berlin."),
        ("digest on 9:00 Berln", "zone or days called “Berln”. Did you mean Europe/Berlin"),
        ("digest on 9 am berlin", "When: 09:00, Monday to Friday Time zone: Europe/Berlin"),
        ("digest on 9:00 berlin daily topic:reinforcement learning count:3", "3 a time, about reinforcement learning"),
    ],
)
async def test_words_of_digest_on(room: Room, words: str, expected: str) -> None:
    assert expected in await room.text(words)


async def test_parts_of_the_settings_may_be_changed_alone(room: Room) -> None:
    await room.say("digest on 9:00 berlin")
    assert "When: 09:00, Mon, Wed Time zone: Europe/Berlin" in await room.text("digest on mon,wed")
    assert "When: 09:00, Mon, Wed Time zone: Asia/Tokyo" in await room.text("digest on tokyo")
    assert "no time of day in “whenever”" in await room.text("digest on whenever")


async def test_switched_off_is_told_apart_from_never_set_up(room: Room) -> None:
    assert "There is no digest in this channel" in await room.text("digest off")
    await room.say("digest on 9:00 berlin")
    await room.say("digest off")
    for words in ("digest status", "digest off", "digest why", "digest skip tomorrow"):
        assert "is switched off here" in await room.text(words)
    assert "When: 09:00, Monday to Friday Time zone: Europe/Berlin" in await room.text("digest on")


async def test_skipping_a_day_that_has_no_post_says_so(room: Room) -> None:
    await room.say("digest on 9:00 berlin")
    assert await room.text("digest skip 2026-07-03") == "Nothing is posted on Fri 3 Jul 2026."
    assert (
        await room.text("digest skip 2026-07-04")
        == "Nothing is posted on Sat 4 Jul 2026. It is none of its days anyway."
    )


async def test_news_for_all_need_the_say_of_who_manages_the_channel(room: Room) -> None:
    room.gate.manage = "Guests cannot."
    assert "Guests cannot." in await room.text("watch kv cache channel:yes")
    assert "you in private" in await room.text("watch sparse attention")
    room.gate.manage, room.gate.post = None, "I am not in this channel."
    assert "I am not in this channel." in await room.text("watch kv cache channel:yes")
    room.gate.post = None
    assert "this channel" in await room.text("watch kv cache channel:yes")


async def test_who_manages_a_channel_sees_and_ends_what_others_have_told_to_it(room: Room) -> None:
    other, elsewhere = User("U2"), ChannelRef("slack", "T1", "C2")
    await room.dispatcher.say("watch kv cache channel:yes", other, PLACE)
    await room.dispatcher.say("watch pruning channel:yes", other, PLACE)
    await room.dispatcher.say("watch experts channel:yes", other, elsewhere)
    await room.dispatcher.say("watch their own", other, PLACE)
    await room.say("watch graphs")
    shown = await room.text("watches")
    assert "You watch - 1. graphs Others have told to this channel - 2. kv cache - 3. pruning" in shown
    assert "their own" not in shown
    assert "experts" not in shown
    room.gate.manage = "Guests cannot."
    assert "Guests cannot." in await room.text("unwatch 2")
    assert "Guests cannot." in await room.text("unwatch pruning")
    room.gate.manage = None
    assert "told no more about kv cache" in await room.text("unwatch 2")
    assert "told no more about pruning" in await room.text("unwatch pruning")
    assert "No more about graphs" in await room.text("unwatch 1")
    assert "nothing yet" in await room.text("watches")
    theirs = (await room.dispatcher.say("watches", other, PLACE)).text
    assert "their own" in theirs
    assert "experts" in theirs


async def test_watches_end_by_their_number(room: Room) -> None:
    await room.say("watch kv cache")
    await room.say("watch reward models")
    assert "1. kv cache" in await room.text("watches")
    assert "No more about kv cache" in await room.text("unwatch 1")
    assert "do not watch “7”" in await room.text("unwatch 7")
    assert "1. reward models" in await room.text("watches")


@pytest.mark.parametrize(
    ("words", "zone", "shown"),
    [
        ("GMT+1", "Etc/GMT-1", "UTC+01:00, no summer time"),
        ("UTC-5", "Etc/GMT+5", "UTC-05:00, no summer time"),
        ("utc+0", "UTC", "UTC"),
        ("berlin", "Europe/Berlin", "Europe/Berlin (UTC+02:00)"),
        ("germany", "Europe/Berlin", "Europe/Berlin (UTC+02:00)"),
        ("italy", "Europe/Rome", "Europe/Rome (UTC+02:00)"),
        ("uk", "Europe/London", "Europe/London (UTC+01:00)"),
        ("france", "Europe/Paris", "Europe/Paris (UTC+02:00)"),
        ("india", "Asia/Kolkata", "Asia/Kolkata (UTC+05:30)"),
        ("the netherlands", "Europe/Amsterdam", "Europe/Amsterdam (UTC+02:00)"),
        ("SGT", "Asia/Singapore", "Asia/Singapore (UTC+08:00)"),
        ("AEST", "Australia/Sydney", "Australia/Sydney (UTC+10:00)"),
        ("KST", "Asia/Seoul", "Asia/Seoul (UTC+09:00)"),
        ("HKT", "Asia/Hong_Kong", "Asia/Hong_Kong (UTC+08:00)"),
        ("MSK", "Europe/Moscow", "Europe/Moscow (UTC+03:00)"),
        ("Brazil/East", "Brazil/East", "Brazil/East (UTC-03:00)"),
    ],
)
async def test_zones_as_people_say_them(words: str, zone: str, shown: str, room: Room) -> None:
    answer = await room.text(f"digest on 9:00 {words}")
    assert f"Time zone: {shown}" in answer
    entry = await room.storage.subscriptions.of(PLACE)
    assert entry is not None
    assert entry.schedule.zone == zone


@pytest.mark.parametrize(
    ("words", "offered"),
    [
        ("UTC+5:30", "Asia/Kolkata"),
        ("+05:45", "Asia/Kathmandu"),
        ("usa", "America/New_York"),
        ("australia", "Australia/"),
        ("east", ""), ("west", ""), ("north", ""), ("south", ""), ("general", ""),
    ],
)  # fmt: skip
async def test_what_names_no_single_zone_is_a_question(words: str, offered: str, room: Room) -> None:
    answer = await room.say(f"digest on 9:00 {words}")
    assert answer.error is not None
    assert offered in answer.text
    assert "Etc/" not in answer.text
    assert await room.storage.subscriptions.of(PLACE) is None


@pytest.mark.parametrize(
    ("words", "when"),
    [
        ("9：30 tokyo", "09:30, Monday to Friday"),
        ("at 9:00 berlin", "09:00, Monday to Friday"),
        ("9am berlin tuesday and thursday", "09:00, Tue, Thu"),
        ("9am berlin every monday", "09:00, Mon"),
        ("9am berlin every day", "09:00, every day"),
        ("9am berlin Mon - Fri", "09:00, Monday to Friday"),
        ("9am mon to thu berlin", "09:00, Mon, Tue, Wed, Thu"),
    ],
)
async def test_times_and_days_as_people_say_them(words: str, when: str, room: Room) -> None:
    assert f"When: {when} " in await room.text(f"digest on {words}")


@pytest.mark.parametrize(
    ("words", "day"),
    [  # today is Wednesday, 1 July 2026
        ("next week", "Mon 6 Jul 2026"),
        ("3rd of august", "Mon 3 Aug 2026"),
        ("the 3rd of august", "Mon 3 Aug 2026"),
        ("aug 3, 2026", "Mon 3 Aug 2026"),
        ("3 aug 2027", "Tue 3 Aug 2027"),
        ("in 2 weeks", "Wed 15 Jul 2026"),
        ("in 3 days", "Sat 4 Jul 2026"),
        ("in a month", "Sat 1 Aug 2026"),
        ("monday", "Mon 6 Jul 2026"),
    ],
)
async def test_dates_as_people_say_them(words: str, day: str, room: Room) -> None:
    await room.say("digest on 9:00 berlin")
    assert f"Paused until {day}." in await room.text(f"digest pause {words}")


async def test_what_is_said_of_the_future_is_what_comes(room: Room) -> None:
    """Each local date is delivered once: whatever is changed on a day that had its paper, the next one comes later."""
    await room.say("digest on 9:00 berlin daily")
    entry = await room.storage.subscriptions.of(PLACE)
    assert entry is not None
    answer = await room.text("digest now")  # at 8:00
    assert "The next one comes Thu 2 Jul 2026, 09:00." in answer
    status = await room.text("digest status")
    assert "Wed 1 Jul 2026, on its way" in status
    assert "Wed 1 Jul 2026, 09:00" not in status
    (posting,) = await room.storage.ledger.claim(("slack",))
    await room.storage.ledger.posted(posting, "m1")
    for words in ("digest status", "digest on 10:00", "digest on new york", "digest on 23:59", "digest preview 7d"):
        answer = await room.text(words)
        assert "on its way" not in answer
        assert "1 Jul 2026" not in answer, words
        assert "Thu 2 Jul 2026" in answer, words


async def test_a_change_after_its_time_tells_what_is_under_way(room: Room) -> None:
    await room.say("digest on 9:00 berlin daily")
    room.now += timedelta(hours=1, seconds=10)
    await room.storage.ledger.plan()
    (posting,) = await room.storage.ledger.claim(("slack",))
    await room.storage.ledger.put_off(posting, 60, "Slack asks to slow down")
    answer = await room.text("digest on 10:00")
    assert "Wed 1 Jul 2026, on its way (waiting: Slack asks to slow down)" in answer
    assert "Thu 2 Jul 2026, 10:00" in answer
    assert "Wed 1 Jul 2026, 10:00" not in answer
    assert "is on its way already" in await room.text("digest skip 2026-07-01")
    room.now += timedelta(minutes=2)
    (posting,) = await room.storage.ledger.claim(("slack",))
    await room.storage.ledger.posted(posting, "m1")
    assert "was posted already" in await room.text("digest skip 2026-07-01")


async def test_a_change_before_it_is_planned_moves_it(room: Room) -> None:
    await room.say("digest on 9:00 berlin daily")
    room.now += timedelta(hours=1, seconds=10)
    assert "Wed 1 Jul 2026, 10:00" in await room.text("digest on 10:00")
    room.now += timedelta(hours=1)
    await room.storage.ledger.plan()
    assert len(await room.storage.ledger.claim(("slack",))) == 1


async def test_now_in_a_held_channel_says_that_it_is_held(room: Room) -> None:
    await room.say("digest on 9:00 berlin")
    entry = await room.storage.subscriptions.of(PLACE)
    assert entry is not None
    await room.storage.subscriptions.hold(entry.id, "This channel is archived.")
    room.gate.post = "This channel is archived. Somebody has to restore it."
    answer = await room.text("digest now")
    assert "Posts are held here: This channel is archived. Somebody has to restore it." in answer
    assert await room.storage.ledger.history(entry.id) == []
    assert "held here" in await room.text("digest preview")
    assert "held here" in await room.text("digest pause monday")
    room.gate.post = None
    assert "On its way" in await room.text("digest now")
    entry = await room.storage.subscriptions.of(PLACE)
    assert entry is not None
    assert entry.held_for is None


@pytest.mark.parametrize("topic", ["sourdough", "???", '"never said in any paper"'])
async def test_a_topic_that_no_paper_is_about_is_refused_when_it_is_set(topic: str, room: Room) -> None:
    answer = await room.text(f"digest on 9:00 berlin topic:{topic}")
    assert "No paper here is about" in answer
    assert "topic:none" in answer
    assert await room.storage.subscriptions.of(PLACE) is None


async def test_a_topic_is_cleared(room: Room) -> None:
    assert "about pruning" in await room.text("digest on 9:00 berlin topic:pruning")
    assert "about pruning" in await room.text("digest on 10:00")
    assert "about pruning" not in await room.text("digest on topic:none")
    assert "about pruning" not in await room.text("digest status")
