"""The declared commands as Discord's, registered when they changed, and what Discord says of the token.

It allows 200 new commands a day, and people's clients reload: what is registered already is left alone.
"""

import asyncio
import hashlib
import inspect
import json
import logging
from collections.abc import Awaitable, Callable, Coroutine, Mapping
from typing import Any

import aiohttp
import discord
from discord import app_commands
from sqlalchemy.exc import SQLAlchemyError

from bot.adapters.base import ASK_SECONDS, Finding, secret
from bot.adapters.discord.manifest import SCOPES, invite
from bot.adapters.discord.section import TOKEN, section_of
from bot.adapters.suggest import SUGGESTED, Choice
from bot.commands.base import Command, CommandSet, Kind, Parameter
from bot.config import Settings
from bot.message import Call, Value
from bot.store.leases import CommandHashes
from bot.text import label

logger = logging.getLogger(__name__)

ROOT = "papers"

LONGEST_CHOICE = 100
"""Characters of a suggested choice, of what is shown and of what is sent."""

LONGEST_OPTION = 1_000
"""Characters of a text option: more than anyone types; Discord itself takes 6,000."""

_DESCRIPTION = 100

Interaction = discord.Interaction[discord.Client]
StyledRun = Callable[[Interaction, Call], Awaitable[None]]
Suggest = Callable[[Kind, str], Awaitable[list[Choice]]]


def group_of(commands: CommandSet, run: StyledRun, suggest: Suggest) -> app_commands.Group:
    """The group with everything in it. `run` answers a call, `suggest` gives the choices for what was typed."""
    root = app_commands.Group(
        name=ROOT,
        description="Find, read and share the papers of the conference",
        allowed_contexts=app_commands.AppCommandContext(guild=True, dm_channel=True, private_channel=False),
        allowed_installs=app_commands.AppInstallationType(guild=True, user=False),
    )
    groups: dict[str, app_commands.Group] = {}
    for command in commands.here:
        if command.group and command.group not in groups:
            groups[command.group] = app_commands.Group(
                name=command.group, description=label(f"Everything about: {command.group}", _DESCRIPTION), parent=root
            )
        parent = groups[command.group] if command.group else root
        parent.add_command(_subcommand(command, run, suggest))
    return root


def _subcommand(command: Command, run: StyledRun, suggest: Suggest) -> "app_commands.Command[Any, ..., Any]":
    async def answer(interaction: Interaction, **options: Value | None) -> None:
        given = {name: value for name, value in options.items() if value is not None}
        await run(interaction, Call(command.path, given))

    # discord.py reads options from a callback's signature: this one has the declared parameters
    own = [inspect.Parameter("interaction", inspect.Parameter.POSITIONAL_OR_KEYWORD, annotation=Interaction)]
    own += [_parameter(parameter) for parameter in sorted(command.parameters, key=lambda entry: not entry.required)]
    answer.__signature__ = inspect.Signature(own)  # type: ignore[attr-defined]  # functions take attributes
    app_commands.describe(
        **{parameter.name: label(parameter.summary, _DESCRIPTION) for parameter in command.parameters}
    )(answer)
    made: app_commands.Command[Any, ..., Any] = app_commands.Command(
        name=command.name, description=label(command.summary, _DESCRIPTION), callback=answer
    )
    for parameter in command.parameters:
        if parameter.kind in SUGGESTED:
            made.autocomplete(parameter.name)(_autocomplete(parameter.kind, suggest))
    return made


def _parameter(parameter: Parameter) -> inspect.Parameter:
    return inspect.Parameter(
        parameter.name,
        inspect.Parameter.KEYWORD_ONLY,
        annotation=_annotation(parameter),
        default=inspect.Parameter.empty if parameter.required else None,
    )


def _annotation(parameter: Parameter) -> object:
    match parameter.kind:
        case Kind.INTEGER:
            return app_commands.Range[int, parameter.minimum or 0, parameter.maximum]
        case Kind.FLAG:
            return bool
        case Kind.TEXT | Kind.PAPER | Kind.TOPIC | Kind.VENUE | Kind.COMMAND:
            return app_commands.Range[str, 1, LONGEST_OPTION]


def _autocomplete(
    kind: Kind, suggest: Suggest
) -> Callable[[Interaction, str], Coroutine[object, object, list[app_commands.Choice[str]]]]:
    async def choices(_interaction: Interaction, typed: str) -> list[app_commands.Choice[str]]:
        return [app_commands.Choice(name=name, value=value) for name, value in await suggest(kind, str(typed))]

    return choices


def definition(commands: CommandSet) -> Mapping[str, object]:
    """What is registered, as Discord's JSON."""
    client = discord.Client(intents=discord.Intents.none())
    tree = app_commands.CommandTree(client)

    async def nothing(_interaction: Interaction, _call: Call) -> None:
        return None

    async def none(_kind: Kind, _typed: str) -> list[Choice]:
        return []

    return group_of(commands, nothing, none).to_dict(tree)


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
