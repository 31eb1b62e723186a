"""Digests that the operator declares in the config: read from its words into values, and the store made to say so.

The terminal reads them too.
"""

import logging
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, time
from functools import partial
from typing import TYPE_CHECKING

from bot.config import DeclaredSection, Settings, YamlPath
from bot.errors import ConfigError, Fault
from bot.message import ChannelRef, Platform
from bot.schedule import zones
from bot.schedule.dates import parse_days, parse_time
from bot.schedule.values import REMOVED, Schedule, Style, Subscription

if TYPE_CHECKING:
    from bot.store.subscriptions import Subscriptions  # brings the database library, which the terminal does without

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,39}")


@dataclass(frozen=True, slots=True)
class ChannelIds:
    """What a platform's ids of workspaces and channels look like: the whole of one matches `pattern`."""

    pattern: str
    hint: str
    """A sentence about them, for the operator who wrote something else."""


@dataclass(frozen=True, slots=True)
class Declared:
    """One digest of the config: all its channels share one pick."""

    name: str
    channels: tuple[ChannelRef, ...]
    at: time
    zone: str
    weekdays: frozenset[int]
    topic: str
    count: int
    thread: bool
    style: Style


def read_declared(settings: Settings, platforms: Mapping[Platform, ChannelIds]) -> tuple[Declared, ...]:
    """The digests of the config, on these platforms. Raises ConfigError with every fault and its line."""
    reading = _DeclaredReading(platforms)
    found = [_read(settings, name, section, reading) for name, section in settings.core.digests.items()]
    if reading.faults:
        raise ConfigError(tuple(sorted(reading.faults, key=lambda fault: fault.line)))
    return tuple(entry for entry in found if entry is not None)


@dataclass(slots=True)
class _DeclaredReading:
    """What was found so far: channels by the digest that has them, and all that is wrong."""

    platforms: Mapping[Platform, ChannelIds]
    taken: dict[ChannelRef, str] = field(default_factory=dict)
    faults: list[Fault] = field(default_factory=list)


def _read(settings: Settings, name: str, section: DeclaredSection, reading: _DeclaredReading) -> Declared | None:
    before = len(reading.faults)
    here: YamlPath = ("digests", name)

    def fault(words: str, *path: str | int) -> None:
        shown = ".".join(str(part) for part in (*here, *path))
        reading.faults.append(settings.fault((*here, *path), f"`{shown}`: {words}"))

    if not _NAME.fullmatch(name):
        fault("a digest is named with up to 40 letters, digits, - and _")
    at, days, answer = parse_time(section.time), parse_days(section.days), zones.find(section.zone)
    if at is None:
        fault(f'{section.time!r} is no time of day: write "9:00", "9am" or "21h"', "time")
    if days is None:
        fault(f"{section.days!r} names no days: write weekdays, daily or mon,wed,fri", "days")
    if answer.zone is None:
        near = " or ".join(answer.suggestions[:3])
        hint = f"did you mean {near}?" if near else "name it by a city, such as berlin"
        fault(f"there is no time zone {section.zone!r}: {hint}", "zone")
    places: list[ChannelRef] = []
    for number, one in enumerate(section.channels):
        ids = reading.platforms.get(one.platform)
        if ids is None:
            known = " or ".join(map(repr, reading.platforms))
            fault(f"{one.platform!r} is no platform with digests: write {known}", "channels", number, "platform")
            continue
        for key, value in (("workspace", one.workspace), ("channel", one.channel)):
            if not re.fullmatch(ids.pattern, value):
                fault(f"{value!r} is no id. {ids.hint}", "channels", number, key)
        place = ChannelRef(one.platform, one.workspace, one.channel)
        if place in reading.taken:
            fault(
                f"this channel has the digest `{reading.taken[place]}` already: a channel has one", "channels", number
            )
        reading.taken[place] = name
        places.append(place)
    if len(reading.faults) > before or at is None or days is None or answer.zone is None:
        return None
    return Declared(
        name, tuple(places), at, answer.zone, days, section.topic, section.count, section.thread, section.style
    )


def by_place(declared: tuple[Declared, ...]) -> Mapping[tuple[ChannelRef, str], Declared]:
    """Digests by channel and name."""
    return {(place, entry.name): entry for entry in declared for place in entry.channels}


logger = logging.getLogger(__name__)


async def reconcile(keep: "Subscriptions", declared: tuple[Declared, ...], now: datetime) -> None:
    """Begin what is declared, change what differs, end what is declared no more.

    Pauses and skipped dates that people set with commands stay. A channel's own digest ends where the config declares
    one: a channel has one. Safe to run by several replicas with the same config.
    """
    wanted = by_place(declared)
    for entry in await keep.active():
        if entry.declared and (entry.channel, entry.digest) not in wanted:
            await keep.change(entry.id, lambda entry: replace(entry, ended=now))
            logger.info("digest: %s in channel %s is declared no more: off", entry.digest, entry.channel.channel)
    for (place, name), one in wanted.items():
        before = await keep.of(place, name)
        if before is None:
            if (then := _as_declared(one, place, None, now)) is not None:
                await keep.put(then)
        else:  # what people pause or leave out meanwhile stays
            await keep.change(before.id, partial(_declared_now, one, place, now))
        own = await keep.of(place)
        if own is not None and own.ended is None:
            await keep.change(own.id, lambda entry: replace(entry, ended=now))
            logger.warning("digest: channel %s had one of its own; %s takes its place", place.channel, name)


def _declared_now(one: Declared, place: ChannelRef, now: datetime, entry: Subscription) -> Subscription:
    return _as_declared(one, place, entry, now) or entry


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
