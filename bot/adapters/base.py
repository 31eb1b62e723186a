"""What an adapter is: a folder here that ends in one value `ADAPTER`, found by name, its platform imported late."""

import importlib
import pkgutil
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from bot.commands.base import CommandSet
from bot.config import Settings
from bot.connections import Offer
from bot.digest.declared import ChannelIds
from bot.errors import ConfigError, Fault
from bot.message import Platform

if TYPE_CHECKING:
    from bot.adapters.services import Services  # brings the database library, which the terminal does without


@dataclass(frozen=True, slots=True)
class Missing:
    """A setting that an adapter lacks: its name, and where the operator gets it."""

    setting: str
    where: str


@dataclass(frozen=True, slots=True)
class Finding:
    """What a platform says of the bot's tokens, in a line. `stops` is whether the adapter cannot start with it."""

    words: str
    stops: bool = False


ASK_SECONDS = 5.0
"""How long a platform may take to say what it thinks of a token: the operator waits at a terminal."""


@dataclass(frozen=True, slots=True)
class Adapter:
    """One platform. Importing the folder does not import the platform's library; `serve` does.

    `section` is the dataclass of its config section. `missing` names what it lacks to start; an adapter that has
    nothing at all of its own is simply not configured (`configured`).

    `offers` is what the config lets it offer once it is connected.

    `serve(settings, services)` runs until `services.stopping` is set: then it takes nothing new, finishes answers in
    flight and returns. It raises OperatorError, with the remedy, where it cannot go on (a wrong token); a lost
    connection is its own business.

    `channel_ids` is what its ids look like, for digests that the config declares; None where it has no digests.
    `manifest(settings, commands)` is what the platform must be told about the bot, as text to print; None for nothing.

    `ask(settings)` asks the platform about the tokens, which must be set, within about ASK_SECONDS, and never raises
    for what the platform answers or does not.
    """

    name: str
    section: type
    configured: Callable[[Settings], bool]
    missing: Callable[[Settings], tuple[Missing, ...]]
    offers: Callable[[Settings], Offer]
    serve: "Callable[[Settings, Services], Awaitable[None]]"
    ask: Callable[[Settings], Awaitable[tuple[Finding, ...]]]
    channel_ids: ChannelIds | None = None
    manifest: Callable[[Settings, CommandSet], str] | None = None


def secret(settings: Settings, name: str) -> str | None:
    """A secret by the name of its environment variable, or from the file that `NAME_FILE` names; never printed.

    Raises ConfigError where that file cannot be read.
    """
    value = settings.environment.get(name, "").strip()
    if value:
        return value
    file = settings.environment.get(f"{name}_FILE", "").strip()
    if not file:
        return None
    try:
        return Path(file).read_text(encoding="utf-8").strip() or None
    except OSError as error:
        reason = error.strerror or type(error).__name__
    except UnicodeDecodeError:
        reason = "not text in UTF-8"  # the error itself quotes what is in the file
    raise ConfigError((Fault(file, 0, f"`{name}_FILE` names this file, which cannot be read: {reason}"),))


def channel_ids() -> Mapping[Platform, ChannelIds]:
    """What the ids of each platform look like that has digests."""
    return {name: adapter.channel_ids for name, adapter in all_adapters().items() if adapter.channel_ids}


def configured_adapters(settings: Settings) -> tuple[Adapter, ...]:
    """The adapters that the operator means to use, also those that lack something."""
    return tuple(adapter for adapter in all_adapters().values() if adapter.configured(settings))


@cache
def all_adapters() -> Mapping[str, Adapter]:
    """Every adapter by name."""
    package = importlib.import_module("bot.adapters")
    found: dict[str, Adapter] = {}
    for module in pkgutil.iter_modules(package.__path__):
        if module.ispkg:
            adapter = getattr(importlib.import_module(f"bot.adapters.{module.name}"), "ADAPTER", None)
            if isinstance(adapter, Adapter):
                found[adapter.name] = adapter
    return found
