"""What a team keeps and is given, made of text that would act: posts, threads, lists, watches and settings."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from digest_worker import Worker
from platforms.discord.markdown import read_message
from platforms.discord.running import services_of, serving, store_at
from platforms.discord.server import discord_double
from platforms.discord.surface import DiscordSurface
from platforms.discord.world import MANAGE
from platforms.slack.attacks import ATTACKS, HIDDEN, corpus
from platforms.slack.live import live
from platforms.slack.running import running_bot
from platforms.slack.seen import links
from platforms.slack.server import slack_server

from bot.library import Library
from bot.papers import Corpus
from bot.schedule.values import Announcement, Subscription, announcement_key
from bot.store.rows import NO_SUBSCRIPTION

OURS = "https://papers.example/"
BOSS, MANAGERS = 501, 77


@pytest.fixture(scope="module")
def library() -> Library:
    # a lone half of a character is let through by no reader of corpus files
    return Library.of(Corpus(tuple(one for one in corpus() if HIDDEN["half"] not in one.name), "attacks"))


def things_to_say(library: Library) -> list[str]:
    """Every command of a team, on papers made of attacks and with attacks for words."""
    handles = [paper.handle for paper in library.corpus]
    said = [line for handle in handles for line in (f"save {handle}", f"vote {handle}", f"unsave {handle}")]
    said += [f"save {handle}" for handle in handles]
    said += ["saved", "export markdown", "export csv", "export bibtex", "data export"]
    for attack in ATTACKS.values():
        said += [f"watch zebra {attack}", "watches", f"unwatch zebra {attack}", f"unwatch {attack}", f"seen {attack}"]
    said += ["digest on 9:00 berlin count:5 thread:yes style:full", "digest status", "digest preview", "digest now"]
    return said


AFTER = ("digest why", "digest history", "seen", "seen zebra", "digest now extra", "digest off", "data delete")


async def spoken_topics(library: Library) -> AsyncIterator[str]:
    for attack in ATTACKS.values():
        yield f"digest on 9:00 berlin topic:zebra {attack}"
        yield "digest status"


async def notice(worker: Worker, entry: Subscription, words: str) -> None:
    """Tell whoever set a digest up, in private, as the bot does."""
    ledger, key = worker.storage.ledger, announcement_key(words)
    await ledger.announce(words, Announcement(entry.channel, entry.set_up_by, words=words))
    await worker.after(seconds=40)
    today = worker.storage.clock().date()
    (posting,) = [one for one in await ledger.of_day(NO_SUBSCRIPTION, today) if one.key == key]
    assert posting.state == "posted"


async def test_in_slack_nothing_acts(library: Library, tmp_path: Path) -> None:
    async with slack_server() as server, running_bot(server, tmp_path, library=lambda: library) as bot:
        person, world = bot.person(), server.world
        worker = Worker(bot.services, library, world.pass_seconds)

        async def say(words: str) -> None:
            world.buckets.clear()  # the rate of posts is another test's
            assert "went wrong" not in (await person.say(words)).text, words

        for words in things_to_say(library):
            await say(words)
        await worker.tick()
        await worker.after(seconds=40)
        posts = [one for one in world.public("C1") if one.metadata]
        assert len(posts) == 2  # the papers, and the thread with their abstracts
        assert posts[1].thread == posts[0].ts
        for words in AFTER[:-2]:
            await say(words)
        async for words in spoken_topics(library):
            await say(words)
        await say("digest now extra")
        await worker.after(seconds=40)
        entry = (await worker.storage.subscriptions.active())[0]
        for attack in ATTACKS.values():
            await notice(worker, entry, f"A topic is called {attack}")
        for words in AFTER[-2:]:
            await say(words)
        sent = [arguments for _, arguments in world.calls if "blocks" in arguments]
        assert len(sent) > 300
        # the bot itself names the channel, by its own id, to whoever set a digest up
        mine = "a run of type channel"
        assert [problem for one in sent for problem in live(one) if problem != mine] == []
        jump = "https://x.slack.com/archives/C1/p"
        assert {link for one in sent for link in links(one["blocks"]) if not link.startswith((OURS, jump))} == set()
    assert world.refused == []
    assert world.late == []


async def test_in_discord_nothing_acts(library: Library, tmp_path: Path) -> None:
    async with store_at(f"sqlite:///{tmp_path / 'store.sqlite3'}") as database, discord_double() as double:
        world = double.world
        services = services_of(database, library, clock=world.clock)
        channel = world.channel(world.guild())
        world.roles[MANAGERS] = MANAGE
        world.role_of[BOSS] = [MANAGERS]
        surface = DiscordSurface(double, channel, BOSS)
        worker = Worker(services, library, world.clock.advance)
        async with serving(double, services):
            for words in things_to_say(library):
                assert "went wrong" not in (await surface.say(words)).text, words
            await worker.tick()
            await worker.after(seconds=40)
            for words in AFTER[:-2]:
                assert "went wrong" not in (await surface.say(words)).text, words
            async for words in spoken_topics(library):
                assert "went wrong" not in (await surface.say(words)).text, words
            await surface.say("digest now extra")
            await worker.after(seconds=40)
            entry = (await worker.storage.subscriptions.active())[0]
            for attack in ATTACKS.values():
                await notice(worker, entry, f"A topic is called {attack}")
            for words in AFTER[-2:]:
                await surface.say(words)
        bodies = [body for method, _, body in world.requests if method in {"POST", "PATCH"} and isinstance(body, dict)]
        drawn = [read_message(body) for body in bodies if "embeds" in body or body.get("content")]
        assert len(drawn) > 300
        ours = f"mention: <#{channel.id}>"
        assert {what for seen in drawn for what in seen.live} <= {ours}
        jump = f"https://discord.com/channels/{channel.guild}/{channel.id}/"
        assert {link for seen in drawn for link in seen.links if not link.startswith((OURS, jump))} == set()
        assert world.pings == []
        assert world.refused == []
