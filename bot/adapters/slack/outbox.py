"""Sending: one place where messages leave, with the plain text alone where Slack refuses the blocks."""

import json
import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from aiohttp import ClientSession
from slack_sdk.errors import SlackApiError
from slack_sdk.web.async_client import AsyncWebClient
from slack_sdk.webhook.async_client import AsyncWebhookClient

from bot.adapters.slack.elements import Json
from bot.adapters.slack.render import Message
from bot.adapters.slack.retries import retries
from bot.errors import RefusedError

logger = logging.getLogger(__name__)

REFUSED = frozenset({"invalid_blocks", "invalid_blocks_format", "msg_blocks_too_long"})
_OLD = frozenset({"expired_url", "used_url", "expired_trigger_id", "cannot_update_message", "message_not_found"})

QUIETLY: Json = {
    "unfurl_links": False,
    "unfurl_media": False,
    "link_names": False,
    "mrkdwn": False,
    "parse": "none",
}
"""For the plain text: no cards of links, no names or stars or addresses found in it."""


def refused(code: str) -> RefusedError:
    """Slack said no: the error for its word."""
    return RefusedError(code, too_old=code in _OLD)


@dataclass(frozen=True, slots=True)
class Outbox:
    """Sends messages for a workspace; `client` has its token. Everything raises RefusedError where Slack says no."""

    client: AsyncWebClient
    session: ClientSession
    library_logger: logging.Logger

    async def respond(self, url: str, message: Message, *, replace: bool, thread: str | None = None) -> None:
        """Answer privately by the address that came with an interaction, in place of its message or beside it."""
        extra: Json = {"response_type": "ephemeral", "replace_original": replace}
        if thread and not replace:
            extra["thread_ts"] = thread

        async def send(body: Json) -> str:
            webhook = AsyncWebhookClient(
                url, session=self.session, logger=self.library_logger, retry_handlers=retries()
            )
            response = await webhook.send_dict({**body, **extra})
            if code := _refusal(response.status_code, response.body):
                raise refused(code)
            return ""

        await _once_more_plain(send, message)

    async def post(self, channel: str, message: Message, thread: str | None = None) -> str:
        """Post for everyone in a channel, or into somebody's direct messages; gives the channel's id."""

        async def send(body: Json) -> str:
            sent = await self.client.api_call("chat.postMessage", json={"channel": channel, **_in(thread), **body})
            return str(sent.get("channel", ""))

        return await _once_more_plain(send, message)

    async def whisper(self, channel: str, user: str, message: Message, thread: str | None = None) -> None:
        """Post into a channel for one person only."""

        async def send(body: Json) -> str:
            who: Json = {"channel": channel, "user": user}
            await self.client.api_call("chat.postEphemeral", json={**who, **_in(thread), **body})
            return ""

        await _once_more_plain(send, message)

    async def delete(self, channel: str, ts: str) -> None:
        """Delete a message of ours; one that is gone already is fine."""
        try:
            await self.client.chat_delete(channel=channel, ts=ts)
        except SlackApiError as error:
            if (code := code_of(error)) != "message_not_found":
                raise refused(code) from error

    async def open_view(self, trigger: str, view: Json, plain: Json) -> None:
        """Open a modal, or the plain one where Slack refuses it."""
        await _view(lambda one: self.client.views_open(trigger_id=trigger, view=one), view, plain)

    async def update_view(self, view_id: str, view: Json, plain: Json) -> None:
        """Put a view in place of an open one."""
        await _view(lambda one: self.client.views_update(view_id=view_id, view=one), view, plain)

    async def publish_home(self, user: str, view: Json, plain: Json) -> None:
        """Show a person's home."""
        await _view(lambda one: self.client.views_publish(user_id=user, view=one), view, plain)


def _in(thread: str | None) -> Json:
    return {"thread_ts": thread} if thread else {}


async def _once_more_plain(send: Callable[[Json], Awaitable[str]], message: Message) -> str:
    full: Json = {"text": message.text, **QUIETLY}
    try:
        return await _sent(send, {**full, "blocks": list(message.blocks)})
    except RefusedError as error:
        if error.code not in REFUSED:
            raise
        logger.error("slack refused the blocks of a message (%s): sent as plain text", error.code)  # noqa: TRY400
    return await _sent(send, full)


async def _sent(send: Callable[[Json], Awaitable[str]], body: Json) -> str:
    try:
        return await send(body)
    except SlackApiError as error:
        raise refused(code_of(error)) from error


async def _view(send: Callable[[Json], Awaitable[object]], view: Json, plain: Json) -> None:
    try:
        await send(view)
    except SlackApiError as error:
        if (code := code_of(error)) not in REFUSED | {"invalid_arguments", "view_too_large"}:
            raise refused(code) from error
        logger.error("slack refused a view (%s): shown as plain text", code)  # noqa: TRY400
        try:
            await send(plain)
        except SlackApiError as again:
            raise refused(code_of(again)) from again


def code_of(error: SlackApiError) -> str:
    """Slack's word for what went wrong."""
    response = error.response
    data = response if isinstance(response, dict) else getattr(response, "data", None)
    code = data.get("error") if isinstance(data, dict) else None
    return str(code) if code else f"http_{getattr(response, 'status_code', 0)}"


def _refusal(status: int, body: str) -> str | None:
    """What an answer of a response_url says was wrong: a word, or JSON with one."""
    text = body.strip()
    if text.startswith("{"):
        try:
            said = json.loads(text)
        except ValueError:
            said = {}
        if isinstance(said, dict) and not said.get("ok", True):
            return str(said.get("error", "unknown"))
    elif text in REFUSED | _OLD:
        return text
    if status == 404:
        return "expired_url"
    return None if status < 300 else f"http_{status}"
