"""Kill tests: workers that deliver digests are killed at every step and at random, and every post is counted.

Each database gets thousands of due dates on the doubles of both platforms, with their faults on: history that lags,
posts accepted whose answer is lost, posts accepted late. SQLite has one worker that is started anew, PostgreSQL three
replicas. Time runs faster by one factor for everything: schedules, lease, quiet time, the clients' time-outs, history
lag, late accept. Ends with a line for each database:

    sqlite kills N expected P missed 0 doubled 0 unconfirmed U late L

`late` counts messages that became visible only after the quiet time, which is more than the platforms' bounds allow.
"""

import argparse
import asyncio
import json
import logging
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections import Counter, defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, NoReturn

import sqlalchemy as sa
from chaos_worker import STEPS, Life, live

from bot.config import default_corpus
from bot.connections import SEND_SECONDS
from bot.corpus import load_corpus
from bot.library import Library
from bot.message import ChannelRef, Platform
from bot.schedule.values import DAILY, MAIN, OPEN, Schedule, Subscription, posting_key
from bot.store.database import Database
from bot.store.ledger import LEASE, QUIET
from bot.store.subscriptions import Subscriptions
from bot.store.tables import postings

HERE = Path(__file__).resolve().parent
TROUBLE = 0.25
"""The share of posts that meet a fault."""
THREADS = 4
"""Every so many channels have a thread, whose first reply is a posting of its own."""
REPLICAS = {"sqlite": 1, "postgresql": 3}
LONGEST_WAIT = 60.0
"""Seconds without any progress after which the last postings are not waited for, when the killing is over."""


@dataclass(slots=True)
class Plan:
    """What one run is told."""

    kind: str
    kills: int
    seconds: float
    scale: float
    seed: int
    rate: float


@dataclass(slots=True)
class Count:
    """What one run found."""

    kind: str
    kills: int = 0
    expected: int = 0
    missed: int = 0
    doubled: int = 0
    unconfirmed: int = 0
    late: int = 0
    faults: list[str] = field(default_factory=list)
    steps: Counter[str] = field(default_factory=Counter)

    @property
    def line(self) -> str:
        """The line that the run ends with."""
        return (
            f"{self.kind} kills {self.kills} expected {self.expected} missed {self.missed} doubled {self.doubled} "
            f"unconfirmed {self.unconfirmed} late {self.late}"
        )


@contextmanager
def doubles(channels: int, start: float, plan: Plan) -> Iterator[dict[str, Any]]:
    """The platforms, in a process of their own."""
    command = [
        sys.executable, str(HERE / "chaos_doubles.py"), "--channels", str(channels), "--start", str(start),
        "--scale", str(plan.scale), "--trouble", str(TROUBLE), "--seed", str(plan.seed),
    ]  # fmt: skip
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            yield json.loads(process.stdout.readline())
        finally:
            process.kill()


def ask(address: str) -> Any:
    """What the doubles' control page says."""
    with urllib.request.urlopen(address, timeout=60) as answer:  # noqa: S310 - our own, on loopback
        body = answer.read()
    return json.loads(body) if body else None


class Herd:
    """Workers: forked, so that a life costs no import; counted when they are killed."""

    def __init__(self, plan: Plan, library: Library, url: str, addresses: dict[str, Any], start: float) -> None:
        self._plan, self._library, self._url, self._addresses, self._start = plan, library, url, addresses, start
        self._dice = random.Random(plan.seed)  # noqa: S311 - chance in a test
        self._deadlines: dict[int, float] = {}
        self._steps: dict[int, str] = {}
        self.born = 0
        self.kills = 0
        self.steps: Counter[str] = Counter()

    def bear(self, *, immortal: bool = False) -> None:
        """Fork a worker with its fate."""
        self.born += 1
        by_step = not immortal and self._dice.random() < 0.5
        step = f"{self._dice.choice(('before', 'after'))} {self._dice.choice(STEPS)}" if by_step else None
        step = "before in flight" if step == "after in flight" else step
        nth = self._dice.choice((1, 1, 2, 3))
        mean = self._plan.seconds * REPLICAS[self._plan.kind] / self._plan.kills * 0.75
        # not every life comes to its step, so those may last longer
        span = self._dice.uniform(0.3, 1.7) * mean * (1.7 if by_step else 0.4)
        seed = self._dice.getrandbits(32)
        life = Life(
            self._url, self._addresses["slack"], self._addresses["discord"], self._start, self._plan.scale, seed,
            f"life {self.born}", step, nth,
        )  # fmt: skip
        pid = os.fork()
        if pid == 0:
            _child(life, self._library)
        self._deadlines[pid] = float("inf") if immortal else time.monotonic() + span
        self._steps[pid] = step or "at random"

    def watch(self) -> None:
        """Kill whose time has come, and count the dead."""
        now = time.monotonic()
        for pid, deadline in self._deadlines.items():
            if deadline <= now:
                os.kill(pid, signal.SIGKILL)
                self._steps[pid] = "at random"
                self._deadlines[pid] = float("inf")
        for pid in list(self._deadlines):
            done, status = os.waitpid(pid, os.WNOHANG)
            if done:
                del self._deadlines[pid]
                if not os.WIFSIGNALED(status) or os.WTERMSIG(status) != signal.SIGKILL:
                    raise SystemExit(f"a worker ended by itself: status {status}")
                self.kills += 1
                self.steps[self._steps.pop(pid)] += 1

    @property
    def alive(self) -> int:
        """How many live."""
        return len(self._deadlines)

    def end(self) -> None:
        """End those that live; these deaths are not counted."""
        for pid in self._deadlines:
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)
        self._deadlines.clear()


def _child(life: Life, library: Library) -> NoReturn:
    try:
        asyncio.run(live(life, library))
    except BaseException:
        logging.getLogger("chaos").exception("a worker failed")
    finally:
        os._exit(1)


def subscriptions_for(plan: Plan, addresses: dict[str, Any], start: float) -> list[Subscription]:
    """One digest for each channel, due at a minute of the killing."""
    dice = random.Random(plan.seed + 1)  # noqa: S311 - chance in a test
    places: list[tuple[Platform, str, str]] = [("slack", "T1", name) for name in addresses["slack_channels"]]
    places += [("discord", addresses["guild"], name) for name in addresses["discord_channels"]]
    first = datetime.fromtimestamp(start, UTC)
    minutes = max(1, int(plan.seconds * plan.scale / 60))
    entries: list[Subscription] = []
    for number, (platform, workspace, channel) in enumerate(places):
        at = first + timedelta(minutes=dice.randint(1, minutes))
        schedule = Schedule(at.time().replace(second=0, microsecond=0), "UTC", first, DAILY)
        thread = number % THREADS == 0
        entries.append(Subscription(0, ChannelRef(platform, workspace, channel), schedule, "1", thread=thread))
    return entries


async def _set_up(url: str, entries: list[Subscription], start: float) -> dict[str, Subscription]:
    """Enter the digests; gives whose each expected key is."""
    database = await Database.open(url)
    keep = Subscriptions(database, lambda: datetime.fromtimestamp(start, UTC))
    expected: dict[str, Subscription] = {}
    first = datetime.fromtimestamp(start, UTC)
    for entry in entries:
        kept = await keep.put(entry)
        day = first.date() if entry.schedule.at > first.time() else first.date() + timedelta(days=1)
        for part in (MAIN, MAIN.thread) if entry.thread else (MAIN,):
            expected[posting_key(kept.id, day, part)] = kept
    await database.close()
    return expected


async def _rows(url: str) -> dict[str, sa.RowMapping]:
    database = await Database.open(url, upgrade=False)
    async with database.read() as connection:
        rows = (await connection.execute(sa.select(postings))).mappings().all()
    await database.close()
    return {row["key"]: row for row in rows}


def judge(count: Count, expected: dict[str, Subscription], rows: dict[str, Any], seen: list[dict[str, Any]]) -> None:
    """Count what should be there once."""
    copies: defaultdict[str, list[float]] = defaultdict(list)
    for message in seen:
        copies[message["key"]].append(message["shown"])
    count.expected = len(expected)
    if strangers := set(copies) - set(expected):
        count.faults.append(f"messages that nobody owed: {sorted(strangers)[:5]}")
    for key, entry in expected.items():
        row, shown = rows.get(key), sorted(copies[key])
        state = row["state"] if row is not None else "never planned"
        if state == "unconfirmed":
            count.unconfirmed += 1
        elif not shown:
            count.missed += 1
            note = row["note"] if row is not None else ""
            count.faults.append(f"missed {key} in {entry.channel.platform}: {state}, {note}")
        if len(shown) > 1:
            count.doubled += 1
            assert row is not None
            count.faults.append(f"doubled {key} in {entry.channel.platform}: {len(shown)} times, {state}")
            # the quiet time was over when it was sent again, and still nothing of the first was to be seen
            count.late += sum(at * 1000 > row["sent_ms"] for at in shown[:-1])


def run(plan: Plan, url: str, library: Library) -> Count:
    """One database: kill, drain, count."""
    count = Count(plan.kind)
    channels = max(4, int(plan.seconds * plan.rate / 2))
    start = time.time()
    with doubles(channels, start, plan) as addresses:
        entries = subscriptions_for(plan, addresses, start)
        expected = asyncio.run(_set_up(url, entries, start))
        herd = Herd(plan, library, url, addresses, start)
        try:
            while time.time() - start < plan.seconds or herd.kills < plan.kills:
                while herd.alive < REPLICAS[plan.kind]:
                    herd.bear()
                time.sleep(0.004)
                herd.watch()
            ask(addresses["control"] + "/calm")
            herd.end()
            count.kills, count.steps = herd.kills, herd.steps
            for _ in range(REPLICAS[plan.kind]):
                herd.bear(immortal=True)
            final, last = -1, time.monotonic() + LONGEST_WAIT
            while final < len(expected) and time.monotonic() < last:
                time.sleep(1)
                herd.watch()
                before, rows = final, asyncio.run(_rows(url))
                final = sum(key in rows and rows[key]["state"] not in OPEN for key in expected)
                last = time.monotonic() + LONGEST_WAIT if final > before else last
        finally:
            herd.end()
        judge(count, expected, asyncio.run(_rows(url)), ask(addresses["control"] + "/report"))
    return count


def main() -> int:
    """Run both databases, or one. Exits with 1 where anything was missed or doubled."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--kills", type=int, default=1_000, help="at least so many, for each database")
    parser.add_argument("--seconds", type=float, default=540.0, help="how long each database is under fire")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--scale", type=float, default=20.0, help="how much faster time runs")
    parser.add_argument("--rate", type=float, default=4.0, help="channels due in a second, on both platforms together")
    parser.add_argument("--only", choices=tuple(REPLICAS))
    given = parser.parse_args()
    library = Library.of(load_corpus(default_corpus()))
    print(
        f"time runs {given.scale:g} times as fast: lease {LEASE.total_seconds() / given.scale:.1f} s, quiet time "
        f"{QUIET.total_seconds() / given.scale:.1f} s, send {SEND_SECONDS / given.scale:.1f} s, history lag and late "
        f"accept up to {30 / given.scale:.1f} s each; {TROUBLE:.0%} of posts meet a fault",
        flush=True,
    )
    bad = False
    for kind in [given.only] if given.only else list(REPLICAS):
        plan = Plan(kind, given.kills, given.seconds, given.scale, given.seed, given.rate)
        with tempfile.TemporaryDirectory() as folder:
            logging.basicConfig(filename=f"{folder}/errors.log", level=logging.ERROR, force=True)
            count = on_a_database(plan, Path(folder), library)
            errors = Counter(
                line for line in Path(folder, "errors.log").read_text().splitlines() if line.startswith("ERROR")
            )
        for step, number in sorted(count.steps.items()):
            print(f"  {kind}: {number} killed {step}", file=sys.stderr)
        for message, number in errors.most_common(5):
            print(f"  {kind}: {number} x {message[:160]}", file=sys.stderr)
        for fault in count.faults[:20]:
            print(f"  {kind}: {fault}", file=sys.stderr)
        bad = bad or bool(count.missed or count.doubled or count.faults)
        print(count.line, flush=True)
    return int(bad)


def on_a_database(plan: Plan, folder: Path, library: Library) -> Count:
    """Run with a database of its own; forks happen where no event loop runs."""
    sys.path.append(str(HERE.parent / "tests"))
    from databases import database_url  # noqa: PLC0415 - only now can it be found

    context = database_url(plan.kind, folder)
    loop = asyncio.new_event_loop()
    url = loop.run_until_complete(context.__aenter__())
    try:
        return run(plan, url, library)
    finally:
        loop.run_until_complete(context.__aexit__(None, None, None))
        loop.close()


if __name__ == "__main__":
    sys.exit(main())
