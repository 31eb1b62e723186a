"""Workers that deliver digests under fire: killed, stopped, cut off; and every post is counted.

Real processes, real client libraries, the doubles of both platforms, SQLite with one worker and PostgreSQL with three
replicas. Time runs faster by one factor for everything: schedules, lease, quiet time, the clients' time-outs, history
lag, late accept. Each scenario ends with a line for each database, and the exit status is 1 where one is broken:

    SCENARIO DATABASE missed 0 doubled 0 unconfirmed U (at most M)

M is 0 where channels may be read: then every post is found or sent. Where they may not, a post is unconfirmed only if a
send of it ended without an answer, and is not sent again: M is how many sends did, counted where they are made.
"""

import argparse
import asyncio
import json
import logging
import random
import sqlite3
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections import Counter
from collections.abc import Callable, Collection, Generator, Iterator
from contextlib import closing, contextmanager
from dataclasses import asdict, dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from chaos_doubles import ANY_DISCORD, ANY_SLACK, Orders
from chaos_herd import Birth, Count, Fate, Herd, judge, rows_of
from chaos_sigterm import asked_to_stop
from chaos_worker import Setting, Tally

from bot.config import default_corpus
from bot.connections import SEND_SECONDS
from bot.corpus import load_corpus
from bot.digest.deliver import TICK_SECONDS
from bot.library import Library
from bot.message import ChannelRef, Platform
from bot.schedule.values import DAILY, MAIN, OPEN, Schedule, Subscription, posting_key
from bot.store.database import Database
from bot.store.ledger import LEASE, QUIET
from bot.store.subscriptions import Subscriptions

HERE = Path(__file__).resolve().parent
THREADS = 4
"""Every so many channels have a thread, whose first reply is a posting of its own."""
REPLICAS = {"sqlite": 1, "postgresql": 3}
LONGEST_WAIT = 60.0
"""Seconds without any progress after which the last postings are not waited for, when the fire is over."""
LONGEST = 4
"""A fire lasts so many times as long as it should, at most, until half of the postings were tried."""
LEASE_SECONDS = LEASE.total_seconds()


@dataclass(frozen=True, slots=True)
class Fire:
    """What a scenario may do beside its workers' fate; every method takes effect at once."""

    setting: Setting
    dice: random.Random
    scale: float
    control: str
    file: Path | None
    """SQLite's file; None for PostgreSQL."""

    def set_clock(self, seconds: float) -> None:
        """Set the machine's clock to differ by so much."""
        self.setting.seconds = seconds

    @contextmanager
    def no_database(self, what: str) -> Iterator[None]:
        """PostgreSQL: `stall` it, or `drop` its connections. SQLite: another process has the write lock."""
        if self.file is None:
            ask(f"{self.control}/database/{what}")
            yield
            ask(f"{self.control}/database/go")
            return
        with closing(sqlite3.connect(self.file, timeout=30, isolation_level=None)) as connection:
            connection.execute("BEGIN IMMEDIATE")
            yield
            connection.execute("ROLLBACK")


Act = Callable[[Fire], Generator[float]]
"""Does something, and gives how many seconds of the machine to wait before it goes on."""


def nothing(_: Fire) -> Generator[float]:
    """Only what the workers meet."""
    while True:
        yield 1.0


def stalls(fire: Fire) -> Generator[float]:
    """The database stands still for longer than a send may take, and for longer than a lease."""
    for number in range(1_000):
        yield fire.dice.uniform(10, 40) / fire.scale
        with fire.no_database("stall"):
            yield (
                fire.dice.uniform(1.1, 1.6) * LEASE_SECONDS if number % 2 else fire.dice.uniform(25, 60)
            ) / fire.scale


def restarts(fire: Fire) -> Generator[float]:
    """The database breaks every connection and is away for a moment, again and again."""
    while True:
        yield fire.dice.uniform(5, 40) / fire.scale
        with fire.no_database("drop"):
            yield fire.dice.uniform(1, 30) / fire.scale


def steps(fire: Fire) -> Generator[float]:
    """The clock is set back by half an hour and forward by five minutes."""
    while True:
        for seconds in (0.0, 300.0, -1_800.0, 300.0, 0.0, -1_800.0):
            fire.set_clock(seconds)
            yield fire.dice.uniform(10, 60) / fire.scale


@dataclass(frozen=True, slots=True)
class Scenario:
    """A kind of fault: what workers meet, what posts meet, what else happens, for how long."""

    name: str
    fate: Callable[[float], Fate] = lambda _: Fate()
    """By the scale."""
    act: Act = nothing
    trouble: float = 0.1
    slack: tuple[str, ...] = ANY_SLACK
    discord: tuple[str, ...] = ANY_DISCORD
    history: bool = True
    seconds: float = 12.0
    scale: float = 20.0
    pause: float = TICK_SECONDS
    """Seconds of the world between ticks."""


SCENARIOS = (
    Scenario("killed", lambda _: Fate(killed=0.5), trouble=0.25, seconds=25.0, pause=1.0),
    Scenario("stopped-at-sending", lambda scale: Fate(at="after sending", longest=2 * LEASE_SECONDS / scale)),
    Scenario("stopped-at-the-request", lambda scale: Fate(at="before in flight", longest=2 * LEASE_SECONDS / scale)),
    Scenario("stopped-at-random", lambda scale: Fate(stopped=0.4, longest=2 * LEASE_SECONDS / scale)),
    Scenario("database-stalls", act=stalls, seconds=26.0, scale=10.0),
    Scenario("database-restarts", act=restarts),
    Scenario("clock-steps", lambda _: Fate(killed=3.0), steps),
    Scenario("storm-of-429", trouble=1.0, slack=("429",), discord=("429",)),
    Scenario("answers-after-40-s", trouble=0.4, slack=("late_answer",), discord=("late answer",)),
    Scenario("answers-after-40-s-unread", trouble=0.4, slack=("late_answer",), discord=("late answer",), history=False),
    Scenario("500-after-accepting", trouble=0.4, slack=("500_after",), discord=("500 after",)),
    Scenario("500-after-accepting-unread", trouble=0.4, slack=("500_after",), discord=("500 after",), history=False),
)
SIGTERM = "sigterm-in-delivery"
"""The scenario whose workers are whole bots, at the machine's own time."""


def ask(address: str) -> Any:
    """What the doubles' control page says."""
    with urllib.request.urlopen(address, timeout=60) as answer:  # noqa: S310 - our own, on loopback
        body = answer.read()
    return json.loads(body) if body else None


@contextmanager
def doubles(orders: Orders) -> Iterator[dict[str, Any]]:
    """The platforms, in a process of their own."""
    command = [sys.executable, str(HERE / "chaos_doubles.py"), json.dumps(asdict(orders))]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            yield json.loads(process.stdout.readline())
        finally:
            process.kill()


def subscriptions_for(addresses: dict[str, Any], start: float, minutes: int, seed: int) -> list[Subscription]:
    """One digest for each channel, due at a minute of the fire."""
    dice = random.Random(seed + 1)  # noqa: S311 - chance in a test
    places: list[tuple[Platform, str, str]] = [("slack", "T1", name) for name in addresses["slack_channels"]]
    places += [("discord", addresses["guild"], name) for name in addresses["discord_channels"]]
    first = datetime.fromtimestamp(start, UTC)
    entries: list[Subscription] = []
    for number, (platform, workspace, channel) in enumerate(places):
        at = first + timedelta(minutes=dice.randint(1, minutes))
        schedule = Schedule(at.time().replace(second=0, microsecond=0), "UTC", first, DAILY)
        thread = number % THREADS == 0
        entries.append(Subscription(0, ChannelRef(platform, workspace, channel), schedule, "1", thread=thread))
    return entries


async def set_up(url: str, entries: list[Subscription], start: float) -> dict[str, Subscription]:
    """Enter the digests; gives whose each expected key is."""
    database = await Database.open(url)
    first = datetime.fromtimestamp(start, UTC)
    keep = Subscriptions(database, lambda: first)
    expected: dict[str, Subscription] = {}
    for entry in entries:
        kept = await keep.put(entry)
        for part in (MAIN, MAIN.thread) if entry.thread else (MAIN,):
            expected[posting_key(kept.id, first.date(), part)] = kept
    await database.close()
    return expected


def run(scenario: Scenario, url: str, library: Library, seed: int, rate: float) -> Count:
    """One scenario on one database: fire, calm, count."""
    count, sqlite = Count(), url.startswith("sqlite")
    replicas = REPLICAS["sqlite" if sqlite else "postgresql"]
    origin = time.time()
    start = datetime.now(UTC).replace(hour=10, minute=0, second=0, microsecond=0).timestamp()
    address = sa.make_url(url)
    orders = Orders(
        max(4, int(scenario.seconds * rate / 2)), origin, start, scenario.scale, seed, scenario.trouble,
        scenario.slack, scenario.discord, scenario.history,
        None if sqlite else (address.host or "127.0.0.1", address.port or 5432),
    )  # fmt: skip
    with doubles(orders) as addresses:
        minutes = max(1, int(scenario.seconds * scenario.scale / 60))
        expected = asyncio.run(set_up(url, subscriptions_for(addresses, start, minutes, seed), start))
        setting, dice = Setting(), random.Random(seed)  # noqa: S311 - chance in a test
        through = url if sqlite else _through(address, addresses["database"])
        birth = Birth(
            through, addresses["slack"], addresses["discord"], origin, start, scenario.scale, scenario.history,
            scenario.pause / scenario.scale, setting, Tally(),
        )  # fmt: skip
        herd = Herd(birth, scenario.fate(scenario.scale), library, seed)
        file = Path(address.database or "") if sqlite else None
        act = scenario.act(Fire(setting, dice, scenario.scale, addresses["control"], file))
        try:
            following = 0.0
            end = origin + scenario.seconds
            while (now := time.time()) < end:
                while herd.alive < replicas:
                    herd.bear()
                if now >= following:
                    following = now + next(act)
                time.sleep(0.004)
                herd.watch()
                if now + 0.1 > end and now < origin + LONGEST * scenario.seconds and not _tried_half(url, expected):
                    end = now + 1.0  # on a busy machine it takes longer until there is anything to hit
            act.close()
            setting.seconds = 0.0
            if not sqlite:
                ask(addresses["control"] + "/database/go")
            ask(addresses["control"] + "/calm")
            herd.wake()
            _drain(herd, replicas, url, set(expected))
            count.events = herd.events
        finally:
            herd.end()
        found = ask(addresses["control"] + "/report")
        count.most = 0 if scenario.history else birth.unanswered.count
        judge(count, expected, asyncio.run(rows_of(url)), found)
    return count


def _tried_half(url: str, expected: Collection[str]) -> bool:
    rows = asyncio.run(rows_of(url))
    tried = [key for key in expected if key in rows and rows[key]["attempts"]]
    return 2 * len(tried) >= len(expected)


def _through(address: sa.URL, port: int) -> str:
    """The same database by way of the doubles."""
    return address.set(host="127.0.0.1", port=port).render_as_string(hide_password=False)


def _drain(herd: Herd, replicas: int, url: str, expected: set[str]) -> None:
    """Wait until every posting is final, or nothing gets on any more."""
    final, last = -1, time.monotonic() + LONGEST_WAIT
    while final < len(expected) and time.monotonic() < last:
        while herd.alive < replicas:
            herd.bear(immortal=True)
        time.sleep(0.5)
        herd.watch()
        before, rows = final, asyncio.run(rows_of(url))
        final = sum(key in rows and rows[key]["state"] not in OPEN for key in expected)
        last = time.monotonic() + LONGEST_WAIT if final > before else last


def on_a_database(kind: str, folder: Path, run_on: Callable[[str], Count]) -> Count:
    """Run with a database of its own; forks happen where no event loop runs."""
    sys.path.append(str(HERE.parent / "tests"))
    from databases import database_url  # noqa: PLC0415 - only now can it be found

    context = database_url(kind, folder)
    loop = asyncio.new_event_loop()
    url = loop.run_until_complete(context.__aenter__())
    try:
        return run_on(url)
    finally:
        loop.run_until_complete(context.__aexit__(None, None, None))
        loop.close()


def main() -> int:
    """Run the scenarios on both databases, or some. Exits with 1 where a promise was broken."""
    names = [*(one.name for one in SCENARIOS), SIGTERM]
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--scenario", action="append", choices=names, help="by default all, about ten minutes")
    parser.add_argument("--only", choices=tuple(REPLICAS))
    parser.add_argument("--seconds", type=float, help="how long each is under fire")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--log", type=Path, help="where errors of the workers go, whole")
    parser.add_argument("--rate", type=float, default=4.0, help="channels due in a second, on both platforms together")
    given = parser.parse_args()
    library = Library.of(load_corpus(default_corpus()))
    print(
        f"lease {LEASE_SECONDS:.0f} s, quiet time {QUIET.total_seconds():.0f} s, send {SEND_SECONDS:.0f} s, history "
        "lag and late accept up to 30 s each; time runs 10 or 20 times as fast",
        file=sys.stderr,
        flush=True,
    )
    scenarios = {one.name: one for one in SCENARIOS}
    bad = False
    for name in given.scenario or names:
        for kind in [given.only] if given.only else list(REPLICAS):

            def run_on(url: str, name: str = name) -> Count:
                if name == SIGTERM:
                    return asyncio.run(asked_to_stop(url, given.seed))
                return run(scenarios[name], url, library, given.seed, given.rate)

            if given.seconds and name in scenarios:
                scenarios[name] = _lasting(scenarios[name], given.seconds)
            with tempfile.TemporaryDirectory() as folder:
                log = given.log or Path(folder, "errors.log")
                logging.basicConfig(filename=log, level=logging.ERROR, force=True)
                count = on_a_database(kind, Path(folder), run_on)
                errors = Counter(line[:160] for line in log.read_text().splitlines() if line.startswith("ERROR"))
            happened = ", ".join(f"{number} {event}" for event, number in sorted(count.events.items()))
            print(f"  {name} {kind}: {count.expected} expected, {count.late} late; {happened}", file=sys.stderr)
            for words in [*(f"{number} x {message}" for message, number in errors.most_common(5)), *count.faults[:20]]:
                print(f"  {name} {kind}: {words}", file=sys.stderr)
            bad = bad or count.broken
            print(count.line(name, kind), flush=True)
    return int(bad)


def _lasting(scenario: Scenario, seconds: float) -> Scenario:
    return Scenario(**{**{name: getattr(scenario, name) for name in Scenario.__slots__}, "seconds": seconds})


if __name__ == "__main__":
    sys.exit(main())
