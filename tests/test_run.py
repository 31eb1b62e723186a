"""`paperboy run` as a process, with both platforms: one process, one index, an orderly end."""

import asyncio
import os
import signal
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from platforms.discord.server import Double
from platforms.discord.world import APPLICATION, TOKEN
from platforms.slack.running import TOKENS, free_port
from platforms.slack.server import SlackServer
from waiting import GUARD_SECONDS

ROOT = Path(__file__).resolve().parent.parent

START = """
import sys
import discord, yarl
discord.http.Route.BASE = f"http://127.0.0.1:{sys.argv[1]}/api/v10"
discord.gateway.DiscordWebSocket.DEFAULT_GATEWAY = yarl.URL(f"ws://127.0.0.1:{sys.argv[1]}/gw/")
from bot.__main__ import main
sys.exit(main(["run", "--config", sys.argv[2]]))
"""


async def start(
    folder: Path, slack: SlackServer, discord: Double, log: str = "log: {level: info}\n", **secrets: str
) -> asyncio.subprocess.Process:
    config = folder / "config.yaml"
    config.write_text(
        f"corpus: {{root: {ROOT / 'seeds'}}}\nhealth: {{port: {free_port()}}}\n{log}slack: {{api: {slack.api_url}}}\n"
    )
    environment = {**os.environ, **TOKENS, "DISCORD_TOKEN": TOKEN, **secrets, "PYTHONPATH": str(ROOT)}
    return await asyncio.create_subprocess_exec(
        sys.executable,
        "-W",
        "ignore::DeprecationWarning",
        "-c",
        START,
        str(discord.port),
        str(config),
        cwd=folder,
        env=environment,
        stdin=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.PIPE,
    )


@asynccontextmanager
async def doubles() -> AsyncIterator[tuple[SlackServer, Double]]:
    slack, discord = SlackServer(), Double()
    await slack.start()
    await discord.start()
    try:
        yield slack, discord
    finally:
        await discord.stop()
        await slack.stop()


async def ended(process: asyncio.subprocess.Process) -> tuple[int, str]:
    async with asyncio.timeout(GUARD_SECONDS):
        _, said = await process.communicate()
    assert process.returncode is not None
    return process.returncode, said.decode()


async def slack_connected(server: SlackServer) -> None:
    async with asyncio.timeout(GUARD_SECONDS):
        await server.world.until(lambda: server.connections > 0)


async def test_both_platforms_from_one_process_until_sigterm(tmp_path: Path) -> None:
    async with doubles() as (slack, discord):
        process = await start(tmp_path, slack, discord)
        await asyncio.gather(slack_connected(slack), discord.connected())
        process.send_signal(signal.SIGTERM)
        status, said = await ended(process)
    assert status == 0, said
    assert "Traceback" not in said
    for secret in (*TOKENS.values(), TOKEN):
        assert secret not in said


async def test_a_good_start_says_so_in_a_few_lines(tmp_path: Path) -> None:
    async with doubles() as (slack, discord):
        process = await start(tmp_path, slack, discord, log="")
        await asyncio.gather(slack_connected(slack), discord.connected())
        process.send_signal(signal.SIGTERM)
        status, said = await ended(process)
    assert status == 0, said
    lines = sorted(line.partition("bot.start: ")[2] for line in said.splitlines())
    assert lines == [
        "digests: in 0 channel(s)",
        f"discord: ready as user{APPLICATION}",
        "papers: 38 from 2 file(s), the index is ready",
        "slack: ready as Paperboy (UBOT) in T1",
    ]


async def test_a_start_that_is_to_say_errors_alone_is_silent(tmp_path: Path) -> None:
    async with doubles() as (slack, discord):
        process = await start(tmp_path, slack, discord, log="log: {level: error}\n")
        await asyncio.gather(slack_connected(slack), discord.connected())
        process.send_signal(signal.SIGTERM)
        status, said = await ended(process)
    assert (status, said) == (0, "")


async def test_a_wrong_token_ends_one_adapter_and_the_other_runs(tmp_path: Path) -> None:
    async with doubles() as (slack, discord):
        process = await start(tmp_path, slack, discord, DISCORD_TOKEN="wrong")
        await slack_connected(slack)
        assert process.stderr is not None
        seen = ""
        async with asyncio.timeout(GUARD_SECONDS):
            while "discord ended" not in seen:
                seen += (await process.stderr.readline()).decode()
        process.send_signal(signal.SIGTERM)
        status, _ = await ended(process)
    assert status == 0


async def test_sighup_reads_the_declared_digests_anew(tmp_path: Path) -> None:
    async with doubles() as (slack, discord):
        process = await start(tmp_path, slack, discord)
        await asyncio.gather(slack_connected(slack), discord.connected())
        assert process.stderr is not None
        config = tmp_path / "config.yaml"
        place = "{platform: slack, workspace: T1, channel: C1}"
        before = config.read_text()
        for digest, expected in (
            (f"{{reading: {{time: '9:00', zone: berlin, channels: [{place}]}}}}", "digests declared: 1"),
            (f"{{reading: {{time: '9:00', zone: nowhere, channels: [{place}]}}}}", "the digests stay as they were"),
        ):
            config.write_text(f"{before}digests: {digest}\n")
            process.send_signal(signal.SIGHUP)
            seen = ""
            async with asyncio.timeout(GUARD_SECONDS):
                while expected not in seen:
                    seen = (await process.stderr.readline()).decode()
        process.send_signal(signal.SIGTERM)
        status, _ = await ended(process)
    assert status == 0


async def test_when_none_is_left_the_process_fails(tmp_path: Path) -> None:
    async with doubles() as (slack, discord):
        process = await start(tmp_path, slack, discord, DISCORD_TOKEN="wrong", SLACK_BOT_TOKEN="xoxb-wrong")
        status, said = await ended(process)
    assert status == 1
    assert sum("ended:" in line for line in said.splitlines()) == 2
    assert "Traceback" not in said
