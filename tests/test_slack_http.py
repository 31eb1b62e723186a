"""HTTP mode: what Slack did not sign is refused, and installing in several workspaces."""

import asyncio
import json
import os
from collections.abc import AsyncIterator
from datetime import timedelta
from pathlib import Path
from urllib.parse import parse_qs, urlencode, urlsplit

import pytest
from aiohttp import ClientError, ClientSession, DummyCookieJar
from clocks import START
from cryptography.fernet import Fernet
from databases import database_url
from digest_worker import Worker
from hypothesis import given
from hypothesis import strategies as st
from platforms.slack.people import SIGNING_SECRET, send_signed
from platforms.slack.running import TOKENS, Running, free_port, running_bot, seeds
from platforms.slack.server import SlackServer, slack_server
from platforms.slack.world import Fault
from waiting import GUARD_SECONDS, until, until_true

from bot.adapters.slack.http import is_signed, text_of
from bot.adapters.slack.oauth import StoredInstallations, TokenCipher
from bot.adapters.slack.section import HttpSection, SlackSection
from bot.errors import OperatorError
from bot.message import ChannelRef
from bot.schedule.values import DAILY, Schedule, Subscription
from bot.store.database import Database
from bot.store.installations import Installations

pytestmark = pytest.mark.filterwarnings("ignore:BasicAuth is deprecated:DeprecationWarning")  # slack_sdk still uses it

FORM = "application/x-www-form-urlencoded"
JSON = "application/json"
SLASH = urlencode({"command": "/papers", "text": "about", "user_id": "U1", "team_id": "T1", "channel_id": "C1"})


def base(bot: Running) -> str:
    section = bot.settings.sections["slack"]
    assert isinstance(section, SlackSection)
    return f"http://127.0.0.1:{section.http.port}"


@pytest.fixture
async def bot(tmp_path: Path) -> AsyncIterator[Running]:
    async with slack_server() as server, running_bot(server, tmp_path, SlackSection(mode="http")) as running:
        yield running


async def test_a_good_signature_passes(bot: Running) -> None:
    status, _ = await send_signed(base(bot), SLASH, FORM)
    assert status == 200


def ago(seconds: int) -> str:
    return str(int(START.timestamp()) - seconds)


@pytest.mark.parametrize(
    ("secret", "timestamp", "signature"),
    [
        ("wrong", None, None),
        (SIGNING_SECRET, 301, None),
        (SIGNING_SECRET, -310, None),
        (SIGNING_SECRET, "", None),
        (SIGNING_SECRET, "now", None),
        (SIGNING_SECRET, "1e9", None),
        (SIGNING_SECRET, "-1", None),
        (SIGNING_SECRET, "٣٣٣", None),
        (SIGNING_SECRET, "9" * 400, None),
        (SIGNING_SECRET, "nan", None),
        (SIGNING_SECRET, None, ""),
        (SIGNING_SECRET, None, "v0="),
        (SIGNING_SECRET, None, "v0=zzzz"),
        (SIGNING_SECRET, None, "v1=" + "0" * 64),
        (SIGNING_SECRET, None, "v0=ü" + "0" * 63),
        (SIGNING_SECRET, None, "v0=" + "0" * 4_000),
    ],
)
async def test_a_bad_signature_is_401(
    secret: str, timestamp: str | int | None, signature: str | None, bot: Running
) -> None:
    if isinstance(timestamp, int):
        timestamp = ago(timestamp)
    status, text = await send_signed(base(bot), SLASH, FORM, secret, timestamp=timestamp, signature=signature)
    assert (status, text) == (401, "")


def test_bytes_that_are_no_text_are_no_signature() -> None:
    assert not is_signed(SIGNING_SECRET, ago(0), "v0=\udcff\udcfe", SLASH.encode(), START.timestamp())


async def test_no_headers_at_all_are_401(bot: Running) -> None:
    async with ClientSession() as session, session.post(f"{base(bot)}/slack/events", data=b"x") as answer:
        assert answer.status == 401


async def test_the_question_after_the_certificate_is_answered(bot: Running) -> None:
    assert await send_signed(base(bot), "ssl_check=1&token=x", FORM, signature="none") == (200, "")


@pytest.mark.parametrize(
    ("body", "content"),
    [
        ("", FORM),
        ("", JSON),
        ("{", JSON),
        ("{", FORM),
        ("[]", JSON),
        ("null", JSON),
        ("[" * 100_000, JSON),
        ('{"type":' * 50_000, JSON),
        ("payload={", FORM),
        ("payload=[]", FORM),
        ("payload=" + "%5B" * 100_000, FORM),
        ("something=else", FORM),
        ("&".join(f"a{n}=1" for n in range(1_000)), FORM),
        ("x" * 2_000_000, FORM),
        ('{"type": "event_callback", "event": 5}', JSON),
        ('{"type": "event_callback", "event": {"type": {}}, "team_id": []}', JSON),
        (urlencode({"payload": json.dumps({"type": "block_actions", "team": 5, "user": []})}), FORM),
        (urlencode({"payload": json.dumps({"type": "block_actions", "user": "U1", "actions": "no"})}), FORM),
        (SLASH, "text/plain; charset=nonsense"),
    ],
    ids=range(19),
)
async def test_malformed_bodies_are_never_500(body: str, content: str, bot: Running) -> None:
    status, _ = await send_signed(base(bot), body, content)
    assert status == (200 if body == SLASH else 413 if len(body) > 1 << 20 else 400)
    assert (await bot.person().say("about")).private


async def test_malformed_bodies_that_nobody_signed_are_401(bot: Running) -> None:
    for body in (b"{", b"\xff\xfe\x00", b"payload=%ff", b"[" * 100_000):
        headers = {"X-Slack-Request-Timestamp": ago(0), "X-Slack-Signature": "v0=" + "0" * 64, "Content-Type": JSON}
        async with (
            ClientSession() as session,
            session.post(f"{base(bot)}/slack/events", data=body, headers=headers) as answer,
        ):
            assert answer.status == 401


@given(st.binary(max_size=200), st.sampled_from([JSON, FORM, ""]))
def test_any_body_is_a_request_or_none(body: bytes, content: str) -> None:
    text = text_of(body, content)
    assert text is None or text.encode() == body


@given(st.text(max_size=40), st.text(max_size=80), st.binary(max_size=40))
def test_nothing_by_chance_is_signed(timestamp: str, signature: str, body: bytes) -> None:
    assert not is_signed("secret", timestamp, signature, body, 1_000.0)


async def test_slack_s_own_check_of_the_address(bot: Running) -> None:
    body = json.dumps({"type": "url_verification", "challenge": "abc", "token": "x"})
    status, text = await send_signed(base(bot), body, JSON)
    assert status == 200
    assert "abc" in text


async def test_other_paths_are_not_there(bot: Running) -> None:
    async with ClientSession() as session:
        for path in ("/", "/slack/install", "/slack/oauth_redirect"):
            async with session.get(base(bot) + path) as answer:
                assert answer.status == 404
        async with session.get(f"{base(bot)}/slack/events") as answer:
            assert answer.status == 405


async def test_a_port_that_is_taken_is_one_clear_line(bot: Running, tmp_path: Path) -> None:
    section = bot.settings.sections["slack"]
    assert isinstance(section, SlackSection)
    with pytest.raises(OperatorError, match=r"slack\.http\.port"):
        await _until_it_ends(bot.server, tmp_path / "other", section)


async def _until_it_ends(server: SlackServer, folder: Path, section: SlackSection) -> None:
    async with running_bot(server, folder, section, ready=False) as other:
        await asyncio.wait({other.task}, timeout=GUARD_SECONDS)


# several workspaces

KEY = Fernet.generate_key().decode()
OAUTH = {
    "SLACK_CLIENT_ID": "1.2",
    "SLACK_CLIENT_SECRET": "client-secret",
    "SLACK_SIGNING_SECRET": SIGNING_SECRET,
    "PAPERBOY_TOKEN_KEY": KEY,
}


def oauth_section() -> SlackSection:
    return SlackSection(mode="oauth", http=HttpSection(port=free_port(), public_url="https://bot.example"))


@pytest.fixture
async def many(tmp_path: Path) -> AsyncIterator[Running]:
    async with (
        slack_server() as server,
        running_bot(server, tmp_path, oauth_section(), environment=OAUTH) as running,
    ):
        yield running


async def begin(bot: Running) -> tuple[str, str, str]:
    """Open the page to install from: where it leads, the state, the cookie."""
    async with ClientSession(cookie_jar=DummyCookieJar()) as session, session.get(f"{base(bot)}/slack/install") as page:
        text = await page.text()
        cookie = page.headers["Set-Cookie"].partition(";")[0]
    address = text.partition('<a href="')[2].partition('"')[0].replace("&amp;", "&")
    return address, parse_qs(urlsplit(address).query)["state"][0], cookie


async def finish(bot: Running, query: dict[str, str], cookie: str) -> tuple[int, str]:
    url = f"{base(bot)}/slack/oauth_redirect?{urlencode(query)}"
    async with (
        ClientSession(cookie_jar=DummyCookieJar()) as session,
        session.get(url, headers={"Cookie": cookie}) as page,
    ):
        return page.status, await page.text()


async def install(bot: Running, team: str = "T1", *, expiring: bool = False) -> None:
    code = f"code-{team}"
    redirect = "https://bot.example/slack/oauth_redirect"
    bot.server.world.codes[code] = {"team": team, "redirect_uri": redirect, "expiring": expiring}
    _, state, cookie = await begin(bot)
    status, text = await finish(bot, {"code": code, "state": state}, cookie)
    assert status == 200, text


async def test_the_page_asks_for_the_scopes_of_the_features(many: Running) -> None:
    address, _, _ = await begin(many)
    query = parse_qs(urlsplit(address).query)
    assert address.startswith(f"http://127.0.0.1:{many.server.port}/oauth/v2/authorize?")
    assert query["client_id"] == ["1.2"]
    assert query["redirect_uri"] == ["https://bot.example/slack/oauth_redirect"]
    assert set(query["scope"][0].split(",")) == {
        "app_mentions:read",
        "channels:read",
        "chat:write",
        "commands",
        "files:write",
        "groups:read",
        "im:history",
        "mpim:read",
        "users:read",
    }
    assert query.get("user_scope", [""]) == [""]


async def test_before_it_is_installed_people_are_told_so(many: Running) -> None:
    assert "not installed in this workspace" in (await many.person().say("about")).text


async def test_installed_workspaces_are_answered_with_their_own_tokens(many: Running) -> None:
    many.server.world.add_team("T2", "unused", "unused-app")
    await install(many, "T1")
    await install(many, "T2")
    assert "Version" in (await many.person().say("about")).text
    other = many.person(channel="C1T2", team="T2")
    await other.say("tldr xkv")
    await other.press("Share to channel")
    assert len(other.posts()) == 1
    assert many.person().posts() == []


async def test_tokens_are_encrypted_at_rest(many: Running) -> None:
    await install(many)
    ((workspace, _, body),) = await many.services.installations.all("slack")
    assert workspace == "T1"
    assert "xoxb" not in body
    assert "xoxb-T1" in Fernet(KEY).decrypt(body).decode()


@pytest.mark.parametrize(
    ("change", "status"),
    [
        ({"state": "other"}, 400),
        ({"error": "access_denied"}, 200),
        ({"code": ""}, 401),
        ({"code": "unknown"}, 401),
        ({"error": "<script>alert(1)</script>"}, 200),
    ],
)
async def test_what_is_no_installation_installs_nothing(change: dict[str, str], status: int, many: Running) -> None:
    many.server.world.codes["code"] = {"team": "T1", "redirect_uri": "https://bot.example/slack/oauth_redirect"}
    _, state, cookie = await begin(many)
    got, text = await finish(many, {"code": "code", "state": state, **change}, cookie)
    assert got == status
    assert "<script>alert" not in text
    assert await many.services.installations.all("slack") == []


async def test_a_state_is_good_once_and_in_the_browser_that_began(many: Running) -> None:
    world = many.server.world
    for name in ("a", "b", "c"):
        world.codes[name] = {"team": "T1", "redirect_uri": "https://bot.example/slack/oauth_redirect"}
    _, state, cookie = await begin(many)
    assert (await finish(many, {"code": "a", "state": state}, "other=1"))[0] == 400
    assert (await finish(many, {"code": "b", "state": state}, cookie))[0] == 200
    assert (await finish(many, {"code": "c", "state": state}, cookie))[0] == 401


async def test_an_installation_while_slack_is_away_is_told(many: Running) -> None:
    many.server.world.faults.append(Fault("oauth.v2.access", "drop_before"))
    many.server.world.codes["code"] = {"team": "T1", "redirect_uri": "https://bot.example/slack/oauth_redirect"}
    _, state, cookie = await begin(many)
    status, text = await finish(many, {"code": "code", "state": state}, cookie)
    assert status == 502
    assert "try again" in text


@pytest.mark.parametrize(
    "event",
    [{"type": "app_uninstalled"}, {"type": "tokens_revoked", "tokens": {"bot": ["UBOT"], "oauth": []}}],
    ids=["uninstalled", "revoked"],
)
async def test_a_workspace_that_removes_the_app_is_forgotten(event: dict[str, object], many: Running) -> None:
    await install(many)
    person = many.person()
    await person.event(event)

    async def forgotten() -> bool:
        return await many.services.installations.all("slack") == []

    await until(forgotten)
    assert "not installed" in (await person.say("about")).text


async def test_a_person_s_revoked_token_takes_nothing_along(many: Running) -> None:
    await install(many)
    await many.person().event({"type": "tokens_revoked", "tokens": {"oauth": ["U1"], "bot": []}})
    assert "Version" in (await many.person().say("about")).text


async def test_an_old_uninstall_does_not_remove_a_later_installation(many: Running) -> None:
    await install(many)
    await many.person().event({"type": "app_uninstalled"}, event_time=int(START.timestamp()) - 600)
    assert "Version" in (await many.person().say("about")).text


async def test_a_token_that_runs_out_is_renewed_once(many: Running) -> None:
    await install(many, expiring=True)
    store = StoredInstallations(many.services.installations, TokenCipher(KEY))
    bot = await store.async_find_bot(enterprise_id=None, team_id="T1")
    assert bot is not None
    bot.bot_token_expires_at = int(START.timestamp()) + 30
    await store.async_save_bot(bot)
    person = many.person()
    acks = await asyncio.gather(*(person.slash("about") for _ in range(5)))
    assert None not in acks
    await many.server.world.until(lambda: len(person.visible()) == 5)
    renewed = await store.async_find_bot(enterprise_id=None, team_id="T1")
    assert renewed is not None
    assert renewed.bot_token != bot.bot_token
    assert renewed.bot_refresh_token != bot.bot_refresh_token
    assert len(many.server.world.refreshes) == 1


async def test_a_token_that_ran_out_is_renewed_before_a_scheduled_post(many: Running) -> None:
    await install(many, expiring=True)
    worker = Worker(many.services, seeds(), many.server.world.pass_seconds)
    now = worker.clock()
    schedule = Schedule(
        (now - timedelta(minutes=1)).time().replace(second=0), "Etc/UTC", now - timedelta(days=1), DAILY
    )
    await worker.storage.subscriptions.put(Subscription(0, ChannelRef("slack", "T1", "C1"), schedule, "U1"))
    store = StoredInstallations(many.services.installations, TokenCipher(KEY))
    bot = await store.async_find_bot(enterprise_id=None, team_id="T1")
    assert bot is not None
    bot.bot_token_expires_at = int(START.timestamp()) - 60
    await store.async_save_bot(bot)
    many.server.world.tokens[str(bot.bot_token)].expires_at = START.timestamp() - 60
    await worker.tick()
    (post,) = [one for one in many.server.world.public("C1") if one.metadata]
    assert post.text.startswith("Paper of the day")
    assert len(many.server.world.refreshes) == 1


async def test_an_app_that_is_removed_and_installed_again_keeps_its_digests(many: Running) -> None:
    await install(many)
    for token in many.server.world.tokens.values():
        token.scopes.add("users:read")
    place = ChannelRef("slack", "T1", "C1")
    person = many.person()
    assert "is set up" in (await person.say("digest on 9:00 topic:experts count:2")).text
    subscriptions = many.services.storage.subscriptions
    await person.event({"type": "app_uninstalled"})

    async def asleep() -> bool:
        return await subscriptions.active() == []

    await until(asleep)
    await install(many)
    entry = await subscriptions.of(place)
    assert entry is not None
    assert (entry.topic, entry.count, entry.ended, entry.held_for) == ("experts", 2, None, None)


async def test_a_token_that_is_still_good_is_renewed_beside_the_answer(many: Running) -> None:
    await install(many, expiring=True)
    store = StoredInstallations(many.services.installations, TokenCipher(KEY))
    bot = await store.async_find_bot(enterprise_id=None, team_id="T1")
    assert bot is not None
    bot.bot_token_expires_at = int(START.timestamp()) + 3_600
    await store.async_save_bot(bot)
    answered = asyncio.Event()
    many.server.world.faults.append(Fault("oauth.v2.access", "slow", until=answered))
    assert "Version" in (await many.person().say("about")).text
    still = await store.async_find_bot(enterprise_id=None, team_id="T1")
    assert still is not None
    assert still.bot_token == bot.bot_token
    answered.set()
    await many.stop()
    renewed = await store.async_find_bot(enterprise_id=None, team_id="T1")
    assert renewed is not None
    assert renewed.bot_token != bot.bot_token


async def test_a_renewal_that_fails_leaves_the_token_as_it_was(many: Running, caplog: pytest.LogCaptureFixture) -> None:
    await install(many, expiring=True)
    store = StoredInstallations(many.services.installations, TokenCipher(KEY))
    bot = await store.async_find_bot(enterprise_id=None, team_id="T1")
    assert bot is not None
    bot.bot_token_expires_at = int(START.timestamp()) + 30
    await store.async_save_bot(bot)
    many.server.world.faults.append(Fault("oauth.v2.access", "500"))
    assert "Version" in (await many.person().say("about")).text
    assert "could not be renewed" in caplog.text


async def test_an_installation_is_kept_whatever_becomes_of_its_request(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bot.adapters.slack.http.SHUTDOWN_SECONDS", 0.01)
    async with slack_server() as server, running_bot(server, tmp_path, oauth_section(), environment=OAUTH) as many:
        world, freed = server.world, asyncio.Event()
        world.faults.append(Fault("oauth.v2.access", "slow", until=freed))
        installing = asyncio.create_task(install(many))
        await until_true(lambda: world.faults[0].times == 0)  # the code is being exchanged
        many.services.stopping.set()
        await asyncio.wait({installing})  # the request is cut
        assert isinstance(installing.exception(), ClientError)
        assert await many.services.installations.all("slack") == []
        freed.set()
        await many.stop()
        ((workspace, _, _),) = await many.services.installations.all("slack")
        assert workspace == "T1"


async def test_a_renewed_token_is_kept_also_where_the_store_was_away(
    many: Running, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    await install(many, expiring=True)
    store = StoredInstallations(many.services.installations, TokenCipher(KEY))
    bot = await store.async_find_bot(enterprise_id=None, team_id="T1")
    assert bot is not None
    bot.bot_token_expires_at = int(START.timestamp()) + 30
    await store.async_save_bot(bot)
    monkeypatch.setattr("bot.adapters.slack.oauth._KEEP_PAUSES", (0.0, 0.0, 0.0))
    put, failures = many.services.installations.put, [OSError("away"), OSError("away")]

    async def away(*given: str) -> None:
        if failures:
            raise failures.pop()
        await put(*given)

    monkeypatch.setattr(many.services.installations, "put", away)
    assert "Version" in (await many.person().say("about")).text
    renewed = await store.async_find_bot(enterprise_id=None, team_id="T1")
    assert renewed is not None
    assert renewed.bot_token != bot.bot_token
    assert caplog.text.count("could not be kept; tried again") == 2


# keys


async def test_a_new_key_is_put_before_the_old_one_and_then_stands_alone(tmp_path: Path) -> None:
    new = Fernet.generate_key().decode()
    folder, section = tmp_path, oauth_section()
    async with slack_server() as server:
        async with running_bot(server, folder, section, environment=OAUTH) as first:
            await install(first)
        both = {**OAUTH, "PAPERBOY_TOKEN_KEY": f"{new},{KEY}"}
        async with running_bot(server, folder, oauth_section(), environment=both) as second:
            assert "Version" in (await second.person().say("about")).text
        alone = {**OAUTH, "PAPERBOY_TOKEN_KEY": new}
        async with running_bot(server, folder, oauth_section(), environment=alone) as third:
            assert "Version" in (await third.person().say("about")).text


async def test_a_key_that_is_gone_is_said_in_the_log(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    async with slack_server() as server:
        async with running_bot(server, tmp_path, oauth_section(), environment=OAUTH) as first:
            await install(first)
        other = {**OAUTH, "PAPERBOY_TOKEN_KEY": Fernet.generate_key().decode()}
        async with running_bot(server, tmp_path, oauth_section(), environment=other) as second:
            assert "not installed" in (await second.person().say("about")).text
    assert "PAPERBOY_TOKEN_KEY no longer has" in caplog.text


@pytest.mark.parametrize("key", ["short", "", " , ", "x" * 44])
async def test_what_is_no_key_is_one_clear_line(key: str, tmp_path: Path, server_: SlackServer) -> None:
    with pytest.raises(OperatorError, match="PAPERBOY_TOKEN_KEY"):
        TokenCipher(key)


@pytest.fixture
async def server_() -> AsyncIterator[SlackServer]:
    async with slack_server() as server:
        yield server


@pytest.mark.parametrize("kind", ["sqlite", "postgresql"])
async def test_installations_on_either_database(kind: str, tmp_path: Path) -> None:
    async with database_url(kind, tmp_path) as url:
        database = await Database.open(url)
        try:
            store = StoredInstallations(Installations(database), TokenCipher(KEY))
            assert await store.async_find_bot(enterprise_id=None, team_id="T1") is None
            from slack_sdk.oauth.installation_store.models.bot import Bot  # noqa: PLC0415

            whole = Bot(
                enterprise_id="E1",
                bot_token="xoxb-1",
                bot_id="B1",
                bot_user_id="U",
                bot_scopes=["chat:write"],
                is_enterprise_install=True,
                installed_at=1_000.5,
            )
            await store.async_save_bot(whole)
            found = await store.async_find_bot(enterprise_id="E1", team_id="T9", is_enterprise_install=False)
            assert found is not None
            assert (found.bot_token, found.bot_scopes, found.installed_at) == ("xoxb-1", ["chat:write"], 1_000.5)
            assert await store.async_find_installation(enterprise_id="E1", team_id=None) is not None
            assert await store.async_find_bot(enterprise_id=None, team_id="T9") is None
            await store.async_delete_all(enterprise_id="E1", team_id=None)
            assert await store.async_find_bot(enterprise_id="E1", team_id="T9") is None
        finally:
            await database.close()


async def test_secrets_of_other_modes_change_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Bolt would turn to files of its own when it finds a client id in the environment."""
    for name, value in {**OAUTH, **TOKENS}.items():
        monkeypatch.setenv(name, value)
    monkeypatch.chdir(tmp_path)
    async with slack_server() as server, running_bot(server, tmp_path / "state") as running:
        assert "Version" in (await running.person().say("about")).text
    assert [entry.name for entry in os.scandir(tmp_path)] == ["state"]
