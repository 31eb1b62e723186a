"""The composition root: settings in, a running bot out. The only module that sees everything."""

import logging
import os
from collections.abc import Sequence
from concurrent.futures import BrokenExecutor, ProcessPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path

from bot import logs
from bot.adapters.base import Adapter, all_adapters, channel_ids
from bot.commands import all_commands
from bot.commands.dispatch import Dispatcher
from bot.config import Settings, load_settings
from bot.connections import Connections
from bot.corpus import is_kept, load_corpus
from bot.corpus.parsing import end_with_parent
from bot.digest.declared import read_declared
from bot.errors import PaperboyError
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
    read_declared(settings, channel_ids())  # its faults are the config's
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


_WORTH_A_PROCESS = 500_000
"""Bytes of corpus files; less is parsed sooner than a process starts."""


def prepare_library(settings: Settings) -> Library:
    """The same for a process that lives long: what is new is parsed and indexed by another one, which then ends.

    That takes several times the memory of the library itself, most of which a process never gives back; and while it
    lasts, answers go on here undisturbed. Raises ConfigError.
    """
    state = state_folder(settings)
    paths = settings.corpus_paths()
    if state is not None and _bytes_of(paths) >= _WORTH_A_PROCESS and not is_kept(paths, state):
        try:
            # spawn: a forked copy of a process that runs threads may hang
            with ProcessPoolExecutor(1, get_context("spawn"), end_with_parent, (os.getpid(),)) as other:
                other.submit(_prepare, settings).result()
        except BrokenExecutor:
            logger.warning("corpus: the process that was to prepare it ended; it is prepared here")
    return read_library(settings)


def _prepare(settings: Settings) -> None:
    logging.getLogger().addHandler(logging.NullHandler())  # whoever reads what is kept says what is wrong with it
    with suppress(PaperboyError, OSError, ValueError):  # and meets the same error
        read_library(settings)


def _bytes_of(paths: Sequence[Path]) -> int:
    files = [file for path in paths for file in (path.rglob("*") if path.is_dir() else [path])]
    return sum(file.stat().st_size for file in files if file.is_file())


def build(settings: Settings) -> App:
    """Library and commands ready, for the terminal. Raises ConfigError."""
    library = read_library(settings)
    elsewhere = Connections({name: adapter.offers(settings) for name, adapter in all_adapters().items()})
    return App(settings, Dispatcher(lambda: library, all_commands(), connections=elsewhere))


def ready_adapters(settings: Settings) -> list[Adapter]:
    """The adapters that have all they need."""
    return [entry for entry in all_adapters().values() if entry.configured(settings) and not entry.missing(settings)]
