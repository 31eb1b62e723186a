"""Runs the adapter until the bot stops: tokens tried first, then a socket or a server, then an orderly end."""

import asyncio
import logging
from collections.abc import Coroutine
from dataclasses import dataclass
from typing import Any, TypeVar

from aiohttp import ClientError, ClientSession, ClientTimeout, TCPConnector
from slack_bolt.app.async_app import AsyncApp
from slack_bolt.authorization import AuthorizeResult
from slack_bolt.authorization.async_authorize import AsyncAuthorize
from slack_bolt.oauth.async_oauth_settings import AsyncOAuthSettings
from slack_sdk.errors import SlackApiError
from slack_sdk.oauth.token_rotation.async_rotator import AsyncTokenRotator
from slack_sdk.web.async_client import AsyncWebClient

from bot.adapters.base import secret
from bot.adapters.conversation import Conversation
from bot.adapters.services import Services, end, watched
from bot.adapters.slack import posting
from bot.adapters.slack.api import ClientKind, Clients, OneWorkspace, TokenOf, code_of, token_of_one
from bot.adapters.slack.blocks import LONGEST_CHOICE
from bot.adapters.slack.handlers import Handlers
from bot.adapters.slack.home import Homes
from bot.adapters.slack.http import EventsEndpoint, HttpServer
from bot.adapters.slack.manifest import FATAL, bot_token_refused, granted, lacking
from bot.adapters.slack.oauth import StoredInstallations, TokenCipher, Workspaces, listen_for_uninstalls, oauth_settings
from bot.adapters.slack.redact import Redaction, library_logger, quiet
from bot.adapters.slack.section import (
    APP_TOKEN,
    BOT_TOKEN,
    CLIENT_ID,
    CLIENT_SECRET,
    SIGNING_SECRET,
    TOKEN_KEY,
    SlackSection,
    section_of,
)
from bot.adapters.slack.socket import Backoff, SocketLink
from bot.adapters.slack.surface import ChromeMaker
from bot.adapters.suggest import Suggestions
from bot.config import Settings
from bot.errors import OperatorError

logger = logging.getLogger(__name__)

FINISH_SECONDS = 9.0
"""Answers in flight may take this long after the bot was asked to stop."""

_NOT_INSTALLED = "I am not installed in this workspace any more. Ask whoever looks after its apps to install me again."
Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class _Parts:
    """What both modes share."""

    settings: Settings
    section: SlackSection
    services: Services
    session: ClientSession
    library: logging.Logger
    redaction: Redaction
    conversation: Conversation

    def secret(self, name: str) -> str:
        """A secret that `missing` has seen to be there."""
        return secret(self.settings, name) or ""

    @property
    def kind(self) -> ClientKind:
        """Of which kind its clients are."""
        return ClientKind(self.section.api, self.session, self.library)

    def client(self, token: str | None = None) -> AsyncWebClient:
        """A Web API client that says nothing twice."""
        return self.kind.make(token)

    def clients(self, token_of: TokenOf) -> Clients:
        """Clients for what no request asked for."""
        return Clients(token_of, self.kind)

    def handlers(self) -> Handlers:
        """Everything that answers."""
        chrome = ChromeMaker(self.services, self.section)
        return Handlers(
            conversation=self.conversation,
            chrome=chrome,
            homes=Homes(self.services.dispatcher, chrome),
            suggestions=Suggestions(self.services.dispatcher.commands.at(self.section.offers), LONGEST_CHOICE),
            session=self.session,
            library_logger=self.library,
        )


def _tokens_of(workspaces: Workspaces) -> TokenOf:
    """Tokens of workspaces, renewed before they expire."""

    async def token(workspace: str) -> str | None:
        bot = await workspaces.bot(None, workspace)
        return bot.bot_token if bot is not None else None

    return token


async def serve(settings: Settings, services: Services) -> None:
    """Serve Slack until `services.stopping`. Raises OperatorError where a token or an address is wrong."""
    section = section_of(settings)
    names = (BOT_TOKEN, APP_TOKEN, SIGNING_SECRET, CLIENT_SECRET, TOKEN_KEY)
    redaction = Redaction(value for name in names if (value := secret(settings, name)))
    # a kept connection saves a handshake an answer; it is given up before Slack closes it, since a post into a closing
    # one cannot be told from a post that arrived
    connector = TCPConnector(keepalive_timeout=10, limit=100)
    timeout = ClientTimeout(total=15)
    async with ClientSession(timeout=timeout, connector=connector, trace_configs=[watched()]) as session:
        library = library_logger("web", redaction)
        conversation = Conversation(
            "slack",
            services.dispatcher,
            services.inbound,
            sharing=section.share,
            log_queries=settings.core.log.queries,
        )
        parts = _Parts(settings, section, services, session, library, redaction, conversation)
        with quiet(redaction):
            try:
                match section.mode:
                    case "socket":
                        await _by_socket(parts)
                    case "http":
                        await _by_http(parts)
                    case "oauth":
                        await _by_oauth(parts)
            finally:
                services.connections.leave("slack")


def _app(parts: _Parts, authorize: AsyncAuthorize, oauth: AsyncOAuthSettings | None = None) -> AsyncApp:
    return AsyncApp(
        name="paperboy",
        logger=parts.library,
        client=parts.client(),
        signing_secret=parts.secret(SIGNING_SECRET) or "not used",
        authorize=authorize,  # type: ignore[arg-type]  # the library takes its own class too
        oauth_settings=oauth,
        # requests are verified before they come here, and the socket is the verification of its own
        request_verification_enabled=False,
        ssl_check_enabled=False,
        attaching_function_token_enabled=False,
        attaching_conversation_kwargs_enabled=False,
        user_facing_authorize_error_message=_NOT_INSTALLED,
    )


async def _by_socket(parts: _Parts) -> None:
    stopping = parts.services.stopping
    who = await _unless(stopping, _who(parts))
    if who is None:
        return
    app = _app(parts, OneWorkspace(who))
    parts.handlers().register(app, parts.section)
    library = library_logger("socket", parts.redaction, logging.CRITICAL)  # what happens to it is said here
    link = SocketLink(app, parts.client(), parts.secret(APP_TOKEN), library)
    posting.enter(
        parts.services, parts.section, parts.clients(token_of_one(who)), lambda: link.stands, _account(parts, who)
    )
    try:
        await _unless(stopping, link.run())
    finally:
        await link.refuse_new()
        await _finish(parts)


async def _by_http(parts: _Parts) -> None:
    who = await _unless(parts.services.stopping, _who(parts))
    if who is None:
        return
    app = _app(parts, OneWorkspace(who))
    parts.handlers().register(app, parts.section)
    await _listen(parts, app, parts.clients(token_of_one(who)), _account(parts, who), pages=False)


async def _by_oauth(parts: _Parts) -> None:
    vault = TokenCipher(parts.secret(TOKEN_KEY))
    if renewed := await vault.renew(parts.services.installations):
        logger.info("slack: %d installation(s) encrypted anew with the newest key", renewed)
    store = StoredInstallations(parts.services.installations, vault, parts.services.storage.subscriptions)
    client_id, client_secret = parts.secret(CLIENT_ID), parts.secret(CLIENT_SECRET)
    rotator = AsyncTokenRotator(client_id=client_id, client_secret=client_secret, client=parts.client())
    workspaces = Workspaces(store, rotator, parts.services.leases, parts.services.replica, parts.services.storage.clock)
    oauth = oauth_settings(
        parts.section,
        client_id=client_id,
        client_secret=client_secret,
        store=store,
        services=parts.services,
        library=parts.library,
    )
    app = _app(parts, workspaces, oauth)
    listen_for_uninstalls(app, store, parts.conversation)
    parts.handlers().register(app, parts.section)
    try:
        await _listen(parts, app, parts.clients(_tokens_of(workspaces)), "an app to install", pages=True)
    finally:
        await workspaces.close()


async def _listen(parts: _Parts, app: AsyncApp, clients: Clients, account: str, *, pages: bool) -> None:
    door = EventsEndpoint(app, parts.secret(SIGNING_SECRET), parts.services.stopping, parts.services.storage.clock)
    server = await HttpServer.open(door, parts.section.http, pages=pages)
    posting.enter(parts.services, parts.section, clients, lambda: True, account)
    try:
        await parts.services.stopping.wait()
        await server.refuse_new()
        await _finish(parts)
    finally:
        await server.close()
        await door.finish()


async def _finish(parts: _Parts) -> None:
    if late := await parts.conversation.finish(FINISH_SECONDS):
        logger.error("slack: %d answer(s) did not finish in time", late)
    if parts.services.stopping.is_set():
        await parts.services.until_idle()


async def _unless(stopping: asyncio.Event, work: Coroutine[Any, Any, Result]) -> Result | None:
    """What some work gives; None where the bot stops before, which ends the work."""
    task, stop = asyncio.create_task(work), asyncio.create_task(stopping.wait())
    try:
        await asyncio.wait({task, stop}, return_when=asyncio.FIRST_COMPLETED)
        return task.result() if task.done() else None
    finally:
        await end((task, stop))


async def _who(parts: _Parts) -> AuthorizeResult:
    """Who the bot token is, asked until Slack answers. Raises OperatorError where Slack does not take the token."""
    backoff = Backoff()
    token = parts.secret(BOT_TOKEN)
    client = parts.client(token)
    while True:
        await asyncio.sleep(backoff.pause())
        try:
            answer = await client.auth_test()
        except SlackApiError as error:
            if (code := code_of(error)) in FATAL:
                raise OperatorError(bot_token_refused(code)) from error
            logger.warning("slack: no answer yet: %s", code)
            continue
        except (ClientError, TimeoutError, OSError) as error:
            logger.warning("slack: no answer yet: %s", type(error).__name__)
            continue
        have = granted(answer)
        for line in lacking(parts.section, have):
            logger.warning("slack: %s (`paperboy manifest slack` shows what is needed)", line)
        return AuthorizeResult(
            enterprise_id=answer.get("enterprise_id"),
            team_id=answer.get("team_id"),
            bot_id=answer.get("bot_id"),
            bot_user_id=answer.get("user_id"),
            bot_token=token,
            bot_scopes=have,
            team=answer.get("team"),
        )


def _account(parts: _Parts, who: AuthorizeResult) -> str:
    return f"{parts.section.name} ({who.bot_user_id}) in {who.get('team') or who.team_id or who.enterprise_id}"
