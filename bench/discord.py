"""Discord: from an interaction on the socket to its answer leaving, at the size of a conference, beside an echo bot.

Both run on unmodified discord.py against the same double on 127.0.0.1, in the same run. `ack` is until the
acknowledgement arrives, `answer` until the reply does. The double takes part in every figure, so the echo bot's are
the floor. A third table is what a keystroke costs.

python bench/discord.py [corpus file]
"""

import asyncio
import os
import random
import resource
import statistics
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from functools import partial
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path[:1] = [str(ROOT), str(ROOT / "tests")]  # not this folder, in which "discord" is this file

import discord as library  # noqa: E402
from discord import app_commands  # noqa: E402
from platforms.discord import openapi  # noqa: E402 - the double lives beside the tests
from platforms.discord.running import services_of, serving, store_at  # noqa: E402
from platforms.discord.server import Double, discord_double  # noqa: E402
from platforms.discord.world import TOKEN, Interaction, World  # noqa: E402

from bot.adapters.discord.registration import LONGEST_CHOICE  # noqa: E402
from bot.adapters.suggest import Suggestions  # noqa: E402
from bot.commands import all_commands  # noqa: E402
from bot.commands.base import Kind  # noqa: E402
from bot.corpus import load_corpus  # noqa: E402
from bot.library import Library  # noqa: E402

SHARED = Path(os.environ.get("PAPERBOY_SHARED", ROOT.parent / "shared"))
ONE_BY_ONE, AT_ONCE, ROUNDS = 300, 50, 5
QUERIES = ("kv cache", "diffusion models", "graph neural networks", "reinforcement learning from human feedback")


class Stopwatch:
    """When each interaction was acknowledged and answered, in seconds after it went onto the socket."""

    def __init__(self, world: World) -> None:
        self.acks: list[float] = []
        self.answers: list[float] = []
        self._world = world

    async def time(self, send: Callable[[], Awaitable[Interaction]]) -> None:
        """Send one and wait for its answer."""
        started = time.perf_counter()
        made = await send()
        await made.answered.wait()
        self.answers.append(time.perf_counter() - started)
        if made.kind == 2 and made.acknowledged_at:
            self.acks.append(made.acknowledged_at - started)

    def row(self, name: str) -> str:
        """A line of the table, in milliseconds."""
        late = sum(ack > 3 for ack in self.acks)
        cells = [f"{_ms(figures, share):8.1f}" for figures in (self.acks, self.answers) for share in (50, 99)]
        return f"{name:34}{''.join(cells)}{late:8}"


def _ms(figures: list[float], share: int) -> float:
    return statistics.quantiles(figures, n=100, method="inclusive")[share - 1] * 1000


async def rounds(double: Double, ask: Callable[[int], Awaitable[Interaction]]) -> list[Stopwatch]:
    """One by one, then many at once."""
    for number in range(20):
        await double.answered(await ask(number))
    alone, crowd = Stopwatch(double.world), Stopwatch(double.world)
    for number in range(ONE_BY_ONE):
        await alone.time(partial(ask, number))
    for _ in range(ROUNDS):
        await asyncio.gather(*(crowd.time(partial(ask, number)) for number in range(AT_ONCE)))
    return [alone, crowd]


async def paperboy(corpus: Library, folder: Path) -> list[tuple[str, list[Stopwatch]]]:
    """Paperboy, with its store on disk."""
    handles = [paper.handle for paper in random.Random(1).sample(corpus.corpus.papers, 200)]
    async with (
        store_at(f"sqlite:///{folder / 'store'}") as database,
        discord_double() as double,
        serving(double, services_of(database, corpus)),
    ):
        channel = double.world.channel(double.world.guild())

        async def search(number: int) -> Interaction:
            return await double.say(number, channel, "search", query=QUERIES[number % len(QUERIES)])

        async def tldr(number: int) -> Interaction:
            return await double.say(number, channel, "tldr", paper=handles[number % len(handles)])

        return [("search", await rounds(double, search)), ("tldr", await rounds(double, tldr))]


class Echo(library.Client):
    """Registers its commands when it starts."""

    def __init__(self, *, intents: library.Intents) -> None:
        super().__init__(intents=intents)
        self.tree = app_commands.CommandTree(self)

    async def setup_hook(self) -> None:
        """See Client."""
        await self.tree.sync()


async def echo() -> list[tuple[str, list[Stopwatch]]]:
    """The least bot that defers and edits: what discord.py, aiohttp and the double cost by themselves."""
    client = Echo(intents=library.Intents.none())
    group = app_commands.Group(name="papers", description="Echo")

    @group.command(name="echo", description="Echo")
    async def answer(interaction: library.Interaction, words: str) -> None:
        await interaction.response.defer(ephemeral=True, thinking=True)
        await interaction.edit_original_response(content=words)

    client.tree.add_command(group)
    async with discord_double() as double:
        task = asyncio.create_task(client.start(TOKEN))
        await double.connected()
        channel = double.world.channel(double.world.guild())
        ask = lambda number: double.say(number, channel, "echo", words=QUERIES[number % len(QUERIES)])  # noqa: E731
        ready = await rounds(double, ask)
        await client.close()
        await asyncio.gather(task, return_exceptions=True)
    return [("echo", ready)]


def keystrokes(corpus: Library) -> None:
    """Choices for every beginning of some handles and titles, as somebody types them."""
    suggestions = Suggestions(all_commands(), LONGEST_CHOICE)
    suggestions.choices(Kind.TOPIC, "", corpus)
    papers = random.Random(2).sample(corpus.corpus.papers, 60)
    print(f"{'keystrokes, ms':34}{'p50':>8}{'p99':>8}{'most':>8}")
    for kind, words in (
        (Kind.PAPER, [name for paper in papers for name in (paper.handle, paper.title_text)]),
        (Kind.TOPIC, [topic for paper in papers for topic in paper.topics]),
    ):
        took: list[float] = []
        for word in words:
            for end in range(min(len(word), 25) + 1):
                started = time.perf_counter()
                suggestions.choices(kind, word[:end], corpus)
                took.append(time.perf_counter() - started)
        print(f"{kind.value:34}{_ms(took, 50):8.2f}{_ms(took, 99):8.2f}{max(took) * 1000:8.2f}")


def main() -> int:
    """Print the tables."""
    path = Path(sys.argv[1]) if len(sys.argv) > 1 else SHARED / "data" / "icml2026.jsonl.gz"
    if not path.exists():
        print(f"skipped, {path} is not there")
        return 0
    openapi.faults = lambda *_: []  # checking payloads is the tests' business, and slow
    with tempfile.TemporaryDirectory(prefix="paperboy-bench-") as name:
        folder = Path(name)
        corpus = Library.of(load_corpus([path], state=folder, workers=2), folder / "index")
        print(f"{len(corpus.corpus)} papers; {ONE_BY_ONE} one by one, {ROUNDS} x {AT_ONCE} at once; milliseconds")
        print(f"{'':34}{'ack p50':>8}{'p99':>8}{'ans p50':>8}{'p99':>8}{'late':>8}")
        for command, (alone, crowd) in [*asyncio.run(echo()), *asyncio.run(paperboy(corpus, folder))]:
            print(alone.row(f"{command}, one by one"))
            print(crowd.row(f"{command}, {AT_ONCE} at once"))
        keystrokes(corpus)
    print(f"memory of it all, the double too: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024} MB")
    return 0


if __name__ == "__main__":
    sys.exit(main())
