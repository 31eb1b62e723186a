"""Answers in Slack while a thousand channels get their paper of the day.

python bench/busy.py [corpus file]

The bot runs in a process of its own against the tests' double of Slack, with a thousand digests due at once in its
store. Commands are asked one by one before the delivery begins, and then until the last paper is posted.
"""

import asyncio
import gc
import random
import statistics
import sys
import tempfile
import time as timer
from datetime import UTC, datetime, time, timedelta
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path[:1] = [str(ROOT), str(ROOT / "tests")]  # not this folder, in which "slack" and "discord" are files

from platforms.slack.server import SlackServer, slack_server  # noqa: E402 - found beside the tests
from platforms.slack.world import Channel  # noqa: E402

from bench.slack import SHARED, WORDS, once, process, quantile  # noqa: E402
from bot.message import ChannelRef  # noqa: E402
from bot.schedule.values import DAILY, Schedule, Subscription  # noqa: E402
from bot.store.database import Database  # noqa: E402
from bot.store.subscriptions import Subscriptions  # noqa: E402

CHANNELS = 1_000
P50_MS, P99_MS = 10.0, 30.0


async def fill(server: SlackServer, url: str) -> None:
    """Channels with a digest each, all due a minute ago."""
    database = await Database.open(url)
    now = datetime.now(UTC)
    minute = time(now.hour, now.minute)
    keep = Subscriptions(database, lambda: now)
    for number in range(CHANNELS):
        name = f"CB{number}"
        server.world.channels[name] = Channel(name, "T1", {"U1", "UBOT"})
        schedule = Schedule(minute, "Etc/UTC", now - timedelta(days=1), DAILY)
        await keep.put(Subscription(0, ChannelRef("slack", "T1", name), schedule, "U1"))
    await database.close()


def posted(server: SlackServer) -> int:
    """How many papers of the day are there."""
    return sum(one.metadata is not None for one in server.world.messages)


def row(name: str, seconds: list[float]) -> None:
    """One row of the table."""
    print(
        f"{name:28s} {len(seconds):8d} {statistics.median(seconds) * 1_000:7.1f} {quantile(seconds, 0.99):7.1f}"
        f" {max(seconds) * 1_000:8.1f}",
        flush=True,
    )


async def run(corpus: Path, state: Path) -> bool:
    """Print the table; False where a target is missed."""
    dice = random.Random(7)

    async def ask(server: SlackServer) -> float:
        return (await once(server, " ".join(dice.sample(WORDS, dice.randint(1, 3)))))[1]

    gc.disable()  # the double's own collections would be taken for the bot's
    async with slack_server() as server:
        await fill(server, f"sqlite:///{state / 'paperboy.sqlite3'}")
        config = state / "config.yaml"
        config.write_text(
            f"corpus: {{root: {corpus.parent}, files: [{corpus.name}]}}\nstate: {state}\nhealth: {{port: 0}}\n"
            f"slack: {{api: '{server.api_url}'}}\n"
        )
        async with process(server, "-m", "bot", "run", "--config", str(config)):
            for _ in range(20):
                await ask(server)
            before: list[float] = []
            while not posted(server):
                before.append(await ask(server))
            began = timer.perf_counter()
            during: list[float] = []
            while posted(server) < CHANNELS:
                during.append(await ask(server))
            took = timer.perf_counter() - began
    print(f"{'milliseconds':28s} {'commands':>8s} {'p50':>7s} {'p99':>7s} {'slowest':>8s}")
    if before:
        row("before the delivery", before)
    row(f"while {CHANNELS} papers are posted", during)
    print(f"all posted within {took:.1f} s of the first; targets: p50 {P50_MS:.0f}, p99 {P99_MS:.0f}")
    return statistics.median(during) * 1_000 <= P50_MS and quantile(during, 0.99) <= P99_MS


def main() -> int:
    """Print the table; 1 where a target is missed."""
    corpus = Path(sys.argv[1]) if len(sys.argv) > 1 else SHARED / "data" / "icml2026.jsonl.gz"
    if not corpus.exists():
        print(f"skipped: {corpus} is not there")
        return 0
    with tempfile.TemporaryDirectory() as folder:
        return int(not asyncio.run(run(corpus.resolve(), Path(folder))))


if __name__ == "__main__":
    sys.exit(main())
