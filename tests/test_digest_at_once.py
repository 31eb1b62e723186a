"""Several people change one channel's digest at the same moment: each change that was answered is there."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest
from connected import connected
from databases import database_url
from digest_world import LIBRARY, PLACE, World

from bot.commands import all_commands
from bot.commands.dispatch import Dispatcher
from bot.message import User
from bot.store.database import Database
from bot.store.storage import Storage
from bot.store.subscriptions import Subscriptions

ROUNDS = 10


@pytest.fixture(params=["sqlite", "postgresql"])
async def worlds(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[tuple[World, Database]]:
    """A world, and the same database as another process has it open."""
    async with database_url(request.param, tmp_path) as url:
        first, second = await Database.open(url), await Database.open(url)
        yield World(first), second
        await first.close()
        await second.close()


async def test_a_pause_and_a_skip_at_once_are_both_kept(worlds: tuple[World, Database]) -> None:
    world, second = worlds
    await world.subscribe()
    says = [
        Dispatcher(lambda: LIBRARY, all_commands(), storage=Storage.of(one, "x", world.clock), connections=connected())
        for one in (world.database, second)
    ]
    for number in range(ROUNDS):
        until, skipped = date(2026, 8, 1 + number), date(2026, 9, 1 + number)
        replies = await asyncio.gather(
            says[0].say(f"digest pause {until}", User("U1"), PLACE),
            says[number % 2].say(f"digest skip {skipped}", User("U2"), PLACE),
            says[1].say(f"digest skip {skipped.replace(month=10)}", User("U3"), PLACE),
        )
        assert [reply.error for reply in replies] == [None] * 3
        entry = await world.subscriptions.of(PLACE)
        assert entry is not None
        assert entry.schedule.paused_until == until
        assert {skipped, skipped.replace(month=10)} <= entry.schedule.skips


async def test_a_change_meets_a_hold_that_came_meanwhile(worlds: tuple[World, Database]) -> None:
    world, second = worlds
    entry = await world.subscribe()
    other = Subscriptions(second, world.clock)
    for number in range(ROUNDS):
        await asyncio.gather(
            world.subscriptions.hold(entry.id, f"trouble {number}"),
            other.change(entry.id, lambda one, number=number: replace(one, count=1 + number % 5)),  # type: ignore[misc]
        )
        now = await world.subscriptions.get(entry.id)
        assert now is not None
        assert (now.held_for, now.count) == (f"trouble {number}", 1 + number % 5)


async def test_several_settings_at_once(worlds: tuple[World, Database]) -> None:
    world, second = worlds
    await world.subscribe()
    says = [
        Dispatcher(lambda: LIBRARY, all_commands(), storage=Storage.of(one, "x", world.clock), connections=connected())
        for one in (world.database, second)
    ]
    for count in (2, 3, 4):
        await asyncio.gather(
            says[0].say(f"digest on count:{count}", User("U1"), PLACE),
            says[1].say(f"digest on 1{count}:00", User("U2"), PLACE),
        )
        entry = await world.subscriptions.of(PLACE)
        assert entry is not None
        assert (entry.count, entry.schedule.at.hour) == (count, 10 + count)
