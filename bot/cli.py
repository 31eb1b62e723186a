"""The subcommands of the command line. Each returns an exit status."""

import asyncio
import contextlib
import sys
from collections.abc import AsyncIterator, Sequence
from pathlib import Path

from bot.adapters import terminal
from bot.adapters.base import Adapter, all_adapters
from bot.adapters.conversation import Conversation
from bot.adapters.terminal import TerminalSurface, as_json, as_plain
from bot.app import App, build, prepare_library, read_settings, ready_adapters, set_up_logging
from bot.commands import all_commands
from bot.config import Settings
from bot.corpus.load import leave_out_of_collections
from bot.library import Library, LibraryHolder
from bot.message import Reply
from bot.operate.check import check as look
from bot.operate.check import lacking
from bot.text import clean, one_line

OK, FAULT, USAGE = 0, 1, 2


def _out(text: str = "") -> None:
    _print(clean(text))


def _print(text: str) -> None:
    """Write what carries no escapes."""
    print(text, flush=True)  # noqa: T201 - the command line speaks on standard output


def _err(text: str) -> None:
    print(one_line(text), file=sys.stderr)  # noqa: T201 - and complains on standard error


def _start(config: Path | None) -> App:
    settings = read_settings(config)
    set_up_logging(settings)
    return build(settings)


async def say(config: Path | None, words: Sequence[str], form: str) -> int:
    """Answer the words, or every line of standard input for `-`."""
    app = await asyncio.to_thread(_start, config)
    if list(words) == ["-"]:
        return await _answer_lines(app, form, None, _lines())
    return await _answer(app, " ".join(words), form)


async def _answer(app: App, words: str, form: str) -> int:
    status = OK
    for reply in await _replies(Conversation("console", app.dispatcher), words):
        if form == "json":
            _print(as_json(reply))
        else:
            _out(as_plain(reply))
        status = FAULT if reply.error and reply.error.kind == "internal" else status
    return status


async def _replies(conversation: Conversation, line: str) -> list[Reply]:
    """What a line is answered with. It is written afterwards: output that fails is no fault of the answer."""
    replies: list[Reply] = []
    await conversation.line(TerminalSurface(replies.append), line)
    return replies


async def _lines() -> AsyncIterator[str]:
    """The lines of standard input, as they come."""
    while sys.stdin is not None and (line := await asyncio.to_thread(sys.stdin.buffer.readline)):
        yield line.decode("utf-8-sig", "replace").strip()


async def _answer_lines(app: App, form: str, first: str | None, lines: AsyncIterator[str]) -> int:
    """Answers every line, also an empty one, so that answers can be counted off against questions."""
    status = OK if first is None else await _answer(app, first, form)
    answered = first is not None
    async for line in lines:
        if answered and form == "plain":
            _out()
        status = max(status, await _answer(app, line, form))
        answered = True
    return status


def chat(config: Path | None) -> int:
    """Talk in this terminal."""
    return _chat(_start(config))


def _chat(app: App) -> int:
    state = app.settings.state
    with asyncio.Runner() as runner:
        conversation = Conversation("console", app.dispatcher)

        def ask(line: str) -> list[Reply]:
            return runner.run(_replies(conversation, line))

        terminal.chat(app.dispatcher, ask, state / "history" if state.is_dir() else None)
    return OK


def run(config: Path | None) -> int:
    """Start the configured adapters; without any, the terminal, or what standard input says."""
    settings = read_settings(config)
    set_up_logging(settings)
    ready = ready_adapters(settings)
    if ready:
        return _serve(settings, ready, config)
    if terminal.stdin_is_terminal():
        _err("No token of Slack or Discord is set, so this is the terminal chat. `paperboy check` says what they need.")
        return _chat(build(settings))
    return asyncio.run(_run_piped(settings))


def _serve(settings: Settings, adapters: Sequence[Adapter], config: Path | None) -> int:
    # imported late: the terminal does without a database library
    from bot.operate import serve  # noqa: PLC0415

    for line in lacking(settings):
        _err(line)
    own_files = serve.store_url(settings).startswith("sqlite")
    with serve.only_process(settings.state) if own_files else contextlib.nullcontext():
        asked = asyncio.run(_run_adapters(settings, adapters, config))
    return OK if asked else FAULT


async def _run_adapters(settings: Settings, adapters: Sequence[Adapter], config: Path | None) -> bool:
    from bot.operate import serve  # noqa: PLC0415

    def load() -> Library:
        library = prepare_library(settings)
        leave_out_of_collections()
        return library

    holder = LibraryHolder(await asyncio.to_thread(load), load)
    return await serve.serve(settings, adapters, holder, lambda: read_settings(config))


async def _run_piped(settings: Settings) -> int:
    lines = _lines()
    first = await anext(lines, None)
    if first is None:
        _err("Nothing to do: no adapter is configured, and standard input is empty.")
        for line in lacking(settings):
            _err(line)
        _err("Or talk to it in a terminal: paperboy chat")
        return USAGE
    app = await asyncio.to_thread(build, settings)
    return await _answer_lines(app, "plain", first, lines)


def check(config: Path | None) -> int:
    """Look at config, corpus and tokens; print what was found; exit 1 with file and line of each fault."""
    well, lines = look(config)
    for line in lines:
        _out(one_line(line))
    return OK if well else FAULT


def manifest(config: Path | None, platform: str) -> int:
    """Print the manifest of a platform, made from the declarations and the config."""
    settings = read_settings(config)
    makers = {name: adapter.manifest for name, adapter in all_adapters().items() if adapter.manifest}
    maker = makers.get(platform)
    if maker is None:
        _err(f"there is no platform {platform!r} with a manifest: write {' or '.join(makers)}")
        return USAGE
    _out(maker(settings, all_commands()).rstrip())
    return OK


def db(config: Path | None, action: str, file: Path | None) -> int:
    """Bring the store up to date, back it up or restore it."""
    # imported late: the terminal does without a database library
    from bot.operate import backup, serve  # noqa: PLC0415
    from bot.store.database import Database  # noqa: PLC0415

    settings = read_settings(config)
    set_up_logging(settings)
    url = serve.store_url(settings)
    if action != "upgrade" and file is None:
        _err(f"paperboy db {action} needs a file")
        return USAGE

    async def upgrade() -> None:
        await (await Database.open(url)).close()

    match action, file:
        case "backup", Path():
            backup.backup(url, file)
            _out(f"written: {file}")
        case "restore", Path():
            own = serve.only_process(settings.state) if url.startswith("sqlite") else contextlib.nullcontext()
            with own:
                backup.restore(url, file)
            asyncio.run(upgrade())
            _out("restored and up to date")
        case _:
            asyncio.run(upgrade())
            _out("up to date")
    return OK
