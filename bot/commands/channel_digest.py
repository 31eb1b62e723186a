"""The channel's digest as commands meet it: which one it is, who may change it, and how it is told."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from bot.commands.base import Context, Invocation
from bot.commands.fetch import fetch
from bot.connections import ChannelAccess
from bot.errors import NotFoundError, UserError
from bot.message import ChannelRef
from bot.richtext import Inlines, text
from bot.schedule import zones
from bot.schedule.dates import date_in_words, days_in_words
from bot.schedule.values import OPEN, Posting, ScheduledRun, Subscription, following

if TYPE_CHECKING:
    from bot.store.storage import Storage  # brings the database library, which the terminal does without


def access_to(context: Context, channel: ChannelRef) -> ChannelAccess:
    """The platform's say on a channel, for commands that need Offer.DIGEST. Raises UserError where it just left."""
    access = context.connections.access(channel.platform)
    if access is None:
        raise UserError(f"{channel.platform.capitalize()} does not answer just now. Try again in a minute.")
    return access


async def may_manage(context: Context, invocation: Invocation) -> None:
    """Raises UserError, with the reason, where this person may not change the channel's digest."""
    reason = await fetch(access_to(context, invocation.channel).may_manage(invocation.user, invocation.channel))
    if reason:
        raise UserError(reason)


async def own(storage: "Storage", invocation: Invocation) -> Subscription:
    """The channel's digest. Raises NotFoundError where there is none."""
    found = await fetch(storage.subscriptions.here(invocation.channel))
    if found is not None and found.ended is not None and not found.declared:
        raise NotFoundError("The paper of the day is switched off here. `digest on` brings it back as it was.")
    if found is None or found.ended is not None:
        raise NotFoundError("There is no digest in this channel. `digest on 9:00` sets one up.")
    return found


async def changed(storage: "Storage", entry: Subscription, how: Callable[[Subscription], Subscription]) -> Subscription:
    """The channel's digest with one thing changed, and all else as it is by now: people change things at once.

    Raises NotFoundError where it is gone.
    """
    result = await fetch(storage.subscriptions.change(entry.id, how))
    if result is None:
        raise NotFoundError("There is no digest in this channel any more. `digest on 9:00` sets one up.")
    return result[1]


def facts_of(entry: Subscription, now: datetime) -> tuple[tuple[str, Inlines], ...]:
    """What is set up, as labels and values; the zone with its offset of now."""
    schedule = entry.schedule
    facts: list[tuple[str, Inlines]] = [
        ("When", text(f"{schedule.at:%H:%M}, {days_in_words(schedule.weekdays)}")),
        ("Time zone", text(zones.shown(schedule.zone, now))),
        ("Papers", text(f"{entry.count} a time" + (f", about {entry.topic}" if entry.topic else ""))),
    ]
    if entry.style == "brief":
        facts.append(("Style", text("brief: the paper in one line")))
    if entry.thread:
        facts.append(("Thread", text("the abstract is the first reply")))
    if entry.declared:
        facts.append(("Declared", text(f"as {entry.digest}, in the config of whoever runs this bot")))
    if schedule.paused_until:
        facts.append(("Paused", text(f"until {date_in_words(schedule.paused_until)}")))
    if schedule.skips:
        facts.append(("Left out", text(", ".join(map(date_in_words, sorted(schedule.skips))))))
    if entry.held_for:
        facts.append(("Held", text(entry.held_for)))
    return tuple(facts)


@dataclass(frozen=True, slots=True)
class Upcoming:
    """What a channel will get: what is on its way, and the runs for which nothing was posted or given up yet."""

    pending: Posting | None
    runs: tuple[ScheduledRun, ...]

    def lines(self, entry: Subscription) -> list[str]:
        """Each in words, the first one first."""
        waits = f" (waiting: {self.pending.note})" if self.pending and self.pending.note else ""
        first = [f"{date_in_words(self.pending.day)}, on its way{waits}"] if self.pending else []
        return [*first, *(local_time(run, entry) for run in self.runs)]


async def upcoming(storage: "Storage", entry: Subscription, count: int) -> Upcoming:
    """What comes next, by the ledger: a date is delivered once, whatever became of its schedule. Nothing while held."""
    if entry.held_for is not None:
        return Upcoming(None, ())
    now = storage.clock()
    rows = await fetch(storage.ledger.scheduled(entry.id, now.date() - timedelta(days=2)))
    done = {row.day for row in rows}
    runs = [run for run in following(entry.schedule, now, count + len(done)) if run.day not in done]
    pending = next((row for row in rows if row.state in OPEN), None)
    return Upcoming(pending, tuple(runs[: count - (pending is not None)]))


def local_time(run: ScheduledRun, entry: Subscription) -> str:
    """A run in its own time zone; a clock change is said."""
    local = run.at.astimezone(zones.load(entry.schedule.zone))
    words = f"{date_in_words(local.date())}, {local:%H:%M}"
    if run.moved:
        words += f" (the clocks change: {entry.schedule.at:%H:%M} does not exist that day)"
    if run.repeated:
        words += " (the clocks change: the first of two)"
    return words
