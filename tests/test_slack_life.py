"""How the adapter starts, stays connected, keeps its secrets and ends."""

import asyncio
import logging
import os
import re
import signal
import subprocess
import sys
from collections.abc import AsyncIterator
from functools import partial
from pathlib import Path

import pytest
from aiohttp import ClientSession
from clocks import ProcessClock
from platforms.slack.people import Person
from platforms.slack.running import TOKENS, Running, free_port, person_of, running_bot
from platforms.slack.server import SlackServer, slack_server
from platforms.slack.world import Fault
from waiting import GUARD_SECONDS, until

from bot.adapters.slack import ADAPTER
from bot.adapters.slack.redact import GONE, Redaction, library_logger, quiet
from bot.adapters.slack.section import HttpSection, Mode, SlackSection
from bot.adapters.slack.socket import LONGEST_PAUSE, Backoff
from bot.commands import all_commands
from bot.commands.base import Command, CommandSet, Example
from bot.commands.fetch import fetch
from bot.config import CoreSections, Settings, load_settings
from bot.errors import OperatorError
from bot.message import Reply
from bot.richtext import Paragraph, Text

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture
async def server() -> AsyncIterator[SlackServer]:
    async with slack_server() as running:
        yield running


# what is needed


def bare(section: SlackSection | None = None, **environment: str) -> Settings:
    return Settings(CoreSections(), {"slack": section or SlackSection()}, Path(), None, environment)


@pytest.mark.parametrize(
    ("mode", "needed"),
    [
        ("socket", ["SLACK_BOT_TOKEN", "SLACK_APP_TOKEN"]),
        ("http", ["SLACK_BOT_TOKEN", "SLACK_SIGNING_SECRET"]),
        ("oauth", ["SLACK_CLIENT_ID", "SLACK_CLIENT_SECRET", "SLACK_SIGNING_SECRET", "PAPERBOY_TOKEN_KEY"]),
    ],
)
def test_what_a_mode_needs_is_named_with_where_to_get_it(mode: Mode, needed: list[str]) -> None:
    missing = ADAPTER.missing(bare(SlackSection(mode=mode)))
    assert [entry.setting for entry in missing] == needed
    assert all(len(entry.where) > 20 for entry in missing)


def test_it_is_configured_once_anything_of_it_is_set() -> None:
    assert not ADAPTER.configured(bare())
    assert ADAPTER.configured(bare(SLACK_BOT_TOKEN="xoxb-1"))
    assert ADAPTER.configured(bare(SlackSection(mode="http")))


def test_tokens_that_were_swapped_are_missing() -> None:
    swapped = bare(SLACK_BOT_TOKEN="xapp-1", SLACK_APP_TOKEN="xoxb-1")
    assert [entry.setting for entry in ADAPTER.missing(swapped)] == ["SLACK_BOT_TOKEN", "SLACK_APP_TOKEN"]
    assert ADAPTER.missing(bare(SLACK_BOT_TOKEN="xoxb-1", SLACK_APP_TOKEN="xapp-1")) == ()


def test_secrets_may_stand_in_files(tmp_path: Path) -> None:
    file = tmp_path / "token"
    file.write_text("xoxb-1\n")
    settings = bare(SLACK_BOT_TOKEN_FILE=str(file), SLACK_APP_TOKEN="xapp-1")
    assert ADAPTER.missing(settings) == ()


def test_looking_for_adapters_imports_no_library() -> None:
    code = "import sys; from bot.adapters.base import all_adapters; all_adapters(); print('slack_bolt' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


def test_a_typo_in_the_section_is_named(tmp_path: Path) -> None:
    file = tmp_path / "config.yaml"
    file.write_text("slack: {mode: http, http: {prot: 1}}\n")
    with pytest.raises(OperatorError, match="did you mean `port`"):
        load_settings(file, {"slack": SlackSection}, {})


# tokens that are wrong


async def ends_with(
    server: SlackServer, folder: Path, words: str, environment: dict[str, str], mode: Mode = "socket"
) -> None:
    with pytest.raises(OperatorError, match=words):
        async with running_bot(server, folder, SlackSection(mode=mode), environment={**TOKENS, **environment}):
            pass


@pytest.mark.parametrize("mode", ["socket", "http"])
async def test_a_wrong_bot_token_ends_it_with_one_line(mode: Mode, server: SlackServer, tmp_path: Path) -> None:
    await ends_with(server, tmp_path, "SLACK_BOT_TOKEN .invalid_auth.", {"SLACK_BOT_TOKEN": "xoxb-wrong"}, mode=mode)


async def test_a_wrong_app_token_ends_it_with_one_line(server: SlackServer, tmp_path: Path) -> None:
    await ends_with(server, tmp_path, "SLACK_APP_TOKEN .invalid_auth.", {"SLACK_APP_TOKEN": "xapp-wrong"})


async def test_an_app_token_without_its_scope(server: SlackServer, tmp_path: Path) -> None:
    server.world.tokens["xapp-1-good"].scopes = set()
    await ends_with(server, tmp_path, "connections:write", {})


async def test_an_app_token_that_is_revoked_while_running(server: SlackServer, tmp_path: Path) -> None:
    async def run() -> None:
        async with running_bot(server, tmp_path) as bot:
            server.world.tokens["xapp-1-good"].revoked = "token_revoked"
            server.break_sockets()
            done, _ = await asyncio.wait({bot.task}, timeout=GUARD_SECONDS)
            assert done

    with pytest.raises(OperatorError, match="token_revoked"):
        await run()


async def test_scopes_that_the_token_lacks_are_named(
    server: SlackServer, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    server.world.tokens["xoxb-1-good"].scopes -= {"im:history", "groups:read"}
    async with running_bot(server, tmp_path):
        pass
    named = re.findall(r"lacks the scope (\S+): add", caplog.text)
    assert named == ["groups:read", "im:history"]


async def test_slack_that_is_away_at_the_start_is_waited_for(
    server: SlackServer, tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bot.adapters.slack.socket._PATIENCE", 1.0)
    server.world.faults += [Fault("auth.test", "internal_error"), Fault("apps.connections.open", "internal_error")]
    server.refuse_sockets = 1
    async with running_bot(server, tmp_path, ready=False) as bot:
        await server.world.until(lambda: server.sockets)
        assert "xKV" in (await bot.person().say("tldr xkv")).text
    assert "no answer yet" in caplog.text
    assert "no connection yet" in caplog.text
    assert "Traceback" not in caplog.text


async def test_it_ends_at_once_while_slack_is_away(server: SlackServer, tmp_path: Path) -> None:
    await server.stop()
    async with running_bot(server, tmp_path, ready=False) as bot:
        await asyncio.sleep(0)
        await asyncio.wait_for(bot.stop(), GUARD_SECONDS)


# connections that are lost


def _alone(server: SlackServer, connections: int) -> bool:
    """Whether that many were made, and one is left."""
    return server.connections >= connections and len(server.sockets) == 1


async def test_slack_asks_for_a_new_connection(server: SlackServer, tmp_path: Path) -> None:
    async with running_bot(server, tmp_path) as bot:
        for number in range(2, 4):
            await server.disconnect("refresh_requested")
            await server.world.until(partial(_alone, server, number))
            assert "xKV" in (await bot.person().say("tldr xkv")).text


@pytest.mark.parametrize("how", ["break", "close"])
async def test_a_connection_that_breaks_is_made_again(how: str, server: SlackServer, tmp_path: Path) -> None:
    async with running_bot(server, tmp_path) as bot:
        if how == "break":
            server.break_sockets()
        else:
            await server.sockets[0].close()
        await server.world.until(lambda: server.connections >= 2 and server.sockets)
        assert "xKV" in (await bot.person().say("tldr xkv")).text


async def test_a_server_that_is_gone_for_a_while(
    server: SlackServer, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async with running_bot(server, tmp_path) as bot:
        await server.stop()

        async def noticed() -> bool:
            return "no connection yet" in caplog.text

        await until(noticed)
        await server.start()
        await server.world.until(lambda: server.connections >= 2 and server.sockets)
        assert "xKV" in (await bot.person().say("tldr xkv")).text


async def test_an_address_that_does_not_open_is_asked_for_anew(
    server: SlackServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bot.adapters.slack.socket._PATIENCE", 1.0)
    async with running_bot(server, tmp_path) as bot:
        server.refuse_sockets = 1
        await server.disconnect("refresh_requested")
        await server.world.until(lambda: server.connections >= 2 and server.sockets)
        assert "xKV" in (await bot.person().say("tldr xkv")).text


async def test_what_was_not_acknowledged_is_answered_when_it_comes_again(server: SlackServer, tmp_path: Path) -> None:
    async with running_bot(server, tmp_path) as bot:
        person = bot.person()
        trigger = server.world.new_trigger("U1")
        server.break_sockets()
        await server.world.until(lambda: server.connections >= 2 and server.sockets)
        await person.slash("tldr xkv", trigger=trigger)
        await server.world.until(person.visible)


def test_pauses_double_up_to_half_a_minute() -> None:
    backoff = Backoff()
    pauses = [backoff.pause() for _ in range(9)]
    assert pauses[0] == 0
    for pause, expected in zip(pauses[1:], [1, 2, 4, 8, 16, 30, 30, 30], strict=True):
        assert 0.75 * expected <= pause <= 1.25 * min(expected, LONGEST_PAUSE)
    backoff.reset()
    assert backoff.pause() == 0


# the end


async def _begun(started: asyncio.Event, go_on: asyncio.Event) -> None:
    started.set()
    await go_on.wait()


def slow_command(go_on: asyncio.Event, started: asyncio.Event) -> CommandSet:
    async def slow(_context: object, _invocation: object) -> Reply:
        await fetch(_begun(started, go_on))
        return Reply("slow", (Paragraph((Text("done at last"),)),))

    return CommandSet([*all_commands().all, Command("slow", "", slow, (Example("slow", "", ()),))])


@pytest.mark.parametrize("mode", ["socket", "http"])
async def test_answers_under_way_are_finished_and_nothing_new_is_taken(
    mode: Mode, server: SlackServer, tmp_path: Path
) -> None:
    go_on, started = asyncio.Event(), asyncio.Event()
    section = SlackSection(mode=mode)
    async with running_bot(server, tmp_path, section, commands=slow_command(go_on, started)) as bot:
        person = bot.person()
        await person.slash("slow")
        await started.wait()
        bot.services.stopping.set()
        await _refuses(bot, person)
        assert not bot.task.done()
        go_on.set()
        await asyncio.wait_for(bot.task, GUARD_SECONDS)
        assert "done at last" in person.seen(person.last()).text
        assert len(person.visible()) == 1


async def test_a_kept_connection_brings_nothing_new_once_it_stops(server: SlackServer, tmp_path: Path) -> None:
    go_on, started = asyncio.Event(), asyncio.Event()
    section = SlackSection(mode="http", http=HttpSection(port=free_port()))
    async with running_bot(server, tmp_path, section, commands=slow_command(go_on, started)) as bot:
        async with ClientSession() as session:
            url = f"http://127.0.0.1:{section.http.port}/slack/events"
            async with session.post(url, data=b"x") as before:
                assert before.status == 401
            await bot.person().slash("slow")
            await started.wait()
            bot.services.stopping.set()
            async with session.post(url, data=b"x") as after:
                assert after.status == 503
        go_on.set()
        await asyncio.wait_for(bot.task, GUARD_SECONDS)


async def _refuses(bot: Running, person: Person) -> None:
    """Wait until nothing new is taken."""
    section = bot.settings.sections["slack"]
    assert isinstance(section, SlackSection)
    if section.mode == "socket":
        await bot.server.world.until(lambda: not bot.server.sockets)
        return

    async def refused() -> bool:
        try:
            _, writer = await asyncio.open_connection("127.0.0.1", section.http.port)
        except OSError:
            return True
        writer.close()
        return False

    await until(refused)


async def test_an_answer_that_never_ends_does_not_hold_up_the_end(
    server: SlackServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr("bot.adapters.slack.serve.FINISH_SECONDS", 0.1)
    started = asyncio.Event()
    async with running_bot(server, tmp_path, commands=slow_command(asyncio.Event(), started)) as bot:
        await bot.person().slash("slow")
        await started.wait()
        await asyncio.wait_for(bot.stop(), GUARD_SECONDS)
    assert "1 answer(s) did not finish in time" in caplog.text


# secrets


SECRETS = [
    "xoxb-123-456-abc",
    "xoxe.xoxb-1-abc",
    "xapp-1-A1-2-abc",
    "xoxe-1-abc",
    "wss://wss-primary.slack.com/link/?ticket=12-ab&app_id=3",
    "https://hooks.slack.com/commands/T1/2/abcdef",
    "my-own-signing-secret",
]


@pytest.mark.parametrize("secret", SECRETS)
def test_secrets_are_taken_out_of_any_record(secret: str, caplog: pytest.LogCaptureFixture) -> None:
    redaction = Redaction(["my-own-signing-secret", "short"])
    logger = library_logger("test", redaction, logging.DEBUG)
    logger.debug("before %s after", secret)
    logger.debug("as a dict: %s", {"response_url": secret, "token": secret})
    logger.error("it failed with %s", secret, exc_info=_raised(secret))
    assert secret not in caplog.text
    assert "before " in caplog.text
    assert " after" in caplog.text
    assert caplog.text.count(GONE) >= 4
    assert "Traceback" in caplog.text


def _raised(secret: str) -> RuntimeError:
    """An error with a traceback, whose message holds a secret."""
    try:
        raise RuntimeError(f"cannot open {secret}")  # noqa: TRY301 - it is here to be caught
    except RuntimeError as error:
        return error


def test_a_record_whose_arguments_do_not_fit_passes() -> None:
    record = logging.LogRecord("x", logging.INFO, "", 0, "%s %s", ("one",), None)
    assert Redaction([]).filter(record)


def test_levels_and_filters_are_put_back() -> None:
    before = logging.getLogger("slack_sdk").level
    with quiet(Redaction([])):
        assert logging.getLogger("slack_sdk").level == logging.WARNING
    assert logging.getLogger("slack_sdk").level == before
    assert not any(isinstance(one, Redaction) for handler in logging.getLogger().handlers for one in handler.filters)


@pytest.mark.parametrize("mode", ["socket", "http"])
async def test_a_process_at_debug_level_prints_no_secret_and_no_query(
    mode: Mode, server: SlackServer, tmp_path: Path
) -> None:
    server.world.clock = ProcessClock()
    section = SlackSection(mode=mode, http=HttpSection(port=free_port()))
    config = tmp_path / "config.yaml"
    config.write_text(
        f"corpus: {{root: {ROOT / 'seeds'}}}\nstate: {tmp_path / 'state'}\nlog: {{level: debug}}\n"
        f"slack: {{mode: {mode}, api: '{server.api_url}', http: {{port: {section.http.port}}}}}\n"
    )
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("SLACK_", "PAPERBOY_"))}
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        *("-X", "dev", "-m", "bot", "run", "--config", str(config)),
        cwd=ROOT,
        env={**environment, **TOKENS},
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    try:
        assert process.stderr is not None
        said = [await _until_said(process.stderr, b"slack: connected" if mode == "socket" else b"slack: listening")]
        reading = asyncio.create_task(process.stderr.read())
        person = person_of(server, section)
        await person.say("unlikelyword kv cache")
        await person.press("TL;DR")
        await person.mention("otherword experts")
        server.world.faults.append(Fault("response_url", "drop_before", times=2))
        await person.slash("thirdword")
        if mode == "socket":
            server.refuse_sockets = 1
            server.break_sockets()
            await server.world.until(lambda: server.connections >= 2 and server.sockets)
        server.world.faults.append(Fault("conversations.info", "500", times=9))
        await person.say("tldr xkv")
        await person.press("Share to channel")
        process.send_signal(signal.SIGTERM)
        said.append(await asyncio.wait_for(reading, GUARD_SECONDS))
        out = await process.stdout.read() if process.stdout else b""
        assert await process.wait() == 0
    finally:
        if process.returncode is None:
            process.kill()
    log = (b"".join(said) + out).decode()
    assert "slack: search answered U1" in log
    assert "reference" in log
    for secret in (*TOKENS.values(), "ticket-", "/response/", "verification", "xoxb-", "xapp-1"):
        assert secret not in log, f"{secret} is in the log"
    for word in ("unlikelyword", "otherword", "thirdword", "somebody"):
        assert word not in log, f"{word} is in the log"


async def _until_said(stream: asyncio.StreamReader, words: bytes) -> bytes:
    """What the process says until it says this."""
    said = b""
    async with asyncio.timeout(GUARD_SECONDS):
        while words not in said:
            line = await stream.readline()
            assert line, said.decode()
            said += line
    return said
