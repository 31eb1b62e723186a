"""The same client inside simcord, another's model of Discord: what our double and we could both have got wrong."""

from collections.abc import AsyncIterator
from pathlib import Path

import discord
import pytest
import simcord
from platforms.discord.running import services_of, store_at
from simcord.results import InteractionResult, ResponseMessage

from bot.adapters.discord.client import make_client
from bot.adapters.discord.section import DiscordSection
from bot.config import default_corpus
from bot.corpus import load_corpus
from bot.library import Library


@pytest.fixture(scope="module")
def library() -> Library:
    return Library.of(load_corpus(default_corpus()))


@pytest.fixture
async def client(library: Library, tmp_path: Path) -> AsyncIterator[discord.Client]:
    async with store_at(f"sqlite:///{tmp_path / 'store.sqlite3'}") as database:
        yield make_client(services_of(database, library), DiscordSection(), log_queries=False)


def answer(result: InteractionResult) -> ResponseMessage:
    assert result.response is not None
    return result.response


def described(result: InteractionResult) -> str:
    return answer(result).embeds[0].description or ""


async def test_a_command_is_answered_privately(client: discord.Client) -> None:
    async with simcord.run(client) as env:
        guild = env.create_guild()
        ada = guild.add_member(env.create_user("ada"))
        result = await ada.slash(guild.create_text_channel("papers"), "papers search", query="kv cache")
        assert result.ephemeral
        assert "xKV" in described(result)


async def test_buttons_menu_and_back(client: discord.Client) -> None:
    async with simcord.run(client) as env:
        guild = env.create_guild()
        ada = guild.add_member(env.create_user("ada"))
        message = answer(await ada.slash(guild.create_text_channel("papers"), "papers search", query="kv cache"))
        menu = message.components[0]["components"][0]
        read = await ada.select(message, [menu["options"][0]["value"]])
        assert "own words" in described(read)
        near = await ada.click(answer(read), label="Similar")
        assert "Closest to" in described(near)
        back = await ada.click(answer(near), label="Back")
        assert answer(back).id == message.id
        assert "own words" in described(back)


async def test_sharing_and_deleting(client: discord.Client) -> None:
    async with simcord.run(client) as env:
        guild = env.create_guild()
        channel = guild.create_text_channel("papers")
        ada, eve = (guild.add_member(env.create_user(name)) for name in ("ada", "eve"))
        message = answer(await ada.slash(channel, "papers tldr", paper="xkv"))
        await ada.click(message, label="Share to channel")
        post = channel.last_message
        assert post is not None
        assert ada.mention in post.content
        opened = await eve.click(post, label="Abstract")
        assert opened.ephemeral
        refused = await eve.click(post, label="Delete")
        assert refused.ephemeral
        assert "Only the person who shared this" in answer(refused).content
        await ada.click(post, label="Delete")
        assert [one for one in channel.history() if one.id == post.id] == []


async def test_sharing_without_permission_is_explained(client: discord.Client) -> None:
    async with simcord.run(client) as env:
        guild = env.create_guild()
        silent = discord.PermissionOverwrite(send_messages=False)
        channel = guild.create_text_channel("papers", overwrites={guild.default_role: silent})
        ada = guild.add_member(env.create_user("ada"))
        message = answer(await ada.slash(channel, "papers tldr", paper="xkv"))
        result = await ada.click(message, label="Share to channel")
        assert "Send Messages" in result.followups[0].content
        assert list(channel.history()) == []


async def test_choices(client: discord.Client) -> None:
    async with simcord.run(client) as env:
        guild = env.create_guild()
        ada = guild.add_member(env.create_user("ada"))
        choices = await ada.autocomplete(guild.create_text_channel("papers"), "papers tldr", "paper", "xk")
        assert choices[0]["name"].startswith("xkv · ")
