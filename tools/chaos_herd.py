"""Workers under fire: forked, killed, stopped, continued; and what they left behind, counted."""

import asyncio
import logging
import os
import random
import signal
import time
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from typing import Any, NoReturn

import sqlalchemy as sa
from chaos_worker import STEPS, Life, Setting, Tally, live

from bot.library import Library
from bot.schedule.values import Subscription
from bot.store.database import Database
from bot.store.rows import NO_SUBSCRIPTION
from bot.store.tables import postings


@dataclass(frozen=True, slots=True)
class Fate:
    """What happens to workers. Each figure is a mean of seconds of the machine; None is never."""

    killed: float | None = None
    """After so long a life ends: half of them at a step, the others at random."""
    stopped: float | None = None
    """After so long a worker is stopped somewhere."""
    at: str | None = None
    """A step at which a worker stops itself, each third time or so."""
    longest: float = 0.0
    """A stop lasts up to so long."""


@dataclass(frozen=True, slots=True)
class Birth:
    """What all workers of a run have in common."""

    url: str
    slack: str
    discord: str
    origin: float
    start: float
    scale: float
    history: bool
    pause: float
    setting: Setting
    unanswered: Tally
    """Sends that ended without an answer."""


class Herd:
    """Workers: forked, so that a life costs no import; counted when they are killed and stopped."""

    def __init__(self, birth: Birth, fate: Fate, library: Library, seed: int) -> None:
        self._birth, self._fate, self._library = birth, fate, library
        self._dice = random.Random(seed)  # noqa: S311 - chance in a test
        self._deadlines: dict[int, float] = {}
        self._steps: dict[int, str] = {}
        self._waking: dict[int, float] = {}
        self._next_stop = time.monotonic() + (fate.stopped or 0.0)
        self.born = 0
        self.events: Counter[str] = Counter()
        """What happened, by its name."""

    def bear(self, *, immortal: bool = False) -> None:
        """Fork a worker with its fate."""
        self.born += 1
        step, number, span, nth = None, int(signal.SIGKILL), float("inf"), self._dice.choice((1, 1, 2, 3))
        if self._fate.killed is not None and not immortal:
            by_step = self._dice.random() < 0.5
            step = f"{self._dice.choice(('before', 'after'))} {self._dice.choice(STEPS)}" if by_step else None
            step = "before in flight" if step == "after in flight" else step
            # not every life comes to its step, so those may last longer
            span = self._dice.uniform(0.3, 1.7) * self._fate.killed * (1.7 if by_step else 0.4)
        elif self._fate.at is not None and not immortal:
            step, number, nth = self._fate.at, int(signal.SIGSTOP), self._dice.choice((2, 3, 5))
        birth = self._birth
        life = Life(
            birth.url, birth.slack, birth.discord, birth.origin, birth.start, birth.scale, self._dice.getrandbits(32),
            f"life {self.born}", birth.setting, birth.unanswered, step, nth, number, birth.history, birth.pause,
        )  # fmt: skip
        pid = os.fork()
        if pid == 0:
            _child(life, self._library)
        self._deadlines[pid] = time.monotonic() + span
        self._steps[pid] = step or "at random"

    def watch(self) -> None:
        """Kill, stop and continue whose time has come, and count the dead."""
        now = time.monotonic()
        for pid, deadline in self._deadlines.items():
            if deadline <= now:
                os.kill(pid, signal.SIGKILL)
                self._steps[pid] = "at random"
                self._deadlines[pid] = float("inf")
        if self._fate.stopped is not None and now >= self._next_stop:
            awake = [pid for pid in self._deadlines if pid not in self._waking]
            if awake:
                os.kill(self._dice.choice(awake), signal.SIGSTOP)
            self._next_stop = now + self._dice.uniform(0.2, 1.8) * self._fate.stopped
        for pid, at in list(self._waking.items()):
            if at <= now:
                os.kill(pid, signal.SIGCONT)
                del self._waking[pid]
        for pid in list(self._deadlines):
            self._look_at(pid, now)

    def _look_at(self, pid: int, now: float) -> None:
        done, status = os.waitpid(pid, os.WNOHANG | os.WUNTRACED)
        if not done:
            return
        if os.WIFSTOPPED(status):
            self.events["stopped"] += 1
            self._waking[pid] = now + self._dice.uniform(0.05, 1.0) * self._fate.longest  # at once, once it is calm
            return
        del self._deadlines[pid]
        self._waking.pop(pid, None)
        if not os.WIFSIGNALED(status) or os.WTERMSIG(status) != signal.SIGKILL:
            raise SystemExit(f"a worker ended by itself: status {status}")
        self.events[f"killed {self._steps.pop(pid)}"] += 1

    @property
    def kills(self) -> int:
        """How many died."""
        return sum(number for name, number in self.events.items() if name.startswith("killed"))

    @property
    def alive(self) -> int:
        """How many live."""
        return len(self._deadlines)

    def wake(self) -> None:
        """Let all go on that are stopped, and stop none any more."""
        self._fate = Fate()
        for pid in self._deadlines:
            os.kill(pid, signal.SIGCONT)
            self._deadlines[pid] = float("inf")
        self._waking.clear()

    def end(self) -> None:
        """End those that live; these deaths are not counted."""
        for pid in self._deadlines:
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)
        self._deadlines.clear()
        self._waking.clear()


def _child(life: Life, library: Library) -> NoReturn:
    try:
        asyncio.run(live(life, library))
    except BaseException:
        logging.getLogger("chaos").exception("a worker failed")
    finally:
        os._exit(1)


@dataclass(slots=True)
class Count:
    """What one run found."""

    expected: int = 0
    missed: int = 0
    doubled: int = 0
    unconfirmed: int = 0
    most: int = 0
    """Of unconfirmed ones, at most."""
    late: int = 0
    """Messages that became visible only after the quiet time, which is more than the platforms' bounds allow."""
    events: Counter[str] = field(default_factory=Counter)
    faults: list[str] = field(default_factory=list)

    @property
    def broken(self) -> bool:
        """Whether a promise was."""
        return bool(self.missed or self.doubled or self.faults or self.unconfirmed > self.most)

    def line(self, scenario: str, kind: str) -> str:
        """The line that a run ends with."""
        return (
            f"{scenario} {kind} missed {self.missed} doubled {self.doubled} unconfirmed {self.unconfirmed} "
            f"(at most {self.most})"
        )


async def rows_of(url: str) -> dict[str, sa.RowMapping]:
    """The ledger's rows by their keys."""
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
    told = {key for key, row in rows.items() if row["subscription"] == NO_SUBSCRIPTION}
    if strangers := set(copies) - set(expected) - told:
        count.faults.append(f"messages that nobody owed: {sorted(strangers)[:5]}")
    if twice := [key for key in told if len(copies[key]) > 1]:
        count.doubled += len(twice)
        count.faults.append(f"told twice: {twice[:5]}")
    unconfirmed = {(row["subscription"], row["part"]) for row in rows.values() if row["state"] == "unconfirmed"}
    for key, entry in expected.items():
        row, shown = rows.get(key), sorted(copies[key])
        state = row["state"] if row is not None else "never planned"
        if state == "unconfirmed":
            count.unconfirmed += 1
        elif row is not None and state == "skipped" and (row["subscription"], row["part"] - 1) in unconfirmed:
            count.events["threads not begun under an unconfirmed paper"] += 1
        elif not shown:
            count.missed += 1
            note = row["note"] if row is not None else ""
            count.faults.append(f"missed {key} in {entry.channel.platform}: {state}, {note}")
        elif state != "posted":
            count.faults.append(f"{key} in {entry.channel.platform} stands there and is {state}")
        if len(shown) > 1:
            count.doubled += 1
            assert row is not None
            count.faults.append(f"doubled {key} in {entry.channel.platform}: {len(shown)} times, {state}")
            # the quiet time was over when it was sent again, and still nothing of the first was to be seen
            count.late += sum(at * 1000 > row["sent_ms"] for at in shown[:-1])
