"""The paper of the day in Slack: rendered, posted, found again."""

import asyncio
import json
import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import cast

from aiohttp import ClientConnectorError, ClientError
from pydantic import TypeAdapter
from slack_sdk.errors import SlackApiError
from slack_sdk.web.async_client import AsyncWebClient

from bot.adapters.actions import Action, ActionCodec, RenderedButton
from bot.adapters.services import Services
from bot.adapters.slack.api import CONTENT, QUIETLY, Clients, code_of, is_ambiguous, is_direct
from bot.adapters.slack.blocks import Json, SlackChrome, message
from bot.adapters.slack.permissions import SlackAccess, remedy
from bot.adapters.slack.section import SlackSection
from bot.connections import SEND_SECONDS, Connection, Look, departing, never
from bot.errors import (
    AmbiguousPostError,
    ChannelTroubleError,
    ContentRefusedError,
    DeliveryError,
    InstallTroubleError,
    RetryLaterError,
)
from bot.message import ChannelRef, Reply

logger = logging.getLogger(__name__)

EVENT_TYPE = "paperboy_posting"
"""What the metadata of our posts is called; its payload carries the posting's key."""

_BUTTON = 500
"""Characters of a press that a button carries itself, as in answers."""

_CONVERSATIONS = ("C", "D", "G")
"""What ids of channels begin with; those of people do otherwise, and no history is told for them."""

_PAGE = 200
_MOST_PAGES = 20
"""Pages of history or members that are looked through."""

_INSTALL = frozenset(
    {"account_inactive", "invalid_auth", "missing_scope", "not_allowed_token_type", "not_authed", "token_revoked"}
)


@dataclass(frozen=True, slots=True)
class _Metadata:
    event_payload: dict[str, object]


@dataclass(frozen=True, slots=True)
class _Message:
    ts: str
    metadata: _Metadata | None = None


@dataclass(frozen=True, slots=True)
class _History:
    messages: tuple[_Message, ...] = ()


_HISTORY = TypeAdapter(_History)


def frame_of(reply: Reply, keys: Sequence[RenderedButton]) -> SlackChrome:
    """The buttons of a post: of several papers each has a row of its own."""
    several = len(reply.papers) > 1 and len(keys) % len(reply.papers) == 0
    return SlackChrome(row=tuple(keys), per_row=len(keys) // len(reply.papers) if several else 0)


def _named(channel: ChannelRef) -> list[Json]:
    """A line that names a channel."""
    runs: list[Json] = [{"type": "channel", "channel_id": channel.channel}]
    return [{"type": "rich_text", "elements": [{"type": "rich_text_section", "elements": runs}]}]


class SlackPoster:
    """Posts digests (bot.connections.Poster)."""

    def __init__(
        self, clients: Clients, codec: ActionCodec, section: SlackSection, seconds: float = SEND_SECONDS
    ) -> None:
        self._clients = clients
        self._codec = codec
        self._section = section
        self._seconds = seconds

    async def render(
        self,
        reply: Reply,
        key: str,
        *,
        threaded: bool = False,  # noqa: ARG002 - the port's
        about: ChannelRef | None = None,
    ) -> str:
        """The arguments of chat.postMessage but for the place, as JSON."""
        keys = [
            RenderedButton(one.label, await self._codec.encode(Action("open", one.call, sharer=key)), one.primary)
            for one in reply.buttons
        ]
        drawn = await asyncio.to_thread(message, reply, frame_of(reply, keys))
        body: Json = {
            "text": drawn.text,
            "blocks": [*drawn.blocks, *(_named(about) if about is not None and not is_direct(about.channel) else [])],
            "metadata": {"event_type": EVENT_TYPE, "event_payload": {"key": key}},
            **QUIETLY,
        }
        return json.dumps(body, ensure_ascii=False, separators=(",", ":"))

    async def send(
        self, channel: ChannelRef, key: str, payload: str, parent: str | None, too_late: Callable[[], bool] = never
    ) -> str:
        """Post; blocks that Slack refuses are left out at a second try. Gives the time stamp."""
        body: Json = {"channel": channel.channel, **json.loads(payload)}
        if parent is not None:
            body["thread_ts"] = parent
        client = await self._client(channel, sending=True)
        with departing(too_late) as departure:
            try:
                return await self._posted(client, key, body)
            except SlackApiError as error:
                raise self._sorted(error) from error
            except ClientConnectorError as error:
                raise RetryLaterError("no connection to Slack", 0) from error
            except (ClientError, TimeoutError, OSError) as error:
                raise departure.unanswered("Slack", error) from error

    async def _posted(self, client: AsyncWebClient, key: str, body: Json) -> str:
        async with asyncio.timeout(self._seconds):
            try:
                sent = await client.api_call("chat.postMessage", json=body)
            except SlackApiError as error:
                if code_of(error) not in CONTENT or "blocks" not in body:
                    raise
                del body["blocks"]
                sent = await client.api_call("chat.postMessage", json=body)
                logger.error("digest: Slack refused the blocks of %s (%s), sent as plain text", key, code_of(error))  # noqa: TRY400
        return str(sent.get("ts", ""))

    async def relabel(self, channel: ChannelRef, payload: str, message: str, label_of: Callable[[str], str]) -> None:
        """Change the message to the same one with other labels; Slack keeps its metadata."""
        body: Json = json.loads(payload)
        for block in cast("list[Json]", body["blocks"]):
            if block["type"] == "actions":
                for element in cast("list[dict[str, Json]]", block["elements"]):
                    element["text"]["text"] = label_of(str(element["text"]["text"]))
        client = await self._client(channel, sending=True)
        where: Json = {"channel": channel.channel, "ts": message}
        try:
            async with asyncio.timeout(self._seconds):
                await client.api_call("chat.update", json=body | where)
        except SlackApiError as error:
            raise self._sorted(error) from error
        except (ClientError, TimeoutError, OSError) as error:
            raise RetryLaterError(f"no answer came from Slack ({type(error).__name__})", 0) from error

    async def find(self, channel: ChannelRef, key: str, ago: timedelta, parent: str | None) -> str | Look:
        """Look for the key in the metadata of the channel's history, where the bot may read it."""
        if not self._section.history or not channel.channel.startswith(_CONVERSATIONS):
            return Look.CANNOT
        client = await self._client(channel, sending=False)
        try:
            async with asyncio.timeout(self._seconds):
                return await _found(client, channel.channel, key, ago, parent)
        except SlackApiError as error:
            if (code := code_of(error)) == "missing_scope":
                logger.warning("slack: `slack.history` is on, but the token lacks the scope to read this channel")
                return Look.CANNOT
            if code == "thread_not_found":
                return Look.ABSENT
            raise self._sorted(error) from error
        except (ClientError, TimeoutError, OSError) as error:
            raise RetryLaterError(f"no answer came from Slack ({type(error).__name__})", 0) from error

    async def direct(self, person: str, channel: ChannelRef) -> ChannelRef:
        """The person in the channel's place: Slack opens their direct messages where something is posted to them."""
        return replace(channel, channel=person)

    async def _client(self, channel: ChannelRef, *, sending: bool) -> AsyncWebClient:
        workspace = channel.workspace
        client = await (self._clients.sending(workspace) if sending else self._clients.asking(workspace))
        if client is None:
            raise InstallTroubleError(f"the app is not installed in the workspace {channel.workspace}")
        return client

    def _sorted(self, error: SlackApiError) -> DeliveryError:
        """What an answer of Slack's means for the post."""
        code, status = code_of(error), _status(error)
        if status == 429 or code in {"ratelimited", "rate_limited"}:
            return RetryLaterError("Slack asks to slow down", _retry_after(error))
        if is_ambiguous(code) or status >= 500:
            return AmbiguousPostError(f"Slack failed while posting ({code})")
        if code == "token_expired":  # it is renewed before the next try, where tokens rotate
            return RetryLaterError("the token had expired", 60)
        if code in _INSTALL:
            return InstallTroubleError(f"Slack no longer takes the token ({code}): install the app there again")
        if code in CONTENT:
            return ContentRefusedError(f"Slack refuses the message ({code}).")
        return ChannelTroubleError(remedy(code, self._section.name) or f"Slack refuses ({code}).")


async def _found(client: AsyncWebClient, channel: str, key: str, ago: timedelta, parent: str | None) -> str | Look:
    """The message with this key among those of the last `ago` before the latest that stands there, or under a parent.

    Slack dates messages by its own clock, and gives the latest first: ours does not come into it.
    """
    where: Json = {"channel": channel, "include_all_metadata": True, "limit": _PAGE}
    method = "conversations.history"
    if parent is not None:
        where["ts"], method = parent, "conversations.replies"
    earliest: float | None = None
    pages = 0
    async for page in await client.api_call(method, params=where):
        for one in _HISTORY.validate_python(page.data).messages:
            if one.metadata is not None and one.metadata.event_payload.get("key") == key:
                return one.ts
            at = float(one.ts)
            earliest = at - ago.total_seconds() if earliest is None else earliest
            if parent is None and at < earliest:
                return Look.ABSENT
        pages += 1
        if pages == _MOST_PAGES:
            return Look.CANNOT  # too much was said since to be sure
    return Look.ABSENT


def _status(error: SlackApiError) -> int:
    status = getattr(error.response, "status_code", None) or getattr(error.response, "status", 0)
    return status if isinstance(status, int) else 0


def _retry_after(error: SlackApiError) -> float:
    """Seconds that Slack asks to wait, between one second and ten minutes."""
    headers = getattr(error.response, "headers", None) or {}
    words = next((str(value) for name, value in headers.items() if name.lower() == "retry-after"), "")
    return float(min(600, max(1, int(words)))) if words.isascii() and words.isdigit() else 30.0


def enter(services: Services, section: SlackSection, clients: Clients, alive: Callable[[], bool], account: str) -> None:
    """Lend the connected adapter to the rest of the bot."""
    poster = SlackPoster(clients, ActionCodec(services.actions, _BUTTON), section)
    access = SlackAccess(clients, section)
    services.connections.enter(Connection("slack", section.offers, alive, poster, access, account))
