"""What Discord says of the token: whether it takes it, whose it is, and where commands may be registered."""

import asyncio

import aiohttp
import discord

from bot.adapters.base import ASK_SECONDS, Finding, secret
from bot.adapters.discord.manifest import SCOPES, invite
from bot.adapters.discord.section import TOKEN, section_of
from bot.config import Settings

REFUSED = (
    f"Discord refuses the token in {TOKEN}. Make a new one at https://discord.com/developers/applications, your "
    "application > Bot > Reset Token, and set it."
)


def not_invited(guild: int) -> str:
    """What to do where commands may not be registered in a server."""
    return (
        f"in server {guild} the bot lacks the scope {SCOPES[1]}: invite it there (`paperboy manifest discord` prints "
        "the link), or take the server out of `discord.guilds`"
    )


async def ask(settings: Settings) -> tuple[Finding, ...]:
    """Ask Discord about the token, and about each server of the config."""
    client = discord.Client(intents=discord.Intents.none())
    try:
        async with asyncio.timeout(ASK_SECONDS):
            await client.login(secret(settings, TOKEN) or "")
            found = [await _whose(client, settings)]
            for guild in section_of(settings).guilds:
                found += await _registered(client, guild)
            return tuple(found)
    except discord.LoginFailure:
        return (Finding(REFUSED, stops=True),)
    except discord.HTTPException as error:
        return (_unasked(f"it answers {error.status}"),)
    except (aiohttp.ClientError, OSError, TimeoutError) as error:
        return (_unasked(type(error).__name__),)
    finally:
        await client.close()


async def _whose(client: discord.Client, settings: Settings) -> Finding:
    about = await client.application_info()
    return Finding(f"{TOKEN} is good: application {about.id}, to be invited at {invite(settings, about.id)}")


async def _registered(client: discord.Client, guild: int) -> list[Finding]:
    assert client.application_id is not None
    try:
        await client.http.get_guild_commands(client.application_id, guild)
    except (discord.Forbidden, discord.NotFound):
        return [Finding(not_invited(guild))]
    return []


def _unasked(reason: str) -> Finding:
    return Finding(f"Discord could not be asked ({reason}): whether the token is good is not known")
