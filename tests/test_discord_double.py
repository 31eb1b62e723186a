"""The double of Discord refuses what Discord refuses: each kind of bad payload, request and timing."""

import asyncio
import json
import zlib
from collections.abc import AsyncIterator
from typing import Any

import aiohttp
import pytest
from platforms.discord.markdown import read
from platforms.discord.rules import choice_faults, command_faults, message_faults
from platforms.discord.server import Double, discord_double
from platforms.discord.world import APPLICATION, EMBED, EVERYTHING, HISTORY, SEND, TOKEN, VIEW, Channel, Interaction

OK = {"type": 2, "style": 2, "label": "x", "custom_id": "a"}
OPTION = {"label": "x", "value": "v"}


def row(*inside: dict[str, Any]) -> dict[str, Any]:
    return {"type": 1, "components": list(inside)}


def embed(**more: Any) -> dict[str, Any]:
    return {"embeds": [more]}


def menu(**more: Any) -> dict[str, Any]:
    return {"content": "x", "components": [row({"type": 3, "custom_id": "m", "options": [OPTION], **more})]}


def button(**more: Any) -> dict[str, Any]:
    return {"content": "x", "components": [row({**OK, **more})]}


GOOD_MESSAGES = [
    {"content": "x" * 2_000},
    embed(title="x" * 256, description="x" * 4_096),
    embed(title="x", url="https://a.example/b?c=%20"),
    embed(fields=[{"name": "n", "value": "v"}] * 25),
    button(label="x" * 80, custom_id="x" * 100),
    menu(options=[{"label": "x" * 100, "value": str(n)} for n in range(25)]),
    {"content": "x", "components": [row(*({**OK, "custom_id": f"{r}{n}"} for n in range(5))) for r in range(5)]},
]

BAD_MESSAGES = {
    "content too long": {"content": "x" * 2_001},
    "content too long in UTF-16": {"content": "😀" * 1_001},
    "nothing": {"content": ""},
    "title too long": embed(title="x" * 257),
    "description too long": embed(description="x" * 4_097),
    "empty embed": embed(color=1),
    "11 embeds": {"embeds": [{"title": "x"}] * 11},
    "embeds over 6000": {"embeds": [{"description": "x" * 3_001}] * 2},
    "26 fields": embed(fields=[{"name": "n", "value": "v"}] * 26),
    "field without name": embed(fields=[{"name": " ", "value": "v"}]),
    "field name too long": embed(fields=[{"name": "n" * 257, "value": "v"}]),
    "field value too long": embed(fields=[{"name": "n", "value": "v" * 1_025}]),
    "footer too long": embed(title="x", footer={"text": "x" * 2_049}),
    "author too long": embed(title="x", author={"name": "x" * 257}),
    "javascript": embed(title="x", url="javascript:alert(1)"),
    "address without host": embed(title="x", url="https://"),
    "address with a space": embed(title="x", url="https://a.example/b c"),
    "6 rows": {"content": "x", "components": [row({**OK, "custom_id": str(n)}) for n in range(6)]},
    "6 buttons": {"content": "x", "components": [row(*({**OK, "custom_id": str(n)} for n in range(6)))]},
    "empty row": {"content": "x", "components": [row()]},
    "menu beside button": {
        "content": "x",
        "components": [row(OK, {"type": 3, "custom_id": "m", "options": [OPTION]})],
    },
    "no row": {"content": "x", "components": [OK]},
    "label too long": button(label="x" * 81),
    "no label": button(label=""),
    "custom_id too long": button(custom_id="x" * 101),
    "no custom_id": button(custom_id=""),
    "same custom_id": {"content": "x", "components": [row(OK, OK)]},
    "unknown style": button(style=9),
    "26 options": menu(options=[{"label": "x", "value": str(n)} for n in range(26)]),
    "no options": menu(options=[]),
    "same value": menu(options=[OPTION, OPTION]),
    "option label too long": menu(options=[{"label": "x" * 101, "value": "v"}]),
    "option value too long": menu(options=[{"label": "x", "value": "v" * 101}]),
    "option description too long": menu(options=[{**OPTION, "description": "x" * 101}]),
    "placeholder too long": menu(placeholder="x" * 151),
    "nonce too long": {"content": "x", "nonce": "x" * 26},
    "mentions twice": {"content": "x", "allowed_mentions": {"parse": ["users"], "users": ["1"]}},
}


def command(**more: Any) -> dict[str, Any]:
    return {"name": "papers", "description": "d", "type": 1, **more}


def text_option(name: str = "o", **more: Any) -> dict[str, Any]:
    return {"type": 3, "name": name, "description": "d", **more}


def subcommand(name: str = "s", **more: Any) -> dict[str, Any]:
    return {"type": 1, "name": name, "description": "d", **more}


BAD_COMMANDS = {
    "upper case": [command(name="Papers")],
    "space in name": [command(name="a b")],
    "long name": [command(name="x" * 33)],
    "no description": [command(description="")],
    "long description": [command(description="x" * 101)],
    "26 options": [command(options=[text_option(f"o{n}") for n in range(26)])],
    "26 choices": [command(options=[text_option(choices=[{"name": str(n), "value": str(n)} for n in range(26)])])],
    "same option": [command(options=[text_option(), text_option()])],
    "required after optional": [command(options=[text_option("a"), text_option("b", required=True)])],
    "mixed": [command(options=[subcommand(), text_option()])],
    "group in group": [
        command(options=[{"type": 2, "name": "g", "description": "d", "options": [
            {"type": 2, "name": "h", "description": "d", "options": [subcommand()]}]}])
    ],
    "autocomplete with choices": [
        command(options=[text_option(autocomplete=True, choices=[{"name": "a", "value": "a"}])])
    ],
    "over 8000": [command(options=[subcommand(f"s{n}", options=[
        text_option(f"o{m}", description="d" * 100) for m in range(5)]) for n in range(20)])],
    "same name": [command(), command()],
}  # fmt: skip


@pytest.mark.parametrize("body", GOOD_MESSAGES)
def test_good_messages_pass(body: dict[str, Any]) -> None:
    assert message_faults(body) == []


@pytest.mark.parametrize("name", BAD_MESSAGES)
def test_bad_messages_are_found_without_the_published_document(name: str) -> None:
    assert message_faults(BAD_MESSAGES[name])


@pytest.fixture
async def double() -> AsyncIterator[Double]:
    async with discord_double() as double:
        yield double


@pytest.fixture
async def http(double: Double) -> AsyncIterator["Caller"]:
    async with aiohttp.ClientSession() as session:
        yield Caller(session, double)


class Caller:
    """Requests as a client would send them."""

    def __init__(self, session: aiohttp.ClientSession, double: Double) -> None:
        self.session, self.base = session, f"http://127.0.0.1:{double.port}/api/v10"
        self.gateway = f"http://127.0.0.1:{double.port}/gw/"

    async def call(self, method: str, path: str, body: Any = None, **more: Any) -> tuple[int, Any, Any]:
        headers = {"Authorization": f"Bot {TOKEN}", "Content-Type": "application/json", **more.pop("headers", {})}
        data = None if body is None else json.dumps(body)
        async with self.session.request(method, self.base + path, data=data, headers=headers, **more) as answer:
            text = await answer.text()
            parsed = json.loads(text) if answer.content_type == "application/json" else text
            return answer.status, parsed, answer.headers


def interaction(double: Double, kind: int = 2) -> tuple[Interaction, Channel]:
    world = double.world
    channel = world.channel(world.guild())
    made = Interaction(world.new_id(), f"token{world.new_id()}", kind, 5, channel, world.clock.seconds)
    world.interactions[made.id] = world.by_token[made.token] = made
    return made, channel


@pytest.mark.parametrize("name", BAD_MESSAGES)
async def test_bad_messages_are_refused_wherever_they_go(name: str, double: Double, http: Caller) -> None:
    made, channel = interaction(double)
    status, answer, _ = await http.call("POST", f"/channels/{channel.id}/messages", BAD_MESSAGES[name])
    assert status == 400
    assert answer["code"] in {50035, 50006}
    assert channel.messages == []
    later = f"/webhooks/{APPLICATION}/{made.token}"
    await http.call("POST", f"/interactions/{made.id}/{made.token}/callback", {"type": 5, "data": {"flags": 64}})
    for method, path in (("POST", later), ("PATCH", f"{later}/messages/@original")):
        body = {key: value for key, value in BAD_MESSAGES[name].items() if key != "nonce"}
        if name != "nonce too long":
            assert (await http.call(method, path, body))[0] == 400, method
    again, _ = interaction(double)
    if name != "nonce too long":
        callback = f"/interactions/{again.id}/{again.token}/callback"
        assert (await http.call("POST", callback, {"type": 4, "data": BAD_MESSAGES[name]}))[0] == 400
        assert again.acknowledged is None


@pytest.mark.parametrize("name", BAD_COMMANDS)
async def test_bad_commands_are_refused(name: str, double: Double, http: Caller) -> None:
    assert command_faults(BAD_COMMANDS[name])
    for path in (f"/applications/{APPLICATION}/commands", f"/applications/{APPLICATION}/guilds/7/commands"):
        status, answer, _ = await http.call("PUT", path, BAD_COMMANDS[name])
        assert (status, answer["code"]) == (400, 50035)
    assert double.world.commands == {}


@pytest.mark.parametrize(
    "choices",
    [
        [{"name": "x", "value": str(n)} for n in range(26)],
        [{"name": "", "value": "v"}],
        [{"name": "x" * 101, "value": "v"}],
        [{"name": "x", "value": "v" * 101}],
    ],
)
async def test_bad_choices_are_refused(choices: list[dict[str, Any]], double: Double, http: Caller) -> None:
    assert choice_faults(choices)
    made, _ = interaction(double, 4)
    callback = f"/interactions/{made.id}/{made.token}/callback"
    assert (await http.call("POST", callback, {"type": 8, "data": {"choices": choices}}))[0] == 400


async def test_token_and_content_type_are_checked(double: Double, http: Caller) -> None:
    assert (await http.call("GET", "/users/@me", headers={"Authorization": "Bot no"}))[0] == 401
    assert (await http.call("GET", "/users/@me"))[0] == 200
    channel = double.world.channel(double.world.guild())
    odd = {"Content-Type": "application/json; charset=utf-8"}
    status, answer, _ = await http.call("POST", f"/channels/{channel.id}/messages", {"content": "x"}, headers=odd)
    assert (status, answer["code"]) == (400, 50109)


async def test_acknowledged_once_in_time_and_by_the_right_type(double: Double, http: Caller) -> None:
    made, _ = interaction(double)
    callback = f"/interactions/{made.id}/{made.token}/callback"
    assert (await http.call("POST", callback, {"type": 6}))[0] == 400, "only a button is answered later in place"
    assert (await http.call("POST", callback.replace("token", "tokem"), {"type": 5}))[1]["code"] == 10062
    status, answer, _ = await http.call("POST", f"{callback}?with_response=1", {"type": 5, "data": {"flags": 64}})
    assert status == 200
    assert answer["resource"]["message"]["flags"] == 64 | 128
    status, answer, _ = await http.call("POST", callback, {"type": 5})
    assert (status, answer["code"]) == (400, 40060)
    late, _ = interaction(double)
    double.world.clock.advance(3.01)
    status, answer, _ = await http.call("POST", f"/interactions/{late.id}/{late.token}/callback", {"type": 5})
    assert (status, answer["code"]) == (404, 10062)


async def test_tokens_live_15_minutes_and_first_follow_up_fills_the_loader(double: Double, http: Caller) -> None:
    made, channel = interaction(double)
    webhook = f"/webhooks/{APPLICATION}/{made.token}"
    assert (await http.call("POST", webhook, {"content": "x"}))[0] == 404, "nothing before the acknowledgement"
    await http.call("POST", f"/interactions/{made.id}/{made.token}/callback", {"type": 5, "data": {}})
    await http.call("POST", webhook, {"content": "secret", "flags": 64})
    assert made.shown["content"] == "secret"
    assert made.shown["flags"] == 0, "as public as the acknowledgement was"
    assert made.shown in channel.messages
    double.world.clock.advance(900.1)
    status, answer, _ = await http.call("PATCH", f"{webhook}/messages/@original", {"content": "y"})
    assert (status, answer["code"]) == (401, 50027)


@pytest.mark.parametrize(
    ("may", "code"),
    [(EVERYTHING & ~VIEW, 50001), (EVERYTHING & ~SEND, 50013), (EVERYTHING & ~EMBED, 50013)],
)
async def test_permissions_are_checked(may: int, code: int, double: Double, http: Caller) -> None:
    channel = double.world.channel(double.world.guild())
    channel.may[double.world.me] = may
    status, answer, _ = await http.call("POST", f"/channels/{channel.id}/messages", {"embeds": [{"title": "x"}]})
    assert (status, answer["code"]) == (403, code)
    channel.may[double.world.me] = EVERYTHING & ~HISTORY
    # without Read Message History there is no error, only nothing to see
    assert (await http.call("GET", f"/channels/{channel.id}/messages"))[:2] == (200, [])
    assert (await http.call("POST", "/channels/1/messages", {"content": "x"}))[1]["code"] == 10003


async def test_nonce_is_remembered_for_three_minutes_and_not_in_history(double: Double, http: Caller) -> None:
    channel = double.world.channel(double.world.guild())
    path = f"/channels/{channel.id}/messages"
    body = {"content": "x", "nonce": "n1", "enforce_nonce": True}
    first = (await http.call("POST", path, body))[1]["id"]
    assert (await http.call("POST", path, body))[1]["id"] == first
    assert (await http.call("POST", path, {**body, "enforce_nonce": False}))[1]["id"] != first
    double.world.clock.advance(180.1)
    assert (await http.call("POST", path, body))[1]["id"] != first
    assert all("nonce" not in one for one in (await http.call("GET", path))[1])
    double.world.clock.advance(31)
    shown = (await http.call("GET", path))[1]
    assert len(shown) == 3
    await http.call("DELETE", f"{path}/{shown[0]['id']}")
    assert (await http.call("POST", path, body))[1]["code"] == 10008, "its message is deleted"


async def test_history_lags_by_a_seeded_time(double: Double, http: Caller) -> None:
    channel = double.world.channel(double.world.guild())
    for _ in range(20):
        await http.call("POST", f"/channels/{channel.id}/messages", {"content": "x"})
    counts = []
    for _ in range(7):
        counts.append(len((await http.call("GET", f"/channels/{channel.id}/messages"))[1]))
        double.world.clock.advance(5)
    assert counts == sorted(counts)
    assert counts[0] < 20 == counts[-1]


async def test_rates_with_via_and_retry_after(double: Double, http: Caller) -> None:
    double.world.rates = True
    channel = double.world.channel(double.world.guild())
    answers = [await http.call("POST", f"/channels/{channel.id}/messages", {"content": "x"}) for _ in range(6)]
    assert [status for status, _, _ in answers] == [200] * 5 + [429]
    _, body, headers = answers[-1]
    assert headers["Via"]
    assert 0 < body["retry_after"] <= 5
    double.world.clock.advance(body["retry_after"])
    assert (await http.call("POST", f"/channels/{channel.id}/messages", {"content": "x"}))[0] == 200


async def test_faults_on_demand(double: Double, http: Caller) -> None:
    channel = double.world.channel(double.world.guild())
    path = f"/channels/{channel.id}/messages"
    for kind, status in (("500", 500), ("503", 503), ("429", 429), ("banned", 429)):
        double.world.fault(kind, "POST")
        got, _, headers = await http.call("POST", path, {"content": kind})
        assert got == status
        assert ("Via" in headers) is (kind == "429")
    assert channel.messages == []
    for kind in ("drop before", "reset", "late", "drop after"):
        double.world.fault(kind, "POST")
        with pytest.raises(aiohttp.ClientError):
            await http.call("POST", path, {"content": kind})
    assert [one["content"] for one in channel.messages] == ["drop after"]
    await double.world.settle_late()
    double.world.clock.advance(30)
    await double.world.settle_late()
    assert [one["content"] for one in channel.messages] == ["drop after", "late"]


async def test_who_would_be_pinged(double: Double, http: Caller) -> None:
    channel = double.world.channel(double.world.guild())
    path = f"/channels/{channel.id}/messages"
    await http.call("POST", path, {"content": "@everyone"})
    await http.call("POST", path, {"content": "<@1>", "allowed_mentions": {"parse": ["users"]}})
    await http.call("POST", path, {"content": "@here <@1>", "allowed_mentions": {"parse": []}})
    assert double.world.pings == ["@everyone", "<@1>"]


class Line:
    """One connection to the gateway."""

    def __init__(self, socket: aiohttp.ClientWebSocketResponse, *, compressed: bool) -> None:
        self._socket, self._inflate = socket, zlib.decompressobj() if compressed else None

    async def next(self) -> dict[str, Any]:
        frame = await asyncio.wait_for(self._socket.receive(), 30)
        if self._inflate is not None:
            return dict(json.loads(self._inflate.decompress(frame.data)))
        return dict(json.loads(frame.data))

    async def send(self, op: int, data: Any) -> None:
        await self._socket.send_json({"op": op, "d": data})

    async def closed(self) -> int | None:
        frame = await asyncio.wait_for(self._socket.receive(), 30)
        return frame.data if frame.type is aiohttp.WSMsgType.CLOSE else self._socket.close_code


IDENTIFY = {"token": TOKEN, "intents": 0, "properties": {}}


@pytest.mark.parametrize("compressed", [False, True])
async def test_gateway_hello_identify_heartbeat_resume(compressed: bool, double: Double, http: Caller) -> None:
    url = http.gateway + ("?compress=zlib-stream" if compressed else "")
    async with http.session.ws_connect(url) as socket:
        line = Line(socket, compressed=compressed)
        assert (await line.next())["d"]["heartbeat_interval"] == 41_250
        await line.send(1, None)
        assert (await line.next())["op"] == 11
        await line.send(2, IDENTIFY)
        ready = await line.next()
        assert (ready["t"], ready["s"]) == ("READY", 1)
        assert await double.gateway.deliver(None, {"id": "1"}) == 1
        assert (await line.next())["t"] == "INTERACTION_CREATE"
    session = ready["d"]["session_id"]
    await double.until(lambda: not double.gateway.open)
    async with http.session.ws_connect(url) as socket:
        line = Line(socket, compressed=compressed)
        await line.next()
        await line.send(6, {"token": TOKEN, "session_id": session, "seq": 1})
        assert [(await line.next())["t"], (await line.next())["t"]] == ["INTERACTION_CREATE", "RESUMED"]
        await double.gateway.ask_to_reconnect()
        assert (await line.next())["op"] == 7
        await double.gateway.invalidate()
        assert (await line.next()) == {"op": 9, "d": False, "s": None, "t": None}
        await double.gateway.hang_up(4009)
        assert await line.closed() == 4009
    async with http.session.ws_connect(url) as socket:
        line = Line(socket, compressed=compressed)
        await line.next()
        await line.send(6, {"token": TOKEN, "session_id": "nobody's", "seq": 1})
        assert (await line.next())["op"] == 9


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"token": "no"}, 4004),
        ({"intents": 1 << 40}, 4013),
        ({"intents": 1 << 15}, 4014),
        ({"shard": [2, 2]}, 4010),
    ],
)
async def test_gateway_refuses(change: dict[str, Any], code: int, double: Double, http: Caller) -> None:
    async with http.session.ws_connect(http.gateway) as socket:
        line = Line(socket, compressed=False)
        await line.next()
        await line.send(2, {**IDENTIFY, **change})
        assert await line.closed() == code


async def test_interactions_go_to_the_shard_of_their_guild(double: Double, http: Caller) -> None:
    guilds = [double.world.guild() for _ in range(2)]
    async with http.session.ws_connect(http.gateway) as one, http.session.ws_connect(http.gateway) as two:
        for number, socket in enumerate((one, two)):
            line = Line(socket, compressed=False)
            await line.next()
            await line.send(2, {**IDENTIFY, "shard": [number, 2]})
            await line.next()
        assert [await double.gateway.deliver(guild, {"id": "1"}) for guild in guilds] == [1, 1]
        assert {(guild >> 22) % 2 for guild in guilds} == {0, 1}


@pytest.mark.parametrize(
    ("source", "live"),
    [
        ("@everyone", "everyone"),
        ("<@1>", "mention"),
        ("<#1>", "mention"),
        ("<t:0>", "time"),
        ("</cmd:1>", "command"),
        ("<id:guide>", "guide"),
        (":smile:", "emoji"),
        ("<:a:1>", "custom emoji"),
        ("https://a.example", "url"),
        ("discord.gg/a", "invite"),
    ],
)
def test_the_reader_sees_what_is_live(source: str, live: str) -> None:
    assert read(source).live == [f"{live}: {source}"]
    assert read(f"x **{source}** y").live == [f"{live}: {source}"]
    assert read(f"`{source}`").live == []


@pytest.mark.parametrize(
    ("source", "style"),
    [
        ("# x", "heading"), ("-# x", "small"), ("> x", "quote"), (">>> x", "quote"), ("- x", "list"), ("+ x", "list"),
        ("1. x", "list"), ("a\n- x", "list"), ("||x||", "spoiler"), ("**x**", "bold"), ("*x*", "italic"),
        ("_x_", "italic"), ("__x__", "underline"), ("~~x~~", "strike"), ("`x`", "code"), ("```x```", "code"),
    ],
)  # fmt: skip
def test_the_reader_sees_styles(source: str, style: str) -> None:
    assert read(source).styles == [style]


def test_the_reader_follows_links_and_escapes() -> None:
    seen = read("[a **b**](<https://a.example/x>) \\[c\\](https://d.example) <https://e.example>")
    assert seen.links == ["https://a.example/x", "https://e.example"]
    assert seen.text.startswith("a b [c](https://d.example)")
    assert seen.live == ["url: https://d.example"]
    assert read("[https://b.example](https://evil.example)").links == []
    assert read("a_b_c 3 * 4").styles == []
