"""Discord over sockets, with unmodified discord.py: the conversation table, every example, the shared contract."""

from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path

import pytest
from contract import CONTRACT, Surface
from conversations import CONVERSATIONS
from platforms.discord.running import services_of, serving, store_at
from platforms.discord.server import Double, discord_double
from platforms.discord.surface import DiscordSurface, call_of

from bot.config import default_corpus
from bot.corpus import load_corpus
from bot.library import Library


@pytest.fixture(scope="module")
def library() -> Library:
    return Library.of(load_corpus(default_corpus()))


@pytest.fixture
async def double(library: Library, tmp_path: Path) -> AsyncIterator[Double]:
    async with (
        store_at(f"sqlite:///{tmp_path / 'store.sqlite3'}") as database,
        discord_double() as double,
        serving(double, services_of(database, library)),
    ):
        yield double
    assert double.world.refused == []
    assert double.world.pings == []


@pytest.fixture
def surface(double: Double) -> DiscordSurface:
    return DiscordSurface(double, double.world.channel(double.world.guild()))


@pytest.mark.parametrize("name", CONVERSATIONS)
async def test_conversation(name: str, surface: DiscordSurface) -> None:
    for turn in CONVERSATIONS[name]:
        if call_of(turn.say) is None:
            continue  # Discord's client asks for the option itself
        seen = await surface.say(turn.say)
        flat = " ".join(seen.text.split())
        for expected in turn.expect:
            if expected == "page:2":
                assert "Next" in seen.buttons
            elif expected.startswith("the command "):
                assert "1." in flat or "No" in flat  # a subcommand says by itself that a search was meant
            else:
                assert expected in flat, f"{turn.say!r} lacks {expected!r}:\n{seen.text}"
        for never in turn.never:
            assert never not in flat


@pytest.mark.parametrize("check", CONTRACT, ids=lambda check: check.__name__)
async def test_contract(check: Callable[[Surface], Awaitable[None]], surface: DiscordSurface) -> None:
    await check(surface)
