"""The commands, one module a family; a module here that ends in `COMMANDS` (or `COMMAND`) adds them."""

import importlib
import pkgutil
from functools import cache

from bot.commands.base import Command, CommandSet

__all__ = ["Command", "CommandSet", "all_commands"]


@cache
def all_commands() -> CommandSet:
    """Every command of every module here."""
    found: list[Command] = []
    for module in pkgutil.iter_modules(__path__):
        loaded = importlib.import_module(f"{__name__}.{module.name}")
        one = getattr(loaded, "COMMAND", None)
        found.extend([one] if isinstance(one, Command) else getattr(loaded, "COMMANDS", ()))
    return CommandSet(found)
