"""The digest's values: a channel's subscription and when it is due, one part of one delivery, what was chosen and why.

When a digest is due is a pure function of its schedule and the time: nothing here ticks, stores or sends.
"""

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import MAXYEAR, UTC, date, datetime, time, timedelta
from typing import Literal

from bot.message import ChannelRef
from bot.papers import Paper
from bot.schedule import zones

WEEKDAYS = frozenset({0, 1, 2, 3, 4})
DAILY = frozenset(range(7))

DEFAULT_CATCH_UP = timedelta(hours=6)
LONGEST_CATCH_UP = timedelta(hours=20)
"""A longer window could make two dates due at once on a day that a clock change shortens."""

_HORIZON_DAYS = 400
"""How far ahead the next runs are looked for, from the end of a pause and beside the dates left out."""


@dataclass(frozen=True, slots=True)
class Schedule:
    """Local time, zone, weekdays (0 is Monday), dates left out, and from when on it counts.

    `since` is the instant from which runs count: set-up, or the end of a pause; what was due before is not owed.
    `until` ends a pause: runs before that local date are left out.
    """

    at: time
    zone: str
    since: datetime
    weekdays: frozenset[int] = WEEKDAYS
    skips: frozenset[date] = frozenset()
    paused_until: date | None = None
    catch_up: timedelta = DEFAULT_CATCH_UP


@dataclass(frozen=True, slots=True)
class ScheduledRun:
    """One delivery that a schedule asks for: its local date is its identity, `at` its instant in UTC."""

    day: date
    at: datetime
    moved: bool = False
    """The wall time does not exist on that date: it runs when the clocks have changed."""
    repeated: bool = False
    """The wall time occurs twice on that date: it runs at the first."""


def run_on(day: date, at: time, zone: str) -> ScheduledRun:
    """The run of a local date. Raises KeyError for an unknown zone."""
    tz = zones.load(zone)
    wall = datetime.combine(day, at)
    first = wall.replace(tzinfo=tz).utcoffset()
    second = wall.replace(tzinfo=tz, fold=1).utcoffset()
    assert first is not None
    assert second is not None
    early = (wall - first).replace(tzinfo=UTC)
    if first == second:
        return ScheduledRun(day, early)
    if second < first:  # the clock goes back over this time: fold=0 is its first occurrence
        return ScheduledRun(day, early, repeated=True)
    # In a gap fold=0 has the offset before the change, so that `wall - first` lies after it and `wall - second`
    # before it; the change is the one instant between them at which the offset jumps.
    before = (wall - second).replace(tzinfo=UTC)
    return ScheduledRun(day, _change_between(before, early, zone), moved=True)


def _change_between(low: datetime, high: datetime, zone: str) -> datetime:
    """The first whole second in (low, high] with the offset of `high`."""
    tz = zones.load(zone)
    target = high.astimezone(tz).utcoffset()
    a, b = 0, int((high - low).total_seconds())
    while b - a > 1:
        middle = (a + b) // 2
        if (low + timedelta(seconds=middle)).astimezone(tz).utcoffset() == target:
            b = middle
        else:
            a = middle
    return low + timedelta(seconds=b)


def runs_from(schedule: Schedule, day: date) -> Iterator[ScheduledRun]:
    """The runs of a schedule from a local date on, or from the end of its pause, in order, for a little over a year."""
    start = max(day, schedule.paused_until or day)
    if start.year >= MAXYEAR - 10:
        return  # an end that nobody waits for, and dates end there
    for ahead in range(_HORIZON_DAYS + 7 * len(schedule.skips)):  # each date left out may be a week's only one
        current = start + timedelta(days=ahead)
        if current.weekday() not in schedule.weekdays or current in schedule.skips:
            continue
        run = run_on(current, schedule.at, schedule.zone)
        if run.at >= schedule.since:
            yield run


def due(schedule: Schedule, now: datetime) -> ScheduledRun | None:
    """The run that is owed at `now`: its instant has come, and the catch-up window is not over. At most one."""
    today = now.astimezone(zones.load(schedule.zone)).date()
    found: ScheduledRun | None = None
    for run in runs_from(schedule, today - timedelta(days=2)):
        if run.at > now:
            break
        if now - run.at <= min(schedule.catch_up, LONGEST_CATCH_UP):
            found = run
    return found


def following(schedule: Schedule, now: datetime, count: int) -> list[ScheduledRun]:
    """The next runs after `now`."""
    today = now.astimezone(zones.load(schedule.zone)).date()
    result: list[ScheduledRun] = []
    for run in runs_from(schedule, today - timedelta(days=1)):
        if run.at > now:
            result.append(run)
            if len(result) == count:
                break
    return result


def next_check(schedule: Schedule, now: datetime) -> datetime | None:
    """The instant before which `due` cannot change from None: when to look at this schedule again."""
    upcoming = following(schedule, now, 1)
    return upcoming[0].at if upcoming else None


Style = Literal["brief", "full"]

REMOVED = "the bot was removed from the workspace"
"""What a digest is held for that ended with its workspace: its settings wait there for the bot to come back."""


@dataclass(frozen=True, slots=True)
class Subscription:
    """One channel's digest. `digest` names one that several channels share; "" is the channel's own.

    `set_up_by` is the person, "" for a declared one. `held_for` is why deliveries are held (a missing
    permission, an archived channel), in words for the channel.
    """

    id: int
    channel: ChannelRef
    schedule: Schedule
    set_up_by: str
    digest: str = ""
    topic: str = ""
    count: int = 1
    thread: bool = False
    style: Style = "full"
    held_for: str | None = None
    ended: datetime | None = None

    @property
    def declared(self) -> bool:
        """Whether it stands in the operator's config: commands make digests without a name."""
        return bool(self.digest)


State = Literal["planned", "rendered", "sending", "posted", "unconfirmed", "skipped", "failed"]
OPEN: tuple[State, ...] = ("planned", "rendered", "sending")


MESSAGES = 10
"""A delivery's messages in the numbers that are stored: a date's are 0 to 9, those of its first extra one 10 to 19."""


@dataclass(frozen=True, slots=True, order=True)
class Part:
    """Which message of which delivery of a date. Raises ValueError for one that has no number.

    `delivery` is 0 for the one that its schedule asks for, 1, 2, … for those that people asked for besides. `reply` is
    0 for the paper itself, 1 for the first message of its thread.
    """

    delivery: int = 0
    reply: int = 0

    def __post_init__(self) -> None:
        if self.delivery < 0 or not 0 <= self.reply < MESSAGES:
            raise ValueError(f"a delivery has up to {MESSAGES} messages: {self}")

    @classmethod
    def of(cls, number: int) -> "Part":
        """The part with this stored number."""
        return cls(*divmod(number, MESSAGES))

    @property
    def number(self) -> int:
        """As it is stored; it is part of a posting's key."""
        return self.delivery * MESSAGES + self.reply

    @property
    def main(self) -> "Part":
        """The paper itself, of the same delivery."""
        return Part(self.delivery)

    @property
    def thread(self) -> "Part":
        """The first message of the delivery's thread."""
        return Part(self.delivery, 1)

    @property
    def threaded(self) -> bool:
        """Whether it is posted under another message."""
        return self.reply > 0

    @property
    def extra(self) -> bool:
        """Whether it is of a delivery beside the scheduled one."""
        return self.delivery > 0


MAIN = Part()
"""The paper itself, as scheduled."""


@dataclass(frozen=True, slots=True)
class News:
    """New papers that match what somebody watches: the first of them by their ids, best first, and how many in all."""

    query: str
    papers: tuple[str, ...]
    count: int


@dataclass(frozen=True, slots=True)
class Announcement:
    """What the bot says by itself besides digests: to a channel, or in private to a `person`, about the channel.

    It has news, or the words of a notice.
    """

    channel: ChannelRef
    person: str = ""
    news: tuple[News, ...] = ()
    words: str = ""

    @property
    def place(self) -> ChannelRef:
        """Where it is said, as a name: the direct messages of a person are a channel of their own."""
        return replace(self.channel, channel=f"@{self.person}") if self.person else self.channel


def announcement_key(identity: str) -> str:
    """The key of the posting of an announcement: the same for whoever enters it."""
    return hashlib.sha256(f"announcement/{identity}".encode()).hexdigest()[:24]


@dataclass(frozen=True, slots=True)
class Posting:
    """One part of one delivery, or an announcement. `key` is what its message carries, so that it can be found again.

    An announcement belongs to no subscription (0), and is the only part of its day.
    """

    subscription: int
    day: date
    part: Part
    key: str
    state: State
    due: datetime
    late: bool = False
    attempts: int = 0
    papers: tuple[str, ...] = ()
    payload: str | None = None
    sent: datetime | None = None
    message: str | None = None
    posted: datetime | None = None
    not_before: datetime | None = None
    note: str | None = None
    replaced: int = 0
    """How often the platform refused all of its papers for what they say, so that others were chosen."""
    announcement: Announcement | None = None


def posting_key(subscription: int, day: date, part: Part) -> str:
    """The key of a posting: the same whoever computes it, and short enough for a button's id and a nonce (24)."""
    return hashlib.sha256(f"{subscription}/{day.isoformat()}/{part.number}".encode()).hexdigest()[:24]


def owner_of(entry: Subscription) -> str:
    """Whose picks: the channel's own, or those of the named digest that it shares."""
    return f"digest:{entry.digest}" if entry.digest else f"channel:{entry.id}"


def slot_of(day: date, part: Part, replaced: int = 0) -> str:
    """The delivery that a part belongs to, as a text that sorts by date, by delivery, and by choice.

    `replaced` is how often its papers were chosen anew since a platform refused them.
    """
    return f"{day.isoformat()}/{part.main.number:03d}" + (f"~{replaced}" if replaced else "")


def delivery_of(slot: str) -> str:
    """The first slot of the same delivery."""
    return slot.partition("~")[0]


@dataclass(frozen=True, slots=True)
class Vote:
    """What a channel said of a paper in all: how many up, how many down."""

    up: int = 0
    down: int = 0


@dataclass(frozen=True, slots=True)
class Pick:
    """A paper, and why this one, in a few words."""

    paper: Paper
    reason: str


@dataclass(frozen=True, slots=True)
class Selection:
    """What a delivery brings. `new_cycle` says that the pool was used up and starts anew with this one."""

    picks: tuple[Pick, ...]
    cycle: int
    new_cycle: bool
