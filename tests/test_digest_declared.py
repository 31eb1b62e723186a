"""Digests that the operator declares in the config: YAML as people write it, and the store made to follow."""

from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import date, time, timedelta
from pathlib import Path

import pytest
from test_digest_commands import PLACE, Room

from bot.adapters.base import channel_ids
from bot.app import read_settings
from bot.digest.declared import Declared, read_declared, reconcile
from bot.errors import ConfigError
from bot.message import ChannelRef
from bot.schedule.values import WEEKDAYS
from bot.store.database import Database

SLACK = "{platform: slack, workspace: T1, channel: C1}"
DISCORD = "{platform: discord, workspace: 11, channel: 22}"
ELSEWHERE = ChannelRef("discord", "11", "22")


def written(tmp_path: Path, more: str = "", time_: str = "'9:30'", channels: str = f"[{SLACK}, {DISCORD}]") -> Path:
    file = tmp_path / "config.yaml"
    file.write_text(f"digests:\n  reading:\n    channels: {channels}\n    time: {time_}\n    zone: berlin\n" + more)
    return file


def declared(tmp_path: Path, more: str = "", **parts: str) -> tuple[Declared, ...]:
    return read_declared(read_settings(written(tmp_path, more, **parts)), channel_ids())


def faults(tmp_path: Path, more: str = "", **parts: str) -> list[tuple[int, str]]:
    with pytest.raises(ConfigError) as caught:
        read_settings(written(tmp_path, more, **parts))
    return [(fault.line, fault.message) for fault in caught.value.faults]


def test_every_key_is_read(tmp_path: Path) -> None:
    more = "    days: mon,wed,fri\n    topic: kv cache\n    count: 3\n    thread: yes\n    style: brief\n"
    (found,) = declared(tmp_path, more)
    assert (found.name, found.channels) == ("reading", (PLACE, ELSEWHERE))
    assert (found.at, found.zone, found.weekdays) == (time(9, 30), "Europe/Berlin", frozenset({0, 2, 4}))
    assert (found.topic, found.count, found.thread, found.style) == ("kv cache", 3, True, "brief")


@pytest.mark.parametrize(
    ("words", "at"),
    [
        ("10:30", time(10, 30)),  # 630 to a reader of YAML 1.1
        ("9:30", time(9, 30)),  # 570
        ("09:30", time(9, 30)),  # text, while 9:30 was a number
        ("0900", time(9)),
        ("9am", time(9)),
        ("21h", time(21)),
        ("'9.30'", time(9, 30)),
    ],
)
def test_times_as_operators_write_them(tmp_path: Path, words: str, at: time) -> None:
    assert declared(tmp_path, time_=words)[0].at == at


@pytest.mark.parametrize("words", ["630", "570", "9.30", "9"])
def test_a_time_that_yaml_made_a_number_of_is_explained(tmp_path: Path, words: str) -> None:
    ((line, message),) = faults(tmp_path, time_=words)
    assert line == 4
    assert "is a number to YAML" in message
    assert '"9:30"' in message


@pytest.mark.parametrize(
    ("more", "line", "words"),
    [
        ("    topic: #agents\n", 6, "a # starts a comment"),
        ("    topic: no\n", 6, "put it in quotes"),
        ("    days: no\n", 6, "put it in quotes"),
        ("    days: someday\n", 6, "weekdays, daily or mon,wed,fri"),
        ("    count: 6\n", 6, "less than or equal to 5"),
        ("    style: loud\n", 6, "'brief' or 'full'"),
        ("    on: 9:00\n", 6, "`digests.reading.on` is not a setting"),
        ("    tpoic: x\n", 6, "did you mean `topic`?"),
        ("    zone: paris\n", 6, "`zone` stands twice"),
        ("  other:\n    zone: berlin\n    time: 9:00\n", 6, "`digests.other.channels` is missing"),
        ("  other:\n    zone: berlni\n    time: 9:00\n    channels: [{platform: slack, workspace: T1, channel: C2}]\n",
         7, "did you mean Europe/Berlin"),
        (f"  other:\n    zone: berlin\n    time: 25:00\n    channels: [{SLACK}]\n", 8, "is no time of day"),
        (f"  other:\n    zone: berlin\n    time: 9:00\n    channels: [{SLACK}]\n", 9, "has the digest `reading`"),
        (f"  two words:\n    zone: berlin\n    time: 9:00\n    channels: [{SLACK}]\n", 6, "is named with"),
    ],
)  # fmt: skip
def test_what_cannot_be_is_explained_with_its_line(tmp_path: Path, more: str, line: int, words: str) -> None:
    found = faults(tmp_path, more)
    assert any(at == line and words in message for at, message in found), found


@pytest.mark.parametrize(
    ("channel", "words"),
    [
        ("{platform: slack, workspace: T1, channel: #papers}", "not valid YAML"),
        ("{platform: slack, workspace: T1, channel: '#papers'}", "is a name, and names change"),
        ("{platform: slack, workspace: T1, channel: papers}", "is no id. Slack's ids"),
        ("{platform: discord, workspace: 11, channel: papers}", "is no id. Discord's ids"),
        ("{platform: irc, workspace: 1, channel: 2}", "'discord' or 'slack'"),
        ("{platform: slack, workspace: T1, chanel: C1}", "did you mean `channel`?"),
    ],
)
def test_a_channel_is_named_by_its_ids(tmp_path: Path, channel: str, words: str) -> None:
    found = faults(tmp_path, channels=f"[{channel}]")
    assert any(words in message for _, message in found), found


def test_a_channel_behind_a_hash_is_a_comment_and_said_so(tmp_path: Path) -> None:
    block = "\n      - platform: slack\n        workspace: T1\n        channel: #papers"
    assert any(line == 6 and "a # starts a comment" in message for line, message in faults(tmp_path, channels=block))


@pytest.mark.parametrize("hours", ["-1", "21", "long"])
def test_the_window_for_catching_up_has_bounds(tmp_path: Path, hours: str) -> None:
    file = tmp_path / "config.yaml"
    file.write_text(f"digest: {{catch_up: {hours}}}\n")
    with pytest.raises(ConfigError, match=r"digest\.catch_up"):
        read_settings(file)


READING = Declared(
    "reading", (PLACE, ELSEWHERE), time(9, 30), "Europe/Berlin", WEEKDAYS, "", 1, thread=False, style="full"
)


@pytest.fixture
async def room(tmp_path: Path) -> AsyncIterator[Room]:
    database = await Database.open("sqlite:///:memory:")
    yield Room(database)
    await database.close()


async def follow(room: Room, *wanted: Declared) -> None:
    await reconcile(room.storage.subscriptions, wanted, room.now)


async def test_what_is_declared_begins_and_says_who_declared_it(room: Room) -> None:
    await follow(room, READING)
    assert {entry.channel for entry in await room.storage.subscriptions.active()} == {PLACE, ELSEWHERE}
    told = await room.text("digest status")
    assert "as reading, in the config of whoever runs this bot" in told
    assert "Wed 1 Jul 2026, 09:30" in told


@pytest.mark.parametrize("words", ["digest on", "digest on 10:00", "digest on 10:00 tokyo", "digest off"])
async def test_commands_do_not_change_it_and_say_who_does(room: Room, words: str) -> None:
    await follow(room, READING)
    before = await room.storage.subscriptions.active()
    assert "declares the digest of this channel, as “reading”" in await room.text(words)
    assert await room.storage.subscriptions.active() == before


async def test_pause_and_skip_work_and_outlive_the_next_start(room: Room) -> None:
    await follow(room, READING)
    await room.say("digest skip thursday")
    await room.say("digest pause 2026-07-03")
    await follow(room, READING)
    entry = await room.storage.subscriptions.here(PLACE)
    assert entry is not None
    assert entry.schedule.skips == {date(2026, 7, 2)}
    assert entry.schedule.paused_until == date(2026, 7, 3)
    assert "It goes on: Wed 1 Jul 2026, 09:30" in await room.text("digest on")


async def test_taken_out_of_the_file_it_ends_and_the_channel_may_have_its_own(room: Room) -> None:
    await follow(room, READING)
    await follow(room)
    assert not await room.storage.subscriptions.active()
    assert "no digest in this channel" in await room.text("digest status")
    assert "is set up" in await room.text("digest on 10:00 berlin")
    entry = await room.storage.subscriptions.here(PLACE)
    assert entry is not None
    assert not entry.declared
    await follow(room)
    assert [one.channel for one in await room.storage.subscriptions.active()] == [PLACE]


async def test_it_takes_the_place_of_the_channels_own(room: Room) -> None:
    await room.say("digest on 8:00 tokyo")
    await follow(room, READING)
    (entry,) = [one for one in await room.storage.subscriptions.active() if one.channel == PLACE]
    assert entry.declared


async def test_a_change_in_the_file_counts_from_then_on(room: Room) -> None:
    await follow(room, READING)
    room.now += timedelta(hours=2)  # 10:00 in Berlin; 9:30 is owed, since no tick came yet
    await follow(room, replace(READING, topic="kv cache"))
    assert await room.storage.ledger.plan() == 2
    entry = await room.storage.subscriptions.here(PLACE)
    assert entry is not None
    assert entry.topic == "kv cache"
    assert [row.day for row in await room.storage.ledger.history(entry.id)] == [date(2026, 7, 1)]
    await follow(room, replace(READING, at=time(9, 45)))
    await room.storage.ledger.plan()
    assert len(await room.storage.ledger.history(entry.id)) == 1


async def test_a_change_between_its_time_and_the_tick_loses_nothing(room: Room) -> None:
    await room.say("digest on 9:00 berlin")
    room.now += timedelta(hours=1, seconds=5)
    await room.say("digest skip 2026-07-03")
    await room.storage.ledger.plan()
    entry = await room.storage.subscriptions.here(PLACE)
    assert entry is not None
    assert [row.day for row in await room.storage.ledger.history(entry.id)] == [date(2026, 7, 1)]


@pytest.mark.parametrize(("hours", "owed"), [(1, 0), (3, 1)])
async def test_the_window_for_catching_up_is_the_operators(tmp_path: Path, hours: int, owed: int) -> None:
    database = await Database.open("sqlite:///:memory:")
    room = Room(database, catch_up=timedelta(hours=hours))
    await room.say("digest on 9:00 berlin")
    room.now += timedelta(hours=3)  # 11:00 in Berlin
    await room.storage.ledger.plan()
    entry = await room.storage.subscriptions.here(PLACE)
    assert entry is not None
    assert len(await room.storage.ledger.history(entry.id)) == owed
    await database.close()
