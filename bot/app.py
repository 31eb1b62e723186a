"""The composition root: settings in, a running bot out. The only module that sees everything."""

import logging
import os
from dataclasses import dataclass
from pathlib import Path

from bot import logs
from bot.adapters.base import Adapter, all_adapters
from bot.commands import all_commands
from bot.config import Settings, load_settings
from bot.corpus import load_corpus
from bot.digest.declared import read_declared
from bot.dispatch import Dispatcher
from bot.library import Library
from bot.papers import Corpus

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class App:
    """What every subcommand needs."""

    settings: Settings
    dispatcher: Dispatcher


def read_settings(path: Path | None) -> Settings:
    """The settings from a file or the defaults, with every adapter's section. Raises ConfigError."""
    settings = load_settings(path, {name: adapter.section for name, adapter in all_adapters().items()})
    read_declared(settings)  # its faults are the config's
    return settings


def set_up_logging(settings: Settings) -> None:
    """Log to standard error, at the configured level and in the configured form."""
    section = settings.core.log
    logs.set_up(section.level, section.format)


def state_folder(settings: Settings) -> Path | None:
    """The folder of state, made if need be; None, with a warning, where it cannot be written."""
    folder = settings.state
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        logger.warning(
            "state: %s cannot be made (%s): nothing is kept; set `state` to a folder of the bot's own", folder, error
        )
        return None
    if not os.access(folder, os.W_OK):
        logger.warning("state: %s cannot be written: nothing is kept; set `state` to a folder of the bot's own", folder)
        return None
    return folder


def read_corpus(settings: Settings, state: Path | None) -> Corpus:
    """The configured corpus, its parsed papers kept in `state`. Raises ConfigError where its paths are wrong."""
    return load_corpus(settings.corpus_paths(), state=state, workers=os.cpu_count() or 1)


def read_library(settings: Settings) -> Library:
    """The corpus loaded and its index open. Raises ConfigError."""
    state = state_folder(settings)
    corpus = read_corpus(settings, state)
    return Library.of(corpus, state / "index" if state else None)


def build(settings: Settings) -> App:
    """Library and commands ready, for the terminal. Raises ConfigError."""
    library = read_library(settings)
    return App(settings, Dispatcher(lambda: library, all_commands()))


def ready_adapters(settings: Settings) -> list[Adapter]:
    """The adapters that have all they need."""
    return [entry for entry in all_adapters().values() if entry.configured(settings) and not entry.missing(settings)]
