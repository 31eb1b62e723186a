"""`paperboy check`: config, corpus and tokens looked at, before anything starts."""

import asyncio
import logging
from collections.abc import Iterator
from pathlib import Path

from bot.adapters.base import Adapter, Finding, all_adapters
from bot.app import read_corpus, read_settings, ready_adapters, state_folder
from bot.config import Settings
from bot.errors import ConfigError, OperatorError
from bot.papers import Corpus


def check(config: Path | None) -> tuple[bool, list[str]]:
    """Whether all is well, and what was found, in lines: each fault with its file, and its line where it has one.

    Platforms whose secrets are all set are asked what they think of them. One that cannot be asked is no fault, one
    that refuses a token is.
    """
    try:
        settings = read_settings(config)
        logging.getLogger().addHandler(logging.NullHandler())  # faults are in the lines, once
        corpus = read_corpus(settings, state_folder(settings))
        if settings.core.store.url:
            from bot.store.database import async_url  # noqa: PLC0415 - the terminal does without

            async_url(settings.core.store.url)
        lines, refused = asyncio.run(_adapters(settings))
    except ConfigError as error:
        return False, [f"fault: {fault}" for fault in error.faults]
    except OperatorError as error:
        return False, [f"fault: {config or 'config'}: {error}"]
    faults = [str(fault) for fault in corpus.faults] or ([] if corpus.papers else ["the corpus holds no paper"])
    return not (faults or refused), [
        f"config: {settings.file or 'none, all defaults'}",
        *(f"        declares the digest {name}" for name in settings.core.digests),
        f"state: {settings.state}",
        *_about(corpus),
        *lines,
        *(f"fault: {fault}" for fault in faults),
    ]


def _about(corpus: Corpus) -> Iterator[str]:
    files = {source.file for paper in corpus for source in paper.sources}
    records = sum(len(paper.sources) for paper in corpus)
    yield f"corpus: {len(corpus)} papers from {records} records in {len(files)} file(s)"
    derived = sum(paper.title_source == "derived" for paper in corpus)
    linked = sum(bool(paper.links) for paper in corpus)
    yield f"        {len(corpus) - derived} with a title, {derived} with one derived; {linked} with links"
    for notice in corpus.notices:
        yield f"notice: {notice}"


async def _adapters(settings: Settings) -> tuple[list[str], bool]:
    """Which adapters would start and why not, and whether a platform refuses one."""
    ready = ready_adapters(settings)
    asked = await asyncio.gather(*(_asked(adapter, settings) for adapter in ready))
    found = dict(zip([adapter.name for adapter in ready], asked, strict=True))
    lines: list[str] = []
    for name in all_adapters():
        stopped = name not in found or any(one.stops for one in found[name])
        lines.append(f"{name}: {'would not start' if stopped else 'would start'}")
        lines += [f"        {words}" for words in dict.fromkeys(one.words for one in found.get(name, ()))]
    lines += [f"        {line}" for line in lacking(settings)]
    return lines, any(one.stops for one in sum(asked, ()))


async def _asked(adapter: Adapter, settings: Settings) -> tuple[Finding, ...]:
    try:
        return await adapter.ask(settings)
    except ImportError as error:
        remedy = f"its library is not installed ({error.name}): pip install 'paperboy[{adapter.name}]'"
        return (Finding(remedy, stops=True),)


def lacking(settings: Settings) -> list[str]:
    """What each adapter lacks to start, in a line each."""
    lines: list[str] = []
    for adapter in all_adapters().values():
        missing = adapter.missing(settings)
        if missing:
            needed = "; ".join(f"{entry.setting} ({entry.where})" for entry in missing)
            lines.append(f"{adapter.name} is not started, it needs {needed}")
    return lines
