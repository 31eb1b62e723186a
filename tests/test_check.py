"""`paperboy check` with tokens: what Slack and Discord say of them, at the terminal."""

import asyncio
from pathlib import Path

import pytest
from platforms.discord.server import discord_double
from platforms.discord.world import APPLICATION
from platforms.slack.running import free_port
from platforms.slack.server import slack_server

from bot.__main__ import main

ROOT = Path(__file__).resolve().parent.parent
TOKENS = {"SLACK_BOT_TOKEN": "xoxb-1-good", "SLACK_APP_TOKEN": "xapp-1-good"}


@pytest.fixture(autouse=True)
def no_tokens(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("SLACK_BOT_TOKEN", "SLACK_APP_TOKEN", "DISCORD_TOKEN"):
        monkeypatch.delenv(name, raising=False)


def config(folder: Path, more: str = "") -> Path:
    file = folder / "config.yaml"
    file.write_text(f"corpus: {{root: {ROOT / 'seeds'}}}\n{more}")
    return file


async def checked(file: Path, capsys: pytest.CaptureFixture[str]) -> tuple[int, str]:
    """Exit status and output; in a thread, so that the doubles can answer meanwhile."""
    status = await asyncio.to_thread(main, ["check", "--config", str(file)])
    out, err = capsys.readouterr()
    assert err == ""
    return status, out


async def check_slack(
    folder: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    api: str,
    more: str = "",
    **env: str,
) -> tuple[int, str]:
    for name, value in {**TOKENS, **env}.items():
        monkeypatch.setenv(name, value)
    return await checked(config(folder, f"slack: {{api: '{api}'{more}}}\n"), capsys)


async def test_good_tokens_of_slack(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    async with slack_server() as server:
        status, out = await check_slack(tmp_path, capsys, monkeypatch, server.api_url)
        assert server.sockets == []
    assert status == 0
    assert "slack: would start" in out
    assert "SLACK_BOT_TOKEN is good: paperboy in the workspace T1" in out
    assert "SLACK_APP_TOKEN is good" in out
    assert "lacks" not in out
    assert "discord: would not start" in out
    assert "DISCORD_TOKEN (https://discord.com/developers/applications" in out
    assert "-good" not in out


async def test_each_scope_that_the_slack_token_lacks_is_named_with_its_place_and_feature(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    async with slack_server() as server:
        server.world.tokens["xoxb-1-good"].scopes -= {"im:history", "groups:read", "commands"}
        status, out = await check_slack(tmp_path, capsys, monkeypatch, server.api_url)
    assert status == 0
    assert "slack: would start" in out
    lines = [line.strip() for line in out.splitlines() if "lacks the scope" in line]
    where = "https://api.slack.com/apps, your app > OAuth & Permissions > Bot Token Scopes"
    assert [line.split()[5] for line in lines] == ["commands:", "groups:read:", "im:history:"]
    assert all(where in line and "reinstall the app" in line for line in lines)
    assert lines[1].endswith("`slack.share` and `slack.digests`")
    assert lines[2].endswith("`slack.direct_messages`")


@pytest.mark.parametrize(
    ("env", "said"),
    [
        ({"SLACK_BOT_TOKEN": "xoxb-9-wrong"}, "Slack does not take SLACK_BOT_TOKEN (invalid_auth): copy the Bot User"),
        ({"SLACK_APP_TOKEN": "xapp-9-wrong"}, "Slack does not take SLACK_APP_TOKEN (invalid_auth): it must be an app-"),
    ],
)
async def test_a_token_that_slack_refuses_is_a_fault(
    env: dict[str, str],
    said: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with slack_server() as server:
        status, out = await check_slack(tmp_path, capsys, monkeypatch, server.api_url, **env)
    assert status == 1
    assert "slack: would not start" in out
    assert said in out
    assert "-wrong" not in out


async def test_an_app_token_without_its_scope(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    async with slack_server() as server:
        server.world.tokens["xapp-1-good"].scopes.clear()
        status, out = await check_slack(tmp_path, capsys, monkeypatch, server.api_url)
    assert status == 1
    assert "SLACK_APP_TOKEN (missing_scope)" in out
    assert "scope connections:write" in out


async def test_slack_that_cannot_be_asked_is_no_fault(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    nobody = f"http://127.0.0.1:{free_port()}/api/"
    status, out = await check_slack(tmp_path, capsys, monkeypatch, nobody)
    assert status == 0
    assert "slack: would start" in out
    assert out.count("Slack could not be asked (ClientConnectorError)") == 1  # of two tokens


async def test_by_oauth_there_is_no_token_to_ask_about(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    secrets = ("SLACK_CLIENT_ID", "SLACK_CLIENT_SECRET", "SLACK_SIGNING_SECRET", "PAPERBOY_TOKEN_KEY")
    env = dict.fromkeys(secrets, "something")
    async with slack_server() as server:
        status, out = await check_slack(tmp_path, capsys, monkeypatch, server.api_url, ", mode: oauth", **env)
    assert status == 0
    assert "asked for its scopes when it installs: app_mentions:read, channels:read" in out
    assert server.world.calls == []


async def test_a_good_token_of_discord(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    async with discord_double() as double:
        monkeypatch.setenv("DISCORD_TOKEN", double.world.token)
        status, out = await checked(config(tmp_path), capsys)
    assert status == 0
    assert "discord: would start" in out
    assert f"DISCORD_TOKEN is good: application {APPLICATION}" in out
    assert f"https://discord.com/oauth2/authorize?client_id={APPLICATION}&" in out
    assert double.world.token not in out


async def test_a_token_that_discord_refuses_is_a_fault(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    async with discord_double():
        monkeypatch.setenv("DISCORD_TOKEN", "wrong.wrong.wrong")
        status, out = await checked(config(tmp_path), capsys)
    assert status == 1
    assert "discord: would not start" in out
    assert "Discord refuses the token in DISCORD_TOKEN" in out
    assert "Bot > Reset Token" in out


async def test_a_server_without_the_scope_for_commands_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    async with discord_double() as double:
        monkeypatch.setenv("DISCORD_TOKEN", double.world.token)
        double.world.closed_guilds.add(777)
        status, out = await checked(config(tmp_path, "discord: {guilds: [776, 777]}\n"), capsys)
    assert status == 0
    assert "in server 777 the bot lacks the scope applications.commands" in out
    assert "in server 776" not in out


async def test_discord_that_cannot_be_asked_is_no_fault(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    async with discord_double() as double:
        await double.stop()
        monkeypatch.setenv("DISCORD_TOKEN", double.world.token)
        status, out = await checked(config(tmp_path), capsys)
    assert status == 0
    assert "discord: would start" in out
    assert "Discord could not be asked (ClientConnectorError)" in out


async def test_a_secret_s_file_that_cannot_be_read_is_named_with_its_key(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "no-such-secret"
    monkeypatch.setenv("SLACK_BOT_TOKEN_FILE", str(file))
    status, out = await checked(config(tmp_path), capsys)
    assert status == 1
    assert (
        out == f"fault: {file}: `SLACK_BOT_TOKEN_FILE` names this file, "
        "which cannot be read: No such file or directory\n"
    )


async def test_a_secret_s_file_that_is_no_text_is_not_quoted(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "secret"
    file.write_bytes(b"xoxb-\xff\xfe-secret")
    monkeypatch.setenv("SLACK_BOT_TOKEN_FILE", str(file))
    assert await asyncio.to_thread(main, ["run", "--config", str(config(tmp_path))]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err == f"config: {file}: `SLACK_BOT_TOKEN_FILE` names this file, which cannot be read: not text in UTF-8\n"
