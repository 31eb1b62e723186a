"""Delivering what the ledger owes: one tick plans, claims, renders, posts, and looks before it posts again."""

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import partial

from apscheduler.schedulers.asyncio import AsyncIOScheduler

from bot.connections import Connections, Look, Offer, Poster
from bot.digest.compose import Composer
from bot.errors import (
    AmbiguousPostError,
    ChannelTroubleError,
    ContentRefusedError,
    DeliveryError,
    InstallTroubleError,
    RetryLaterError,
)
from bot.library import Library
from bot.message import ChannelRef, Platform, concerning
from bot.schedule.dates import date_in_words
from bot.schedule.values import Announcement, Posting, Subscription, owner_of, slot_of
from bot.store.ledger import Send
from bot.store.storage import Storage

logger = logging.getLogger(__name__)

TICK_SECONDS = 20
STUCK_SECONDS = 80.0
"""A tick that got no further for so long is given up: no send and no transaction takes longer, and the next tick comes
before a health check takes the digest for stuck (STALE_TICK_SECONDS, bot.operate.health)."""
GIVE_UP_SECONDS = 5.0
"""What a tick that is given up has to come to its end, before the next goes on beside it."""
PROBES_AT_ONCE, PROBE_SECONDS, PROBES_WAITED = 10, 30.0, 5.0
"""Held channels that are asked after at the same time, how long each may take, and how long a tick waits for all."""
AT_ONCE = 40
"""Deliveries worked on at the same time; each channel's are one after another."""
UNDER_WAY = 50
"""More is claimed once half of so many are done: a channel that does not answer holds up no other, and at 40 at once
and 20 s each even the last of them is begun within its lease."""
BETWEEN_SENDS = 0.02
"""Seconds between two sends to whatever channels: fifty a second is what Discord takes of one bot and more than Slack
takes for a workspace, and leaves the processor to people's commands."""
PACE_SECONDS = 1.1
"""Between two messages to one channel: both platforms allow about one a second."""
BACKOFF_SECONDS = (5.0, 15.0, 60.0, 180.0, 600.0)
"""Between attempts, where the platform names no time itself. There is no last one: the catch-up window ends the trying,
since a platform that asks for a second each time is asked hundreds of times in an hour."""
IN_VAIN_SECONDS, FORGOTTEN_SECONDS = 120.0, 1_200.0
"""A platform that answers no send for so long is told to health checks; once nothing was sent for so long, no more."""
MOST_REPLACED = 3
"""Choices of papers that a platform may refuse for what they say; if it refuses one more, it is not the papers."""
GIVE_UP = timedelta(hours=24)
"""After so long, a message that may have been posted is looked for no more, and reported."""


BY_ITSELF = Offer.DIGEST | Offer.NEWS
"""What a platform offers where the bot may say something by itself."""

Addressee = Subscription | Announcement
"""For whom a posting is: a channel that has a digest, or whoever an announcement is made to."""


def _place(to: Addressee) -> ChannelRef:
    return to.place if isinstance(to, Announcement) else to.channel


def _what(to: Addressee, posting: Posting) -> str:
    return "What I had to say" if isinstance(to, Announcement) else f"The paper of {date_in_words(posting.day)}"


class Deliverer:
    """Works off the ledger."""

    def __init__(
        self,
        storage: Storage,
        connections: Connections,
        library: Callable[[], Library],
        *,
        pace: float = PACE_SECONDS,
        between: float = BETWEEN_SENDS,
        heartbeat: Callable[[], None] = lambda: None,
        stopping: Callable[[], bool] = lambda: False,
    ) -> None:
        """`heartbeat` is called for each posting worked on: a large delivery takes minutes, and is not stuck.

        Once `stopping`, nothing more is begun, and what was is finished.
        """
        self._storage = storage
        self._connections = connections
        self._heartbeat = heartbeat
        self._stopping = stopping
        self._pace = pace
        self._between = between
        self._next_send = 0.0
        self._composer = Composer(storage, connections, library, rest=1.0 if between else 0.0)
        self._turns = asyncio.Semaphore(AT_ONCE)
        self._channels: dict[ChannelRef, asyncio.Lock] = {}
        self._last: dict[ChannelRef, float] = {}
        self._probing: asyncio.Task[None] | None = None
        self.planned: float | None = None
        """When what is due was last written down, in monotonic seconds: what a health check looks at."""
        self._in_vain: dict[Platform, tuple[float, float]] = {}
        """By platform, since when no send was answered, and when the last was not, in monotonic seconds."""
        self._working: set[str] = set()
        """Keys of the postings that are worked on here: their leases may run out meanwhile."""

    async def tick(self) -> int:
        """Plan what is due and deliver what can be; gives how many postings were worked on. Never raises."""
        worked = 0
        try:
            await self._plan()
            if self._probing is None or self._probing.done():
                self._probing = asyncio.create_task(self._probe())
            worked = await self._deliver()
            await asyncio.wait({self._probing}, timeout=PROBES_WAITED)  # the rest goes on beside the next ticks
        except Exception:
            logger.exception("digest: the ledger cannot be reached; the next tick tries again")
        self._channels.clear()
        now = time.monotonic()
        self._last = {channel: at for channel, at in self._last.items() if now - at < self._pace}
        return worked

    def unanswered(self) -> frozenset[Platform]:
        """Platforms that have taken or refused nothing for a while, though something was sent: health asks for them."""
        now = time.monotonic()
        return frozenset(
            platform
            for platform, (first, last) in self._in_vain.items()
            if now - first >= IN_VAIN_SECONDS and now - last < FORGOTTEN_SECONDS
        )

    async def _plan(self) -> None:
        await self._storage.ledger.plan()
        self.planned = time.monotonic()

    async def _deliver(self) -> int:
        """Work on everything that can be claimed, also on what can be claimed only once other things are done."""
        worked = 0
        under_way: set[asyncio.Task[None]] = set()
        try:
            while True:
                if self.planned is not None and time.monotonic() - self.planned > TICK_SECONDS:
                    await (
                        self._plan()
                    )  # a large delivery takes minutes: what becomes due meanwhile does not wait for it
                platforms = () if self._stopping() else self._connections.offering(Offer.DIGEST)
                announcing = () if self._stopping() else self._connections.offering(BY_ITSELF)
                claimed = (
                    await self._storage.ledger.claim(platforms, UNDER_WAY, self._working, announcing)
                    if announcing
                    else []
                )
                if claimed:
                    self._heartbeat()
                entries = await self._storage.subscriptions.some({posting.subscription for posting in claimed})
                for one in await self._composer.ready(claimed, entries):
                    to = one.announcement or entries.get(one.subscription)
                    under_way.add(asyncio.create_task(self._guarded(one, to)))
                worked += len(claimed)
                if not claimed and not under_way:
                    return worked
                while len(under_way) > (UNDER_WAY // 2 if claimed else 0):
                    done, under_way = await asyncio.wait(under_way, return_when=asyncio.FIRST_COMPLETED)
                    self._heartbeat()
                    for task in done:
                        task.result()
        except Exception:
            if under_way:  # what is being sent may end well
                await asyncio.wait(under_way)
            raise
        finally:
            for task in under_way:
                task.cancel()
            await asyncio.gather(*under_way, return_exceptions=True)

    async def _probe(self) -> None:
        """Ask after the channels that are held, and let deliveries go on where the cause is gone. Never raises."""
        turns = asyncio.Semaphore(PROBES_AT_ONCE)

        async def one(entry: Subscription) -> None:
            async with turns:
                with concerning(entry.channel):
                    try:
                        await self._ask_after(entry)
                    except Exception:
                        logger.exception("digest: channel %s could not be asked after", entry.channel.channel)

        try:
            entries = await self._storage.ledger.held(self._connections.offering(Offer.DIGEST))
        except Exception:
            logger.exception("digest: which channels are held cannot be read; the next tick tries again")
            return
        await asyncio.gather(*map(one, entries))

    async def _ask_after(self, entry: Subscription) -> None:
        access = self._connections.access(entry.channel.platform)
        if access is None:
            return
        asked = asyncio.ensure_future(access.may_post(entry.channel))
        await asyncio.wait({asked}, timeout=PROBE_SECONDS)  # not cancelled: the platform's library shares its state
        if not asked.done() or asked.result() is not None:
            return
        if await self._storage.subscriptions.end_hold(entry.id):
            logger.info("digest: channel %s goes on, the cause of its pause is gone", entry.channel.channel)

    async def _guarded(self, posting: Posting, entry: Addressee | None) -> None:
        self._working.add(posting.key)
        try:
            await self._in_turn(posting, entry)
        finally:
            self._working.discard(posting.key)

    async def _in_turn(self, posting: Posting, entry: Addressee | None) -> None:
        async with self._turns:
            if entry is None or (isinstance(entry, Subscription) and entry.ended is not None):
                await self._storage.ledger.skipped(posting, "the digest was switched off")
                return
            lock = self._channels.setdefault(_place(entry), asyncio.Lock())
            async with lock:
                if self._stopping():
                    await self._storage.ledger.put_off(posting, 0, "the bot was stopped")
                    return
                with concerning(entry.channel):
                    await self._tried(entry, posting)

    async def _tried(self, entry: Addressee, posting: Posting) -> None:
        try:
            await self._work(entry, posting)
        except Exception:
            logger.exception(
                "digest: posting %s of channel %s failed; it is tried again", posting.key, entry.channel.channel
            )
            await self._storage.ledger.put_off(posting, BACKOFF_SECONDS[-1], "a fault of ours")

    async def _work(self, to: Addressee, posting: Posting) -> None:
        ledger = self._storage.ledger
        offer = Offer.DIGEST if isinstance(to, Subscription) else BY_ITSELF
        poster = self._connections.poster(to.channel.platform, offer)
        if poster is None:
            await ledger.put_off(posting, BACKOFF_SECONDS[0], f"{to.channel.platform} is not connected")
            return
        where = to.channel
        if isinstance(to, Announcement) and to.person:
            try:
                where = await poster.direct(to.person, to.channel)
            except RetryLaterError as error:
                await ledger.put_off(posting, error.seconds or BACKOFF_SECONDS[1], str(error))
                return
            except DeliveryError as error:
                await self._not_told(to, posting, str(error))
                return
        parent = None
        if posting.part.threaded:
            main = await self._main(posting)
            parent = main.message if main is not None else None
            if main is None or parent is None:
                await ledger.skipped(posting, "the message that it belongs under was not confirmed")
                return
            posting = replace(posting, papers=main.papers, replaced=main.replaced)  # it is about what stands there
        if posting.state == "sending" and not await self._reconcile(to, posting, poster, where, parent):
            return
        if not ledger.in_time(to, posting):
            await self._give_up(to, posting)  # another day's paper is due by then
            return
        if posting.payload is None:
            rendered = await self._rendered(to, posting, poster)
            if rendered is None:
                return
            posting = rendered
        await self._wait_for_pace(_place(to))
        send = await ledger.sending(posting)
        if send is not None:  # else another worker has it
            await self._send(to, send, poster, where, parent)

    async def _rendered(self, to: Addressee, posting: Posting, poster: Poster) -> Posting | None:
        if isinstance(to, Announcement):
            return await self._composer.announcement(to, posting, poster)
        rendered = await self._composer.compose([(to, posting)])
        return rendered[0] if rendered else None

    async def _wait_for_pace(self, channel: ChannelRef) -> None:
        last = self._last.get(channel)
        if last is not None and (left := last + self._pace - time.monotonic()) > 0:
            await asyncio.sleep(left)
        mine = max(self._next_send, time.monotonic())
        self._next_send = mine + self._between
        if (left := mine - time.monotonic()) > 0:
            await asyncio.sleep(left)
        self._last[channel] = time.monotonic()

    async def _reconcile(
        self, to: Addressee, posting: Posting, poster: Poster, where: ChannelRef, parent: str | None
    ) -> bool:
        """Ask the platform about an attempt without an answer. True where it is safe to send again."""
        ledger = self._storage.ledger
        quiet_is_over = ledger.quiet_is_over(posting)  # as of now: a look that begins before then proves nothing
        try:
            found = await poster.find(where, posting.key, ledger.sent_ago(posting), parent)
        except (RetryLaterError, ChannelTroubleError, InstallTroubleError, AmbiguousPostError) as error:
            if ledger.age(posting) > GIVE_UP:
                words = f"{_what(to, posting)} may not have been posted, and I could not look for it"
                note = f"no answer came, and it could not be looked for: {error}"
                await self._end(to, f"{words}: {error}", partial(ledger.unconfirmed, posting, note))
            else:
                await ledger.look_later(posting, f"looking for it: {error}")
            return False
        match found:
            case str():
                await ledger.posted(posting, found)
                return False
            case Look.CANNOT:
                words = f"{_what(to, posting)} may not have been posted, and I cannot look. I do not send it twice."
                if isinstance(to, Subscription) and not posting.part.extra:
                    words += " If it is not there, `digest now` posts it again that day."
                note = "no answer came, and its history may not be read here"
                await self._end(to, words, partial(ledger.unconfirmed, posting, note))
                return False
            case Look.ABSENT:
                if quiet_is_over:
                    return True
                await ledger.look_later(posting, "no answer came; looking again before anything is sent")
                return False

    async def _main(self, posting: Posting) -> Posting | None:
        """What a second part replies to."""
        of_day = await self._storage.ledger.of_day(posting.subscription, posting.day)
        return next((entry for entry in of_day if entry.part == posting.part.main), None)

    async def _send(self, to: Addressee, send: Send, poster: Poster, where: ChannelRef, parent: str | None) -> None:
        """Send a posting whose row says so already. Whatever is not sure to have failed is looked for later."""
        ledger, posting = self._storage.ledger, send.posting
        assert posting.payload is not None
        if ledger.too_late(send):  # the process or its database stood still: surely not posted by this attempt
            await ledger.try_again(posting, BACKOFF_SECONDS[0], "it took too long to note that it is sent")
            return
        try:
            message = await poster.send(
                where, posting.key, posting.payload, parent, lambda: ledger.must_not_leave(send)
            )
        except RetryLaterError as error:
            self._note_in_vain(where.platform)
            backoff = BACKOFF_SECONDS[min(posting.attempts, len(BACKOFF_SECONDS)) - 1]
            await ledger.try_again(posting, error.seconds or backoff, str(error))
        except AmbiguousPostError as error:
            self._note_in_vain(where.platform)
            await ledger.look_later(posting, str(error))
        except (ContentRefusedError, ChannelTroubleError, InstallTroubleError) as error:
            self._in_vain.pop(where.platform, None)
            if isinstance(to, Announcement):
                await self._not_told(to, posting, str(error))
            else:
                await self._refused(to, posting, error)
        except Exception:
            logger.exception("digest: sending %s ended by a fault of ours; it is looked for", posting.key)
            await ledger.look_later(posting, "a fault of ours")
        else:
            self._in_vain.pop(where.platform, None)
            await ledger.posted(posting, message)
            if isinstance(to, Subscription) and to.held_for is not None:
                await self._storage.subscriptions.end_hold(to.id)

    def _note_in_vain(self, platform: Platform) -> None:
        now = time.monotonic()
        first, last = self._in_vain.get(platform, (now, now))
        self._in_vain[platform] = (first if now - last < FORGOTTEN_SECONDS else now, now)

    async def _refused(self, entry: Subscription, posting: Posting, error: DeliveryError) -> None:
        """The platform refuses a part of a digest: what it says, the channel, or all of the workspace."""
        ledger, words = self._storage.ledger, str(error)
        if isinstance(error, ContentRefusedError):
            await self._replace(entry, posting, words)
        elif isinstance(error, InstallTroubleError):
            await ledger.failed(posting, words)
            await self._release(entry, posting)
            if await self._storage.subscriptions.hold(entry.id, words[:200]):
                logger.error("digest: workspace %s refuses: %s", entry.channel.workspace, error)
        elif posting.part.threaded:  # a thread that cannot be begun is no reason to hold the paper itself
            await ledger.failed(posting, words)
        else:
            await self._hold(entry, posting, words)

    async def _not_told(self, to: Announcement, posting: Posting, words: str) -> None:
        """An announcement is refused. Who watches what a channel is told hears of it; for the others it is the log."""
        people: set[str] = set()
        if not to.person:
            queries = {one.query for one in to.news}
            watches = await self._storage.watches.told_to(to.channel)
            people = {watch.user for watch in watches if watch.query in queries}
        told = [
            Announcement(to.channel, one, words=f"New papers match what you watch for a channel: {words}")
            for one in sorted(people)
        ]
        if await self._storage.ledger.failed(posting, words, told):
            whom = f"a person about channel {to.channel.channel}" if to.person else f"channel {to.channel.channel}"
            logger.warning("watch: %s could not be told: %s", whom, words)

    async def _end(self, to: Addressee, words: str, end: Callable[[Sequence[Announcement]], Awaitable[bool]]) -> bool:
        """End a posting, and have told so who set the digest up; for what nobody set up, it is the log.

        False where another has it.
        """
        person = to.set_up_by if isinstance(to, Subscription) else ""
        ended = await end([Announcement(to.channel, person, words=words)] if person else [])
        if ended and not person:
            name = to.digest if isinstance(to, Subscription) else "an announcement"
            logger.warning("digest: %s in channel %s: %s", name, to.channel.channel, words)
        return ended

    async def _replace(self, entry: Subscription, posting: Posting, words: str) -> None:
        """What it says is refused: that costs a paper, and not the day.

        Of several papers the first is left out, since which of them it was is not said; the last one is replaced. None
        of them comes again in this round.
        """
        ledger = self._storage.ledger
        logger.warning(
            "digest: channel %s: refused for what it says: %s: %s",
            entry.channel.channel,
            self._composer.named(posting.papers),
            words,
        )
        if posting.part.threaded:
            await ledger.failed(posting, words)
        elif posting.replaced < MOST_REPLACED:
            await ledger.anew(posting, posting.papers[1:], words)
        else:
            day = date_in_words(posting.day)
            tried = f"The paper of {day} could not be posted: {MOST_REPLACED + 1} choices were refused"
            await self._end(entry, f"{tried}, the last one so: {words}", partial(ledger.failed, posting, words))

    async def _give_up(self, to: Addressee, posting: Posting) -> None:
        """Its window is over: it is not posted, and whoever set the digest up hears why."""
        reason = f": {posting.note}" if posting.note else ""
        skipped = partial(self._storage.ledger.skipped, posting, f"it could not be posted in time{reason}")
        if posting.part.threaded:  # without its thread a paper is there all the same
            ended = await skipped(())
        else:
            words = f"{_what(to, posting)} could not be posted in time, and is given up{reason}"
            ended = await self._end(to, words, skipped)
        if ended and isinstance(to, Subscription):
            await self._release(to, posting)

    async def _release(self, entry: Subscription, posting: Posting) -> None:
        """Papers that nobody got to see go back to the pool. What may have been posted counts as seen."""
        if posting.part.threaded or posting.payload is None:
            return
        sharing = await self._storage.subscriptions.sharing(entry.digest) if entry.declared else []
        if not await self._storage.ledger.may_be_posted(
            {entry.id, *(one.id for one in sharing)}, posting.day, posting.part
        ):
            await self._storage.picks.release(owner_of(entry), slot_of(posting.day, posting.part, posting.replaced))

    async def _hold(self, entry: Subscription, posting: Posting, words: str) -> None:
        """Pause the channel; tell who set it up, once for as long as it goes on failing."""
        ledger = self._storage.ledger
        earlier = [row for row in await ledger.history(entry.id) if row.key != posting.key]
        main = next((row for row in earlier if not row.part.threaded), None)
        failed = partial(ledger.failed, posting, words)
        if entry.held_for == words[:200] or (main is not None and main.state == "failed"):
            await failed(())
        else:
            paused = f"The paper of the day is paused: {words} It goes on by itself once that is done."
            await self._end(entry, paused, failed)
        await self._release(entry, posting)
        if await self._storage.subscriptions.hold(entry.id, words[:200]):
            logger.warning("digest: channel %s is paused: %s", entry.channel.channel, words)


class Ticker:
    """Calls `tick` every so often, one call at a time, until `stopping` is set.

    A short interval is all that APScheduler is asked for: its cron trigger skips and doubles days around clock changes,
    so it never decides whether a day runs. Every tick asks the ledger what is due. The interval too is reckoned in
    dates by the wall clock: where that is set back its next run lies far off, so a tick also comes when the event loop,
    which knows no dates, has waited a half longer than it should.
    """

    def __init__(
        self, tick: Callable[[], Awaitable[object]], seconds: float = TICK_SECONDS, stuck: float = STUCK_SECONDS
    ) -> None:
        self._tick = tick
        self._seconds = seconds
        self._stuck = stuck
        self._given_up: set[asyncio.Future[object]] = set()
        self.last: float | None = None
        """When a tick last ended or got on, in monotonic seconds: what a health check looks at."""

    def heartbeat(self) -> None:
        """A tick that takes long says that it is no stuck one."""
        self.last = time.monotonic()

    async def run(self, stopping: asyncio.Event) -> None:
        """Tick now and then every interval. A tick under way when stopping is set is waited for."""
        due = asyncio.Event()

        async def ring() -> None:
            due.set()

        # coalesce and no grace time: after a stall one tick is owed, not as many as were missed, and not none
        scheduler = AsyncIOScheduler(job_defaults={"coalesce": True, "misfire_grace_time": None})
        job = scheduler.add_job(ring, "interval", seconds=self._seconds, next_run_time=datetime.now(UTC))
        scheduler.start()
        asked = asyncio.create_task(stopping.wait())
        asked.add_done_callback(lambda _: due.set())
        try:
            while True:
                try:
                    await asyncio.wait_for(due.wait(), 1.5 * self._seconds)
                except TimeoutError:
                    job.modify(next_run_time=datetime.now(UTC) + timedelta(seconds=self._seconds))
                due.clear()
                if stopping.is_set():
                    return
                await self._once()
        finally:
            asked.cancel()
            scheduler.shutdown(wait=False)

    async def _once(self) -> None:
        """One tick, given up where it gets no further: the next goes on, with what the stuck one does not hold."""
        moved = time.monotonic()
        under_way = asyncio.ensure_future(self._tick())
        try:
            while not under_way.done():
                moved = max(moved, self.last or moved)
                left = moved + self._stuck - time.monotonic()
                if left <= 0:
                    logger.error("digest: a tick got no further for %.0f s and is given up", self._stuck)
                    return
                await asyncio.wait({under_way}, timeout=left)
            self.heartbeat()
            if (error := under_way.exception()) is not None:
                logger.error("digest: a tick failed; the next one tries again", exc_info=error)
        finally:
            if not under_way.done():
                under_way.cancel()
                self._given_up.add(under_way)  # the loop itself keeps no hold of what is not done
                under_way.add_done_callback(self._given_up.discard)
                await asyncio.wait({under_way}, timeout=GIVE_UP_SECONDS)
