"""A message that a platform refuses for what it says: other papers go out the same day, and nothing is paused."""

from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Unpack

import pytest
from connected import connected
from databases import database_url
from digest_world import LIBRARY, PLACE, START, Changes, World

from bot.commands import all_commands
from bot.commands.dispatch import Dispatcher
from bot.digest.deliver import MOST_REPLACED
from bot.message import User
from bot.store.database import Database

OTHER = replace(PLACE, channel="C2")


@pytest.fixture(params=["sqlite", "postgresql"])
async def world(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[World]:
    async with database_url(request.param, tmp_path) as url:
        database = await Database.open(url)
        yield World(database)
        await database.close()


async def undisturbed(**changes: Unpack[Changes]) -> tuple[str, ...]:
    """The papers that a digest brings first where nothing is refused."""
    database = await Database.open("sqlite:///:memory:")
    world = World(database)
    entry = await world.subscribe(**changes)
    world.now = START + timedelta(hours=1)
    await world.tick()
    (posting,) = [row for row in await world.ledger.history(entry.id) if not row.part.threaded]
    await database.close()
    return posting.papers


def titles(papers: tuple[str, ...]) -> set[str]:
    """Words that only a message about one of these has."""
    return {paper.title_text for key in papers if (paper := LIBRARY.corpus.get(key))}


async def test_it_costs_that_paper_and_not_the_day(world: World, caplog: pytest.LogCaptureFixture) -> None:
    (bad,) = await undisturbed()
    world.platform.forbidden = titles((bad,))
    entry = await world.subscribe()
    world.now = START + timedelta(hours=1)
    await world.tick()
    (posting,) = await world.ledger.history(entry.id)
    assert (posting.state, posting.replaced) == ("posted", 1)
    assert bad not in posting.papers
    assert list(world.posts().values()) == [1]
    paper = LIBRARY.corpus.get(bad)
    assert paper is not None
    (line,) = [one for one in caplog.messages if "refused" in one]
    assert "channel C1" in line
    assert paper.handle in line
    assert world.platform.told == []

    # nor does it come again in this round, or stand among what was given here
    for _ in range(len(LIBRARY.corpus) - 2):
        world.now += timedelta(days=1)
        await world.tick()
    given = [paper for row in await world.ledger.history(entry.id, 100) for paper in row.papers]
    assert len(given) == len(set(given)) == len(LIBRARY.corpus) - 1
    asked = Dispatcher(lambda: LIBRARY, all_commands(), storage=world.storage, connections=connected())
    seen = (await asked.say("seen", User("U1"), PLACE)).papers
    assert bad not in {shown.paper.id for shown in seen}


async def test_of_several_papers_the_others_go_out(world: World) -> None:
    papers = await undisturbed(count=3)
    world.platform.forbidden = titles(papers[:1])
    entry = await world.subscribe(count=3)
    world.now = START + timedelta(hours=1)
    await world.tick()
    (posting,) = await world.ledger.history(entry.id)
    assert (posting.state, posting.papers) == ("posted", papers[1:])


async def test_where_each_of_several_is_refused_others_are_chosen(world: World) -> None:
    papers = await undisturbed(count=3)
    world.platform.forbidden = titles(papers)
    entry = await world.subscribe(count=3)
    world.now = START + timedelta(hours=1)
    await world.tick()
    (posting,) = await world.ledger.history(entry.id)
    assert posting.state == "posted"
    assert len(posting.papers) == 3
    assert not set(posting.papers) & set(papers)


async def test_where_everything_is_refused_the_day_ends_and_the_next_is_tried(world: World) -> None:
    world.platform.forbidden = {"Paper of the day"}
    entry = await world.subscribe()
    world.now = START + timedelta(hours=1)
    await world.tick()
    await world.tick()
    (posting,) = await world.ledger.history(entry.id)
    assert (posting.state, posting.attempts) == ("failed", MOST_REPLACED + 1)
    (told,) = world.platform.told
    assert "forbidden" in told
    world.platform.forbidden = set()
    world.now += timedelta(days=1)
    await world.tick()
    latest, _ = await world.ledger.history(entry.id)
    assert latest.state == "posted"


async def test_channels_that_share_a_digest_and_take_the_paper_keep_it(world: World) -> None:
    (bad,) = await undisturbed(digest="team")
    first = await world.subscribe(digest="team")
    second = await world.subscribe(OTHER, digest="team")
    world.platform.forbidden, world.platform.forbidden_in = titles((bad,)), {OTHER}
    world.now = START + timedelta(hours=1)
    await world.tick()
    (kept,), (replaced,) = await world.ledger.history(first.id), await world.ledger.history(second.id)
    assert kept.papers == (bad,)
    assert replaced.state == "posted"
    assert bad not in replaced.papers
    asked = Dispatcher(lambda: LIBRARY, all_commands(), storage=world.storage, connections=connected())
    assert {one.paper.id for one in (await asked.say("seen", User("U1"), PLACE)).papers} >= {bad}
    assert bad not in {one.paper.id for one in (await asked.say("seen", User("U1"), OTHER)).papers}


async def test_a_thread_is_about_what_stands_above_it(world: World) -> None:
    (bad,) = await undisturbed(thread=True)
    world.platform.forbidden = titles((bad,))
    entry = await world.subscribe(thread=True)
    world.now = START + timedelta(hours=1)
    await world.tick()
    main, thread = await world.ledger.history(entry.id)
    assert (main.state, thread.state) == ("posted", "posted")
    assert thread.papers == main.papers


async def test_a_thread_that_is_refused_is_left_out(world: World) -> None:
    (paper,) = await undisturbed(thread=True)
    found = LIBRARY.corpus.get(paper)
    assert found is not None
    world.platform.forbidden = {found.text[-40:]}
    entry = await world.subscribe(thread=True)
    world.now = START + timedelta(hours=1)
    await world.tick()
    main, thread = await world.ledger.history(entry.id)
    assert (main.state, thread.state) == ("posted", "failed")
