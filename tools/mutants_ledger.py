"""Harmful changes of the ledger: durations, who has a row, what becomes of it, planning; see tools/mutants.py."""

from mutant import LEDGER, Mutant, at, edge

COUNTS = edge("what_durations_count_on")
FAULTS = at("digest_ledger", "a_fault_neither_loses_nor_doubles")
GIVEN_UP = at("digest_ledger", "what_is_given_up_is_told_once_with_its_reason")
TAKES_OVER = at("digest_time", "whoever_takes_over_sends_nothing_before_the_quiet_time_is_over")
ARCHIVED = at("digest_ledger", "archived_for_three_days_is_one_notice")
STEPS = at("digest_time", "a_step_of_the_clock_changes_no_quiet_time")
STOPPED = at("digest_time", "stopped_once_it_said_that_it_sends_it_sends_nothing")

MUTANTS = (
    # the ledger: durations
    Mutant(
        "the quiet time is halved", LEDGER, "QUIET = timedelta(seconds=90)", "QUIET = timedelta(seconds=45)", COUNTS
    ),
    Mutant(
        "a lease is shorter than the quiet time",
        LEDGER,
        "LEASE = timedelta(minutes=2)",
        "LEASE = timedelta(minutes=1)",
        COUNTS,
    ),
    Mutant(
        "a send may begin a minute late",
        LEDGER,
        "SEND_WITHIN = timedelta(seconds=8)",
        "SEND_WITHIN = timedelta(seconds=60)",
        COUNTS,
    ),
    Mutant(
        "a request may leave a minute late",
        LEDGER,
        "LEAVES_WITHIN = timedelta(seconds=28)",
        "LEAVES_WITHIN = timedelta(seconds=60)",
        COUNTS,
    ),
    Mutant(
        "durations are by the clock that may be set",
        LEDGER,
        "self._steady = steady or steady_of(clock)",
        "self._steady = lambda: clock().timestamp()",
        STEPS,
    ),
    Mutant(
        "the time of a send is never noted",
        LEDGER,
        '{"sent_ms": 0.0}, state="sending"',
        '{}, state="sending"',
        TAKES_OVER,
    ),
    Mutant(
        "the time of a send is that of its first attempt",
        LEDGER,
        '{"sent_ms": 0.0}, state="sending"',
        '{"sent_ms": 0.0} if posting.sent is None else {}, state="sending"',
        edge("the_time_of_a_send_is_that_of_its_latest_attempt"),
    ),
    Mutant(
        "an earlier attempt's quiet time stands for a later one's",
        LEDGER,
        "if self._sent.get(posting.key, (0, 0.0))[0] == posting.attempts:",
        "if posting.key in self._sent:",
        edge("a_later_attempt_of_another_is_quiet_from_its_own_time"),
    ),
    Mutant(
        "the quiet time begins anew whenever it is asked",
        LEDGER,
        "if self._sent.get(posting.key, (0, 0.0))[0] == posting.attempts:",
        "if False:",
        STEPS,
    ),
    Mutant(
        "another life's clock is trusted on SQLite",
        LEDGER,
        "        if self._database.is_sqlite:\n            self._unknown",
        "        if False:\n            self._unknown",
        at("digest_time", "what_an_earlier_life_may_have_sent_is_quiet_from_when_it_is_found"),
    ),
    Mutant(
        "the server's clock is not asked how long ago it was",
        LEDGER,
        "ago = max(0, now - to_ms(posting.sent)) / 1000",
        "ago = 0.0",
        at("digest_time", "leases_and_quiet_time_are_by_the_servers_clock_where_there_is_one"),
    ),
    Mutant(
        "nothing is ever quiet for too short",
        LEDGER,
        "return self._quiet_left(posting) <= 0",
        "return True",
        TAKES_OVER,
    ),
    Mutant(
        "a send begins however late it is",
        LEDGER,
        "return self._steady() > send.noted + SEND_WITHIN.total_seconds()",
        "return False",
        STOPPED,
    ),
    Mutant(
        "a request leaves however late it is",
        LEDGER,
        "return self._steady() > send.noted + LEAVES_WITHIN.total_seconds()",
        "return False",
        at("digest_time", "stopped_right_before_its_request_leaves_while_another_takes_over"),
    ),
    Mutant(
        "history is looked through as far as our clock says",
        LEDGER,
        "return max(since_sent, self.age(posting)) + (LOOK_BACK",
        "return self.age(posting) + (LOOK_BACK",
        edge("what_arrived_before_the_clock_was_set_is_found"),
    ),
    Mutant(
        "what an earlier life sent is looked for an hour back",
        LEDGER,
        "(LOOK_BACK if known else LOOK_FAR_BACK)",
        "LOOK_BACK",
        at("digest_time", "a_message_of_a_life_that_ended_hours_ago_is_found_by_whatever_clock"),
    ),
    # the ledger: who has a row
    Mutant(
        "a worker sends after it lost its lease",
        LEDGER,
        '        if not await self._write(posting, {"sent_ms": 0.0}, state="sending", attempts=attempts):\n'
        "            return None\n",
        '        await self._write(posting, {"sent_ms": 0.0}, state="sending", attempts=attempts)\n',
        at("digest_ledger", "a_worker_that_lost_its_lease_writes_nothing"),
    ),
    Mutant(
        "whoever had a row may write to it for ever",
        LEDGER,
        "postings.c.holder == self._holder\n",
        "sa.true()\n",
        at("digest_time", "who_is_no_holder_any_more_writes_nothing"),
    ),
    Mutant(
        "a holder whose lease ran out cannot say that it posted",
        LEDGER,
        "postings.c.holder == self._holder\n",
        "postings.c.holder == self._holder,\n            postings.c.lease_ms > await self._time.now(connection),\n",
        edge("who_posted_says_so_also_late_where_nobody_could_look"),
    ),
    Mutant(
        "a send does not renew the lease",
        LEDGER,
        'Change(posting.key, values, {"lease_ms": self._lease.total_seconds(), **after})',
        "Change(posting.key, values, after)",
        edge("each_step_renews_the_lease"),
    ),
    Mutant(
        "what was rendered does not renew the lease",
        LEDGER,
        '{"lease_ms": lease},',
        "{},",
        edge("each_step_renews_the_lease"),
    ),
    Mutant(
        "a claim takes what another has",
        LEDGER,
        "                    _over(postings.c.lease_ms, now, self._lease),\n",
        "",
        at("digest_time", "replicas_whose_looks_at_the_clock_differ_a_little_take_nothing_from_each_other"),
    ),
    Mutant(
        "a claim takes what is to wait",
        LEDGER,
        "                    _over(postings.c.not_before_ms, now, LONGEST_WAIT),\n",
        "",
        at("digest_slack", "429_waits_as_long_as_slack_says"),
    ),
    Mutant(
        "a worker takes its own rows once more",
        LEDGER,
        "                    postings.c.key.not_in(besides),\n",
        "",
        at("digest_time", "the_holder_may_write_that_it_posted_also_late"),
    ),
    Mutant(
        "a thread does not wait for its paper",
        LEDGER,
        "                    ready,\n",
        "",
        edge("a_thread_waits_for_its_paper"),
    ),
    Mutant(
        "a lease that a clock ahead gave lasts for days",
        LEDGER,
        "return sa.or_(until <= now, until > now + _ms(longest) + STEP_MS)",
        "return until <= now",
        at("digest_time", "a_posting_that_a_clock_far_ahead_leased_is_free"),
    ),
    Mutant(
        "a lease given a moment ago counts as a clock's that was ahead",
        LEDGER,
        "until > now + _ms(longest) + STEP_MS",
        "until > now + _ms(longest)",
        at("digest_time", "replicas_whose_looks_at_the_clock_differ_a_little_take_nothing_from_each_other"),
    ),
    # the ledger: what becomes of a posting
    Mutant(
        "what may have been posted is sent again at once",
        LEDGER,
        'self._release(posting, "sending", left + 1.0',
        'self._release(posting, "rendered", left + 1.0',
        FAULTS,
    ),
    Mutant(
        "what is put off forgets that it may have been posted",
        LEDGER,
        "return await self._release(posting, None, seconds, note)",
        'return await self._release(posting, "rendered", seconds, note)',
        edge("a_fault_of_ours_while_looking_sends_nothing"),
    ),
    Mutant(
        "what surely was not posted is looked for",
        LEDGER,
        'return await self._release(posting, "rendered", seconds, note)',
        'return await self._release(posting, "sending", seconds, note)',
        STOPPED,
    ),
    Mutant(
        "what was begun in time is given up with its window",
        LEDGER,
        "(longest + TRYING if posting.attempts else longest)",
        "longest",
        edge("what_was_begun_in_time_is_tried_for_a_while_more"),
    ),
    Mutant(
        "nothing is ever too late to be posted",
        LEDGER,
        "return self.age(posting) <= (",
        "return bool(posting.key) or (",
        GIVEN_UP,
    ),
    Mutant(
        "open postings are dropped when they are old",
        LEDGER,
        "sa.and_(postings.c.due_ms < limit, postings.c.state.not_in(OPEN)),",
        "postings.c.due_ms < limit,",
        at("digest_kept", "postings_that_ended_are_kept_two_years"),
    ),
    Mutant(
        "papers that may have been posted are given back",
        LEDGER,
        'postings.c.state.not_in(("failed", "skipped")),',
        'postings.c.state.in_(("posted",)),',
        edge("what_one_channel_may_have_got_is_not_given_back_for_another"),
    ),
    # planning
    Mutant(
        "held channels are owed their papers",
        LEDGER,
        "self._turns(now, subscriptions.c.held_for.is_(None))",
        "self._turns(now)",
        (*ARCHIVED, *edge("a_held_channel_is_asked_after_once_an_hour_and_stays_held_as_long_as_it_refuses")),
    ),
    Mutant(
        "held channels are asked after at every tick",
        LEDGER,
        "values(next_ms=to_ms(now + PROBE_EVERY))",
        "values(next_ms=to_ms(now))",
        edge("a_held_channel_is_asked_after_once_an_hour_and_stays_held_as_long_as_it_refuses"),
    ),
    Mutant(
        "a clock that is set back leaves turns days too late",
        LEDGER,
        "        await self._plan_anew_where_set_back(now)\n",
        "",
        at("digest_time", "what_a_clock_that_was_ahead_put_off_comes_in_its_time"),
    ),
    Mutant(
        "a bad row is not held",
        LEDGER,
        '                turns.append({"its_id": row["id"], "its_turn": None, "its_trouble": UNREADABLE})\n',
        "",
        at("digest_rows", "a_bad_row_is_held_with_words_and_stops_no_other"),
    ),
    Mutant(
        "what is late does not say so",
        LEDGER,
        "late = now - run.at > timedelta(minutes=5)",
        "late = False",
        at("digest_ledger", "restart_across_the_slot_catches_up_and_says_so"),
    ),
    Mutant(
        "a delivery beside today's has the key of the latest",
        LEDGER,
        "Part(Part.of(highest or 0).delivery + 1)",
        "Part(Part.of(highest or 0).delivery)",
        at("digest_ledger", "now_uses_up_todays_slot_unless_extra"),
    ),
    Mutant(
        "what is asked for now has no thread",
        LEDGER,
        "            if entered and entry.thread:\n",
        "            if False:\n",
        at("digest_slack", "thread_has_the_abstract_as_its_first_reply"),
    ),
)
