"""Renders show, tldr, similar and a search for every paper of a corpus as Discord messages, private and shared.

Each payload is checked by Discord's published document, by the double's own rules, and by a reader of Discord's
Markdown for what would be live. The last line is `payloads N invalid 0 live 0`; the exit status is 0 only then.

python tools/sweep_discord.py [corpus file] [--every N]
"""

import argparse
import asyncio
import os
import sys
import time
from collections.abc import Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field, fields, is_dataclass, replace
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]

from platforms.discord import openapi  # noqa: E402 - the checks live beside the tests
from platforms.discord.markdown import read_message  # noqa: E402
from platforms.discord.rules import message_faults  # noqa: E402

from bot.adapters.actions import Action, settled  # noqa: E402
from bot.adapters.conversation import Answer  # noqa: E402
from bot.adapters.discord.markdown import usable  # noqa: E402
from bot.adapters.discord.message import DiscordMessage, message  # noqa: E402
from bot.adapters.discord.surface import Buttons  # noqa: E402
from bot.commands import all_commands  # noqa: E402
from bot.commands.dispatch import Dispatcher  # noqa: E402
from bot.corpus import load_corpus  # noqa: E402
from bot.library import Library  # noqa: E402
from bot.message import Call, ChannelRef, Reply, User  # noqa: E402
from bot.papers import Paper  # noqa: E402
from bot.richtext import Link  # noqa: E402
from bot.views import paper_call  # noqa: E402

SHARED = Path(os.environ.get("PAPERBOY_SHARED", ROOT.parent / "shared"))
USER, CHANNEL = User("501"), ChannelRef("discord", "1", "2")
SHOWN = 10


class Keeper:
    """Long presses, forgotten at once: a sweep presses nothing."""

    async def put(self, body: str) -> str:
        """A key of the usual length."""
        return f"{len(body):024d}"

    async def get(self, key: str) -> str | None:
        """Nothing is kept."""
        del key
        return None


@dataclass(slots=True)
class Found:
    """What one part of the sweep found."""

    payloads: int = 0
    invalid: list[str] = field(default_factory=list)
    live: list[str] = field(default_factory=list)


def links_of(value: object) -> Iterator[str]:
    """The addresses of all links of a reply: those that are meant to be live."""
    if isinstance(value, Link):
        yield value.url
    if is_dataclass(value):
        for entry in fields(value):
            yield from links_of(getattr(value, entry.name))
    elif isinstance(value, tuple):
        for entry in value:
            yield from links_of(entry)


def check(name: str, reply: Reply, shown: DiscordMessage, found: Found) -> None:
    """Check one message."""
    payload = dict(shown.payload)
    found.payloads += 1
    faults = [*message_faults(payload), *openapi.faults("POST", "/channels/1/messages", payload)]
    found.invalid.extend(f"{name}: {fault}" for fault in faults)
    seen = read_message(payload)
    titles = tuple(entry.paper.title for entry in reply.papers)
    meant = {usable(url) for url in (*links_of(reply.blocks), *links_of(titles))}
    found.live.extend(f"{name}: {what}" for what in seen.live if what != "mention: <@501>")
    found.live.extend(f"{name}: {url}" for url in seen.links if url not in meant)


def calls(paper: Paper) -> Iterator[Call]:
    """What people do with a paper."""
    yield from (paper_call(command, paper) for command in ("show", "tldr", "similar"))
    yield Call("search", {"query": paper.title_text[:300]})


async def sweep(papers: Iterable[Paper], dispatcher: Dispatcher) -> Found:
    """All messages about these papers."""
    found, buttons = Found(), Buttons(Keeper())
    for paper in papers:
        for call in calls(paper):
            reply = await dispatcher.call(call, USER, CHANNEL)
            name = f"{call.command} {paper.handle}"
            if reply.error is not None and reply.error.kind == "internal":
                found.invalid.append(f"{name}: {reply.error.message}")
            press = settled(Action("open", call, (Call("search", {"query": "x" * 60}),)), reply, dispatcher.commands)
            answer = Answer(reply, press, may_share=True)
            public = replace(answer, owner="501", shared=True)
            check(name, reply, message(reply, await buttons.frame(answer)), found)
            check(f"shared {name}", reply, message(reply, await buttons.frame(public)), found)
    return found


_LIBRARY: list[Library] = []


def part(numbers: range) -> Found:
    """The sweep of some papers, in a process of its own."""
    library = _LIBRARY[0]
    dispatcher = Dispatcher(lambda: library, all_commands())
    return asyncio.run(sweep([library.corpus.papers[number] for number in numbers], dispatcher))


def main() -> int:
    """Sweep, print faults, then the one line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("corpus", nargs="?", type=Path, default=SHARED / "data" / "icml2026.jsonl.gz")
    parser.add_argument("--every", type=int, default=1, help="only every Nth paper")
    options = parser.parse_args()
    if not options.corpus.exists():
        print(f"skipped: {options.corpus} is not there")
        return 0
    started = time.perf_counter()
    _LIBRARY.append(Library.of(load_corpus([options.corpus])))
    count = len(_LIBRARY[0].corpus)
    if not openapi.available():
        print("without Discord's published document: only our own rules are checked")
    workers = os.cpu_count() or 1
    parts = [range(start * options.every, count, options.every * workers * 8) for start in range(workers * 8)]
    total = Found()
    with ProcessPoolExecutor(workers) as pool:  # forked: the library is read from memory, not loaded again
        for found in pool.map(part, parts):
            total.payloads += found.payloads
            total.invalid += found.invalid
            total.live += found.live
    for fault in (*total.invalid[:SHOWN], *total.live[:SHOWN]):
        print(fault)
    print(f"{count} papers, {time.perf_counter() - started:.0f} s")
    print(f"payloads {total.payloads} invalid {len(total.invalid)} live {len(total.live)}")
    return int(bool(total.invalid or total.live))


if __name__ == "__main__":
    sys.exit(main())
