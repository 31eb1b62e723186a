"""The ledger: what is owed, who is delivering it, what the platform confirmed. Every step is a committed row.

    planned ──render──> rendered ──about to send──> sending ──answer──> posted
                            ^                          │ no answer, or a dead process
                            └── not found, quiet over ─┴── found in the channel ──> posted
                                                       └── cannot look there ─────> unconfirmed

A claim is a lease: a worker that dies leaves the row to the next one when the lease runs out. Whoever holds a row may
write to it until another took it; a send does not begin once another may be about to. From `planned` and `rendered`
nothing can have reached the channel, so work simply goes on; from `sending` the platform is asked first. A message that
is refused for what it says is `planned` again, with other papers. `posted`, `unconfirmed`, `skipped` and `failed` are
final.

No duration is measured by a clock that somebody may set: see StoreClock in bot.store.database.
"""

import asyncio
import json
import logging
import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from functools import cache

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from bot.message import Platform
from bot.schedule.clock import Clock, Steady, system_clock
from bot.schedule.values import (
    DEFAULT_CATCH_UP,
    LONGEST_CATCH_UP,
    MAIN,
    OPEN,
    Announcement,
    Part,
    Posting,
    State,
    Subscription,
    due,
    next_check,
)
from bot.store.database import STEP_MS, Database, StoreClock, steady_of, to_ms
from bot.store.rows import NO_SUBSCRIPTION, announced, main_number, of_day, planned, postings_of
from bot.store.subscriptions import PROBE_EVERY, UNREADABLE, from_row, readable
from bot.store.tables import postings, subscriptions

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Change:
    """New values of a posting's row, to be written if it is still its holder's.

    `after` has those that are times, in seconds from the moment of the write. `announced` are rows that are entered
    with it.
    """

    key: str
    values: Mapping[str, object]
    after: Mapping[str, float]
    announced: tuple[Mapping[str, object], ...] = ()


class Writes:
    """Writes changes of rows that `holder` has: also where its lease ran out, as long as nobody took them."""

    def __init__(self, database: Database, holder: str, time: StoreClock) -> None:
        self._database = database
        self._holder = holder
        self._time = time
        self._waiting: list[tuple[Change, asyncio.Future[bool]]] = []
        self._writing: asyncio.Task[None] | None = None

    async def one(self, change: Change) -> bool:
        """Write a change together with whatever else waits; False where another has the row."""
        answer: asyncio.Future[bool] = asyncio.get_running_loop().create_future()
        self._waiting.append((change, answer))
        if self._writing is None or self._writing.done():
            self._writing = asyncio.create_task(self._write_waiting())
        return await answer

    async def all(self, changes: Sequence[Change]) -> set[str]:
        """Write changes of different rows in one transaction; gives the keys that were still ours."""
        if not changes:
            return set()
        async with self._database.begin() as connection:
            return await self._write(connection, changes)

    async def _write_waiting(self) -> None:
        """Write what has gathered while the last transaction was under way, in one: a commit waits for the disk."""
        while self._waiting:
            batch: dict[str, tuple[Change, asyncio.Future[bool]]] = {}
            later: list[tuple[Change, asyncio.Future[bool]]] = []
            for change, answer in self._waiting:
                if change.key in batch:  # what its first change says of the lease counts for the second
                    later.append((change, answer))
                else:
                    batch[change.key] = change, answer
            self._waiting = later
            try:
                kept = await self.all([change for change, _ in batch.values()])
            except Exception as error:  # noqa: BLE001 - each who waits is told
                for _, answer in batch.values():
                    if not answer.done():
                        answer.set_exception(error)
            else:
                for key, (_, answer) in batch.items():
                    if not answer.done():
                        answer.set_result(key in kept)

    async def _write(self, connection: AsyncConnection, changes: Sequence[Change]) -> set[str]:
        query = sa.select(postings.c.key).where(
            postings.c.key.in_([change.key for change in changes]), postings.c.holder == self._holder
        )
        if not self._database.is_sqlite:
            # in the order of keys, so that two workers with rows in common never wait for each other
            query = query.order_by(postings.c.key).with_for_update()
        ours = {row.key for row in await connection.execute(query)}
        now = await self._time.now(connection)  # only here: it may have taken long to get the rows
        held = [change for change in changes if change.key in ours]
        by_columns: dict[tuple[str, ...], list[dict[str, object]]] = {}
        for change in held:
            values = {**change.values, **{name: now + int(seconds * 1000) for name, seconds in change.after.items()}}
            row = {f"new_{name}": value for name, value in values.items()} | {"its_key": change.key}
            by_columns.setdefault(tuple(sorted(values)), []).append(row)
        for columns, rows in by_columns.items():
            await connection.execute(_update(columns), rows)
        if entered := [dict(row) for change in held for row in change.announced]:
            await connection.execute(self._database.insert_if_new(postings), entered)
        return {change.key for change in held}


@cache
def _update(columns: tuple[str, ...]) -> sa.Update:
    """The statement that changes these columns of one row; there are as many as steps of the ledger."""
    change = sa.update(postings).where(postings.c.key == sa.bindparam("its_key"))
    return change.values({name: sa.bindparam(f"new_{name}") for name in columns})


POSTINGS_KEPT = timedelta(days=730)
"""No date is owed again after LONGEST_CATCH_UP; two years are for people: `digest history`, and the posts that `seen`
leads to, of last year's conference too."""
ANNOUNCEMENTS_KEPT = timedelta(days=30)
"""What became of news and notices is for the operator; nobody asks for it by command."""
TELL_WITHIN = timedelta(days=3)
"""News and notices are tried for so long: a platform may be away over a weekend."""
LEASE = timedelta(minutes=2)
"""Longer than the quiet time, so that whoever takes over a dead worker's posting can look at once; and than the work on
one posting, whose send ends after SEND_SECONDS (bot.connections)."""
SEND_WITHIN = timedelta(seconds=8)
"""A send begins so soon after its row was to say `sending`, or not at all: others count the quiet time from there."""
LEAVES_WITHIN = timedelta(seconds=28)
"""So soon after that its last request leaves, or not at all: SEND_WITHIN and SEND_SECONDS (20, see bot.connections)."""
QUIET = timedelta(seconds=90)
"""After a send without an answer, nothing is sent again for so long: a request may leave LEAVES_WITHIN later, be
accepted up to 30 s after its connection dropped, and its message appear in history up to 30 s after that."""
LOOK_BACK = timedelta(hours=1)
"""A message is looked for among those of so much longer ago than it was sent: that is what clocks differ by."""
LOOK_FAR_BACK = timedelta(hours=25)
"""The same where no clock that is to be trusted knows when it was sent: after that nothing is looked for any more."""
LONGEST_WAIT = timedelta(minutes=15)
"""No posting waits longer at a time: one whose row says so was put off before somebody set the clock back."""
TRYING = timedelta(hours=2)
"""What was begun within the catch-up window may be tried for so long after it."""
BATCH = 200
"""Subscriptions planned in one transaction."""
LOOK_AGAIN_SECONDS = 60.0
"""Between two looks at a channel that cannot be looked at just now, once the quiet time is over."""


@dataclass(frozen=True, slots=True)
class Send:
    """A send that its row announced, `noted` then in the ledger's steady seconds, or a little later."""

    posting: Posting
    noted: float


class Ledger:
    """The postings of one database, as seen by one worker (`holder`)."""

    def __init__(
        self,
        database: Database,
        holder: str,
        clock: Clock = system_clock,
        *,
        lease: timedelta = LEASE,
        quiet: timedelta = QUIET,
        catch_up: timedelta = DEFAULT_CATCH_UP,
        steady: Steady | None = None,
    ) -> None:
        """`clock` says what is due; durations are measured by `steady`, by default what goes with the clock."""
        self._database = database
        self._holder = holder
        self._clock = clock
        self._steady = steady or steady_of(clock)
        self._time = StoreClock(database, clock, self._steady)
        self._sent: dict[str, tuple[int, float]] = {}
        """By key, which attempt at a posting was the last, and when it was noted, or later where that is not known."""
        self._unknown: set[str] = set()
        """Keys of those that another process sent, and no clock knows when."""
        self._planned: tuple[datetime, float] | None = None
        self._lease = lease
        self._quiet = quiet
        self._catch_up = catch_up
        self._writes = Writes(database, holder, self._time)

    async def plan(self) -> int:
        """Enter what has become due; gives how many subscriptions were looked at. Safe to run anywhere, any time."""
        now = self._clock()
        looked = 0
        await self._plan_anew_where_set_back(now)
        while True:
            async with self._database.begin() as connection:
                query = self._turns(now, subscriptions.c.held_for.is_(None))
                rows = (await connection.execute(query)).mappings().all()
                await self._plan_all(connection, rows, now)
            looked += len(rows)
            if len(rows) < BATCH:
                return looked

    async def _plan_anew_where_set_back(self, now: datetime) -> None:
        """Turns that were reckoned by a clock that was ahead may lie days too late."""
        before, self._planned = self._planned, (now, self._steady())
        if before is None or now - before[0] >= timedelta(seconds=self._planned[1] - before[1]) - timedelta(
            milliseconds=STEP_MS
        ):
            return
        logger.warning("digest: the clock was set back: what is due is reckoned anew")
        on = subscriptions.c.ended_ms.is_(None), subscriptions.c.next_ms.is_not(None)
        async with self._database.begin() as connection:
            await connection.execute(sa.update(subscriptions).where(*on).values(next_ms=to_ms(now)))

    async def _plan_all(self, connection: AsyncConnection, rows: Sequence[sa.RowMapping], now: datetime) -> None:
        """Enter what each owes, and when to look at it again: two statements, however many they are."""
        # a thousand schedules are reckoned in about a third of a second: not on the event loop
        owed, turns = await asyncio.to_thread(self._reckon, rows, now)
        if owed:
            await connection.execute(self._database.insert_if_new(postings), owed)
        if turns:
            change = sa.update(subscriptions).where(subscriptions.c.id == sa.bindparam("its_id"))
            change = change.values(next_ms=sa.bindparam("its_turn"), held_for=sa.bindparam("its_trouble"))
            await connection.execute(change, turns)

    def _reckon(
        self, rows: Sequence[sa.RowMapping], now: datetime
    ) -> tuple[list[dict[str, object]], list[dict[str, object]]]:
        """The postings that subscriptions owe, and their next turns. A row that is none is held, and stops no other."""
        owed: list[dict[str, object]] = []
        turns: list[dict[str, object]] = []
        for row in rows:
            try:
                entry = from_row(row, self._catch_up)
                run = due(entry.schedule, now)
                upcoming = next_check(entry.schedule, now)
            except Exception as error:  # noqa: BLE001 - whatever is wrong with one row
                place = row["platform"], row["workspace"], row["channel"]
                logger.error("digest: %s in %s, channel %s, is held, %s (%s)", *place, UNREADABLE, error)  # noqa: TRY400
                turns.append({"its_id": row["id"], "its_turn": None, "its_trouble": UNREADABLE})
                continue
            if run is not None:
                late = now - run.at > timedelta(minutes=5)
                parts = (MAIN, MAIN.thread) if entry.thread else (MAIN,)
                owed.extend(planned(entry.id, run.day, part, run.at, late=late) for part in parts)
            its_turn = to_ms(upcoming) if upcoming else None
            turns.append({"its_id": entry.id, "its_turn": its_turn, "its_trouble": entry.held_for})
        return owed, turns

    def _turns(self, now: datetime, *more: sa.ColumnElement[bool]) -> sa.Select[tuple[object, ...]]:
        """Subscriptions that are on and whose turn it is, a batch of them, held by nobody else just now."""
        on = subscriptions.c.next_ms <= to_ms(now), subscriptions.c.ended_ms.is_(None)
        query = sa.select(subscriptions).where(*on, *more).order_by(subscriptions.c.next_ms).limit(BATCH)
        return query if self._database.is_sqlite else query.with_for_update(skip_locked=True)

    async def held(self, platforms: Collection[Platform]) -> list[Subscription]:
        """Subscriptions that are held and whose turn it is to be asked after, each given to one worker once an hour."""
        now = self._clock()
        query = self._turns(now, subscriptions.c.held_for.is_not(None), subscriptions.c.platform.in_(platforms))
        async with self._database.begin() as connection:
            rows = (await connection.execute(query)).mappings().all()
            if rows:
                change = sa.update(subscriptions).where(subscriptions.c.id.in_([row["id"] for row in rows]))
                await connection.execute(change.values(next_ms=to_ms(now + PROBE_EVERY)))
        return readable(rows, self._catch_up)

    async def _enter(self, connection: AsyncConnection, subscription: int, day: date, part: Part, at: datetime) -> bool:
        values = planned(subscription, day, part, at, late=False)
        return bool((await connection.execute(self._database.insert_if_new(postings, values))).rowcount)

    async def enter_now(self, entry: Subscription, day: date, *, extra: bool) -> bool:
        """Owe a delivery at once: today's slot, or (`extra`) one beside it. False where today's is owed or done.

        An extra delivery is numbered in its day, so that it has a key of its own. Today's is sent again where nobody
        could tell whether it arrived: who asks for it has looked.
        """
        now = self._clock()
        async with self._database.begin() as connection:
            part = MAIN
            if extra:
                query = sa.select(sa.func.max(postings.c.part)).where(of_day(entry.id, day))
                highest = (await connection.execute(query)).scalar_one_or_none()
                part = Part(Part.of(highest or 0).delivery + 1)
            entered = await self._enter(connection, entry.id, day, part, now)
            if entered and entry.thread:
                await self._enter(connection, entry.id, day, part.thread, now)
            return entered or await self._send_again(connection, entry.id, day, now)

    async def _send_again(self, connection: AsyncConnection, subscription: int, day: date, now: datetime) -> bool:
        """Owe the day's unconfirmed message once more, and the thread that was to stand under it."""
        anew = {"due_ms": to_ms(now), "lease_ms": 0, "not_before_ms": 0, "holder": None, "note": None}
        main = sa.and_(of_day(subscription, day), postings.c.part == MAIN.number, postings.c.state == "unconfirmed")
        if not (await connection.execute(sa.update(postings).where(main).values(state="rendered", **anew))).rowcount:
            return False
        thread = sa.and_(
            of_day(subscription, day), postings.c.part == MAIN.thread.number, postings.c.state == "skipped"
        )
        await connection.execute(sa.update(postings).where(thread).values(state="planned", **anew))
        return True

    async def seen(self, key: str, message: str) -> bool:
        """Somebody used a message that carries this key: what nobody could tell is known now. True where it was so."""
        change = sa.update(postings).where(postings.c.key == key, postings.c.state == "unconfirmed")
        values = {"state": "posted", "message": message, "posted_ms": to_ms(self._clock()), "note": None}
        async with self._database.begin() as connection:
            return bool((await connection.execute(change.values(**values))).rowcount)

    async def announce(self, identity: str, announcement: Announcement) -> bool:
        """Owe an announcement; False where it was entered before."""
        row = announced(identity, announcement, self._clock())
        async with self._database.begin() as connection:
            return bool((await connection.execute(self._database.insert_if_new(postings, row))).rowcount)

    async def claim(
        self,
        platforms: Collection[Platform],
        limit: int = 100,
        besides: Collection[str] = (),
        announcing: Collection[Platform] = (),
    ) -> list[Posting]:
        """Postings of these platforms to work on now, each leased to this worker: open, held by nobody, oldest first.

        The second part of a delivery waits for its first. `besides` has the keys of those that this worker is still
        at: it takes none from itself. `announcing` are the platforms whose announcements are taken too.
        """
        first = postings.alias("first")
        ready = sa.or_(
            postings.c.part == main_number(postings.c.part),
            sa.exists().where(
                first.c.subscription == postings.c.subscription,
                first.c.day == postings.c.day,
                first.c.part == main_number(postings.c.part),
                first.c.state.not_in(OPEN),
            ),
        )
        async with self._database.begin() as connection:
            now = await self._time.now(connection)
            query = (
                sa.select(postings.c.key)
                .outerjoin(subscriptions, subscriptions.c.id == postings.c.subscription)
                .where(
                    postings.c.state.in_(OPEN),
                    _over(postings.c.not_before_ms, now, LONGEST_WAIT),
                    _over(postings.c.lease_ms, now, self._lease),
                    postings.c.key.not_in(besides),
                    sa.or_(subscriptions.c.platform.in_(platforms), postings.c.platform.in_(announcing)),
                    ready,
                )
                .order_by(postings.c.due_ms, postings.c.subscription, postings.c.part)
                .limit(limit)
            )
            if not self._database.is_sqlite:
                query = query.with_for_update(skip_locked=True, of=postings)
            keys = [row[0] for row in await connection.execute(query)]
            if not keys:
                return []
            change = sa.update(postings).where(postings.c.key.in_(keys))
            await connection.execute(change.values(holder=self._holder, lease_ms=now + _ms(self._lease)))
            rows = (await connection.execute(sa.select(postings).where(postings.c.key.in_(keys)))).mappings().all()
            found = postings_of(rows)
            if bad := set(keys) - {posting.key for posting in found}:
                ended = sa.update(postings).where(postings.c.key.in_(bad))
                await connection.execute(ended.values(state="failed", holder=None, note="its row cannot be read"))
        claimed = sorted(found, key=lambda one: (one.due, one.subscription, one.part))
        for posting in claimed:
            self._count_quiet_time(posting, now)
        return claimed

    def _count_quiet_time(self, posting: Posting, now: int) -> None:
        """Note since when an attempt that another process may have made is quiet."""
        if posting.state != "sending" or posting.sent is None:
            return
        if self._sent.get(posting.key, (0, 0.0))[0] == posting.attempts:
            return  # made here
        # by one clock for all, the server's, it is known how long ago that was; else it counts from here
        ago = 0.0
        if self._database.is_sqlite:
            self._unknown.add(posting.key)
        else:
            ago = max(0, now - to_ms(posting.sent)) / 1000
        self._sent[posting.key] = posting.attempts, self._steady() - ago

    async def rendered_all(self, done: Sequence[tuple[Posting, Sequence[str], str]]) -> set[str]:
        """Keep what will be sent, so that a second attempt sends the same, several in one transaction.

        Gives the keys that were still this worker's.
        """
        lease = self._lease.total_seconds()
        return await self._writes.all(
            [
                Change(
                    posting.key,
                    {"state": "rendered", "papers": json.dumps(list(papers)), "payload": payload},
                    {"lease_ms": lease},
                )
                for posting, papers, payload in done
            ]
        )

    async def sending(self, posting: Posting) -> Send | None:
        """The last thing before the request: from here on the message may exist. None where another has the row."""
        began = self._steady()
        attempts = posting.attempts + 1
        if not await self._write(posting, {"sent_ms": 0.0}, state="sending", attempts=attempts):
            return None
        self._sent[posting.key] = attempts, self._steady()
        sent = replace(posting, state="sending", sent=self._clock(), attempts=attempts)
        return Send(sent, began)

    def too_late(self, send: Send) -> bool:
        """Whether a send must not begin any more: it would not be over when others think that it is."""
        return self._steady() > send.noted + SEND_WITHIN.total_seconds()

    def must_not_leave(self, send: Send) -> bool:
        """Whether no request of a send may leave any more: another may have taken the row, and be about to send."""
        return self._steady() > send.noted + LEAVES_WITHIN.total_seconds()

    def sent_ago(self, posting: Posting) -> timedelta:
        """How long ago its first attempt was made, at most: of its tries any may be the one that arrived."""
        _, sent = self._sent.get(posting.key, (0, self._steady()))
        since_sent = timedelta(seconds=self._steady() - sent)
        known = posting.key not in self._unknown
        return max(since_sent, self.age(posting)) + (LOOK_BACK if known else LOOK_FAR_BACK)

    async def posted(self, posting: Posting, message: str) -> bool:
        """The platform has it, under this id."""
        return await self._end(posting, "posted", message=message, posted_ms=to_ms(self._clock()))

    async def unconfirmed(self, posting: Posting, note: str, tell: Sequence[Announcement] = ()) -> bool:
        """It may have been posted, nobody can tell, and it is not sent again. Who is told so is owed with it."""
        return await self._end(posting, "unconfirmed", note, tell)

    async def skipped(self, posting: Posting, note: str, tell: Sequence[Announcement] = ()) -> bool:
        """Nothing is posted, for a reason."""
        return await self._end(posting, "skipped", note, tell)

    async def failed(self, posting: Posting, note: str, tell: Sequence[Announcement] = ()) -> bool:
        """It cannot be posted, for a reason."""
        return await self._end(posting, "failed", note, tell)

    async def try_again(self, posting: Posting, seconds: float, note: str) -> bool:
        """Surely not posted (a rate limit, a refused connection): the same again, later."""
        return await self._release(posting, "rendered", seconds, note)

    async def put_off(self, posting: Posting, seconds: float, note: str) -> bool:
        """Go on later from where its row stands: what may have been posted stays so."""
        return await self._release(posting, None, seconds, note)

    async def anew(self, posting: Posting, papers: Sequence[str], note: str) -> bool:
        """What it says is refused: it begins again at once with these of its papers, or without any with others."""
        values = {
            "state": "planned",
            "payload": None,
            "papers": json.dumps(list(papers)),
            "replaced": posting.replaced + (not papers),
            "lease_ms": 0,
            "holder": None,
            "note": note[:300],
        }
        self._forget(posting.key)
        return await self._writes.one(Change(posting.key, values, {}))

    async def look_later(self, posting: Posting, note: str) -> bool:
        """Perhaps posted and not visible yet: look again when the quiet time is over."""
        left = self._quiet_left(posting)
        return await self._release(posting, "sending", left + 1.0 if left > 0 else LOOK_AGAIN_SECONDS, note)

    def quiet_is_over(self, posting: Posting) -> bool:
        """Whether a message of the last attempt would be visible to a look that begins now."""
        return self._quiet_left(posting) <= 0

    def _quiet_left(self, posting: Posting) -> float:
        _, sent = self._sent.get(posting.key, (0, -math.inf))
        return sent + self._quiet.total_seconds() - self._steady()

    def in_time(self, entry: Subscription | Announcement, posting: Posting) -> bool:
        """Whether a posting may still be sent: another day's paper is due soon after."""
        if isinstance(entry, Announcement):
            return self.age(posting) <= TELL_WITHIN
        longest = min(entry.schedule.catch_up, LONGEST_CATCH_UP)
        return self.age(posting) <= (longest + TRYING if posting.attempts else longest)

    def age(self, posting: Posting) -> timedelta:
        """How long ago it was due."""
        return self._clock() - posting.due

    async def history(self, subscription: int, limit: int = 20) -> list[Posting]:
        """The latest postings of a subscription, newest first."""
        query = (
            sa.select(postings)
            .where(postings.c.subscription == subscription)
            .order_by(postings.c.day.desc(), postings.c.part)
            .limit(limit)
        )
        async with self._database.read() as connection:
            return postings_of((await connection.execute(query)).mappings())

    async def forget_old(self) -> int:
        """Drop postings that ended and were due POSTINGS_KEPT ago, and older announcements; gives how many."""
        limit, told = to_ms(self._clock() - POSTINGS_KEPT), to_ms(self._clock() - ANNOUNCEMENTS_KEPT)
        old = sa.delete(postings).where(
            sa.or_(
                sa.and_(postings.c.due_ms < limit, postings.c.state.not_in(OPEN)),
                # also open ones, of a platform that is no longer configured
                sa.and_(postings.c.subscription == NO_SUBSCRIPTION, postings.c.due_ms < told),
            )
        )
        async with self._database.begin() as connection:
            return int((await connection.execute(old)).rowcount)

    async def may_be_posted(self, subscriptions_: Collection[int], day: date, part: Part) -> bool:
        """Whether one of these subscriptions has, or may still get, this part of a date's delivery."""
        query = sa.select(sa.func.count()).where(
            postings.c.subscription.in_(subscriptions_),
            postings.c.day == day.isoformat(),
            postings.c.part == part.number,
            postings.c.state.not_in(("failed", "skipped")),
        )
        async with self._database.read() as connection:
            return bool((await connection.execute(query)).scalar_one())

    async def of_day(self, subscription: int, day: date) -> list[Posting]:
        """The postings of one date, by part."""
        query = sa.select(postings).where(of_day(subscription, day)).order_by(postings.c.part)
        async with self._database.read() as connection:
            return postings_of((await connection.execute(query)).mappings())

    async def scheduled(self, subscription: int, since: date) -> list[Posting]:
        """The deliveries of dates from `since` on that a schedule asked for, without those that came besides."""
        query = (
            sa.select(postings)
            .where(
                postings.c.subscription == subscription,
                postings.c.day >= since.isoformat(),
                postings.c.part == MAIN.number,
            )
            .order_by(postings.c.day)
        )
        async with self._database.read() as connection:
            return postings_of((await connection.execute(query)).mappings())

    async def _release(self, posting: Posting, state: State | None, seconds: float, note: str) -> bool:
        values: dict[str, object] = {"lease_ms": 0, "holder": None, "note": note[:300]}
        if state is not None:
            values["state"] = state
        if state == "rendered":
            self._forget(posting.key)
        later = min(seconds, LONGEST_WAIT.total_seconds())
        return await self._writes.one(Change(posting.key, values, {"not_before_ms": later}))

    async def _end(
        self,
        posting: Posting,
        state: State,
        note: str | None = None,
        tell: Sequence[Announcement] = (),
        **values: object,
    ) -> bool:
        kept = note[:300] if note else None
        rows = [announced(f"{posting.key}/{state}/{one.person}", one, self._clock()) for one in tell]
        self._forget(posting.key)
        ended: dict[str, object] = {"state": state, "lease_ms": 0, "holder": None, "note": kept, **values}
        return await self._writes.one(Change(posting.key, ended, {}, tuple(rows)))

    def _forget(self, key: str) -> None:
        self._sent.pop(key, None)
        self._unknown.discard(key)

    async def _write(self, posting: Posting, after: Mapping[str, float], **values: object) -> bool:
        """Change a row that this worker still holds, and renew its lease."""
        return await self._writes.one(Change(posting.key, values, {"lease_ms": self._lease.total_seconds(), **after}))


def _ms(span: timedelta) -> int:
    return int(span.total_seconds() * 1000)


def _over(until: sa.ColumnElement[int], now: int, longest: timedelta) -> sa.ColumnElement[bool]:
    """Where a time has come, or lies further away than any that is given."""
    return sa.or_(until <= now, until > now + _ms(longest) + STEP_MS)
