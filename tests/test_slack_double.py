"""The double itself: what Slack refuses, it refuses."""

import json
from collections.abc import AsyncIterator
from typing import Any

import pytest
from aiohttp import ClientConnectionError, ClientSession
from platforms.slack.live import live
from platforms.slack.rules import message_problems, option_problems, view_problems
from platforms.slack.server import SlackServer, slack_server
from platforms.slack.world import Fault, Message, ResponseUrl, World
from shared import shared_path
from slack_sdk.errors import SlackApiError
from slack_sdk.web.async_client import AsyncWebClient

Json = dict[str, Any]


def plain(text: str = "x", **more: object) -> Json:
    return {"type": "plain_text", "text": text, **more}


def mrkdwn(text: str = "x") -> Json:
    return {"type": "mrkdwn", "text": text}


def button(**more: object) -> Json:
    return {"type": "button", "text": plain(), "action_id": "a", **more}


def choice(value: str = "v", text: str = "x") -> Json:
    return {"text": plain(text), "value": value}


def actions(*elements: Json, **more: object) -> Json:
    return {"type": "actions", "elements": list(elements), **more}


def rich(*runs: Json, part: str = "rich_text_section") -> Json:
    return {"type": "rich_text", "elements": [{"type": part, "elements": list(runs)}]}


def select(kind: str = "static_select", **more: object) -> Json:
    return {"type": kind, "action_id": "a", "placeholder": plain(), **more}


GOOD: dict[str, list[Json]] = {
    "section": [{"type": "section", "text": mrkdwn("x" * 3000)}],
    "header": [{"type": "header", "text": plain("x" * 150)}],
    "context": [{"type": "context", "elements": [plain()] * 10}],
    "actions": [actions(*(button(action_id=f"a{n}", value="v" * 2000) for n in range(25)))],
    "rich text": [rich({"type": "text", "text": "x", "style": {"bold": True}}, {"type": "link", "url": "https://x"})],
    "list": [
        {
            "type": "rich_text",
            "elements": [
                {
                    "type": "rich_text_list",
                    "style": "bullet",
                    "elements": rich({"type": "text", "text": "x"})["elements"],
                }
            ],
        }
    ],
    "menus": [
        actions(
            select(options=[choice(str(n)) for n in range(100)]),
            select("external_select", min_query_length=0, action_id="b"),
            {"type": "overflow", "action_id": "c", "options": [choice()]},
        )
    ],
    "fifty": [{"type": "divider"}] * 50,
}

BAD: dict[str, list[Any]] = {
    "no blocks": [],
    "51 blocks": [{"type": "divider"}] * 51,
    "too long in all": [{"type": "section", "text": mrkdwn("x" * 2900)}] * 4,
    "unknown block": [{"type": "poem"}],
    "block is text": ["x"],
    "input in a message": [
        {"type": "input", "label": plain(), "element": {"type": "plain_text_input", "action_id": "a"}}
    ],
    "section too long": [{"type": "section", "text": mrkdwn("x" * 3001)}],
    "section empty": [{"type": "section"}],
    "section of spaces": [{"type": "section", "text": plain("  ")}],
    "section with 11 fields": [{"type": "section", "fields": [mrkdwn()] * 11}],
    "field too long": [{"type": "section", "fields": [mrkdwn("x" * 2001)]}],
    "header too long": [{"type": "header", "text": plain("x" * 151)}],
    "header in mrkdwn": [{"type": "header", "text": mrkdwn()}],
    "header empty": [{"type": "header", "text": plain("")}],
    "header without text": [{"type": "header"}],
    "unknown field": [{"type": "divider", "colour": "red"}],
    "11 context elements": [{"type": "context", "elements": [plain()] * 11}],
    "no context elements": [{"type": "context", "elements": []}],
    "26 buttons": [actions(*(button(action_id=f"a{n}") for n in range(26)))],
    "no buttons": [actions()],
    "button label too long": [actions(button(text=plain("x" * 76)))],
    "button label in mrkdwn": [actions(button(text=mrkdwn()))],
    "button label empty": [actions(button(text=plain("")))],
    "button value too long": [actions(button(value="v" * 2001))],
    "button of a script": [actions(button(url="javascript:alert(1)"))],
    "button url too long": [actions(button(url="https://x/" + "y" * 3000))],
    "button style": [actions(button(style="loud"))],
    "button without action_id": [actions({"type": "button", "text": plain()})],
    "action_id too long": [actions(button(action_id="a" * 256))],
    "action_id twice": [actions(button(), button())],
    "action_id twice in two blocks": [actions(button()), actions(button())],
    "block_id twice": [{"type": "divider", "block_id": "b"}, {"type": "divider", "block_id": "b"}],
    "block_id too long": [{"type": "divider", "block_id": "b" * 256}],
    "unknown element": [actions({"type": "lever", "action_id": "a"})],
    "101 options": [actions(select(options=[choice(str(n)) for n in range(101)]))],
    "no options": [actions(select(options=[]))],
    "option text too long": [actions(select(options=[choice(text="x" * 76)]))],
    "option text empty": [actions(select(options=[choice(text="")]))],
    "option value too long": [actions(select(options=[choice("v" * 151)]))],
    "option value twice": [actions(select(options=[choice(), choice()]))],
    "6 options behind dots": [
        actions({"type": "overflow", "action_id": "a", "options": [choice(str(n)) for n in range(6)]})
    ],
    "placeholder too long": [actions(select(options=[choice()], placeholder=plain("x" * 151)))],
    "image without alt": [{"type": "image", "image_url": "https://x/y.png"}],
    "image of a file": [{"type": "image", "image_url": "file:///etc/passwd", "alt_text": "x"}],
    "alt too long": [{"type": "image", "image_url": "https://x/y.png", "alt_text": "x" * 2001}],
    "empty rich text": [{"type": "rich_text", "elements": []}],
    "empty line": [rich()],
    "empty run": [rich({"type": "text", "text": ""})],
    "unknown run": [rich({"type": "shout", "text": "x"})],
    "link of a script": [rich({"type": "link", "url": "javascript:alert(1)", "text": "x"})],
    "link without address": [rich({"type": "link", "text": "x"})],
    "unknown part": [rich({"type": "text", "text": "x"}, part="rich_text_song")],
    "style that is no style": [rich({"type": "text", "text": "x", "style": {"loud": True}})],
}  # fmt: skip

MODAL: Json = {"type": "modal", "title": plain(), "blocks": [{"type": "divider"}]}
FIELD: Json = {"type": "input", "label": plain(), "element": {"type": "plain_text_input", "action_id": "a"}}

BAD_VIEWS: dict[str, Json] = {
    "no type": {"blocks": MODAL["blocks"]},
    "no blocks": {"type": "modal", "title": plain()},
    "no title": {"type": "modal", "blocks": MODAL["blocks"]},
    "title too long": {**MODAL, "title": plain("x" * 25)},
    "title in mrkdwn": {**MODAL, "title": mrkdwn()},
    "submit too long": {**MODAL, "submit": plain("x" * 25)},
    "close too long": {**MODAL, "close": plain("x" * 25)},
    "memory too long": {**MODAL, "private_metadata": "x" * 3001},
    "callback too long": {**MODAL, "callback_id": "x" * 256},
    "101 blocks": {**MODAL, "blocks": [{"type": "divider"}] * 101},
    "input without submit": {**MODAL, "blocks": [FIELD]},
    "input without label": {**MODAL, "submit": plain(), "blocks": [{"type": "input", "element": FIELD["element"]}]},
    "a button as an input": {**MODAL, "submit": plain(), "blocks": [{**FIELD, "element": button()}]},
    "home with a title": {"type": "home", "title": plain(), "blocks": MODAL["blocks"]},
    "unknown field": {**MODAL, "colour": "red"},
}


def needs_schema(name: str) -> None:
    """Skips what only the schemas of the shared material know to be wrong, where they are not there."""
    if name in {"unknown field", "style that is no style"}:
        shared_path("specs/slack-view.schema.json")
        shared_path("specs/slack-known-block.schema.json")


@pytest.mark.parametrize("name", GOOD)
def test_good_blocks_pass(name: str) -> None:
    assert message_problems(GOOD[name]) == []


@pytest.mark.parametrize("name", BAD)
def test_bad_blocks_are_refused(name: str) -> None:
    needs_schema(name)
    assert message_problems(BAD[name])


@pytest.mark.parametrize(
    "view", [MODAL, {**MODAL, "submit": plain(), "blocks": [FIELD]}, {"type": "home", "blocks": MODAL["blocks"]}]
)
def test_good_views_pass(view: Json) -> None:
    assert view_problems(view) == []


@pytest.mark.parametrize("name", BAD_VIEWS)
def test_bad_views_are_refused(name: str) -> None:
    needs_schema(name)
    assert view_problems(BAD_VIEWS[name])


def test_bad_suggestions_are_refused() -> None:
    assert list(option_problems([choice(str(n)) for n in range(101)]))
    assert list(option_problems([choice(), choice()]))


QUIET: Json = {"mrkdwn": False, "parse": "none", "unfurl_links": False, "unfurl_media": False}


@pytest.mark.parametrize(
    "message",
    [
        {"text": "<!here>"},
        {"text": "<@U1>"},
        {"text": "a & b"},
        {"text": ":smile:"},
        {"text": "*bold*", "mrkdwn": True},
        {"text": "&gt; quote", "mrkdwn": True},
        {"text": "https://evil.example", "parse": "full"},
        {"text": "x", "unfurl_links": True},
        {"blocks": [{"type": "section", "text": mrkdwn("<https://evil.example|x>")}]},
        {"blocks": [{"type": "section", "text": mrkdwn("_slanted_")}]},
        {"blocks": [{"type": "section", "text": mrkdwn("https://evil.example")}]},
        {"blocks": [{"type": "header", "text": plain(":smile:")}]},
        {"blocks": [{"type": "markdown", "text": "# x"}]},
        {"blocks": [rich({"type": "broadcast", "range": "here"})]},
        {"blocks": [rich({"type": "emoji", "name": "smile"})]},
        {"blocks": [rich({"type": "user", "user_id": "U1"})]},
        {"blocks": [rich({"type": "link", "url": "javascript:x"})]},
        {"blocks": [rich({"type": "text", "text": "a\u202eb"})]},
    ],
    ids=lambda message: json.dumps(message)[:60],
)
def test_what_acts_is_seen(message: Json) -> None:
    assert live({**QUIET, **message})


@pytest.mark.parametrize(
    "message",
    [
        {"text": "&lt;!here&gt; a &amp; b *x* https://x.example"},
        {"blocks": [rich({"type": "text", "text": "<!here> :smile: *x* https://x.example"})]},
        {"blocks": [{"type": "header", "text": plain("<!here> :smile:", emoji=False)}]},
        {"blocks": [{"type": "context", "elements": [{**mrkdwn("Shared by <@U1>"), "verbatim": True}]}]},
    ],
    ids=lambda message: json.dumps(message)[:60],
)
def test_what_does_not_act_is_left_alone(message: Json) -> None:
    assert live({**QUIET, **message}) == []


@pytest.fixture
async def server() -> AsyncIterator[SlackServer]:
    async with slack_server() as running:
        yield running


def client(server: SlackServer, token: str | None = None) -> AsyncWebClient:
    return AsyncWebClient(token="xoxb-1-good" if token is None else token, base_url=server.api_url, retry_handlers=[])


async def code(call: Any) -> str:
    """The error that a call ends with."""
    with pytest.raises(SlackApiError) as caught:
        await call
    return str(caught.value.response["error"])


async def test_tokens_and_scopes_are_enforced(server: SlackServer) -> None:
    assert await code(client(server, "xoxb-wrong").auth_test()) == "invalid_auth"
    assert await code(client(server, "").auth_test()) == "not_authed"
    assert await code(client(server, "xapp-1-good").auth_test()) == "not_allowed_token_type"
    assert await code(client(server).apps_connections_open(app_token="xoxb-1-good")) == "not_allowed_token_type"
    server.world.tokens["xoxb-1-good"].scopes = {"chat:write"}
    assert await code(client(server).conversations_info(channel="C1")) == "missing_scope"
    assert await code(client(server).users_info(user="U1")) == "missing_scope"
    server.world.tokens["xoxb-1-good"].revoked = "account_inactive"
    assert await code(client(server).auth_test()) == "account_inactive"


@pytest.mark.parametrize(
    ("channel", "expected"),
    [
        ("C2", "not_in_channel"),
        ("G1", "channel_not_found"),
        ("C9", "channel_not_found"),
        ("CARCH", "is_archived"),
        ("CREST", "restricted_action"),
    ],
)
async def test_channels_are_enforced(channel: str, expected: str, server: SlackServer) -> None:
    assert await code(client(server).chat_postMessage(channel=channel, text="x")) == expected


async def test_bad_messages_are_refused_and_remembered(server: SlackServer) -> None:
    web = client(server)
    assert await code(web.chat_postMessage(channel="C1", text="x", blocks=BAD["51 blocks"])) == "invalid_blocks"
    long = [{"type": "section", "text": mrkdwn("x" * 2900)}] * 4
    assert await code(web.chat_postMessage(channel="C1", text="x", blocks=long)) == "msg_blocks_too_long"
    assert len(server.world.refused) == 2
    assert await code(web.chat_delete(channel="C1", ts="1.1")) == "message_not_found"
    assert await code(web.chat_postEphemeral(channel="C3", user="U1", text="x")) == "user_not_in_channel"


async def test_a_trigger_opens_one_view_and_soon_no_more(server: SlackServer) -> None:
    web, world = client(server), server.world
    trigger = world.new_trigger("U1")
    await web.views_open(trigger_id=trigger, view=MODAL)
    assert await code(web.views_open(trigger_id=trigger, view=MODAL)) == "invalid_trigger_id"
    late = world.new_trigger("U1")
    world.pass_seconds(4)
    assert await code(web.views_open(trigger_id=late, view=MODAL)) == "expired_trigger_id"
    assert await code(web.views_update(view_id="V99", view=MODAL)) == "not_found"


async def test_a_response_address_works_five_times_for_half_an_hour(server: SlackServer) -> None:
    world = server.world
    world.responses["r"] = ResponseUrl("C1", "T1", "U1", world.now)
    world.responses["old"] = ResponseUrl("C1", "T1", "U1", world.now - 1801)

    async with ClientSession() as session:

        async def respond(key: str) -> tuple[int, str]:
            async with session.post(f"{server.base}/response/{key}", json={"text": "x"}) as response:
                return response.status, await response.text()

        assert [(await respond("r"))[0] for _ in range(5)] == [200] * 5
        assert "used_url" in (await respond("r"))[1]
        assert "expired_url" in (await respond("old"))[1]
    assert len(world.private("U1", "C1")) == 5


async def test_too_many_messages_at_once_must_wait(server: SlackServer) -> None:
    web = client(server)
    for _ in range(8):
        await web.chat_postMessage(channel="C1", text="x")
    with pytest.raises(SlackApiError) as caught:
        await web.chat_postMessage(channel="C1", text="x")
    assert caught.value.response.status_code == 429
    assert caught.value.response.headers["Retry-After"] == "1"
    server.world.pass_seconds(6)
    await web.chat_postMessage(channel="C1", text="x")


@pytest.mark.parametrize(
    ("kind", "posted"),
    [("drop_before", 0), ("reset", 0), ("drop_after", 1), ("late", 1)],
)
async def test_connections_break_before_and_after_the_deed(kind: str, posted: int, server: SlackServer) -> None:
    server.world.faults.append(Fault("chat.postMessage", kind, seconds=0.05))
    with pytest.raises(ClientConnectionError):
        await client(server).chat_postMessage(channel="C1", text="x")
    if posted:
        await server.world.until(lambda: server.world.public("C1"))
    assert len(server.world.public("C1")) == posted
    await client(server).chat_postMessage(channel="C1", text="the fault is used up")


@pytest.mark.parametrize(("kind", "status"), [("500", 500), ("429", 429)])
async def test_statuses_on_demand(kind: str, status: int, server: SlackServer) -> None:
    server.world.faults.append(Fault("chat.postMessage", kind))
    with pytest.raises(SlackApiError) as caught:
        await client(server).chat_postMessage(channel="C1", text="x")
    assert caught.value.response.status_code == status


async def test_history_lags_and_knows_metadata_only_when_asked(server: SlackServer) -> None:
    web = client(server)
    metadata = {"event_type": "paper", "event_payload": {"key": "k"}}
    await web.chat_postMessage(channel="C1", text="x", metadata=metadata)
    server.world.messages[0].shown_at = server.world.now + 20
    assert (await web.conversations_history(channel="C1"))["messages"] == []
    server.world.pass_seconds(21)
    assert "metadata" not in (await web.conversations_history(channel="C1"))["messages"][0]
    asked = await web.conversations_history(channel="C1", include_all_metadata=True)
    assert asked["messages"][0]["metadata"] == metadata


def test_the_lag_is_seeded_and_bounded() -> None:
    def lags(seed: int) -> list[float]:
        world = World(seed)
        shown = [world.add_message(Message("1", "C1", "T1", "U", "", [])) for _ in range(50)]
        return [one.shown_at - world.now for one in shown]

    assert lags(1) == pytest.approx(lags(1), abs=1)
    assert lags(1) != pytest.approx(lags(2), abs=1)
    assert all(-1 <= lag <= 30 for lag in lags(1))


async def test_members_come_in_pages(server: SlackServer) -> None:
    server.world.channels["C1"].members |= {f"U{n}" for n in range(10, 30)}
    first = await client(server).conversations_members(channel="C1", limit=10)
    assert len(first["members"]) == 10
    assert first["response_metadata"]["next_cursor"]


async def test_a_ticket_opens_one_socket(server: SlackServer) -> None:
    address = (await client(server).apps_connections_open(app_token="xapp-1-good"))["url"]
    async with ClientSession() as session:
        async with session.ws_connect(address) as socket:
            assert (await socket.receive_json())["type"] == "hello"
        async with session.get(address.replace("ws://", "http://")) as again:
            assert again.status == 403


@pytest.mark.filterwarnings("ignore:BasicAuth is deprecated:DeprecationWarning")  # slack_sdk still uses it
async def test_installing_takes_a_code_once_and_the_right_secret(server: SlackServer) -> None:
    server.world.codes["code"] = {"team": "T1", "redirect_uri": None}
    web = AsyncWebClient(base_url=server.api_url, retry_handlers=[])
    assert await code(web.oauth_v2_access(client_id="1.2", client_secret="no", code="code")) == "bad_client_secret"
    answer = await web.oauth_v2_access(client_id="1.2", client_secret="client-secret", code="code")
    assert answer["access_token"].startswith("xoxb-T1")
    again = web.oauth_v2_access(client_id="1.2", client_secret="client-secret", code="code")
    assert await code(again) == "invalid_code"
