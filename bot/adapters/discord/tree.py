"""The declared commands as Discord's: one group `/papers`, subcommands, subcommand groups, typed options."""

import inspect
from collections.abc import Awaitable, Callable, Coroutine, Mapping
from typing import Any

import discord
from discord import app_commands

from bot.adapters.discord.suggest import SUGGESTED, Choice
from bot.commands.base import Command, CommandSet, Kind, Parameter
from bot.message import Call, Value
from bot.text import label

ROOT = "papers"

LONGEST_OPTION = 1_000
"""Characters of a text option: more than anyone types; Discord itself takes 6,000."""

_DESCRIPTION = 100

Interaction = discord.Interaction[discord.Client]
Run = Callable[[Interaction, Call], Awaitable[None]]
Suggest = Callable[[Kind, str], Awaitable[list[Choice]]]


def group_of(commands: CommandSet, run: Run, suggest: Suggest) -> app_commands.Group:
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


def _subcommand(command: Command, run: Run, suggest: Suggest) -> "app_commands.Command[Any, ..., Any]":
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
