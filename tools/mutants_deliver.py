"""Harmful changes of delivering: deliverer, ticks, stopping, leases, the wire, news; see tools/mutants.py."""

from mutant import DELIVER, LEASES, STORE, Mutant, at, edge

DEPARTURE = "bot/connections.py"
FAULTS = at("digest_ledger", "a_fault_neither_loses_nor_doubles")
BLIND = at("digest_ledger", "without_history_an_ambiguous_post_is_unconfirmed_and_never_sent_again")
TAKES_OVER = at("digest_time", "whoever_takes_over_sends_nothing_before_the_quiet_time_is_over")
GIVEN_UP = at("digest_ledger", "what_is_given_up_is_told_once_with_its_reason")
ARCHIVED = at("digest_ledger", "archived_for_three_days_is_one_notice")
LEASE_TESTS = at("store", "a_lease_has_one_holder", "a_lease_that_ran_out_is_free")
AHEAD = at("digest_time", "a_lease_of_a_clock_that_was_ahead_is_over")
SLACK_LATE = at("digest_slack", "what_became_too_late_before_its_bytes_are_written_does_not_leave")
DISCORD_LATE = at("digest_discord", "what_became_too_late_before_its_bytes_are_written_does_not_leave")
SLACK, DISCORD = "bot/adapters/slack/posting.py", "bot/adapters/discord/posting.py"

MUTANTS = (
    # the deliverer
    Mutant(
        "whether it is in time is asked before the look",
        DELIVER,
        '        if posting.state == "sending" and not await self._reconcile(to, posting, poster, where, parent):\n'
        "            return\n"
        "        if not ledger.in_time(to, posting):\n",
        '        if ledger.in_time(to, posting) and posting.state == "sending":\n'
        "            if not await self._reconcile(to, posting, poster, where, parent):\n                return\n"
        "        if not ledger.in_time(to, posting):\n",
        edge("what_was_posted_before_a_long_stop_is_found_though_it_is_late_by_now"),
    ),
    Mutant(
        "an unexpected error while sending counts as not sent",
        DELIVER,
        'await ledger.look_later(posting, "a fault of ours")',
        'await ledger.try_again(posting, 5, "a fault of ours")',
        edge("a_fault_of_ours_once_it_was_posted_is_looked_for"),
    ),
    Mutant(
        "a lost answer counts as not sent",
        DELIVER,
        "            await ledger.look_later(posting, str(error))\n        except (ContentRefusedError",
        "            await ledger.try_again(posting, 5, str(error))\n        except (ContentRefusedError",
        FAULTS,
    ),
    Mutant(
        "a rate limit ends a posting",
        DELIVER,
        "await ledger.try_again(posting, error.seconds or backoff, str(error))",
        "await ledger.failed(posting, str(error))",
        FAULTS,
    ),
    Mutant(
        "what the platform asks to wait is not waited",
        DELIVER,
        "error.seconds or backoff",
        "0.0 * backoff",
        at("digest_slack", "429_waits_as_long_as_slack_says"),
    ),
    Mutant(
        "without history it is sent again",
        DELIVER,
        "                await self._end(to, words, partial(ledger.unconfirmed, posting, note))\n"
        "                return False\n",
        "                return bool(words and note)\n",
        BLIND,
    ),
    Mutant(
        "an unconfirmed post is told to nobody",
        DELIVER,
        "                await self._end(to, words, partial(ledger.unconfirmed, posting, note))\n"
        "                return False\n",
        "                await ledger.unconfirmed(posting, note)\n                return False\n",
        BLIND,
    ),
    Mutant(
        "a look before the quiet time is over is enough",
        DELIVER,
        "                if quiet_is_over:\n",
        "                if True:\n",
        TAKES_OVER,
    ),
    Mutant(
        "a look that began before the quiet time was over is enough",
        DELIVER,
        "                if quiet_is_over:\n",
        "                if ledger.quiet_is_over(posting):\n",
        edge("a_look_that_begins_before_the_quiet_time_is_over_proves_nothing"),
    ),
    Mutant(
        "what is found is sent again",
        DELIVER,
        "                await ledger.posted(posting, found)\n                return False\n",
        "                return True\n",
        FAULTS,
    ),
    Mutant(
        "what cannot be looked for is looked for for ever",
        DELIVER,
        "            if ledger.age(posting) > GIVE_UP:\n",
        "            if False:\n",
        edge("what_cannot_be_looked_for_is_unconfirmed_after_a_day_and_told_once"),
    ),
    Mutant(
        "what is switched off is posted all the same",
        DELIVER,
        "if entry is None or (isinstance(entry, Subscription) and entry.ended is not None):",
        "if entry is None:",
        edge("what_is_switched_off_meanwhile_is_not_posted"),
    ),
    Mutant(
        "a thread is begun under nothing",
        DELIVER,
        "            if main is None or parent is None:\n",
        "            if main is None:\n",
        edge("a_thread_is_not_begun_under_what_is_not_confirmed"),
    ),
    Mutant(
        "a thread that cannot be begun holds the channel",
        DELIVER,
        "        elif posting.part.threaded:  # a thread that",
        "        elif not words:  # a thread that",
        at("digest_discord", "without_the_permission_for_threads_the_paper_is_posted_and_the_channel_goes_on"),
    ),
    Mutant(
        "the same trouble is told every day",
        DELIVER,
        'if entry.held_for == words[:200] or (main is not None and main.state == "failed"):',
        "if main is None and words == '':",
        ARCHIVED,
    ),
    Mutant(
        "papers of a channel that refuses are lost",
        DELIVER,
        "            await self._end(entry, paused, failed)\n        await self._release(entry, posting)\n",
        "            await self._end(entry, paused, failed)\n",
        edge("the_paper_of_a_channel_that_refuses_goes_back"),
    ),
    Mutant(
        "papers are given back whatever others may have got",
        DELIVER,
        "        if not await self._storage.ledger.may_be_posted(\n"
        "            {entry.id, *(one.id for one in sharing)}, posting.day, posting.part\n        ):\n",
        "        if sharing is not None:\n",
        edge("what_one_channel_may_have_got_is_not_given_back_for_another"),
    ),
    Mutant(
        "what is given up is told to nobody",
        DELIVER,
        "            ended = await self._end(to, words, skipped)\n",
        "            ended = await skipped(()) and bool(words)\n",
        GIVEN_UP,
    ),
    Mutant(
        "a hold ends though the platform still says no",
        DELIVER,
        "if not asked.done() or asked.result() is not None:",
        "if not asked.done():",
        edge("a_held_channel_is_asked_after_once_an_hour_and_stays_held_as_long_as_it_refuses"),
    ),
    Mutant(
        "held channels are asked before anything is delivered",
        DELIVER,
        "                self._probing = asyncio.create_task(self._probe())\n",
        "                self._probing = asyncio.create_task(self._probe())\n                await self._probing\n",
        at("digest_rows", "held_channels_that_answer_slowly_delay_no_delivery"),
    ),
    # ticks, readiness, stopping
    Mutant(
        "a plan that failed counts as made",
        DELIVER,
        "        await self._storage.ledger.plan()\n        self.planned = time.monotonic()\n",
        "        self.planned = time.monotonic()\n        await self._storage.ledger.plan()\n",
        at("digest_rows", "a_plan_that_fails_is_none_that_was_made"),
    ),
    Mutant(
        "nothing is planned during a delivery",
        DELIVER,
        "time.monotonic() - self.planned > TICK_SECONDS",
        "time.monotonic() < self.planned",
        at("digest_rows", "what_becomes_due_while_others_are_delivered_is_planned_meanwhile"),
    ),
    Mutant(
        "readiness does not know the last plan",
        "bot/operate/health.py",
        'for name, age in (("digest ticks", self.tick_age()), ("digest plans", self.plan_age())):',
        'for name, age in (("digest ticks", self.tick_age()),):',
        at("health", "ready_once_every_configured_platform_is_connected_and_the_digest_ticks"),
    ),
    Mutant(
        "a tick that hangs is waited for",
        DELIVER,
        "                if left <= 0:\n",
        "                if left <= 0 and not self._tick:\n",
        at("digest_ticks", "a_tick_that_hangs_is_given_up_and_the_next_goes_on"),
    ),
    Mutant(
        "a tick that gets on is given up",
        DELIVER,
        "                moved = max(moved, self.last or moved)\n",
        "",
        at("digest_ticks", "a_tick_that_gets_on_is_not_given_up"),
    ),
    Mutant(
        "ticks come by the wall clock alone",
        DELIVER,
        "await asyncio.wait_for(due.wait(), 1.5 * self._seconds)",
        "await due.wait()",
        at("digest_ticks", "ticks_go_on_when_the_clock_is_set"),
    ),
    Mutant(
        "a bot that stops claims more",
        DELIVER,
        "() if self._stopping() else self._connections",
        "self._connections",
        at("digest_ticks", "a_bot_that_stops_claims_nothing_more"),
    ),
    Mutant(
        "a bot that stops sends what it had claimed",
        DELIVER,
        "                if self._stopping():\n",
        "                if False:\n",
        at("digest_slack", "once_it_stops_nothing_more_is_begun"),
    ),
    Mutant(
        "what a bot that stops gives back waits for its lease",
        DELIVER,
        '                    await self._storage.ledger.put_off(posting, 0, "the bot was stopped")\n',
        "",
        at("digest_slack", "once_it_stops_nothing_more_is_begun"),
    ),
    # leases
    Mutant("a lease has two holders", LEASES, "sa.or_(leases.c.holder == holder, over)", "sa.true()", LEASE_TESTS),
    Mutant("a lease never ends", LEASES, "sa.or_(leases.c.expires_ms <= now, ", "sa.or_(", LEASE_TESTS),
    Mutant(
        "a lease cannot be renewed",
        LEASES,
        "free = sa.or_(leases.c.holder == holder, over)",
        "free = over",
        LEASE_TESTS,
    ),
    Mutant(
        "anybody gives a lease back",
        LEASES,
        "sa.delete(leases).where(leases.c.name == name, leases.c.holder == holder)",
        "sa.delete(leases).where(leases.c.name == name)",
        LEASE_TESTS,
    ),
    Mutant(
        "a lease of a clock that was ahead lasts as long as that was",
        LEASES,
        "sa.or_(leases.c.expires_ms <= now, leases.c.expires_ms > now + int(seconds * 1000) + STEP_MS)",
        "leases.c.expires_ms <= now",
        AHEAD,
    ),
    Mutant(
        "the server's clock is not asked",
        STORE,
        "self._asks = not database.is_sqlite and clock is system_clock",
        "self._asks = False",
        at("digest_time", "leases_and_quiet_time_are_by_the_servers_clock_where_there_is_one"),
    ),
    # the wire, and looking again
    Mutant(
        "bytes are written however late it is",
        DEPARTURE,
        "        departure.check()\n        departure.left = True\n",
        "        departure.left = True\n",
        at("digest_slack", "the_body_of_a_request_is_looked_at_as_well"),
    ),
    Mutant(
        "an earlier try of a request that was kept back is forgotten",
        DEPARTURE,
        "if self.kept_back and not self.left:",
        "if self.kept_back:",
        at("digest_discord", "a_further_try_that_comes_too_late_does_not_leave_and_the_first_is_looked_for"),
    ),
    Mutant(
        "Slack's requests are not watched", "bot/adapters/slack/serve.py", ", trace_configs=[watched()]", "", SLACK_LATE
    ),
    Mutant(
        "Discord's requests are not watched",
        "bot/adapters/discord/client.py",
        "            http_trace=watched(),\n",
        "",
        DISCORD_LATE,
    ),
    Mutant(
        "history is looked through for its latest message alone",
        SLACK,
        "at - ago.total_seconds() if earliest is None else earliest",
        "at if earliest is None else earliest",
        at("digest_slack", "history_is_looked_through_by_the_clock_of_its_messages"),
    ),
    Mutant(
        "Discord's history is looked through without the right to",
        DISCORD,
        "if guild is not None and not (await self._permissions(channel)).read_message_history:",
        "if False:",
        at("digest_discord", "without_read_message_history_it_is_reported_and_never_sent_again"),
    ),
    Mutant(
        "news has papers that were there before",
        "bot/digest/notify.py",
        "if hit.paper.id in fresh]",
        "if hit.paper.id]",
        ("tests/test_news.py",),
    ),
)
