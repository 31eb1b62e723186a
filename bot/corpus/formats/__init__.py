"""Readers of corpus files, one module each; a module here that ends in a value `FORMAT` is a format."""

import importlib
import pkgutil
from functools import cache

from bot.corpus.formats.base import Format

__all__ = ["Format", "all_formats", "format_of"]


@cache
def all_formats() -> tuple[Format, ...]:
    """Every format, in order of its name."""
    formats: list[Format] = []
    for module in pkgutil.iter_modules(__path__):
        value = getattr(importlib.import_module(f"{__name__}.{module.name}"), "FORMAT", None)
        if isinstance(value, Format):
            formats.append(value)
    return tuple(sorted(formats, key=lambda entry: entry.name))


def format_of(file_name: str) -> Format | None:
    """The format that reads a file of this name, or None."""
    lowered = file_name.lower().removesuffix(".gz")
    return next((entry for entry in all_formats() if lowered.endswith(entry.suffixes)), None)
