"""The store's digests made to say what the operator's config declares."""

import logging
from dataclasses import replace
from datetime import datetime

from bot.digest.declared import Declared, by_place
from bot.message import ChannelRef
from bot.schedule.runs import Schedule
from bot.schedule.values import Subscription
from bot.store.subscriptions import REMOVED, Subscriptions

logger = logging.getLogger(__name__)


async def reconcile(keep: Subscriptions, declared: tuple[Declared, ...], now: datetime) -> None:
    """Begin what is declared, change what differs, end what is declared no more.

    Pauses and skipped dates that people set with commands stay. A channel's own digest ends where the config declares
    one: a channel has one. Safe to run by several replicas with the same config.
    """
    wanted = by_place(declared)
    for entry in await keep.active():
        if entry.declared and (entry.channel, entry.digest) not in wanted:
            await keep.put(replace(entry, ended=now))
            logger.info("digest: %s in channel %s is declared no more: off", entry.digest, entry.channel.channel)
    for (place, name), one in wanted.items():
        before = await keep.of(place, name)
        then = _as_declared(one, place, before, now)
        if then is not None and then != before:
            await keep.put(then)
        own = await keep.of(place)
        if own is not None and own.ended is None:
            await keep.put(replace(own, ended=now))
            logger.warning("digest: channel %s had one of its own; %s takes its place", place.channel, name)


def _as_declared(one: Declared, place: ChannelRef, before: Subscription | None, now: datetime) -> Subscription | None:
    """What is to be kept; None where the bot was taken out of the workspace, and nothing goes on there."""
    if before is not None and before.ended is not None:
        if before.held_for == REMOVED:
            return None
        before = replace(before, held_for=None, ended=None, schedule=replace(before.schedule, since=now))
    fresh = before or Subscription(0, place, Schedule(one.at, one.zone, now), "", digest=one.name)
    schedule = replace(fresh.schedule, at=one.at, zone=one.zone, weekdays=one.weekdays)
    if before is not None and schedule != before.schedule:
        schedule = replace(schedule, since=now)  # the new time counts from now on: nothing earlier is owed
    return replace(fresh, schedule=schedule, topic=one.topic, count=one.count, thread=one.thread, style=one.style)
