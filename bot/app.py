"""The composition root: settings in, a running bot out. The only module that sees everything."""

import logging
import os
import signal
from collections.abc import Sequence
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
from bot.corpus.parsing import condemn, end_with_parent
from bot.digest.declared import read_declared
from bot.errors import CorpusError
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
        _prepare_elsewhere(settings, state)
    return read_library(settings)


def _prepare_elsewhere(settings: Settings, state: Path) -> None:
    """Have another process parse and index; a file that it is killed at is left out, and it is tried without.

    Raises CorpusError where it is killed at no file: what it could not stand, this process must not try.
    """
    while True:
        # spawn: a forked copy of a process that runs threads may hang
        other = get_context("spawn").Process(target=_prepare, args=(settings, os.getpid()))
        try:
            other.start()
            other.join()
        except OSError as error:
            logger.warning("corpus: no process can be started to prepare it (%s); it is prepared here", error)
            return
        match other.exitcode, other.pid:
            case int(code), _ if code >= 0:
                if code:
                    logger.warning("corpus: the process that was to prepare it did not start; it is prepared here")
                return
            case int(code), _ if -code in (signal.SIGTERM, signal.SIGINT):
                raise CorpusError("the corpus is not prepared: the process that did it was told to end")
            case _, int(pid) if condemn(state / "parsed", pid):
                logger.error("corpus: the process that prepares it was killed at a file, which is left out from now on")
            case code, _:
                raise CorpusError(
                    f"the process that prepares the corpus was killed (by signal {-(code or 0)}), most often for lack "
                    "of memory: give it more, or fewer papers"
                )


def _prepare(settings: Settings, parent: int) -> None:
    end_with_parent(parent)
    logging.getLogger().addHandler(logging.NullHandler())  # whoever reads what is kept says what is wrong with it
    with suppress(Exception):  # and meets the same error
        read_library(settings)


_DENSEST = 1_032
"""What one byte of a .gz can become."""


def _bytes_of(paths: Sequence[Path]) -> int:
    """How much is to be read at these paths, at most."""
    size = 0
    for file in (file for path in paths for file in (path.rglob("*") if path.is_dir() else [path])):
        with suppress(OSError):  # whoever reads it says so
            size += file.stat().st_size * (_DENSEST if file.suffix.lower() == ".gz" else 1) if file.is_file() else 0
    return size


def build(settings: Settings) -> App:
    """Library and commands ready, for the terminal. Raises ConfigError."""
    library = read_library(settings)
    elsewhere = Connections({name: adapter.offers(settings) for name, adapter in all_adapters().items()})
    return App(settings, Dispatcher(lambda: library, all_commands(), connections=elsewhere))


def ready_adapters(settings: Settings) -> list[Adapter]:
    """The adapters that have all they need."""
    return [entry for entry in all_adapters().values() if entry.configured(settings) and not entry.missing(settings)]
