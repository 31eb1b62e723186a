"""Sending: one place where messages leave, with the plain text alone where Slack refuses the blocks."""

import json
import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from aiohttp import ClientConnectionError, ClientConnectorError, ClientError, ClientSession
from slack_bolt.authorization import AuthorizeResult
from slack_bolt.authorization.async_authorize import AsyncAuthorize
from slack_bolt.context.async_context import AsyncBoltContext
from slack_sdk.errors import SlackApiError
from slack_sdk.http_retry.async_handler import AsyncRetryHandler
from slack_sdk.http_retry.builtin_async_handlers import AsyncRateLimitErrorRetryHandler
from slack_sdk.http_retry.builtin_interval_calculators import BackoffRetryIntervalCalculator
from slack_sdk.http_retry.request import HttpRequest
from slack_sdk.http_retry.response import HttpResponse
from slack_sdk.http_retry.state import RetryState
from slack_sdk.web.async_client import AsyncWebClient
from slack_sdk.webhook.async_client import AsyncWebhookClient

from bot.adapters.slack.blocks import Json, SlackMessage
from bot.errors import RefusedError, UnansweredError

logger = logging.getLogger(__name__)


_SAME_TWICE = frozenset(
    {
        "apps.connections.open",
        "auth.test",
        "chat.delete",
        "chat.update",
        "conversations.info",
        "conversations.members",
        "users.conversations",
        "users.info",
        "views.publish",
        "views.update",
    }
)
"""Methods that do the same when called twice. Posting is not one: a connection that broke after Slack took the message
looks just like one that broke before."""

LONGEST_WAIT = 30
"""Seconds of Retry-After that somebody may still be waiting for an answer."""


class CarefulRetries(AsyncRetryHandler):
    """Tries again what never reached Slack, and what does no harm twice."""

    def __init__(self, attempts: int = 2, pause: float = 0.3) -> None:
        super().__init__(attempts, BackoffRetryIntervalCalculator(backoff_factor=pause))

    async def _can_retry_async(
        self,
        *,
        state: RetryState,  # noqa: ARG002 - the signature is the library's
        request: HttpRequest,
        response: HttpResponse | None = None,
        error: Exception | None = None,
    ) -> bool:
        if isinstance(error, ClientConnectorError):
            return True  # no connection came about, so nothing was sent
        if request.url.rpartition("/")[2] not in _SAME_TWICE:
            return False
        if error is not None:
            return isinstance(error, (ClientConnectionError, TimeoutError))
        return response is not None and response.status_code >= 500


class PatientRetries(AsyncRateLimitErrorRetryHandler):
    """Waits as long as Slack says where it says to wait, unless nobody would."""

    async def _can_retry_async(
        self,
        *,
        state: RetryState,
        request: HttpRequest,
        response: HttpResponse | None = None,
        error: Exception | None = None,
    ) -> bool:
        if not await super()._can_retry_async(state=state, request=request, response=response, error=error):
            return False
        wait = next((value for name, value in (response.headers if response else {}).items() if _is_wait(name)), ["1"])
        return str(wait[0]).isdigit() and int(wait[0]) <= LONGEST_WAIT


def _is_wait(name: str) -> bool:
    return name.lower() == "retry-after"


def retries() -> list[AsyncRetryHandler]:
    """The handlers of every client: the library's own default would post a message twice after a broken connection."""
    return [CarefulRetries(), PatientRetries(max_retry_count=2)]


def is_direct(channel: str) -> bool:
    """Whether a channel is direct messages between two."""
    return channel.startswith("D")


TokenOf = Callable[[str], Awaitable[str | None]]
"""The token of a workspace, good for a while; None where the app is not installed there."""


@dataclass(frozen=True, slots=True)
class ClientKind:
    """What all clients have in common: where Slack is, the connections, and a logger that prints no secrets."""

    base_url: str
    session: ClientSession
    logger: logging.Logger

    def make(self, token: str | None = None, handlers: list[AsyncRetryHandler] | None = None) -> AsyncWebClient:
        """A Web API client that says nothing twice; with other `handlers` of what is tried again."""
        return AsyncWebClient(
            token=token,
            base_url=self.base_url,
            session=self.session,
            logger=self.logger,
            retry_handlers=retries() if handlers is None else handlers,
        )


@dataclass(frozen=True, slots=True)
class Clients:
    """Clients by workspace, of one kind."""

    token_of: TokenOf
    kind: "ClientKind"

    async def sending(self, workspace: str) -> AsyncWebClient | None:
        """One that tries nothing again by itself: the ledger decides."""
        token = await self.token_of(workspace)
        return None if token is None else self.kind.make(token, [])

    async def asking(self, workspace: str) -> AsyncWebClient | None:
        """One that tries again what does no harm twice."""
        token = await self.token_of(workspace)
        return None if token is None else self.kind.make(token)


REFUSED = frozenset({"invalid_blocks", "invalid_blocks_format", "msg_blocks_too_long"})
CONTENT = REFUSED | {
    "attachment_payload_limit_exceeded",
    "invalid_attachments",
    "invalid_metadata_format",
    "invalid_metadata_schema",
    "metadata_too_large",
    "msg_too_long",
    "no_text",
    "restricted_content",
    "too_many_attachments",
}
"""Slack's words for a message that it takes nowhere."""
AMBIGUOUS = frozenset({"fatal_error", "internal_error", "request_timeout", "service_unavailable"})
"""Slack's words after which the message may have been posted all the same."""
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
class SlackClient:
    """Sends messages for a workspace; `client` has its token. Everything raises RefusedError where Slack says no."""

    client: AsyncWebClient
    session: ClientSession
    library_logger: logging.Logger

    async def respond(self, url: str, message: SlackMessage, *, replace: bool, thread: str | None = None) -> None:
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

    async def post(self, channel: str, message: SlackMessage, thread: str | None = None) -> str:
        """Post for everyone in a channel, or into somebody's direct messages; gives the channel's id."""

        async def send(body: Json) -> str:
            sent = await self.client.api_call("chat.postMessage", json={"channel": channel, **_in(thread), **body})
            return str(sent.get("channel", ""))

        return await _once_more_plain(send, message)

    async def whisper(self, channel: str, user: str, message: SlackMessage, thread: str | None = None) -> None:
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


async def _once_more_plain(send: Callable[[Json], Awaitable[str]], message: SlackMessage) -> str:
    full: Json = {"text": message.text, **QUIETLY}
    try:
        return await _sent(send, {**full, "blocks": list(message.blocks)})
    except RefusedError as error:
        if error.code not in REFUSED:
            raise
        logger.error("slack refused the blocks of a message (%s): sent as plain text", error.code)  # noqa: TRY400
    return await _sent(send, full)


async def _sent(send: Callable[[Json], Awaitable[str]], body: Json) -> str:
    """Raises RefusedError where it surely was not taken, UnansweredError where it may have been."""
    try:
        return await send(body)
    except SlackApiError as error:
        if is_ambiguous(code := code_of(error)):
            raise UnansweredError(code) from error
        raise refused(code) from error
    except RefusedError as error:
        if is_ambiguous(error.code):
            raise UnansweredError(error.code) from error
        raise
    except ClientConnectorError as error:
        raise refused("no_connection") from error
    except (ClientError, TimeoutError, OSError) as error:
        raise UnansweredError(type(error).__name__) from error


def is_ambiguous(code: str) -> bool:
    """Whether a word, or a status, of Slack's leaves open whether the message was posted."""
    return code in AMBIGUOUS or code == "http_0" or (code.startswith("http_5") and code[5:].isdigit())


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


class OneWorkspace(AsyncAuthorize):
    """The one token answers every request; who it is was asked once, at the start."""

    def __init__(self, who: AuthorizeResult) -> None:
        self._who = who

    async def __call__(
        self,
        *,
        context: AsyncBoltContext,  # noqa: ARG002 - the signature is the library's
        enterprise_id: str | None,  # noqa: ARG002
        team_id: str | None,  # noqa: ARG002
        user_id: str | None,
        actor_enterprise_id: str | None = None,  # noqa: ARG002
        actor_team_id: str | None = None,  # noqa: ARG002
        actor_user_id: str | None = None,  # noqa: ARG002
    ) -> AuthorizeResult | None:
        """The bot, for whoever asks."""
        result = AuthorizeResult(**self._who)
        result["user_id"] = result.user_id = user_id
        return result


def token_of_one(who: AuthorizeResult) -> TokenOf:
    """The one workspace's token."""

    async def token(workspace: str) -> str | None:
        return who.bot_token if workspace in {who.team_id, who.enterprise_id} else None

    return token
