"""What operators of such bots run into: each story by its name, proved here or where it is proved already."""

import ast
from collections import Counter
from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import date, timedelta
from pathlib import Path

import pytest
from databases import database_url
from digest_world import DAY, PLACE, START, World

from bot.schedule.values import MAIN, posting_key
from bot.store.database import Database
from bot.store.subscriptions import KEPT

TESTS = Path(__file__).resolve().parent

STORIES = {
    "restart across the slot": "digest_ledger::test_restart_across_the_slot_catches_up_and_says_so",
    "a month's pause": "operator_stories::test_a_months_pause_leaves_no_backlog",
    "first subscription": "operator_stories::test_the_first_post_is_at_the_next_slot",
    "no match for the filter": "digest_ledger::test_no_match_for_the_topic_posts_nothing_and_says_why",
    "never an empty thread": "operator_stories::test_no_match_leaves_no_empty_thread",
    "pool used up": "digest_ledger::test_no_paper_twice_until_the_pool_is_used_up_then_a_new_round_is_announced_once",
    "renamed or made private": "digest_slack::test_renamed_or_made_private_keeps_working",
    "removed and added again": "operator_stories::test_removed_and_added_again_keeps_the_settings",
    "removed for long": "operator_stories::test_settings_outlive_the_removal_by_ninety_days",
    "uninstalled and installed again": "slack_http::test_an_app_that_is_removed_and_installed_again_keeps_its_digests",
    "a token that ran out": "slack_http::test_a_token_that_ran_out_is_renewed_before_a_scheduled_post",
    "archived for three days": "digest_slack::test_archived_is_one_notice_and_resumes_by_itself",
    "429 on a later part": "digest_slack::test_429_on_the_second_part_continues_there",
    "rejected rich message": "digest_slack::test_rejected_rich_message_is_sent_as_plain_text",
    "seen only if posted": "operator_stories::test_a_paper_counts_as_seen_only_if_it_was_posted",
    "an emoji at the cut": "discord_render::test_an_emoji_at_the_cut_of_a_long_text",
    "ten subscriptions during a digest": "digest_slack::test_ten_subscriptions_during_a_digest",
    "same payload twice, Slack": "slack_faults::test_the_same_command_shortcut_and_press_twice_are_answered_once",
    "same payload twice, Discord": "discord_buttons::test_delivered_twice_is_answered_once_also_by_two_replicas",
    "install revoked, Slack": "digest_slack::test_a_revoked_install_pauses_without_a_word_to_anyone",
    "install revoked, Discord": "digest_discord::test_token_reset_pauses_the_install",
    "a permission is missing": "digest_discord::test_missing_permission_is_named_told_once_and_resumes_by_itself",
    "one channel's trouble": "digest_ledger::test_one_channels_trouble_stops_no_other",
    "times in YAML": "digest_declared::test_times_as_operators_write_them",
    "times that YAML made numbers": "digest_declared::test_a_time_that_yaml_made_a_number_of_is_explained",
    "channel: #papers": "digest_declared::test_a_channel_behind_a_hash_is_a_comment_and_said_so",
    "gaps and repeated hours": "digest_schedule::test_instant_of_a_date",
    "every zone, sampled": "digest_schedule::test_sample_of_the_zone_sweep",
    "a stall is one late tick": "digest_schedule::test_ticks_at_any_time_find_each_date_exactly_once",
    "three replicas": "digest_ledger::test_three_replicas_deliver_once",
    "a year": "digest_year::test_a_year_of_fifty_channels_misses_and_doubles_nothing",
    "killed at every step": "digest_ledger::test_killed_at_every_step",
    "reading while another writes": "store::test_reading_waits_for_nobody_who_writes",
}


@pytest.mark.parametrize("story", STORIES)
def test_each_story_has_a_test(story: str) -> None:
    module, _, name = STORIES[story].partition("::")
    tree = ast.parse((TESTS / f"test_{module}.py").read_text())
    assert name in {node.name for node in tree.body if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))}


@pytest.fixture(params=["sqlite", "postgresql"])
async def world(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[World]:
    async with database_url(request.param, tmp_path) as url:
        database = await Database.open(url)
        yield World(database)
        await database.close()


async def test_the_first_post_is_at_the_next_slot(world: World) -> None:
    world.now = START + timedelta(hours=1, minutes=1)  # a minute past nine
    entry = await world.subscribe()
    await world.pass_time(timedelta(hours=22), timedelta(minutes=10))
    assert not world.posts()
    await world.pass_time(timedelta(hours=2), timedelta(minutes=10))
    assert world.posts() == Counter({posting_key(entry.id, date(2026, 7, 2), MAIN): 1})


async def test_a_months_pause_leaves_no_backlog(world: World) -> None:
    entry = await world.subscribe()
    paused = replace(entry, schedule=replace(entry.schedule, paused_until=date(2026, 8, 1)))
    await world.subscriptions.put(paused)
    await world.pass_time(timedelta(days=30, hours=12), timedelta(hours=1))
    assert not world.posts()
    await world.pass_time(timedelta(days=1), timedelta(hours=1))
    assert world.posts() == Counter({posting_key(entry.id, date(2026, 8, 1), MAIN): 1})


async def test_no_match_leaves_no_empty_thread(world: World) -> None:
    entry = await world.subscribe(topic="sourdough bread recipe", thread=True)
    await world.pass_time(timedelta(hours=2), timedelta(minutes=10))
    assert not world.platform.messages
    assert {row.state for row in await world.ledger.history(entry.id)} == {"skipped"}


async def test_removed_and_added_again_keeps_the_settings(world: World) -> None:
    entry = await world.subscribe(topic="experts", count=2)
    assert await world.subscriptions.was_removed("slack", "T1") == 1
    await world.pass_time(timedelta(days=3), timedelta(hours=1))
    assert not world.posts()
    assert await world.subscriptions.came_back("slack", "T1") == 1
    again = await world.subscriptions.of(PLACE)
    assert again is not None
    assert (again.id, again.topic, again.count, again.ended, again.held_for) == (entry.id, "experts", 2, None, None)
    await world.pass_time(timedelta(days=1), timedelta(hours=1))
    assert sum(world.posts().values()) == 1, "no backlog"


async def test_settings_outlive_the_removal_by_ninety_days(world: World) -> None:
    await world.subscribe()
    await world.subscriptions.was_removed("slack", "T1")
    assert timedelta(days=90) == KEPT
    world.now += timedelta(days=90)
    assert await world.subscriptions.forget_old() == 0
    world.now += timedelta(seconds=1)
    assert await world.subscriptions.forget_old() == 1
    assert await world.subscriptions.came_back("slack", "T1") == 0


async def test_a_paper_counts_as_seen_only_if_it_was_posted(world: World) -> None:
    entry = await world.subscribe()
    owner = f"channel:{entry.id}"
    world.platform.fault = "archived"
    world.now = START + timedelta(hours=1)
    await world.tick()
    (row,) = await world.ledger.history(entry.id)
    assert (row.state, row.day) == ("failed", DAY)
    assert await world.deliverer._storage.picks.all(owner) == []
    world.platform.fault = None
    await world.subscriptions.end_hold(entry.id)
    await world.pass_time(timedelta(days=1, minutes=30), timedelta(minutes=30))
    assert [one.slot[:10] for one in await world.deliverer._storage.picks.all(owner)] == ["2026-07-02"]


async def test_a_shared_pick_counts_as_seen_where_one_channel_got_it(world: World) -> None:
    closed = replace(PLACE, channel="C2")
    entry = await world.subscribe(digest="team")
    await world.subscribe(closed, digest="team")
    world.now = START + timedelta(hours=1)
    await world.tick()
    rows = [row for row in await world.ledger.history(entry.id) if row.state == "posted"]
    assert rows
    await world.deliverer._release(entry, replace(rows[0], state="failed"))
    assert len(await world.deliverer._storage.picks.all("digest:team")) == 1
