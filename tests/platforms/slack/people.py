"""People who use the bot in the double, and the ways in which Slack tells the bot what they do."""

import hashlib
import hmac
import io
import json
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any, Protocol
from urllib.parse import urlencode

import aiohttp
from clocks import START
from contract import Seen
from platforms.slack.rules import option_problems, view_problems
from platforms.slack.seen import Element, buttons, elements, words
from platforms.slack.server import SlackServer
from platforms.slack.world import ACK_SECONDS, Message, ResponseUrl, View
from waiting import GUARD_SECONDS

Json = dict[str, Any]

SIGNING_SECRET = "8f742231b10e8888abcd99yyyzzz85a5"


class Line(Protocol):
    """How requests reach the bot. Gives the payload of the acknowledgement, None where there was none in time."""

    async def deliver(self, kind: str, payload: Json, **more: Any) -> Json | None: ...


@dataclass
class OverSocket:
    server: SlackServer

    async def deliver(self, kind: str, payload: Json, **more: Any) -> Json | None:
        answer = await self.server.envelope(kind, payload, **more)
        return None if answer is None else answer.get("payload", {})


@dataclass
class OverHttp:
    """Signed requests to the bot's own server; `bases` are its replicas, which take turns."""

    server: SlackServer
    bases: list[str]
    secret: str = SIGNING_SECRET
    statuses: list[int] = field(default_factory=list)
    turn: int = 0

    async def deliver(self, kind: str, payload: Json, *, retry: int = 0, base: str = "", **_: Any) -> Json | None:
        headers = {"X-Slack-Retry-Num": str(retry), "X-Slack-Retry-Reason": "http_timeout"} if retry else {}
        match kind:
            case "slash_commands":
                body, content = urlencode(payload), "application/x-www-form-urlencoded"
            case "interactive":
                body, content = urlencode({"payload": json.dumps(payload)}), "application/x-www-form-urlencoded"
            case _:
                body, content = json.dumps(payload), "application/json"
        self.turn += 1
        base = base or self.bases[self.turn % len(self.bases)]
        sent = self.server.world.now
        status, text = await send_signed(
            base, body, content, self.secret, timestamp=str(int(self.server.world.now)), headers=headers
        )
        self.statuses.append(status)
        if status != 200 or self.server.world.now - sent > ACK_SECONDS:
            self.server.world.late.append(f"{kind}: {status}")
            return None
        return json.loads(text) if text.startswith("{") else ({"text": text} if text else {})


async def send_signed(
    base: str,
    body: str,
    content: str,
    secret: str = SIGNING_SECRET,
    *,
    timestamp: str | None = None,
    signature: str | None = None,
    headers: Json | None = None,
) -> tuple[int, str]:
    """One request as Slack sends it; the status and the text of the answer. The signature may be any other."""
    moment = str(int(START.timestamp())) if timestamp is None else timestamp
    made = "v0=" + hmac.new(secret.encode(), f"v0:{moment}:{body}".encode(), hashlib.sha256).hexdigest()
    all_headers = {
        "Content-Type": content,
        "X-Slack-Request-Timestamp": moment,
        "X-Slack-Signature": made if signature is None else signature,
        **(headers or {}),
    }
    timeout = aiohttp.ClientTimeout(total=GUARD_SECONDS)
    async with aiohttp.ClientSession(timeout=timeout) as session:
        try:
            async with session.post(
                f"{base}/slack/events", data=io.BytesIO(body.encode()), headers=all_headers
            ) as response:
                return response.status, await response.text()
        except TimeoutError:
            return 0, ""


def escaped(text: str) -> str:
    """As Slack sends what people type."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


@dataclass
class Person:
    """Somebody in a channel: types, presses, chooses. Is a `contract.Surface`."""

    server: SlackServer
    line: Line
    user: str = "U1"
    channel: str = "C1"
    team: str = "T1"
    addresses: list[str] = field(default_factory=list)
    """The keys of the response addresses made for this person."""

    # what they do

    async def say(self, text: str) -> Seen:
        return await self._after(lambda: self.slash(text))

    async def slash(self, text: str, *, trigger: str = "", **more: Any) -> Json | None:
        """`/papers text`; gives the acknowledgement."""
        payload = {
            "command": "/papers",
            "text": escaped(text),
            "user_id": self.user,
            "user_name": "somebody",
            "channel_id": self.channel,
            "team_id": self.team,
            "trigger_id": trigger or self.server.world.new_trigger(self.user),
            "response_url": self.response_url(),
            "token": "verification",
            "is_enterprise_install": "false",
        }
        return await self.line.deliver("slash_commands", payload, **more)

    async def event(
        self, event: Json, *, event_id: str = "", event_time: int | None = None, **more: Any
    ) -> Json | None:
        """Something happened; gives the acknowledgement."""
        world = self.server.world
        payload = {
            "type": "event_callback",
            "team_id": self.team,
            "api_app_id": "A1",
            "event": {"user": self.user, "channel": self.channel, "event_ts": "1.1", **event},
            "event_id": event_id or f"Ev{world.number()}",
            "event_time": int(world.now) if event_time is None else event_time,
            "token": "verification",
        }
        return await self.line.deliver("events_api", payload, **more)

    async def mention(self, text: str, *, thread: str | None = None, **more: Any) -> Message:
        """`@Paperboy text` in the channel; the bot's answer."""
        world = self.server.world
        known = {one.ts for one in world.public(self.channel)}
        ts = world.new_ts()
        event: Json = {"type": "app_mention", "text": f"<@UBOT> {escaped(text)}", "ts": ts}
        if thread:
            event["thread_ts"] = thread
        await self.event(event, **more)
        return await world.until(lambda: next((m for m in world.public(self.channel) if m.ts not in known), None))

    async def write(self, text: str) -> Seen:
        """A direct message to the bot."""
        event = {"type": "message", "channel_type": "im", "text": escaped(text), "ts": self.server.world.new_ts()}
        return await self._after(lambda: self.event(event))

    async def open_home(self, **more: Any) -> Json:
        """Open the home; what it shows."""
        world = self.server.world
        world.homes.pop((self.team, self.user), None)
        await self.event({"type": "app_home_opened", "tab": "home", "channel": f"D{self.user[1:]}"}, **more)
        return await world.until(lambda: world.homes.get((self.team, self.user)))

    async def shortcut(self, text: str, callback: str = "find_related") -> Seen:
        """Find related papers, on a message with this text."""
        return await self._after(lambda: self.ask_by_shortcut(text, callback))

    async def ask_by_shortcut(self, text: str, callback: str = "find_related") -> Json | None:
        """The same; gives the acknowledgement."""
        payload = self._interaction("message_action") | {
            "callback_id": callback,
            "message_ts": "1.2",
            "message": {"type": "message", "text": text, "ts": "1.2", "user": "U2"},
            "response_url": self.response_url(),
        }
        return await self.line.deliver("interactive", payload)

    async def press(self, label: str) -> Seen:
        """Action a button of the last private answer."""
        return await self._after(lambda: self.use(self.last(), label))

    async def press_shared(self, label: str) -> Seen:
        post = self.server.world.public(self.channel)[-1]
        return await self._after(lambda: self.use(post, label))

    async def use(
        self, message: Message, label: str, *, choose: str | None = None, trigger: str = "", **more: Any
    ) -> Json | None:
        """Action a button of a message, or choose in a menu; refused where the message has no such thing."""
        element = _named(elements(message.blocks), label)
        payload = self._interaction("block_actions", trigger) | {
            "container": {
                "type": "message",
                "message_ts": message.ts,
                "channel_id": message.channel,
                "is_ephemeral": bool(message.only),
                **({"thread_ts": message.thread} if message.thread else {}),
            },
            "channel": {"id": message.channel, "name": "a-channel"},
            "response_url": self.response_url(message.ts),
            "actions": [_action(element, choose)],
        }
        if not message.only:
            payload["message"] = {"ts": message.ts, "text": message.text, "user": "UBOT"}
        return await self.line.deliver("interactive", payload, **more)

    async def use_view(self, view: Json, view_id: str, label: str, *, choose: str | None = None) -> Json | None:
        """The same in a modal or at home."""
        element = _named(elements(view["blocks"]), label)
        payload = self._interaction("block_actions") | {
            "container": {"type": "view", "view_id": view_id},
            "view": {**view, "id": view_id},
            "actions": [_action(element, choose)],
        }
        payload.pop("channel", None)
        return await self.line.deliver("interactive", payload)

    async def submit(self, shown: View, values: Json, *, trigger: str = "") -> Json | None:
        """Submit a modal; what its acknowledgement makes of it is done."""
        payload = self._interaction("view_submission", trigger) | {
            "view": {**shown.view, "id": shown.id, "state": {"values": values}},
            "response_urls": [],
        }
        payload.pop("channel", None)
        answer = await self.line.deliver("interactive", payload)
        world = self.server.world
        match (answer or {}).get("response_action"):
            case None if answer is not None:
                world.views.pop(shown.id, None)
            case "update":
                assert answer is not None
                problems = view_problems(answer["view"])
                assert not problems, problems
                shown.view = answer["view"]
                shown.version += 1
            case _:
                pass
        await world.touch()
        return answer

    async def suggestions(self, action_id: str, typed: str) -> list[Json]:
        """What a menu offers while one types."""
        payload = self._interaction("block_suggestion") | {"action_id": action_id, "block_id": "b", "value": typed}
        answer = await self.line.deliver("interactive", payload)
        assert answer is not None
        options: list[Json] = answer["options"]
        assert not list(option_problems(options))
        return options

    # what they see

    def visible(self) -> list[Message]:
        """What is for this person here: private answers, and everything in direct messages."""
        world = self.server.world
        direct = world.public(self.channel) if self.channel.startswith("D") else []
        return sorted([*world.private(self.user, self.channel), *direct], key=lambda one: one.ts)

    def last(self) -> Message:
        return self.visible()[-1]

    def posts(self) -> list[str]:
        return [words(one.blocks) or one.text for one in self.server.world.public(self.channel)]

    def seen(self, message: Message, *, replaced: bool = False) -> Seen:
        private = bool(message.only) or message.channel.startswith("D")
        return Seen(words(message.blocks) or message.text, buttons(message.blocks), private, replaced)

    def response_url(self, message: str = "") -> str:
        """A new address to answer at."""
        world = self.server.world
        key = f"r{world.number()}"
        self.addresses.append(key)
        world.responses[key] = ResponseUrl(self.channel, self.team, self.user, world.now, message)
        return f"{self.server.base}/response/{key}"

    def _interaction(self, kind: str, trigger: str = "") -> Json:
        return {
            "type": kind,
            "team": {"id": self.team, "domain": "team"},
            "user": {"id": self.user, "username": "somebody", "team_id": self.team},
            "channel": {"id": self.channel, "name": "a-channel"},
            "api_app_id": "A1",
            "token": "verification",
            "trigger_id": trigger or self.server.world.new_trigger(self.user),
        }

    async def _after(self, act: Callable[[], Awaitable[Json | None]]) -> Seen:
        """What this person sees next, once they did something."""
        world = self.server.world
        before = {one.ts: one.version for one in self.visible()}
        public = {one.ts for one in world.public(self.channel)}
        acknowledged = await act()
        assert acknowledged is not None, "not acknowledged within 3 s"

        def news() -> Message | str | None:
            # a file on its own is no answer: the words that say where it is come after it
            changed = [one for one in self.visible() if before.get(one.ts) != one.version and (one.text or one.blocks)]
            if changed:
                return changed[-1]
            if self.channel.startswith("D"):
                return None
            now = {one.ts for one in world.public(self.channel)}
            return "post" if now != public else None

        found = await world.until(news)
        if isinstance(found, Message):
            return self.seen(found, replaced=found.ts in before)
        return Seen("", (), private=False, replaced=False)


def _named(found: list[Element], label: str) -> Element:
    for one in found:
        if label in {one.label, one.action_id}:
            return one
    raise AssertionError(f"there is no {label!r} here: {[one.label for one in found]}")


def _action(element: Element, choose: str | None) -> Json:
    kind = element.element["type"]
    action: Json = {"action_id": element.action_id, "block_id": element.block_id, "type": kind, "action_ts": "1.3"}
    if kind == "button":
        return action | {"value": element.element.get("value", ""), "text": element.element["text"]}
    offered = element.element.get("options")
    if offered is not None:
        option = next((one for one in offered if choose in {one["text"]["text"], one["value"]}), None)
        assert option is not None, f"{choose!r} is not offered: {offered}"
    else:
        option = {"text": {"type": "plain_text", "text": str(choose)}, "value": choose}
    return action | {"selected_option": option}
