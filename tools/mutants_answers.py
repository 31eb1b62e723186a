"""Harmful changes of what answers people; see tools/mutants.py."""

from mutant import Mutant

CONVERSATION = "bot/adapters/conversation.py"
SLACK = ("tests/test_slack_faults.py",)
LIFE = ("tests/test_slack_life.py", "tests/test_discord_serving.py")
BOTH = ("tests/test_slack_surfaces.py", "tests/test_discord_buttons.py")
COMMANDS = ("tests/test_conversations.py", "tests/test_digest_commands.py")

MUTANTS = (
    Mutant(
        "an event that came again is answered again",
        CONVERSATION,
        "        return claim.result()\n",
        "        return True\n",
        SLACK,
    ),
    Mutant(
        "the work comes before the acknowledgement",
        CONVERSATION,
        "                if not may or not await request.acknowledge():\n                    return\n"
        "                surface = request.surface()\n"
        "                if surface is not None and await self._is_new(surface):\n"
        "                    await self._done(surface, work)\n",
        "                if not may:\n                    return\n"
        "                surface = request.surface()\n"
        "                if surface is not None and await self._is_new(surface):\n"
        "                    await self._done(surface, work)\n"
        "                await request.acknowledge()\n",
        SLACK,
    ),
    Mutant(
        "a store that answers nobody is waited for",
        CONVERSATION,
        "while not claim.done() and before != self._claims_answered:",
        "while not claim.done():",
        ("tests/test_slack_faults.py",),
    ),
    Mutant(
        "a store that fails costs the answer",
        CONVERSATION,
        "        failure = claim.exception() if claim.done() else TimeoutError()\n",
        "        failure = None if claim.done() else TimeoutError()\n",
        ("tests/test_slack_faults.py",),
    ),
    Mutant(
        "a personal answer is shown to all after a mention",
        CONVERSATION,
        "        elif personal(",
        "        elif False and personal(",
        ("tests/test_slack_surfaces.py",),
    ),
    Mutant(
        "a personal answer may be shared",
        CONVERSATION,
        "may_share=self._sharing and surface.shareable and not own",
        "may_share=self._sharing and surface.shareable",
        BOTH,
    ),
    Mutant(
        "sharing cannot be switched off",
        CONVERSATION,
        "may_share=self._sharing and surface.shareable and not own",
        "may_share=surface.shareable and not own",
        BOTH,
    ),
    Mutant(
        "anybody takes a post back",
        CONVERSATION,
        "        if action.sharer != surface.user.id:\n",
        "        if False:\n",
        BOTH,
    ),
    Mutant(
        "rights to share are not asked for",
        CONVERSATION,
        "            if (problem := await surface.may_share()) is not None:\n",
        "            if (problem := await surface.may_share()) is not None and False:\n",
        BOTH,
    ),
    Mutant(
        "a failing answer is not told",
        CONVERSATION,
        "            await surface.show(Answer(mishap(reference), ",
        "            Answer(mishap(reference), ",
        SLACK,
    ),
    Mutant(
        "what is in flight is cut at the end",
        CONVERSATION,
        "        _, late = await asyncio.wait(set(self._in_flight), timeout=seconds)\n",
        "        _, late = await asyncio.wait(set(self._in_flight), timeout=0)\n",
        LIFE,
    ),
    Mutant(
        "a bot that stops takes new requests",
        CONVERSATION,
        "            yield not self._closed\n",
        "            yield True\n",
        LIFE,
    ),
    Mutant(
        "queries are always logged",
        CONVERSATION,
        "        if self._log_queries:\n",
        "        if True:\n",
        SLACK,
    ),
    Mutant(
        "what is not offered is allowed",
        "bot/commands/dispatch.py",
        "        if command.needs in offers:\n",
        "        if True:\n",
        COMMANDS,
    ),
    Mutant(
        "what is not offered is listed",
        "bot/commands/base.py",
        "tuple(command for command in self.all if command.needs in offers)",
        "tuple(command for command in self.all)",
        COMMANDS,
    ),
    Mutant(
        "a platform that is not connected is taken for connected",
        "bot/connections.py",
        "(one := self._standing.get(name)) is not None and one.alive()",
        "(one := self._standing.get(name)) is None or one.alive()",
        ("tests/test_health.py",),
    ),
    Mutant(
        "between tries digests are promised",
        "bot/commands/dispatch.py",
        "            if by_itself and self.connections.of(channel.platform) is None:\n",
        "            if False:\n",
        COMMANDS,
    ),
    Mutant(
        "options keep their typographic characters",
        "bot/commands/dispatch.py",
        "        plain = straighten(value) if isinstance(value, str) else value\n",
        "        plain = value\n",
        ("tests/test_text.py",),
    ),
    Mutant(
        "an answer waits until its list is written",
        "bot/store/inbound.py",
        "self._writes.begin(_ListKey(user.id, channel), lambda: self._write(user, channel))",
        "await self._write(user, channel)",
        ("tests/test_store_later.py",),
    ),
    Mutant(
        "a list that is being written is not known",
        "bot/store/inbound.py",
        "        await self._own.put(user, channel, shown)\n",
        "",
        ("tests/test_store_later.py",),
    ),
    Mutant(
        "a list stays in memory once it is written",
        "bot/store/inbound.py",
        "            self._own.drop(user, channel, shown)\n",
        "            pass\n",
        ("tests/test_store_later.py",),
    ),
    Mutant(
        "an older list of this process hides a later one",
        "bot/store/inbound.py",
        "stored.made_at <= own.made_at",
        "True",
        ("tests/test_store_later.py",),
    ),
    Mutant(
        "a task that fails stays down",
        "bot/operate/supervise.py",
        "                self.failing.discard(name)\n                pause = min(2 * pause, LONGEST_PAUSE)\n",
        "                return\n",
        ("tests/test_supervise.py",),
    ),
    Mutant(
        "sessions close under a post",
        "bot/adapters/services.py",
        "            await asyncio.wait_for(self.idle.wait(), SEND_SECONDS)\n",
        "            pass\n",
        ("tests/test_digest_slack.py", "tests/test_digest_discord.py"),
    ),
    Mutant(
        "a request of discord.py is cut short",
        "bot/adapters/discord/posting.py",
        "        self._late[key] = sending\n",
        "        self._late[key] = sending\n        sending.cancel()\n",
        ("tests/test_digest_discord.py",),
    ),
    Mutant(
        "a post that is still under way is looked for in history",
        "bot/adapters/discord/posting.py",
        '                raise RetryLaterError("it is still being posted", 5)\n',
        "                pass\n",
        ("tests/test_digest_discord.py",),
    ),
    Mutant(
        "the person's own team is taken for the workspace",
        "bot/adapters/slack/handlers.py",
        "    return (known and known.team_id) or context.team_id",
        "    return context.actor_team_id or context.team_id",
        ("tests/test_slack_surfaces.py",),
    ),
    Mutant(
        "anybody has a channel told of news",
        "bot/commands/keep.py",
        "    if public:\n        await may_manage(context, invocation)\n",
        "    if public:\n",
        ("tests/test_digest_commands.py",),
    ),
    Mutant(
        "anybody ends what others have told to a channel",
        "bot/commands/keep.py",
        "    await may_manage(context, invocation)\n    await fetch(storage_of(context).watches.drop_told_to",
        "    await fetch(storage_of(context).watches.drop_told_to",
        ("tests/test_digest_commands.py",),
    ),
    Mutant(
        "a library that is replaced is never freed",
        "bot/search/documents.py",
        "        self.term = lru_cache(_REMEMBERED)(partial(_term, self.schema, count))\n",
        "        self.term = lru_cache(_REMEMBERED)(lambda *given: _term(self.schema, count, *given))\n",
        ("tests/test_library.py",),
    ),
    Mutant(
        "the signs of offsets are those of the data",
        "bot/schedule/zones.py",
        "{'-' if signed > 0 else '+'}",
        "{'+' if signed > 0 else '-'}",
        ("tests/test_digest_commands.py",),
    ),
)
