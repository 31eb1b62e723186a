"""Harmful changes of what platforms refuse, of what the bot says by itself, and of ways out; see tools/mutants.py."""

from mutant import DELIVER, LEDGER, Mutant, at

REFUSED = ("tests/test_digest_refused.py",)
NEWS = ("tests/test_news.py",)
FAULTS = "slack_faults"

MUTANTS = (
    Mutant(
        "a paper that is refused for what it says ends the day",
        DELIVER,
        "            await self._replace(entry, posting, words)\n",
        "            await ledger.failed(posting, words)\n",
        REFUSED,
    ),
    Mutant(
        "of several papers all go with the one that is refused",
        DELIVER,
        "            await ledger.anew(posting, posting.papers[1:], words)\n",
        "            await ledger.anew(posting, (), words)\n",
        REFUSED,
    ),
    Mutant(
        "choices are refused without end",
        DELIVER,
        "        elif posting.replaced < MOST_REPLACED:\n",
        "        elif posting.replaced < 3 * MOST_REPLACED:\n",
        REFUSED,
    ),
    Mutant(
        "a channel of the wrong kind costs papers",
        "bot/adapters/discord/permissions.py",
        "        case 400, code if code not in _OF_THE_CHANNEL:\n",
        "        case 400, code:\n",
        at("digest_discord", "a_400_that_is_a_matter_of_the_channel_pauses_it"),
    ),
    Mutant(
        "a date that had its paper is promised another",
        "bot/commands/channel_digest.py",
        " if run.day not in done]",
        "]",
        at("digest_commands", "what_is_said_of_the_future_is_what_comes"),
    ),
    Mutant(
        "a post is promised in a channel that is held",
        "bot/commands/digest.py",
        '        raise UserError(f"Posts are held here: {reason}" if entry.held_for else reason)\n',
        "        pass\n",
        at("digest_commands", "now_in_a_held_channel_says_that_it_is_held"),
    ),
    Mutant(
        "each replica tells the news",
        "bot/store/known.py",
        "announce(learnt - {_FIRST_LOOK})",
        "announce(set(papers))",
        NEWS,
    ),
    Mutant(
        "a notice is not kept with what it is about",
        LEDGER,
        "        if entered := [dict(row) for change in held for row in change.announced]:\n",
        "        if entered := []:\n",
        NEWS,
    ),
    Mutant(
        "what is to be said besides digests is never claimed",
        LEDGER,
        "postings.c.platform.in_(announcing)",
        "sa.false()",
        NEWS,
    ),
    Mutant(
        "news are tried for ever",
        LEDGER,
        "            return self.age(posting) <= TELL_WITHIN\n",
        "            return True\n",
        NEWS,
    ),
    Mutant(
        "watches stay behind when a channel gets another id",
        "bot/store/moves.py",
        '    (watches, ("user", "query")),\n',
        "",
        ("tests/test_moves.py",),
    ),
    Mutant(
        "what was posted is posted again when somebody asks",
        LEDGER,
        'postings.c.part == MAIN.number, postings.c.state == "unconfirmed")',
        "postings.c.part == MAIN.number)",
        at("digest_slack", "who_looked_has_what_was_not_confirmed_sent_again"),
    ),
    Mutant(
        "a press in a post confirms nothing",
        "bot/adapters/slack/posting.py",
        'Action("open", one.call, sharer=key)',
        'Action("open", one.call)',
        at("digest_slack", "a_press_in_the_post_confirms_it"),
    ),
    Mutant(
        "what may have arrived is told to have failed",
        "bot/adapters/conversation.py",
        "        if isinstance(error, UnansweredError):\n",
        "        if False:\n",
        at(FAULTS, "an_answer_that_may_have_arrived_is_not_told_to_have_failed"),
    ),
    Mutant(
        "where the channel refuses, who asked hears nothing",
        "bot/adapters/slack/surface.py",
        "            if error.code in CONTENT or not isinstance(aside := self.aside, Ephemeral):\n",
        "            if True or not isinstance(aside := self.aside, Ephemeral):\n",
        at("slack_surfaces", "a_mention_where_the_bot_may_not_post_is_answered_to_the_person"),
    ),
    Mutant(
        "a form stays at Searching where the store is slow",
        "bot/adapters/slack/handlers.py",
        "            if origin.url or origin.channel:\n                return await given.now()\n",
        "",
        at(FAULTS, "a_form_does_not_stay_at_searching_where_the_store_is_slow"),
    ),
    Mutant(
        "the end of a request cuts an installation",
        "bot/adapters/slack/http.py",
        "        return await asyncio.shield(task)\n",
        "        return await task\n",
        at("slack_http", "an_installation_is_kept_whatever_becomes_of_its_request"),
    ),
    Mutant(
        "a token is lost where the store was away",
        "bot/adapters/slack/oauth.py",
        "                if not left:\n",
        "                if True:\n",
        at("slack_http", "a_renewed_token_is_kept_also_where_the_store_was_away"),
    ),
    Mutant(
        "requests that were held up begin all at once",
        "bot/adapters/discord/pace.py",
        "            self._last = self._clock()\n",
        "            self._last = max(self._last + self._gap, 0.0)\n",
        ("tests/test_discord_pace.py",),
    ),
    Mutant(
        "a platform that answers no send is ready",
        "bot/operate/health.py",
        '        results |= {f"{name} takes posts": False for name in sorted(self.unanswered())}\n',
        "",
        ("tests/test_health.py",),
    ),
)
