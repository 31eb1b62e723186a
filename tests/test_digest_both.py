"""One digest on both platforms: one process, both client libraries, one pick."""

from datetime import date, datetime, time, timedelta
from pathlib import Path

from digest_worker import Worker
from platforms.discord.markdown import read_message
from platforms.discord.running import serving, settings_of
from platforms.discord.server import discord_double
from platforms.discord.world import MANAGE
from platforms.slack.running import running_bot, seeds
from platforms.slack.seen import words
from platforms.slack.server import slack_server

from bot.adapters.discord.section import DiscordSection
from bot.digest.declared import Declared, reconcile
from bot.message import ChannelRef
from bot.schedule.values import DAILY, Posting

BOSS, READERS = 501, 77


async def test_a_named_digest_on_both_platforms_shares_one_pick(tmp_path: Path) -> None:
    async with (
        slack_server() as slack,
        discord_double() as discord,
        running_bot(slack, tmp_path) as bot,
        serving(discord, bot.services, settings_of(DiscordSection())),
    ):
        there = discord.world.channel(discord.world.guild())
        discord.world.roles[READERS], discord.world.role_of[BOSS] = MANAGE, [READERS]
        places = (ChannelRef("slack", "T1", "C1"), ChannelRef("discord", str(there.guild), str(there.id)))

        def push(seconds: float) -> None:
            slack.world.pass_seconds(seconds)
            discord.world.clock.advance(seconds)

        worker = Worker(bot.services, seeds(), push)
        reading = Declared("reading", places, time(9), "Europe/Berlin", DAILY, "", 1, thread=False, style="full")
        await reconcile(worker.storage.subscriptions, (reading,), worker.clock())
        now = worker.clock()
        evening = datetime.combine(now.date(), time(12), now.tzinfo) + timedelta(days=1)  # past nine in Berlin
        days: list[date] = []
        for day in range(3):
            await worker.after(seconds=(evening + timedelta(days=day) - worker.clock()).total_seconds())
            rows = [await _newest(worker, place) for place in places]
            assert [row.state for row in rows] == ["posted", "posted"]
            assert rows[0].papers == rows[1].papers
            paper = seeds().corpus.get(rows[0].papers[0])
            assert paper is not None
            assert paper.name in words([one for one in slack.world.public("C1") if one.metadata][-1].blocks)
            assert paper.name in read_message(there.messages[-1]).text
            days.append(rows[0].day)
        assert len(set(days)) == 3
        assert len(there.messages) == len([one for one in slack.world.public("C1") if one.metadata]) == 3


async def _newest(worker: Worker, place: ChannelRef) -> Posting:
    entry = await worker.storage.subscriptions.here(place)
    assert entry is not None
    return (await worker.storage.ledger.history(entry.id))[0]
