"""What people say and do, in Slack: through the unmodified client libraries over sockets, by both modes."""

from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path

import pytest
from contract import CONTRACT, Surface
from conversations import CONVERSATIONS, Turn
from platforms.slack.people import Person
from platforms.slack.running import Running, running_bot
from platforms.slack.seen import elements
from platforms.slack.server import slack_server

from bot.adapters.actions import ActionCodec
from bot.adapters.slack.section import SlackSection

MODES = ("socket", "http")


@pytest.fixture(params=MODES)
async def bot(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Running]:
    async with slack_server() as server, running_bot(server, tmp_path, SlackSection(mode=request.param)) as running:
        yield running


async def typed(person: Person, running: Running) -> str:
    """What the buttons of the last answer stand for, as one would type it."""
    codec = ActionCodec(running.services.actions, 500)
    lines = []
    for element in elements(person.last().blocks):
        press = await codec.decode(element.element.get("value", ""))
        if press is not None:
            page = f" page:{press.call.arguments['page']}" if "page" in press.call.arguments else ""
            lines.append(f"{press.call.command} {press.call.arguments.get('query', '')}{page}")
    return "\n".join(lines)


def holds(answer: str, turn: Turn) -> None:
    flat = " ".join(answer.split())
    for expected in turn.expect:
        assert expected in flat, f"{turn.say!r} lacks {expected!r}:\n{answer}"
    for never in turn.never:
        assert never not in flat, f"{turn.say!r} holds {never!r}:\n{answer}"


@pytest.mark.parametrize("name", CONVERSATIONS)
async def test_conversation(name: str, bot: Running) -> None:
    person = bot.person()
    for turn in CONVERSATIONS[name]:
        seen = await person.say(turn.say)
        assert seen.private
        holds(f"{seen.text}\n{await typed(person, bot)}", turn)
    assert bot.server.world.refused == []
    assert bot.server.world.late == []


@pytest.mark.parametrize("check", CONTRACT, ids=lambda check: check.__name__)
async def test_contract(check: Callable[[Surface], Awaitable[None]], bot: Running) -> None:
    await check(bot.person())
    assert bot.server.world.refused == []
    assert bot.server.world.late == []
