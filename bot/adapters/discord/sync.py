"""Tells Discord the commands, only when they changed: it allows 200 new ones a day, and people's clients reload."""

import hashlib
import json
import logging

import discord
from discord import app_commands
from sqlalchemy.exc import SQLAlchemyError

from bot.adapters.discord.tokens import not_invited
from bot.store.leases import CommandHashes

logger = logging.getLogger(__name__)

_NOTHING = "nothing"


def _hash(definition: object) -> str:
    return hashlib.sha256(json.dumps(definition, sort_keys=True).encode()).hexdigest()


async def sync_commands(
    tree: app_commands.CommandTree[discord.Client], guilds: tuple[int, ...], hashes: CommandHashes, application: int
) -> None:
    """Register what changed, in the guilds or, without any, everywhere. A scope that refuses is named in the log."""
    scopes: list[discord.Object | None] = [discord.Object(guild) for guild in guilds]
    for scope in scopes or [None]:
        definition = [command.to_dict(tree) for command in tree.get_commands(guild=scope)]
        await _sync(tree, scope, _hash(definition), hashes, application)
    everywhere = await _known(hashes, str(application))
    if scopes and everywhere not in {None, _NOTHING}:  # else people would see every command twice
        await _sync(tree, None, _NOTHING, hashes, application)
    for guild in await _left(hashes, application, guilds):
        await _sync(tree, discord.Object(guild), _NOTHING, hashes, application)


async def _left(hashes: CommandHashes, application: int, guilds: tuple[int, ...]) -> list[int]:
    """Guilds that have commands of an earlier config, which named them."""
    prefix = f"{application}/"
    try:
        known = await hashes.scopes("discord", prefix)
    except SQLAlchemyError:
        return []
    had = [int(scope.removeprefix(prefix)) for scope, told in known.items() if told != _NOTHING]
    return sorted(set(had) - set(guilds))


async def _sync(
    tree: app_commands.CommandTree[discord.Client],
    guild: discord.Object | None,
    wanted: str,
    hashes: CommandHashes,
    application: int,
) -> None:
    scope = f"{application}/{guild.id}" if guild else str(application)
    if await _known(hashes, scope) == wanted:
        return
    where = f"server {guild.id}" if guild else "every server"
    try:
        await tree.sync(guild=guild)
    except discord.Forbidden:
        if wanted == _NOTHING:  # whoever took the bot out of a server took its commands along
            await _keep(hashes, scope, wanted)
            return
        logger.error(  # noqa: TRY400 - one clear line
            "the commands cannot be registered: %s", not_invited(guild.id) if guild else "Discord forbids it"
        )
    except (discord.HTTPException, app_commands.AppCommandError) as error:
        logger.error("the commands could not be registered in %s, the old ones stay: %s", where, error)  # noqa: TRY400 - one clear line
    else:
        logger.info("commands %s in %s", "withdrawn" if wanted == _NOTHING else "registered", where)
        await _keep(hashes, scope, wanted)


async def _keep(hashes: CommandHashes, scope: str, told: str) -> None:
    try:
        await hashes.put("discord", scope, told)
    except SQLAlchemyError:
        logger.warning("the store did not keep what was registered: it is registered again at the next start")


async def _known(hashes: CommandHashes, scope: str) -> str | None:
    try:
        return await hashes.get("discord", scope)
    except SQLAlchemyError:
        return None
